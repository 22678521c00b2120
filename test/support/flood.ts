/**
 * A process that floods a port of this machine with HTTP, for a while: `node flood.ts PORT KIND CONNECTIONS PATH MS`. It prints how many
 * bytes it has read. A process of its own, so that what is measured beside it does not wait for it.
 */
import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** `kept`: one request after the other. `unread`: pipelined, and no answer is read. `slow`: headers that do not end. `idle`: nothing. */
export type FloodKind = "kept" | "pipelined" | "unread" | "slow" | "idle";

export interface FloodSetup {
  readonly port: number;
  readonly kind: FloodKind;
  readonly connections: number;
  readonly path: string;
  readonly ms: number;
}

/** Resolves at its end, with the number of bytes that were read. */
export function flood({ port, kind, connections, path, ms }: FloodSetup): Promise<number> {
  const args = [fileURLToPath(import.meta.url), ...[port, kind, connections, path, ms].map(String)];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    child.on("close", (status) =>
      status === 0 ? resolve(Number(said)) : reject(new Error(`flood: status ${status}`)),
    );
  });
}

const BATCH = 200;

function run({ port, kind, connections, path, ms }: FloodSetup): void {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const batch = request.repeat(BATCH);
  let bytes = 0;
  const sockets = new Set<Socket>();
  const begin = (): void => {
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    const send = () => {
      while (socket.writable && socket.write(batch));
    };
    socket.on("connect", () => {
      if (kind === "kept") socket.write(request);
      else if (kind === "slow") socket.write(request.slice(0, -4));
      else if (kind !== "idle") send();
    });
    if (kind === "pipelined" || kind === "unread") socket.on("drain", send);
    if (kind === "unread") socket.pause();
    else {
      socket.on("data", (chunk) => {
        bytes += chunk.length;
        if (kind === "kept") socket.write(request);
      });
    }
    socket.on("error", () => {});
    // One that was closed comes back, but not all at once.
    socket.on("close", () => {
      sockets.delete(socket);
      setTimeout(begin, 20);
    });
  };
  for (let i = 0; i < connections; i++) begin();
  setTimeout(() => process.stdout.write(String(bytes), () => process.exit()), ms);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port, kind, connections, path, ms] = process.argv.slice(2);
  run({ port: Number(port), kind: kind as FloodKind, connections: Number(connections), path, ms: Number(ms) });
}
