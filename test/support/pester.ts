/** A thread that sends malformed requests to a port over kept connections, and counts what is answered. */
import { connect, type Socket } from "node:net";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { MalformedRequests } from "./malformed-requests.ts";

export interface Pestering {
  readonly port: number;
  readonly token: string;
  readonly seed: number;
  readonly requests: number;
  readonly connections: number;
}

export interface Pestered {
  readonly sent: number;
  /** Each opened anew after a request that ended the one before. */
  readonly opened: number;
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly ms: number;
}

/** So many at once on one connection, and so often before one that ends it. */
const PIPELINED = 32;
const BATCHES = 8;

export function pester(pestering: Pestering): Promise<Pestered> {
  return new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: pestering }).once("message", resolve).once("error", reject);
  });
}

class Client {
  sent = 0;
  opened = 0;
  readonly statuses = new Map<number, number>();

  async run({ port, token, seed, requests }: Pestering): Promise<void> {
    const all = new MalformedRequests(seed, token);
    while (this.sent < requests) {
      const socket = await opened(port);
      this.opened++;
      for (let batch = 0; batch < BATCHES && this.sent < requests; batch++) {
        await this.answers(socket, Buffer.concat(Array.from({ length: PIPELINED }, () => all.kept())));
        this.sent += PIPELINED;
      }
      await this.end(socket, all.breaking());
      this.sent++;
    }
  }

  /** Every one of them is answered. */
  private answers(socket: Socket, bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      let seen = 0;
      let rest: Buffer = Buffer.alloc(0);
      const gone = () => reject(new Error(`the connection ended after ${seen} of ${PIPELINED} answers`));
      const read = (chunk: Buffer) => {
        const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let at = text.indexOf(LINE);
        while (at >= 0 && at + LINE.length + 4 <= text.length) {
          this.count(text.toString("latin1", at + LINE.length, at + LINE.length + 3));
          seen++;
          at = text.indexOf(LINE, at + LINE.length);
        }
        rest = text.subarray(at >= 0 ? at : Math.max(0, text.length - LINE.length + 1));
        // The next batch may go out before the last body has come: it is read with the answers to that one.
        if (seen < PIPELINED) return;
        socket.off("data", read).off("close", gone);
        resolve();
      };
      socket.on("data", read).on("close", gone);
      socket.write(bytes);
    });
  }

  /** Answered or not, the connection ends. */
  private end(socket: Socket, bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      socket.once("data", (chunk) => {
        const at = chunk.indexOf(LINE);
        if (at >= 0) this.count(chunk.toString("latin1", at + LINE.length, at + LINE.length + 3));
      });
      socket
        .on("error", () => {})
        .once("close", resolve)
        .resume();
      socket.end(bytes);
    });
  }

  private count(status: string): void {
    this.statuses.set(Number(status), (this.statuses.get(Number(status)) ?? 0) + 1);
  }
}

/** Begins an answer, and stands in no body. */
const LINE = Buffer.from("HTTP/1.1 ");

const opened = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", reject);
  });

if (parentPort !== null && (workerData as Partial<Pestering> | null)?.port !== undefined) {
  const given = workerData as Pestering;
  const since = performance.now();
  const share = Math.ceil(given.requests / given.connections);
  const clients = Array.from({ length: given.connections }, () => new Client());
  await Promise.all(clients.map((client, i) => client.run({ ...given, seed: given.seed + i, requests: share })));
  const statuses = new Map<number, number>();
  for (const client of clients) {
    for (const [status, times] of client.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  }
  const sum = (of: "sent" | "opened") => clients.reduce((total, client) => total + client[of], 0);
  const told: Pestered = { sent: sum("sent"), opened: sum("opened"), statuses, ms: performance.now() - since };
  parentPort.postMessage(told);
}
