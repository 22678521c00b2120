/**
 * The lease register on any store that can do two things: read the rows of a group as of one moment, and write rows if none of
 * those that were looked at has changed. The register itself runs here, in the member; a member that loses a race asks again.
 */
import type { Extension, LeaseAnswer, LeaseRequest, SessionId } from "../../protocols/lease/messages.ts";
import { carryOut } from "../../protocols/lease/register.ts";
import { extensionOf, oneClock } from "../../protocols/lease/register-clock.ts";
import type { Rows } from "../../protocols/lease/register-rows.ts";
import type { World } from "../world.ts";
import { checked, type EngineOptions, type LeaseEngine, type Limit, paused, withLimit } from "./engine.ts";
import { type Change, isRecordRow, notingRows, type RowTexts, recordRow, rowsIn } from "./rows.ts";
import { Watched, watchTime } from "./watched.ts";

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

export interface RowStore {
  /** For people, without passwords. */
  readonly name: string;
  /** Without `jobs` no record of a job is read. */
  read(limit: Limit, jobs?: WantedJobs): Promise<Image>;
  /**
   * One step: writes all or nothing. `image` is null where it has passed, and otherwise what there is now. A store must compare what
   * was seen of rows that are there. Rows that were missing need no comparison, unless they are put: those must not be replaced.
   * Records of jobs may be written in a step of their own, after the other rows were compared.
   */
  commit(
    change: Change,
    limit: Limit,
    jobs?: WantedJobs,
  ): Promise<{ readonly image: Image | null; readonly revision: number | null }>;
  close(): Promise<void>;
}

/** The record of one job, and some others, of which those are removed whose time to be kept is over. */
export interface WantedJobs {
  readonly row: string;
  /** The others are those that follow this row in the order of their names, where the store has an order; otherwise any. */
  readonly after: string;
}

/** How many others. */
export const MOST_OTHERS = 32;

/** After a lost race: the first pause is up to 4 ms, the last up to 256 ms. */
const PAUSE = { first: 4, doublings: 6 };
/** Milliseconds for the first look: tables may have to be made, and many members start at once. */
const CHECK = 5000;
/** Stands for every store before the present one. */
const OLDER = "older";

export function rowEngine(store: RowStore, options: EngineOptions): Promise<LeaseEngine> {
  const { world } = options;
  const clock = { name: world.bytes(12).toString("base64url"), now: () => world.now(), stamp: () => world.wall() };
  return checked(new RowEngine(store, new Watched(clock), options));
}

export class RowEngine implements LeaseEngine {
  readonly name: string;
  trouble?: string;
  private readonly store: RowStore;
  private readonly world: World;
  private readonly timeout: number;
  private readonly watched: Watched;
  private readonly memory: Memory;
  /** How far records of jobs were looked through for old ones. */
  private swept = "";
  /** As the last commit left it. Only a renewal may begin with it, and only by a clock of the member's own. */
  private last: Image | null = null;
  private isClosed = false;

  constructor(
    store: RowStore,
    watched: Watched,
    { world, requestTimeout }: Pick<EngineOptions, "world" | "requestTimeout">,
  ) {
    this.name = store.name;
    this.store = store;
    this.world = world;
    this.timeout = requestTimeout;
    this.watched = watched;
    this.memory = new Memory(world);
  }

  heard(said: Extension): void {
    this.watched.heard(said);
    this.memory.hear(said);
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
    const jobs = "key" in request ? { row: recordRow(request.key), after: this.swept } : undefined;
    for (let races = 0; ; races++) {
      image ??= await this.read(limit, jobs);
      const { isOlder } = this.memory;
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
      const before = this.memory.seen;
      const { image: instead, revision } = await this.store.commit(change, limit, jobs);
      if (instead === null || isThere(change, instead.texts)) {
        this.last = { ...image, texts: after(image.texts, change), revision };
        this.memory.add(this.last);
        if (isOlder && request.kind === "acquire") this.memory.isOlder = false;
        if (jobs !== undefined) this.swept = sweptTo(image.texts, jobs);
        return answer;
      }
      const mayBeUsed = this.memory.look(instead, before);
      isFresh = true;
      image = mayBeUsed ? instead : null;
      if (races === 0) continue;
      await paused(this.world, this.world.draws.uniform() * PAUSE.first * 2 ** Math.min(races, PAUSE.doublings), limit);
      image = null;
    }
  }

  private attempt(request: LeaseRequest, image: Image): { readonly answer: LeaseAnswer; readonly change: Change } {
    const { now, incarnation } = image;
    const clock = now === null ? this.watched.reading(incarnation) : oneClock(now, now, incarnation);
    const rows = notingRows(image.texts, () => this.world.bytes(9).toString("base64url"), clock.stamp);
    if (request.kind === "acquire") {
      const group = rows.group();
      // The register bars grants where the group's row was written by another incarnation.
      if (this.memory.isOlder || (group === null && image.forgets))
        rows.setGroup({
          barred: null,
          incarnation: OLDER,
          longest: Math.max(group?.longest ?? 0, this.memory.seen.longest),
        });
    }
    const answer = carryOut(rows, request, clock);
    if (answer.kind === "granted") rows.prune();
    return { answer: now === null ? withExtension(answer, request, rows) : answer, change: rows.change };
  }

