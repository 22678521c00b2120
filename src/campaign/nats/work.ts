/**
 * A worker: takes chunks out of the queue, runs them on threads, stores each result under its chunk's name, and only then says that it is
 * done. Killed at any moment it loses time and nothing else: the queue gives its chunks to others.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import "../graph-files.ts";
import { InputError } from "../../errors.ts";
import { count } from "../../protocols/narration/words.ts";
import { refuseTooLarge } from "../../simulation/memory.ts";
import { readAgain } from "../../simulation/settings.ts";
import { decode, encode } from "../../wire/codec.ts";
import { loadProtocol, moduleDigest, urlOf } from "../load-protocol.ts";
import { roomFor } from "../room.ts";
import { startThreads } from "../threads.ts";
import type { ChunkTask } from "../worker.ts";
import { buildDigest } from "./build.ts";
import { type Nats, type NatsOptions, openNats } from "./connect.ts";
import { isOrderGone } from "./earlier.ts";
import { GraphFolder } from "./graph.ts";
import { HeldChunk } from "./held.ts";
import { orRemake, remake } from "./mend.ts";
import { digest, readOrder } from "./order.ts";
import { fetchParts } from "./parts.ts";
import { isForgotten, pause, persist, unless } from "./persist.ts";
import { runApart } from "./quarantine.ts";
import type { QuarantineOutcome } from "./quarantined.ts";
import { type Stored, storeResult } from "./results.ts";
import { type Presence, SAY_EVERY, unfit, type WantedWorker } from "./roster.ts";
import {
  CATALOGUE,
  CHUNKS,
  consumerOf,
  ensureConsumer,
  ensureStreams,
  ORDERS,
  orderParts,
  RESULTS,
  removeResult,
  resultParts,
  SAID,
  type WorkerNeeds,
} from "./subjects.ts";

/** Milliseconds that a request for the next chunk stands at the server, and what a lost one costs at most. */
const ASK_FOR = 5000;
/** The same where a worker has files of its own, nothing is known to wait, and it asks for one code after the other. */
const ASK_IN_TURN = 1000;
/** Milliseconds beyond that after which an answer will not come. */
const ANSWER_WITHIN = 3000;
/** Milliseconds before a chunk is tried again that has ended a thread, or whose order is not there. */
const AGAIN_AFTER = 1000;
/** How often a chunk is tried: the last time in a process of its own, and however often that needs to be begun, within reason. */
const TRIES = 3;
const BEGUN_AT_MOST = 20;
/** Milliseconds that a worker which was told to end waits for a server that is gone, to store what it found. */
const STORE_WITHIN = 15_000;

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
  for (const file of options.protocolFiles)
    modules.set(digest(moduleDigest(urlOf(file))), urlOf(await checkedModule(file)));
  const nats = await openNats(options, {
    tell: options.tell,
    patience: Number.POSITIVE_INFINITY,
    waits: true,
  });
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

/** `tooLarge`: why no thread of this worker could hold a trial, where that is known beforehand. */
type Found =
  | { readonly settings: ChunkTask["settings"]; readonly rows: boolean; readonly tooLarge: string | null }
  | { readonly refusal: string };

