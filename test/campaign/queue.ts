/** Real workers and submitters of campaigns over a real NATS server. */
import { type ChildProcess, spawn } from "node:child_process";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { bin, root } from "../cli/run.ts";
import { effort } from "../support/effort.ts";

/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = effort(45_000, 150_000);

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

  says(words: string | RegExp): Promise<void> {
    const isSaid = () => (typeof words === "string" ? this.stderr.includes(words) : words.test(this.stderr));
    return this.until(`saying ${words}`, isSaid);
  }

  /** Its status. */
  async end(): Promise<number | null> {
    await this.until("at its end", () => this.hasEnded);
    return this.ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async until(what: string, isSo: () => boolean): Promise<void> {
    for (const limit = performance.now() + LIMIT; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      // What it said last may be read after its end.
      if (this.hasEnded) await this.ended;
      if (isSo()) return;
      if (!this.hasEnded && performance.now() < limit) continue;
      const why = this.hasEnded ? "it has ended" : `for ${LIMIT} ms`;
      throw new Error(`not ${what}: ${why}: ${this.child.spawnargs.slice(2).join(" ")}\n${this.stderr}`);
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

const STREAMS = ["SORTITION_ORDERS", "SORTITION_CHUNKS", "SORTITION_RESULTS"];

async function managing<T>(url: string, act: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
  const nc = await connect({ servers: url.replace("nats://", "") });
  try {
    return await act(await jetstreamManager(nc));
  } finally {
    await nc.close();
  }
}

/** What campaigns have left at a server: messages in their streams, by subject. */
export const leftAt = (url: string): Promise<string[]> =>
  managing(url, async (jsm) => {
    const left: string[] = [];
    for (const stream of STREAMS) {
      // A worker whose result was counted and removed meanwhile may be making the stream anew, as one that has lost something.
      const info = await jsm.streams.info(stream, { subjects_filter: ">" }).catch((error) => {
        if ((error as Error).name === "StreamNotFoundError") return null;
        throw error;
      });
      left.push(...Object.keys(info?.state.subjects ?? {}));
    }
    return left;
  });

/** Consumers are deleted, streams purged and then deleted, as far as the server does it: 2.9 can fail where somebody makes them meanwhile. */
export const takeAway = (url: string): Promise<void> =>
  managing(url, async (jsm) => {
    for (const stream of STREAMS) {
      for await (const { name } of jsm.consumers.list(stream)) await jsm.consumers.delete(stream, name).catch(() => {});
      await jsm.streams.purge(stream).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 300));
      await jsm.streams.delete(stream).catch(() => {});
    }
  });
