/**
 * The lease register on any store that can do two things: read the rows of a group as of one moment, and write rows if none of
 * those that were looked at has changed. The register itself runs here, in the member; whoever loses a race asks again.
 */
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { carryOut } from "../../protocols/lease/register.ts";
import { oneClock, type RegisterClock } from "../../protocols/lease/register-clock.ts";
import type { World } from "../world.ts";
import { checked, type EngineOptions, type LeaseEngine } from "./engine.ts";
import { type Change, type RowTexts, TextRows } from "./rows.ts";
import { type MachineClock, Watched } from "./watched.ts";

/** The rows of a group as of one moment, and what the store says of itself. */
export interface Image {
  readonly texts: RowTexts;
  /** Another text where the store may have forgotten what it had written: grants are barred for one TTL. */
  readonly incarnation: string;
  /** Never falls, unless the store goes back to an older state; null where the store does not count. */
  readonly revision: number | null;
  /** Milliseconds since 1970 by the one clock of the store; null where members must watch rows instead. */
  readonly now: number | null;
  /** Whether a restart may lose all rows, so that an empty group may be one that was forgotten. */
  readonly forgets: boolean;
}

/** How long a call to the store may take. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  left(): number;
}

export interface RowStore {
  /** For people, without passwords. */
  readonly name: string;
  read(limit: Limit): Promise<Image>;
  /**
   * One step: writes all or nothing. `image` is null where it has passed, and otherwise what there is now. A store must compare what
   * was seen of rows that are there. Rows that were missing need no comparison, unless they are put: those must not be replaced.
   */
  commit(change: Change, limit: Limit): Promise<{ readonly image: Image | null; readonly revision: number | null }>;
  close(): Promise<void>;
}

/** After a lost race: the first pause is up to 4 ms, the last up to 256 ms. */
const PAUSE = { first: 4, doublings: 6 };
/** Milliseconds for the first look: tables may have to be made, and many members start at once. */
const CHECK = 5000;
/** Stands for every store before the present one. */
const OLDER = "older";

export function rowEngine(store: RowStore, options: EngineOptions): Promise<LeaseEngine> {
  const { world } = options;
  const clock = { name: world.bytes(12).toString("base64url"), now: () => world.now(), stamp: () => world.wall() };
  return checked(new RowEngine(store, clock, options));
}

export class RowEngine implements LeaseEngine {
  readonly name: string;
  trouble?: string;
  /** For tests and benchmarks. */
  readonly counts = { reads: 0, commits: 0, conflicts: 0 };
  private readonly store: RowStore;
  private readonly world: World;
  private readonly timeout: number;
  private readonly watched: Watched;
  private readonly memory = new Memory();
  /** As the last commit left it. Only a renewal may begin with it, and only by a clock of the member's own. */
  private last: Image | null = null;
  private isClosed = false;

  constructor(
    store: RowStore,
    clock: MachineClock,
    { world, requestTimeout }: Pick<EngineOptions, "world" | "requestTimeout">,
  ) {
    this.name = store.name;
    this.store = store;
    this.world = world;
    this.timeout = requestTimeout;
    this.watched = new Watched(clock);
  }

  ask(request: LeaseRequest): Promise<LeaseAnswer> {
    return this.limited((limit) => this.untilDone(request, limit));
  }

  /** What is there counts as seen: a member may ask for the first time much later. */
  async check(): Promise<void> {
    await this.limited((limit) => this.read(limit), Math.max(this.timeout, CHECK));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.store.close();
  }

  private async untilDone(request: LeaseRequest, limit: Limit): Promise<LeaseAnswer> {
    const { last } = this;
    this.last = null;
    let image = last !== null && last.now === null && request.kind === "renew" ? last : null;
    let isFresh = image === null;
    for (let races = 0; ; races++) {
      image ??= await this.read(limit);
      const { answer, change } = this.attempt(request, image);
      if (change.puts.size === 0) {
        if (isFresh) return answer;
        // From memory nothing can be refused: others may have written.
        image = null;
        isFresh = true;
        continue;
      }
      // Carried out after its time, it would be a surprise.
      limit.signal.throwIfAborted();
      this.counts.commits++;
      const before = this.memory.seen;
      const { image: instead, revision } = await this.store.commit(change, limit);
      if (instead === null || isThere(change, instead.texts)) {
        this.last = { ...image, texts: after(image.texts, change), revision };
        this.memory.add(this.last);
        if (request.kind === "acquire") this.memory.isOlder = false;
        return answer;
      }
      this.counts.conflicts++;
      this.memory.look(instead, before);
      isFresh = true;
      image = instead;
      if (races === 0) continue;
      await this.pause(races, limit);
      image = null;
    }
  }

