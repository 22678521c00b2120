/** Ports of four digits, as a page shows them: longer ones would break its lines elsewhere. Free for UDP and for TCP. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

export async function freePorts(count: number): Promise<string[]> {
  const found = new Set<string>();
  while (found.size < count) {
    const port = randomInt(7100, 10_000);
    if (await isFree(port)) found.add(String(port));
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket("udp4");
  try {
    await Promise.all([
      once(server.listen(port, "127.0.0.1"), "listening"),
      once(socket.bind(port, "127.0.0.1"), "listening"),
    ]);
    return true;
  } catch {
    return false;
  } finally {
    server.close();
    socket.close();
  }
}
