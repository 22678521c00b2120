/**
 * A worker: takes chunks out of the queue, runs them on threads, stores each result under its chunk's name, and only then
 * acknowledges it. A worker that is killed loses nothing: JetStream gives its chunks to others.
 */
import type { JsMsg } from "@nats-io/jetstream";
import "../graph-files.ts";
import { count } from "../../narrator.ts";
import { loadProtocol, moduleDigest, urlOf } from "../load-protocol.ts";
import { buildDigest } from "../statement.ts";
import { startThreads } from "../threads.ts";
import type { ChunkAnswer, ChunkTask } from "../worker.ts";
import { type Nats, type NatsOptions, openNats } from "./connect.ts";
import { digest, readOrder } from "./order.ts";
import { storeResult } from "./results.ts";
import type { WorkerNeeds } from "./subjects.ts";
import * as subjects from "./subjects.ts";

/** Milliseconds that a request for the next chunk stands at the server. */
const ASK_FOR = 2000;
/** Milliseconds before a chunk is tried again, or a server that is away is asked again. */
const AGAIN_AFTER = 1000;

export interface WorkerOptions extends NatsOptions {
  readonly threads: number;
  /** Modules with protocols that campaigns may name by the digest of their code. */
  readonly protocolFiles: readonly string[];
  /** Ends it when the chunks that run have ended. */
  readonly signal: AbortSignal;
  tell(line: string): void;
}

/** Returns when it was told to end and has given everything back. */
export async function work(options: WorkerOptions): Promise<void> {
  const modules = new Map<string, string>();
  for (const file of options.protocolFiles) {
    // What cannot be loaded is said now, and not in the midst of a campaign. One with several protocols is fine here.
    await loadProtocol({ module: file }).catch((error: Error) => {
      if (!error.message.includes("several protocols")) throw error;
    });
    modules.set(digest(moduleDigest(urlOf(file))), urlOf(file));
  }
  const nats = await openNats(options);
  const worker = new Worker(nats, options, modules);
  try {
    await worker.run();
  } finally {
    await worker.close();
    await nats.nc.close();
  }
}

type FoundOrder = { readonly settings: ChunkTask["settings"]; readonly rows: boolean } | { readonly refusal: string };

class Worker {
  private readonly nats: Nats;
  private readonly options: WorkerOptions;
  private readonly modules: ReadonlyMap<string, string>;
  private readonly threads: ReturnType<typeof startThreads>;
  private readonly orders = new Map<string, FoundOrder>();
  private counted = 0;
  private isTold = false;

  constructor(nats: Nats, options: WorkerOptions, modules: ReadonlyMap<string, string>) {
    this.nats = nats;
    this.options = options;
    this.modules = modules;
    this.threads = startThreads(options.threads);
    // Of a thread that has died: the chunk that ran there is refused to the caller that waits for it.
    this.threads.on("error", () => {});
  }

  async run(): Promise<void> {
    const { nats, options, modules } = this;
    const [build, codes] = [buildDigest(), [...modules.keys()]];
    const needs = [subjects.CATALOGUE, ...codes].map((code) => ({ build, code }));
    await this.ensure(needs);
    const files = codes.length === 0 ? "" : `, protocol files ${codes.join(", ")}`;
    options.tell(`waits for campaigns at ${nats.place}: ${count(options.threads, "thread")}, build ${build}${files}`);
    await Promise.all(Array.from({ length: options.threads }, (_, i) => this.serve(needs, i)));
    options.tell(`has ended, after ${count(this.counted, "chunk")}`);
  }

  async close(): Promise<void> {
    await this.threads.destroy();
  }

  /** One chunk after the other, of each code in turn. */
  private async serve(needs: readonly WorkerNeeds[], thread: number): Promise<void> {
    const { signal } = this.options;
    for (let turn = thread; !signal.aborted; turn++) {
      try {
        const consumer = await this.nats.js.consumers.get(
          subjects.CHUNKS,
          subjects.consumerOf(needs[turn % needs.length]),
        );
        const message = await consumer.next({ expires: ASK_FOR });
        this.isTold = false;
        if (message === null) continue;
        if (signal.aborted) message.nak();
        else await this.take(message);
      } catch (error) {
        if (!this.isTold) this.options.tell(`waits for NATS at ${this.nats.place}: ${(error as Error).message}`);
        this.isTold = true;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
        await this.ensure(needs).catch(() => {});
      }
    }
  }

  private async ensure(needs: readonly WorkerNeeds[]): Promise<void> {
    await subjects.ensureStreams(this.nats);
    for (const each of needs) await subjects.ensureConsumer(this.nats, each);
  }

  /** sortition.chunk.BUILD.CODE.ID.FIRST.COUNT */
  private async take(message: JsMsg): Promise<void> {
    const [id, first, count] = message.subject.split(".").slice(4);
    const chunk = { first: Number(first), count: Number(count) };
    const sign = setInterval(() => message.working(), subjects.ACK_WAIT / 3);
    try {
      const order = this.orders.get(id) ?? (await this.readOrder(id));
      if (order === null) {
        message.term("its campaign has ended");
        return;
      }
      this.orders.set(id, order);
      const answer = await this.answerTo(order, chunk, message.info.deliveryCount);
      if (answer === null) {
        message.nak(AGAIN_AFTER);
        return;
      }
      await storeResult(this.nats, id, chunk, answer);
      await message.ackAck();
      this.counted++;
    } finally {
      clearInterval(sign);
    }
  }

  /** Null where it is to be tried again: a thread that dies does so of too little memory most likely. */
  private async answerTo(
    order: FoundOrder,
    chunk: Omit<ChunkTask["chunk"], "rows">,
    tries: number,
  ): Promise<ChunkAnswer | null> {
    if ("refusal" in order) return { refusal: order.refusal, stack: null, result: null };
    try {
      return await this.threads.run({ settings: order.settings, chunk: { ...chunk, rows: order.rows } });
    } catch (error) {
      const what = `trials ${chunk.first} to ${chunk.first + chunk.count - 1} failed`;
      const why = (error as Error).message.replace(/\s+/g, " ");
      this.options.tell(`${what}, try ${tries} of ${subjects.MOST_TRIES}: ${why}`);
      if (tries < subjects.MOST_TRIES) return null;
      return { refusal: `${what} ${subjects.MOST_TRIES} times, the last time with: ${why}`, stack: null, result: null };
    }
  }

  /** Null where it is not there any more. */
  private async readOrder(id: string): Promise<FoundOrder | null> {
    const { nats, modules } = this;
    const stored = await nats.jsm.streams.getMessage(subjects.ORDERS, { last_by_subj: subjects.orderSubject(id) });
    if (stored === null) return null;
    try {
      const order = await readOrder(stored.data, modules);
      this.options.tell(`takes part in campaign ${id}`);
      return order;
    } catch (error) {
      const why = (error as Error).message;
      this.options.tell(`refuses campaign ${id}: ${why}`);
      return { refusal: `a worker refuses it: ${why}` };
    }
  }
}
