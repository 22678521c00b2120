/** Ports of 127.0.0.1 that are free for datagrams and for connections, and that no other test of this run is given. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The system takes ports for outgoing connections, and for servers that ask for any port, from 32768 on. A port below that range stays
 * free until the process that it is meant for has started.
 */
const FROM = 10_000;
const TO = 20_000;

export async function freePorts(count: number, from = FROM, to = TO): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = randomInt(from, to);
    if ((await isFree(port)) && isClaimed(port)) found.push(port);
  }
  return found;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port;
}

/** The temporary folder is the run's own (setup.ts), so that a file in it tells all workers of the run. */
function isClaimed(port: number): boolean {
  try {
    closeSync(openSync(join(tmpdir(), `sortition-port-${port}`), "wx"));
    return true;
  } catch {
    return false;
  }
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
