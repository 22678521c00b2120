/**
 * The crew of a campaign whose workers run on other machines, as the submitter sees it. The submitter puts chunks into a work queue of
 * JetStream, which gives each chunk to one worker, and to another if the first does not acknowledge it. Workers put results into a
 * stream under the name of their chunk, so a chunk that runs twice counts once.
 */
import { randomBytes } from "node:crypto";
import { InputError } from "../../errors.ts";
import type { Settings } from "../../simulation/settings.ts";
import type { Chunk } from "../../statistics/chunk.ts";
import { encode } from "../../wire/codec.ts";
import type { CampaignCrew, Ledger } from "../ledger.ts";
import { resultOf } from "../pool.ts";
import { type Nats, type NatsOptions, openNats } from "./connect.ts";
import { type CampaignOrder, orderIdentity, orderOf } from "./order.ts";
import { fetchResult } from "./results.ts";
import * as subjects from "./subjects.ts";

/** Chunks under way for each thread of a worker. */
const AHEAD = 2;
/** Chunks under way while the number of threads is not known yet. */
const LEAST_UNDER_WAY = 8;
/** Milliseconds between polls for results that were not notified, and between checks of the streams. */
const LOOK_EVERY = 1000;
/** Milliseconds for which a server may be unreachable or refuse. */
const PATIENCE = 60_000;
const TRY_AGAIN = 250;

interface QueueOptions extends NatsOptions {
  /** Continue with the results of an equal campaign whose submitter has ended. */
  readonly resume?: boolean | undefined;
  /** Prints a line about workers, and about what the campaign waits for. */
  tell(line: string): void;
}

export async function openQueue(options: QueueOptions): Promise<CampaignCrew> {
  const nats = await openNats(options);
  try {
    return new Queue(nats, options, await subjects.ensureStreams(nats));
  } catch (error) {
    await nats.nc.close();
    throw new InputError(`NATS at ${nats.place} does not let this user make its streams: ${(error as Error).message}`);
  }
}

class Queue implements CampaignCrew {
  readonly chunkMilliseconds = 500;
  private readonly nats: Nats;
  private readonly options: QueueOptions;
  /** When the streams were created. Streams with another time are new: what was in these is lost. */
  private readonly made: string;
  /** Threads that wait for a chunk of the campaign or run one, as the queue counts them. */
  threads = 0;
  private isTold = false;

  constructor(nats: Nats, options: QueueOptions, made: string) {
    this.nats = nats;
    this.options = options;
    this.made = made;
  }

