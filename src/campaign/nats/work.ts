/**
 * A worker: takes chunks out of the queue, runs them on threads, stores each result under its chunk's name, and only then says that it is
 * done. Killed at any moment it loses time and nothing else: the queue gives its chunks to others.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { InputError } from "../../errors.ts";
import type { Chunk } from "../../statistics/chunk.ts";
import { decode, encode } from "../../wire/codec.ts";
import { codeOf, loadProtocol, urlOf } from "../load-protocol.ts";
import { startThreads } from "../threads.ts";
import type { Answer, Task } from "../worker.ts";
import { buildDigest } from "./build.ts";
import { type Nats, type NatsOptions, openNats } from "./connect.ts";
import { digest, type Order, readOrder } from "./order.ts";
import { isForgotten, persist } from "./persist.ts";
import { storeResult } from "./results.ts";
import { type Presence, SAY_EVERY, unfit, type Wanted } from "./roster.ts";
import {
  ACK_WAIT,
  CATALOGUE,
  CHUNKS,
  consumerOf,
  ensureConsumer,
  ensureStreams,
  type Needs,
  ORDERS,
  orderSubject,
  SAID,
  TRIES,
} from "./subjects.ts";

/** Milliseconds that a request for the next chunk stands at the server, and what a lost one costs at most. */
const ASK_FOR = 5000;
/** The same where a worker has files of its own, nothing is known to wait, and it asks for one code after the other. */
const ASK_IN_TURN = 1000;
/** Milliseconds before a chunk that has ended a thread is tried again. */
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
  for (const file of options.protocolFiles) modules.set(digest(codeOf(urlOf(file))), urlOf(await checkedModule(file)));
  const nats = await openNats(options);
  const worker = new Worker(nats, options, modules);
  try {
    await worker.run();
  } finally {
    await worker.close();
    await nats.nc.close();
  }
}

/** What cannot be loaded is said now, and not in the midst of a campaign. One with several protocols is fine here. */
async function checkedModule(file: string): Promise<string> {
  try {
    await loadProtocol({ module: file });
  } catch (error) {
    if (!(error instanceof InputError) || !error.message.includes("several protocols")) throw error;
  }
  return file;
}

type Found = { readonly settings: Task["settings"]; readonly rows: boolean } | { readonly refusal: string };

class Worker {
  private readonly nats: Nats;
  private readonly options: WorkerOptions;
  private readonly modules: ReadonlyMap<string, string>;
  private readonly threads: ReturnType<typeof startThreads>;
  private readonly presence: Presence;
  private readonly orders = new Map<string, Promise<Found>>();
  private readonly running = new Map<string, Set<AbortController>>();
  private readonly told = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private counted = 0;

  constructor(nats: Nats, options: WorkerOptions, modules: ReadonlyMap<string, string>) {
    this.nats = nats;
    this.options = options;
    this.modules = modules;
    this.threads = startThreads(options.threads);
    // Of a thread that has died: the chunk that ran there is refused to whoever waits for it.
    this.threads.on("error", () => {});
    const host = hostname().replace(/[^\w.-]/g, "-");
    const worker = `${host}-${randomBytes(3).toString("hex")}`;
    this.presence = { worker, host, threads: options.threads, build: buildDigest(), codes: [...modules.keys()] };
    const { nc } = nats;
    nc.subscribe(SAID.wanted, { callback: (_, { data }) => this.wanted(data) });
    nc.subscribe(SAID.over("*"), { callback: (_, { subject }) => this.over(subject.split(".").at(-1)!) });
    this.timer = setInterval(() => this.say(), SAY_EVERY);
  }

  async run(): Promise<void> {
    const { nats, options, presence } = this;
    const { signal } = options;
    const consumers = [CATALOGUE, ...presence.codes].map((code) => ({ build: presence.build, code }));
    await persist(() => ensureStreams(nats), signal);
    for (const needs of consumers) await persist(() => ensureConsumer(nats, needs), signal);
    this.say();
    const files = presence.codes.length === 0 ? "" : `, protocol files ${presence.codes.join(", ")}`;
    options.tell(
      `worker ${presence.worker} waits for campaigns at ${nats.place}: ${options.threads} threads, build ${presence.build}${files}`,
    );
    await Promise.all(Array.from({ length: options.threads }, () => this.serve(consumers)));
    options.tell(`has ended, after ${this.counted} chunks`);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.threads.destroy();
  }

  /** One chunk after the other. */
  private async serve(consumers: readonly Needs[]): Promise<void> {
    const { signal } = this.options;
    for (let turn = 0; !signal.aborted; turn++) {
      const from = turn % consumers.length;
      const inTurn = [...consumers.slice(from), ...consumers.slice(0, from)];
      const message = await persist(() => this.next(inTurn), signal);
      // One that comes when nobody wants it any more is for others.
      if (signal.aborted) message?.nak();
      else if (message !== null) await this.take(message);
    }
  }

