/**
 * A crew of workers anywhere, as whoever submits a campaign sees it: chunks go into the queue, results come out of a stream. A result that
 * is there is found whoever stored it, so a server that restarts, a worker that dies and a submitter that comes back cost time and
 * nothing else; a chunk that runs twice counts once.
 */
import { randomBytes } from "node:crypto";
import { InputError } from "../../errors.ts";
import { count } from "../../protocols/narration/words.ts";
import type { Settings } from "../../simulation/settings.ts";
import type { Chunk } from "../../statistics/chunk.ts";
import type { CampaignCrew } from "../crew.ts";
import type { Ledger } from "../ledger.ts";
import { resultOf } from "../pool.ts";
import { type Nats, type NatsOptions, openNats } from "./connect.ts";
import { earlierOf, removeOrphans, type StoredChunks } from "./earlier.ts";
import { mendQueue, orRemake } from "./mend.ts";
import { type Ordered, orderIdentity, orderOf, publishOrder } from "./order.ts";
import { persist } from "./persist.ts";
import { fetchResult, type Stored } from "./results.ts";
import { Roster } from "./roster.ts";
import {
  ACK_WAIT,
  chunkSubject,
  ensureConsumer,
  ensureStreams,
  removeCampaign,
  removeChunks,
  SAID,
} from "./subjects.ts";
import { Resumable } from "./troubles.ts";

/** Chunks that wait for each thread of a worker, so that none stands idle while a result travels. */
const AHEAD = 2;
/** Where nobody knows yet how many threads there are. */
const LEAST_UNDER_WAY = 8;
/** Milliseconds between looks for results of which no word has come. */
const LOOK_EVERY = 1000;
/** Milliseconds for which a server that refuses, or workers that cannot store what they found, are borne without any progress. */
const PATIENCE = 60_000;
/** Milliseconds for which a server that has gone meanwhile may keep somebody waiting whose campaign is complete, or interrupted. */
const REMOVE_WITHIN = 30_000;
const LEAVE_WITHIN = 2000;

export interface QueueOptions extends NatsOptions {
  /** Go on with the results of an equal campaign whose submitter has ended. */
  readonly resume?: boolean | undefined;
  /** A line for people: who takes part, who cannot, what waits for what. */
  tell(line: string): void;
}

interface Campaign {
  readonly id: string;
  readonly ordered: Ordered;
  readonly ledger: Ledger;
  /** By the number of their first trial. */
  readonly underWay: Map<number, Chunk>;
  readonly known: StoredChunks;
}

export async function openQueue(options: QueueOptions): Promise<CampaignCrew> {
  const nats = await openNats(options, {
    tell: options.tell,
    patience: PATIENCE,
    waits: options.resume === true,
  });
  try {
    await ensureStreams(nats);
    await removeOrphans(nats);
  } catch (error) {
    await nats.nc.close();
    throw new InputError(`NATS at ${nats.place} does not let this user make its streams: ${(error as Error).message}`);
  }
  return new Queue(nats, options);
}

class Queue implements CampaignCrew {
  readonly chunkMilliseconds = 500;
  private readonly nats: Nats;
  private readonly options: QueueOptions;
  private readonly roster: Roster;
  /** How often the queue may have held less than it should, beside each reconnection; and how many of these doubts are mended. */
  private doubts = 0;
  private mended = 0;
  private stillAt = 0;

  constructor(nats: Nats, options: QueueOptions) {
    this.nats = nats;
    this.options = options;
    this.roster = new Roster(nats, options.tell);
  }

  get threads(): number {
    return this.roster.threads;
  }

