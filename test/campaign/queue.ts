/** Real workers and submitters of campaigns over a real NATS server. */
import { type ChildProcess, spawn } from "node:child_process";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
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
      const { state } = await jsm.streams.info(stream, { subjects_filter: ">" });
      left.push(...Object.keys(state.subjects ?? {}));
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