  private async next(consumers: readonly Needs[]): Promise<JsMsg | null> {
    const { signal } = this.options;
    const consumer = await this.busy(consumers);
    if (consumer === null) return null;
    const asked = consumer.next({ expires: consumers.length === 1 ? ASK_FOR : ASK_IN_TURN });
    const ended = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
    const message = await Promise.race([asked, ended]);
    if (message === null && signal.aborted) void asked.then((late) => late?.nak()).catch(() => {});
    return message;
  }

  /** The first for which something waits, or else the first; null where the server had forgotten one. */
  private async busy(consumers: readonly Needs[]): Promise<Consumer | null> {
    try {
      let first: Consumer | null = null;
      for (const needs of consumers) {
        const consumer = await this.nats.js.consumers.get(CHUNKS, consumerOf(needs));
        if ((await consumer.info(true)).num_pending > 0) return consumer;
        first ??= consumer;
      }
      return first;
    } catch (error) {
      if (!isForgotten(error as Error)) throw error;
      await ensureStreams(this.nats);
      for (const needs of consumers) await ensureConsumer(this.nats, needs);
      return null;
    }
  }

  private async take(message: JsMsg): Promise<void> {
    const [id, first, count] = message.subject.split(".").slice(4);
    const chunk = { first: Number(first), count: Number(count) };
    const sign = setInterval(() => message.working(), ACK_WAIT / 3);
    const controller = new AbortController();
    const all = this.running.get(id) ?? new Set();
    this.running.set(id, all.add(controller));
    try {
      const found = await this.order(id);
      const tries = message.info.deliveryCount;
      const whole = { ...chunk, rows: "rows" in found && found.rows };
      if ("refusal" in found) {
        await this.store(id, whole, { refusal: found.refusal, stack: null, result: null }, controller.signal);
      } else if (tries > TRIES) {
        const parked = `it was begun ${TRIES} times, and no worker came to its end`;
        this.options.tell(`parks trials ${first} and following of campaign ${id}: ${parked}`);
        await this.store(id, whole, { parked }, controller.signal);
      } else {
        const answer = await this.threads.run(
          { settings: found.settings, chunk: whole },
          { signal: controller.signal },
        );
        await this.store(id, whole, answer, controller.signal);
        this.counted++;
      }
      message.ack();
    } catch (error) {
      if (controller.signal.aborted) message.term();
      else await this.failed(error as Error, message, id, { ...chunk, rows: false }, controller.signal);
    } finally {
      clearInterval(sign);
      all.delete(controller);
      if (all.size === 0) this.running.delete(id);
    }
  }

  private store(id: string, chunk: Chunk, stored: Answer | { parked: string }, until: AbortSignal): Promise<void> {
    return persist(() => storeResult(this.nats, id, chunk, stored), until);
  }

  /** A thread has died, of too little memory most likely: again, and the last time it is said. */
  private async failed(error: Error, message: JsMsg, id: string, chunk: Chunk, until: AbortSignal): Promise<void> {
    const why = (error.message ?? String(error)).replace(/\s+/g, " ");
    const tries = message.info.deliveryCount;
    this.options.tell(`trials ${chunk.first} and following of campaign ${id} failed, try ${tries} of ${TRIES}: ${why}`);
    if (tries < TRIES) {
      message.nak(AGAIN_AFTER);
      return;
    }
    await this.store(id, chunk, { parked: `it failed ${TRIES} times, the last time with: ${why}` }, until);
    message.ack();
  }

  /** Read once for all chunks of a campaign. */
  private order(id: string): Promise<Found> {
    let found = this.orders.get(id);
    if (found === undefined) {
      found = this.readOrder(id);
      this.orders.set(id, found);
    }
    return found;
  }

  private async readOrder(id: string): Promise<Found> {
    const { nats, modules, options } = this;
    const message = await persist(
      () => nats.jsm.streams.getMessage(ORDERS, { last_by_subj: orderSubject(id) }),
      options.signal,
    );
    if (message === null || message === undefined) return { refusal: "its order is not in the queue" };
    try {
      return { settings: await readOrder(message.data, modules), rows: (decode(message.data) as Order).rows === true };
    } catch (error) {
      options.tell(`refuses campaign ${id}: ${(error as Error).message}`);
      return { refusal: `a worker refuses it: ${(error as Error).message}` };
    }
  }

  private over(id: string): void {
    this.orders.delete(id);
    for (const controller of this.running.get(id) ?? []) controller.abort();
  }

  private say(): void {
    if (!this.nats.nc.isClosed()) this.nats.nc.publish(SAID.worker, encode(this.presence));
  }

  private wanted(data: Uint8Array): void {
    let wanted: Wanted;
    try {
      wanted = decode(data) as Wanted;
    } catch {
      return;
    }
    if (typeof wanted?.id !== "string" || this.told.has(wanted.id)) return;
    this.told.add(wanted.id);
    const why = unfit(this.presence, wanted);
    this.options.tell(
      why === null ? `takes part in campaign ${wanted.id}` : `cannot take part in campaign ${wanted.id}: ${why}`,
    );
  }
}