  async run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
    const { nats, options } = this;
    const order = orderOf(settings, ledger.wantsRows);
    const identity = orderIdentity(order);
    const earlier = options.resume === true ? await this.retry(() => this.earlier(identity)) : null;
    const id = earlier?.id ?? `${identity}-${randomBytes(3).toString("hex")}`;
    if (earlier !== null) options.tell(`goes on with campaign ${id}, of which it finds ${earlier.known.size} results`);
    let isComplete = false;
    try {
      await this.retry(async () => {
        await subjects.ensureConsumer(nats, order);
        await nats.js.publish(subjects.orderSubject(id), encode(order));
      });
      await this.work({ id, order, ledger, known: earlier?.known ?? new Map() }, signal);
      isComplete = signal?.aborted !== true;
    } finally {
      // Results of an incomplete campaign stay for --resume. JetStream deletes them after a week.
      await subjects.removeCampaign(nats, id, isComplete).catch(() => {});
    }
  }

  async close(): Promise<void> {
    await this.nats.nc.close();
  }

  /** The latest equal campaign that left results: its id and, by first trial, the number of trials of each chunk. */
  private async earlier(identity: string): Promise<{ readonly id: string; readonly known: KnownChunks } | null> {
    const { jsm } = this.nats;
    const orders = await jsm.streams.info(subjects.ORDERS, { subjects_filter: "sortition.order.*" });
    const ids = Object.keys(orders.state.subjects ?? {}).map((subject) => subject.split(".")[2]);
    for (const id of ids.filter((one) => one.startsWith(`${identity}-`))) {
      const results = await jsm.streams.info(subjects.RESULTS, { subjects_filter: `sortition.result.${id}.*.*.0` });
      const chunks = Object.keys(results.state.subjects ?? {}).map((subject) =>
        subject.split(".").slice(3).map(Number),
      );
      if (chunks.length > 0) return { id, known: new Map(chunks.map(([first, count]) => [first, count])) };
    }
    return null;
  }

  /** Returns when the ledger is complete, or `signal` fires. */
  private async work(campaign: QueuedCampaign, signal: AbortSignal | undefined): Promise<void> {
    const { id, ledger } = campaign;
    const underWay = new Map<number, Chunk>();
    let wake = () => {};
    const rouse = () => wake();
    const isOver = () => signal?.aborted === true || ledger.complete;
    const news = this.nats.nc.subscribe(`sortition.result.${id}.*.*.0`, { callback: rouse });
    signal?.addEventListener("abort", rouse);
    let lookedAt = performance.now();
    try {
      while (!isOver()) {
        await this.fill(campaign, underWay);
        if (underWay.size === 0) break;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_EVERY);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          if (isOver()) wake();
        });
        if (performance.now() - lookedAt >= LOOK_EVERY) {
          lookedAt = performance.now();
          await this.retry(() => this.lookAfter(campaign.order));
        }
        for (const chunk of [...underWay.values()]) {
          if (isOver()) break;
          const answer = await this.retry(() => fetchResult(this.nats, id, chunk));
          if (answer === null) continue;
          underWay.delete(chunk.first);
          ledger.accept(resultOf(answer));
        }
      }
    } finally {
      signal?.removeEventListener("abort", rouse);
      news.unsubscribe();
    }
  }

  /** Hands out as many chunks as the workers can use. Chunks of an earlier campaign are not handed out again. */
  private async fill({ id, order, ledger, known }: QueuedCampaign, underWay: Map<number, Chunk>): Promise<void> {
    const most = Math.max(LEAST_UNDER_WAY, AHEAD * this.threads);
    while (underWay.size < most && ledger.waiting < 4 * most && !ledger.complete) {
      const stored = known.get(ledger.position);
      const ahead = [...known.keys()].filter((first) => first > ledger.position);
      const chunk =
        (stored === undefined ? null : ledger.take(stored)) ?? ledger.next(Math.min(...ahead) - ledger.position);
      if (chunk === null) return;
      underWay.set(chunk.first, chunk);
      if (chunk.count !== stored) {
        await this.retry(() => this.nats.js.publish(subjects.chunkSubject(order, id, chunk)));
      }
    }
  }

  /** Counts the threads. If the streams were created anew, ends the campaign: its chunks are lost, and no worker would answer. */
  private async lookAfter(order: CampaignOrder): Promise<void> {
    const { nats, options } = this;
    if ((await subjects.streamsNow(nats)) !== this.made) throw this.lost();
    const queue = await nats.jsm.consumers.info(subjects.CHUNKS, subjects.consumerOf(order));
    this.threads = queue.num_waiting + queue.num_ack_pending;
    if (this.threads === 0 && !this.isTold) {
      const file = order.code === subjects.CATALOGUE ? "" : ` with the protocol file ${order.code}`;
      options.tell(`waits for workers of build ${order.build}${file}: sortition worker --nats ${nats.place}`);
    }
    this.isTold = this.threads === 0;
  }

  private lost(): InputError {
    return new InputError(
      `NATS at ${this.nats.place} has lost the streams of this campaign; the same command with --resume goes on with what is left`,
    );
  }

  /** Asks again while the server is unreachable. */
  private async retry<T>(ask: () => Promise<T>): Promise<T> {
    for (const began = performance.now(); ; ) {
      try {
        return await ask();
      } catch (error) {
        const { name, message } = error as Error;
        if (error instanceof InputError || error instanceof TypeError) throw error;
        if (/^(Stream|Consumer)NotFoundError$/.test(name)) throw this.lost();
        if (performance.now() - began > PATIENCE) {
          throw new InputError(
            `NATS at ${this.nats.place} does not do what is asked (${message}); the same command with --resume goes on`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
      }
    }
  }
}

type KnownChunks = ReadonlyMap<number, number>;

interface QueuedCampaign {
  readonly id: string;
  readonly order: CampaignOrder;
  readonly ledger: Ledger;
  readonly known: KnownChunks;
}