  async run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
    const ordered = orderOf(settings, ledger.wantsRows);
    const { order } = ordered;
    const identity = orderIdentity(order);
    const { nats, options } = this;
    const over = new AbortController();
    const until = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    const prepare = async () => {
      await ensureStreams(nats);
      await ensureConsumer(nats, order);
      return options.resume === true ? await earlierOf(nats, identity) : null;
    };
    const earlier = await persist(nats, () => orRemake(nats, prepare), until);
    if (until.aborted) return;
    if (earlier !== null)
      options.tell(`goes on with campaign ${earlier.id}, of which it finds ${count(earlier.known.size, "result")}`);
    const id = earlier?.id ?? `${identity}-${randomBytes(3).toString("hex")}`;
    const campaign = { id, ordered, ledger, underWay: new Map(), known: earlier?.known ?? new Map() };
    const alive = nats.nc.subscribe(SAID.alive(id), { callback: (_, message) => void message.respond() });
    this.roster.wanted({ id, build: order.build, code: order.code, protocol: order.protocol });
    let isComplete = false;
    try {
      await this.insist(campaign, () => publishOrder(nats, ordered, id), until);
      await this.work(campaign, until);
      isComplete = signal?.aborted !== true;
    } catch (error) {
      // What a protocol does wrong it does again; what was parked or could not be stored may be tried by a later campaign.
      isComplete = !(error instanceof Resumable);
      if (signal?.aborted !== true) throw error;
    } finally {
      over.abort();
      alive.unsubscribe();
      this.roster.wanted(null);
      await this.leave(id, isComplete);
    }
  }

  /** Tells the workers, and takes away what nobody needs any more. */
  private async leave(id: string, isComplete: boolean): Promise<void> {
    const { nats, options } = this;
    const within = AbortSignal.timeout(isComplete ? REMOVE_WITHIN : LEAVE_WITHIN);
    let isDone = false;
    try {
      await persist(
        nats,
        async () => {
          nats.nc.publish(SAID.over(id));
          await (isComplete ? removeCampaign(nats, id) : removeChunks(nats, id));
          isDone = true;
        },
        within,
      );
    } catch {
      // What ended the campaign is said already.
    }
    if (isComplete && !isDone)
      options.tell(`what campaign ${id} left at NATS could not be removed; it goes after a week`);
  }

  async close(): Promise<void> {
    this.roster.close();
    await this.nats.nc.close();
  }

  /** Returns when the ledger is complete, or `until` fires. */
  private async work(campaign: Campaign, until: AbortSignal): Promise<void> {
    const { nats } = this;
    const { id, ledger, underWay } = campaign;
    let wake = () => {};
    let arrived: (readonly [first: number, count: number])[] = [];
    const news = nats.nc.subscribe(`sortition.result.${id}.*.*.0`, {
      callback: (_, { subject }) => {
        const [first, count] = subject.split(".").slice(3).map(Number);
        arrived.push([first, count]);
        wake();
      },
    });
    const rouse = () => wake();
    until.addEventListener("abort", rouse);
    let lookedAt = performance.now();
    let progressAt = lookedAt;
    try {
      while (!until.aborted && !ledger.complete) {
        await this.fill(campaign, until);
        if (underWay.size === 0) break;
        if (arrived.length === 0) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, LOOK_EVERY);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
            if (until.aborted) wake();
          });
        }
        const told = arrived;
        arrived = [];
        const now = performance.now();
        const isTime = now - lookedAt >= LOOK_EVERY;
        const chunks = isTime
          ? [...underWay.values()]
          : told.flatMap(([first, count]) => (underWay.get(first)?.count === count ? [underWay.get(first)!] : []));
        if (isTime) lookedAt = now;
        for (const chunk of chunks) {
          const stored = await this.insist(campaign, () => fetchResult(nats, id, chunk), until);
          if (until.aborted) return;
          if (stored === null || !underWay.delete(chunk.first)) continue;
          this.count(campaign, chunk, stored);
          progressAt = performance.now();
        }
        if (isTime) this.lookAfter(now - progressAt);
      }
    } finally {
      until.removeEventListener("abort", rouse);
      news.unsubscribe();
    }
  }

  /** `stillFor`: milliseconds without progress, which long trials and a queue that has lost something have in common. */
  private lookAfter(stillFor: number): void {
    const stillAt = Math.floor(stillFor / (2 * ACK_WAIT));
    if (stillAt !== this.stillAt && stillAt > 0) this.doubts++;
    this.stillAt = stillAt;
    const trouble = this.roster.trouble;
    if (trouble !== null && stillFor > PATIENCE) throw new Resumable(trouble);
  }

  private count({ ledger }: Campaign, chunk: Chunk, stored: Stored): void {
    if ("parked" in stored) {
      throw new Resumable(`trials ${chunk.first} to ${chunk.first + chunk.count - 1} were parked: ${stored.parked}`);
    }
    ledger.accept(resultOf(stored));
  }

  /** Hands out as much as the workers can use, and what is known already at once. */
  private async fill(campaign: Campaign, until: AbortSignal): Promise<void> {
    const { id, ordered, ledger, underWay, known } = campaign;
    const most = Math.max(LEAST_UNDER_WAY, AHEAD * this.threads);
    while (underWay.size < most && ledger.waiting < 4 * most && !until.aborted && !ledger.complete) {
      const first = ledger.position;
      const count = known.get(first);
      const chunk = (count === undefined ? null : ledger.take(count)) ?? ledger.next(distance(known, first));
      if (chunk === null) return;
      underWay.set(chunk.first, chunk);
      if (chunk.count === count) {
        const stored = await this.insist(campaign, () => fetchResult(this.nats, id, chunk), until);
        if (until.aborted) return;
        if (stored !== null && !("parked" in stored)) {
          underWay.delete(first);
          this.count(campaign, chunk, stored);
          continue;
        }
      }
      const subject = chunkSubject(ordered.order, id, chunk.first, chunk.count);
      await this.insist(campaign, () => this.nats.js.publish(subject), until);
    }
  }

  /** As `persist` does, of a queue that is looked after first where its server may have come back with less than it had. */
  private insist<T>({ id, ordered, underWay }: Campaign, ask: () => Promise<T>, until: AbortSignal): Promise<T> {
    const { nats } = this;
    return persist(
      nats,
      async () => {
        const doubts = this.doubts + nats.troubles.epoch;
        try {
          return await orRemake(nats, async () => {
            if (doubts !== this.mended) await mendQueue(nats, ordered, id, [...underWay.values()]);
            this.mended = doubts;
            return ask();
          });
        } catch (error) {
          this.doubts++;
          throw error;
        }
      },
      until,
    );
  }
}

/** How many trials from here to the next that are known. */
function distance(known: StoredChunks, first: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const begin of known.keys()) if (begin > first) least = Math.min(least, begin - first);
  return least;
}
