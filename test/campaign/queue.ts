/** Real workers and submitters of campaigns over a real NATS server. */
import { type ChildProcess, spawn } from "node:child_process";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { bin, root } from "../cli/run.ts";

/** A process with what it has said so far. */
export class Told {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], program = bin) {
    this.child = spawn(process.execPath, [program, ...args], { cwd: root });
    this.child.stdout!.setEncoding("utf8").on("data", (text) => (this.stdout += text));
    this.child.stderr!.setEncoding("utf8").on("data", (text) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
  }

  async says(words: string | RegExp, limit = 60_000): Promise<void> {
    const since = performance.now();
    while (!(typeof words === "string" ? this.stderr.includes(words) : words.test(this.stderr))) {
      if (performance.now() - since > limit || this.child.exitCode !== null) {
        throw new Error(`waited in vain for ${words} in: ${this.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}

const TIMING = new Set(["seconds", "messagesPerSecond"]);

/** A report without what depends on the clock. */
export const untimed = (json: string): unknown =>
  JSON.parse(json, (key, value) => (TIMING.has(key) ? undefined : value));

/** What campaigns have left at a server: messages in their streams, by subject. */
export async function leftAt(url: string): Promise<string[]> {
  const nc = await connect({ servers: url.replace("nats://", "") });
  try {
    const jsm = await jetstreamManager(nc);
    const left: string[] = [];
    for (const stream of ["SORTITION_ORDERS", "SORTITION_CHUNKS", "SORTITION_RESULTS"]) {
      const { state } = await jsm.streams.info(stream, { subjects_filter: ">" });
      left.push(...Object.keys(state.subjects ?? {}));
    }
    return left;
  } finally {
    await nc.close();
  }
}