  private async read(limit: Limit, jobs?: WantedJobs): Promise<Image> {
    for (;;) {
      const before = this.memory.seen;
      const image = await this.store.read(limit, jobs);
      limit.signal.throwIfAborted();
      if (this.memory.look(image, before)) return image;
    }
  }

  private limited<T>(act: (limit: Limit) => Promise<T>, timeout = this.timeout): Promise<T> {
    if (this.isClosed) return Promise.reject(new Error("the lease store is closed"));
    return withLimit(this.world, timeout, this.name, act);
  }
}

const after = (texts: RowTexts, { puts }: Change): RowTexts => {
  const all = new Map(texts);
  for (const [key, text] of puts) text === null ? all.delete(key) : all.set(key, text);
  return all;
};

/** The last of the others that were read; "" after the last of all. */
function sweptTo(texts: RowTexts, { row, after: from }: WantedJobs): string {
  const others = [...texts.keys()].filter((key) => isRecordRow(key) && key !== row && key > from).sort();
  return others.length < MOST_OTHERS - 1 ? "" : others.at(-1)!;
}

/** Whether a commit that seems to have failed has passed: something between repeated it. No other commit has its nonces. */
const isThere = ({ puts }: Change, texts: RowTexts): boolean =>
  [...puts].every(([key, text]) => (texts.get(key) ?? null) === text);

/** What the holder is to tell others, where they watch rows. */
function withExtension(answer: LeaseAnswer, request: LeaseRequest, rows: Rows): LeaseAnswer {
  if (!("session" in request) || (answer.kind !== "granted" && answer.kind !== "renewed")) return answer;
  return { ...answer, extended: extensionOf(request.session, rows.session(request.session)!) };
}

interface Seen {
  readonly revision: number;
  readonly tokens: ReadonlyMap<string, number>;
  /** 0: no group was seen. */
  readonly longest: number;
  /** What holders have said of their sessions, and when. */
  readonly heard: ReadonlyMap<SessionId, { readonly count: number; readonly at: number }>;
}

const NO_WORDS: Seen["heard"] = new Map();
/** Sessions: each start of a holder is another one. */
const MOST_HEARD = 1000;

/** What this member has seen of the store, and has heard of it: less than that shows that the store went back to an older state. */
class Memory {
  seen: Seen = { revision: 0, tokens: new Map(), longest: 0, heard: NO_WORDS };
  /** The store went back, and grants were not barred for it yet. */
  isOlder = false;
  private readonly world: Pick<World, "now">;

  constructor(world: Pick<World, "now">) {
    this.world = world;
  }

  /**
   * `before`: what was known when the store was asked. Answers of requests that overlap may come in any order. False where the image
   * is older than a word that came meanwhile: the store went back, or was read before that; only another look can tell.
   */
  look(image: Image, before: Seen): boolean {
    const rows = rowsIn(image.texts);
    const now = seenIn(rows, image);
    const isLess = [...before.tokens].some(([seat, token]) => (now.tokens.get(seat) ?? 0) < token);
    const isBehind = now.longest < before.longest || (now.revision > 0 && now.revision < before.revision);
    if (isLess || isBehind || this.isBehindWords(rows, before.heard, Math.max(before.longest, now.longest))) {
      this.isOlder = true;
      this.seen = { ...now, longest: before.longest };
      return true;
    }
    this.add(image);
    return !this.isBehindWords(rows, this.seen.heard, this.seen.longest);
  }

  add(image: Image): void {
    const [{ revision, tokens, longest, heard }, more] = [this.seen, seenIn(rowsIn(image.texts), image)];
    const all = new Map(tokens);
    for (const [seat, token] of more.tokens) all.set(seat, Math.max(token, all.get(seat) ?? 0));
    this.seen = {
      revision: Math.max(revision, more.revision),
      tokens: all,
      longest: Math.max(longest, more.longest),
      heard,
    };
  }

  hear({ session, count }: Extension): void {
    const heard = new Map(this.seen.heard);
    if (count <= (heard.get(session)?.count ?? -1)) return;
    heard.delete(session);
    if (heard.size >= MOST_HEARD) heard.delete(heard.keys().next().value!);
    heard.set(session, { count, at: this.world.now() });
    this.seen = { ...this.seen, heard };
  }

  /** What was said more than one longest TTL ago promises nothing any more; while no TTL is known, everything counts. */
  private isBehindWords(rows: Rows, heard: Seen["heard"], longest: number): boolean {
    const since = longest === 0 ? -Infinity : this.world.now() - watchTime(longest);
    return [...heard].some(([session, { count, at }]) => at > since && (rows.session(session)?.counter ?? -1) < count);
  }
}

function seenIn(rows: Rows, { revision }: Image): Seen {
  const tokens = new Map(rows.seats().map(([seat, { token }]) => [seat, token]));
  return { revision: revision ?? 0, tokens, longest: rows.group()?.longest ?? 0, heard: NO_WORDS };
}