class Worker {
  private readonly nats: Nats;
  private readonly options: WorkerOptions;
  private readonly modules: ReadonlyMap<string, string>;
  private readonly threads: ReturnType<typeof startThreads>;
  private readonly presence: Omit<Presence, "trouble">;
  private readonly graphs = new GraphFolder();
  private readonly orders = new Map<string, Promise<Found | null>>();
  private readonly running = new Map<string, Set<AbortController>>();
  private readonly told = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  /** Fires some time after it was told to end: then nothing more is waited for. */
  private readonly hurry = new AbortController();
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
    const hurry = () => setTimeout(() => this.hurry.abort(), STORE_WITHIN).unref();
    options.signal.addEventListener("abort", hurry, { once: true });
  }

  async run(): Promise<void> {
    const { nats, options, presence } = this;
    const { signal } = options;
    const consumers = [CATALOGUE, ...presence.codes].map((code) => ({ build: presence.build, code }));
    await persist(nats, () => orRemake(nats, () => this.ensure(consumers)), signal);
    this.say();
    const files = presence.codes.length === 0 ? "" : `, protocol files ${presence.codes.join(", ")}`;
    options.tell(
      `worker ${presence.worker} waits for campaigns at ${nats.place}: ${count(options.threads, "thread")}, build ${presence.build}${files}`,
    );
    await Promise.all(Array.from({ length: options.threads }, () => this.serve(consumers)));
    options.tell(`has ended, after ${count(this.counted, "chunk")}`);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.graphs.close();
    await this.threads.destroy();
  }

  /** One chunk after the other. */
  private async serve(consumers: readonly WorkerNeeds[]): Promise<void> {
    const { signal } = this.options;
    for (let turn = 0; !signal.aborted; turn++) {
      const from = turn % consumers.length;
      const inTurn = [...consumers.slice(from), ...consumers.slice(0, from)];
      const message = await persist(this.nats, () => orRemake(this.nats, () => this.next(inTurn)), signal);
      // One that comes when nobody wants it any more is for others.
      if (signal.aborted) message?.nak();
      else if (message !== null) await this.take(new HeldChunk(this.nats, message));
    }
  }

  private async next(consumers: readonly WorkerNeeds[]): Promise<JsMsg | null> {
    const { signal } = this.options;
    const consumer = await this.busy(consumers);
    const expires = consumers.length === 1 ? ASK_FOR : ASK_IN_TURN;
    const asked = consumer.next({ expires });
    const message = await unless(signal, Promise.race([asked, pause(expires + ANSWER_WITHIN, signal)]));
    if (message !== undefined) return message;
    void asked.then((late) => late?.nak()).catch(() => {});
    return null;
  }

  /** The first for which something waits, or else the first. */
  private async busy(consumers: readonly WorkerNeeds[]): Promise<Consumer> {
    try {
      let first: Consumer | null = null;
      for (const needs of consumers) {
        const consumer = await this.nats.js.consumers.get(CHUNKS, consumerOf(needs));
        if ((await consumer.info(true)).num_pending > 0) return consumer;
        first ??= consumer;
      }
      return first!;
    } catch (error) {
      if (isForgotten(error as Error)) await this.ensure(consumers);
      throw error;
    }
  }

  private async ensure(consumers: readonly WorkerNeeds[]): Promise<void> {
    await ensureStreams(this.nats);
    for (const needs of consumers) await ensureConsumer(this.nats, needs);
  }

  private async take(held: HeldChunk): Promise<void> {
    const { id } = held;
    const controller = new AbortController();
    const until = AbortSignal.any([controller.signal, this.hurry.signal]);
    const all = this.running.get(id) ?? new Set();
    this.running.set(id, all.add(controller));
    try {
      const found = await this.order(id);
      if (found === null) {
        const isWanted = (await persist(this.nats, () => isOrderGone(this.nats, id), until)) !== true;
        await (isWanted ? held.again(AGAIN_AFTER) : held.drop());
        return;
      }
      const stored = await this.outcomeOf(held, found, controller.signal);
      if (controller.signal.aborted) await held.drop();
      else if (stored === null || !(await this.store(held, stored, until))) await held.again(AGAIN_AFTER);
      else await held.done();
    } finally {
      all.delete(controller);
      if (all.size === 0) this.running.delete(id);
    }
  }

  /** What is to be stored, or null where it is to be tried again. */
  private async outcomeOf(held: HeldChunk, found: Found, until: AbortSignal): Promise<Stored | null> {
    const { id, chunk, tries } = held;
    if ("refusal" in found) return { refusal: found.refusal, stack: null, result: null };
    const task = { settings: found.settings, chunk: { ...chunk, rows: found.rows } };
    if (tries > BEGUN_AT_MOST) return { parked: `it was begun ${BEGUN_AT_MOST} times, and no worker came to its end` };
    const outcome = await (found.tooLarge !== null
      ? { failure: found.tooLarge }
      : tries < TRIES
        ? this.runHere(task, until)
        : runApart(task, this.options.threads, until));
    if (until.aborted) return null;
    if ("answer" in outcome) return outcome.answer;
    const why = outcome.failure.replace(/\s+/g, " ");
    const trials = `trials ${chunk.first} to ${chunk.first + chunk.count - 1} of campaign ${id}`;
    this.options.tell(`${trials} failed, try ${Math.min(tries, TRIES)} of ${TRIES}: ${why}`);
    return tries < TRIES
      ? null
      : { parked: `they were begun ${tries} times and came to no end, the last time with: ${why}` };
  }

  /** A thread that dies does so of too little memory most likely. */
  private async runHere(task: ChunkTask, signal: AbortSignal): Promise<QuarantineOutcome> {
    try {
      return { answer: await this.threads.run(task, { signal }) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Whether it could. What was stored after its campaign had ended is taken away again. */
  private async store({ id, chunk }: HeldChunk, stored: Stored, until: AbortSignal): Promise<boolean> {
    const { nats } = this;
    let missing = 0;
    const store = async () => {
      try {
        await storeResult(nats, id, chunk, stored);
        if (await isOrderGone(nats, id)) await removeResult(nats, id, chunk);
        else if ((await nats.jsm.streams.getMessage(RESULTS, { last_by_subj: resultParts(id, chunk)(0) })) === null) {
          // Taken away by whoever has counted the last of its results or made the stream anew meanwhile; twice: lost by the server.
          if (++missing > 1 && !(await isOrderGone(nats, id))) await remake(nats, RESULTS);
          throw new Error("timeout: a result that was stored is not there");
        }
      } catch (error) {
        await ensureStreams(nats);
        throw error;
      }
    };
    await persist(nats, () => orRemake(nats, store), until);
    if (until.aborted) return false;
    this.counted++;
    return true;
  }

  /** Read once for all chunks of a campaign; null where it is not there. */
  private async order(id: string): Promise<Found | null> {
    const found = this.orders.get(id) ?? this.readOrder(id);
    this.orders.set(id, found);
    try {
      const read = await found;
      if (read === null) this.orders.delete(id);
      return read;
    } catch (error) {
      this.orders.delete(id);
      throw error;
    }
  }

  private whyTooLarge(settings: ChunkTask["settings"]): string | null {
    const { threads } = this.options;
    try {
      refuseTooLarge(readAgain(settings), roomFor(threads), threads);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private async readOrder(id: string): Promise<Found | null> {
    const { nats, modules, options } = this;
    const read = async (): Promise<Found | null> => {
      const order = await fetchParts(nats, ORDERS, orderParts(id));
      const found =
        order && (await readOrder(order.bytes, modules, (network) => this.graphs.fileOf(nats, id, network)));
      return found && { ...found, tooLarge: this.whyTooLarge(found.settings) };
    };
    try {
      return (await persist(nats, read, this.hurry.signal)) ?? null;
    } catch (error) {
      const why = (error as Error).message;
      options.tell(`refuses campaign ${id}: ${why}`);
      return { refusal: `a worker refuses it: ${why}` };
    }
  }

  private over(id: string): void {
    this.orders.delete(id);
    for (const controller of this.running.get(id) ?? []) controller.abort();
  }

  private say(): void {
    if (!this.nats.nc.isClosed())
      this.nats.nc.publish(SAID.worker, encode({ ...this.presence, trouble: this.nats.troubles.words }));
  }

  private wanted(data: Uint8Array): void {
    let wanted: WantedWorker;
    try {
      wanted = decode(data) as WantedWorker;
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