  private attempt(request: LeaseRequest, image: Image): { readonly answer: LeaseAnswer; readonly change: Change } {
    const clock = this.clockOf(image);
    const rows = new TextRows(image.texts, () => this.world.bytes(9).toString("base64url"), clock.stamp);
    if (request.kind === "acquire") {
      const group = rows.group();
      // The register bars grants where the group's row was written by another incarnation.
      if (this.memory.isOlder || (group === null && image.forgets))
        rows.setGroup({
          barred: null,
          longest: Math.max(group?.longest ?? 0, this.memory.seen.longest),
          incarnation: OLDER,
        });
    }
    const answer = carryOut(rows, request, clock);
    if (answer.kind === "granted") rows.prune();
    return { answer, change: rows.change };
  }

  private clockOf({ now, incarnation }: Image): RegisterClock {
    return now === null ? this.watched.reading(incarnation) : oneClock(now, now, incarnation);
  }

  private async read(limit: Limit): Promise<Image> {
    this.counts.reads++;
    const before = this.memory.seen;
    const image = await this.store.read(limit);
    limit.signal.throwIfAborted();
    this.memory.look(image, before);
    return image;
  }

  private pause(races: number, limit: Limit): Promise<void> {
    const ms = this.world.draws.uniform() * PAUSE.first * 2 ** Math.min(races, PAUSE.doublings);
    return new Promise((resolve, reject) => {
      const late = () => reject(limit.signal.reason);
      if (limit.signal.aborted) return late();
      limit.signal.addEventListener("abort", late, { once: true });
      this.world.set(ms, () => {
        limit.signal.removeEventListener("abort", late);
        resolve();
      });
    });
  }

  private async limited<T>(act: (limit: Limit) => Promise<T>, timeout = this.timeout): Promise<T> {
    if (this.isClosed) throw new Error("the engine is closed");
    const { world } = this;
    const end = world.now() + timeout;
    const controller = new AbortController();
    const { signal } = controller;
    const late = new Error(`${this.name} did not answer within ${timeout} ms`);
    return new Promise<T>((resolve, reject) => {
      const cancel = world.set(timeout, () => {
        controller.abort(late);
        reject(late);
      });
      act({ signal, left: () => Math.max(1, end - world.now()) })
        .then(resolve, reject)
        .finally(cancel);
    });
  }
}

const after = (texts: RowTexts, { puts }: Change): RowTexts => {
  const all = new Map(texts);
  for (const [key, text] of puts) text === null ? all.delete(key) : all.set(key, text);
  return all;
};

/** Whether a commit that seems to have failed has passed: something between repeated it. No other commit has its nonces. */
const isThere = ({ puts }: Change, texts: RowTexts): boolean =>
  [...puts].every(([key, text]) => (texts.get(key) ?? null) === text);

interface Seen {
  readonly revision: number;
  readonly tokens: ReadonlyMap<string, number>;
  /** 0: no group was seen. */
  readonly longest: number;
}

/** What this member has seen of the store: less than that shows that the store went back to an older state. */
class Memory {
  seen: Seen = { revision: 0, tokens: new Map(), longest: 0 };
  /** The store went back, and grants were not barred for it yet. */
  isOlder = false;

  /** `before`: what was seen when the store was asked. Answers of requests that overlap may come in any order. */
  look(image: Image, before: Seen): void {
    const { revision, tokens, longest } = seenIn(image);
    const isLess = [...before.tokens].some(([seat, token]) => (tokens.get(seat) ?? 0) < token);
    if (isLess || (revision > 0 && revision < before.revision) || longest < before.longest) {
      this.isOlder = true;
      this.seen = { revision, tokens, longest: before.longest };
    } else this.add(image);
  }

  add(image: Image): void {
    const { seen } = this;
    const more = seenIn(image);
    const tokens = new Map(seen.tokens);
    for (const [seat, token] of more.tokens) tokens.set(seat, Math.max(token, tokens.get(seat) ?? 0));
    this.seen = {
      revision: Math.max(seen.revision, more.revision),
      longest: Math.max(seen.longest, more.longest),
      tokens,
    };
  }
}

function seenIn({ texts, revision }: Image): Seen {
  const rows = new TextRows(texts, () => "", 0);
  return {
    revision: revision ?? 0,
    tokens: new Map(rows.seats().map(([seat, { token }]) => [seat, token])),
    longest: rows.group()?.longest ?? 0,
  };
}
