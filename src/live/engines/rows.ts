/**
 * The rows of one group as texts, as a store keeps them, and the register's view of them. The view notes which rows a request has
 * looked at and which it wants to write: the store then writes them only if none of the rows looked at has changed.
 *
 * - RowTexts are compared, never revisions: revisions come back after a restore. A nonce makes each text another one.
 * - Phantoms: a new row changes the group's row in the same commit. So a request that found a row missing looks at the group's row.
 * - A seat that is taken, frozen or ended changes the row of its session, of the former one and of the new one. So the row of a
 *   session stands for all its seats: a renewal compares one row, however many seats it keeps.
 */
import { InputError } from "../../errors.ts";
import {
  type GroupRow,
  type Rows,
  rowsOf,
  type SeatRow,
  type SessionRow,
} from "../../protocols/lease/register-rows.ts";

export type RowTexts = ReadonlyMap<string, string>;

/** What a store must compare (null: there was no such row) and, if all of it still holds, write (null: remove the row). */
export interface Change {
  readonly seen: Map<string, string | null>;
  readonly puts: Map<string, string | null>;
}

const VERSION = 1;
const GROUP = "group";
const SESSION = "session/";
const SEAT = "seat/";

/** How long ended sessions are remembered, so that a late request of one is known to be late. */
const KEEP_ENDED = 3_600_000;
/** How many old sessions one grant removes: stores limit how much one transaction does. */
const MOST_PRUNED = 16;

interface Written<Row> {
  readonly v: number;
  readonly nonce: string;
  /** Milliseconds since 1970, by the clock that tokens follow. */
  readonly at: number;
  readonly row: Row;
}

export class TextRows implements Rows {
  readonly change: Change = { seen: new Map(), puts: new Map() };
  private readonly texts: RowTexts;
  private readonly nonce: () => string;
  private readonly stamp: number;
  private readonly rows: Rows;
  private readonly sessionTimes = new Map<string, number>();

  /** `stamp`: milliseconds since 1970. */
  constructor(texts: RowTexts, nonce: () => string, stamp: number) {
    this.texts = texts;
    this.nonce = nonce;
    this.stamp = stamp;
    const plain = {
      group: null as GroupRow | null,
      sessions: new Map<string, SessionRow>(),
      seats: new Map<string, SeatRow>(),
    };
    for (const [key, text] of texts) {
      const { row, at } = read(key, text);
      if (key === GROUP) plain.group = row as GroupRow;
      else if (key.startsWith(SEAT)) plain.seats.set(key.slice(SEAT.length), row as SeatRow);
      else if (key.startsWith(SESSION)) {
        plain.sessions.set(key.slice(SESSION.length), row as SessionRow);
        this.sessionTimes.set(key.slice(SESSION.length), at);
      }
    }
    this.rows = rowsOf(plain);
  }

  group(): GroupRow | null {
    this.see(GROUP);
    return this.rows.group();
  }

  session(id: string): SessionRow | null {
    this.see(SESSION + id);
    return this.rows.session(id);
  }

  seat(name: string): SeatRow | null {
    const seat = this.rows.seat(name);
    const session = seat?.lease?.session;
    this.see(session !== undefined && this.texts.has(SESSION + session) ? SESSION + session : SEAT + name);
    return seat;
  }

  seatsOf(session: string): ReturnType<Rows["seatsOf"]> {
    this.see(SESSION + session);
    return this.rows.seatsOf(session);
  }

  seats(): ReturnType<Rows["seats"]> {
    this.see(GROUP);
    for (const [name] of this.rows.seats()) this.seat(name);
    return this.rows.seats();
  }

  setGroup(row: GroupRow): void {
    this.rows.setGroup(row);
    this.put(GROUP, row);
  }

  setSession(id: string, row: SessionRow): void {
    this.rows.setSession(id, row);
    this.put(SESSION + id, row);
  }

  setSeat(name: string, row: SeatRow): void {
    const former = this.rows.seat(name)?.lease?.session;
    this.rows.setSeat(name, row);
    this.put(SEAT + name, row);
    for (const id of [former, row.lease?.session]) {
      const session = id === undefined ? null : this.rows.session(id);
      if (session !== null && !this.change.puts.has(SESSION + id)) this.put(SESSION + id, session);
    }
  }

  /** Removes sessions that nobody has extended for long and that no seat names. */
  prune(): void {
    const keep = Math.max(KEEP_ENDED, 2 * (this.rows.group()?.longest ?? 0));
    const named = new Set(this.rows.seats().map(([, { lease }]) => lease?.session));
    const old = [...this.sessionTimes].filter(([id, at]) => at < this.stamp - keep && !named.has(id));
    for (const [id] of old.slice(0, MOST_PRUNED)) {
      if (this.change.puts.has(SESSION + id)) continue;
      // A seat that came to name it would have changed its row.
      this.see(SESSION + id);
      this.change.puts.set(SESSION + id, null);
    }
  }

  private see(key: string): void {
    const { seen } = this.change;
    if (!seen.has(key)) seen.set(key, this.texts.get(key) ?? null);
    if (!this.texts.has(key) && key !== GROUP) this.see(GROUP);
  }

  private put(key: string, row: object): void {
    this.see(key);
    const written: Written<object> = { v: VERSION, nonce: this.nonce(), at: this.stamp, row };
    this.change.puts.set(key, JSON.stringify(written));
    const group = this.rows.group();
    if (!this.texts.has(key) && group !== null && !this.change.puts.has(GROUP)) this.put(GROUP, group);
  }
}

/** Who holds what as the rows say, whether that has run out or not: for people. */
export function holdersIn(texts: RowTexts): {
  readonly holders: { seat: string; name: string }[];
  readonly longest: number;
} {
  const rows = new TextRows(texts, () => "", 0);
  const holders = rows.seats().flatMap(([seat, { lease }]) => {
    const session = lease === null || lease.over ? null : rows.session(lease.session);
    return session === null || session.ended ? [] : [{ seat, name: session.name }];
  });
  return { holders, longest: rows.group()?.longest ?? 0 };
}

function read(key: string, text: string): Written<unknown> {
  const written = parsed(text);
  if (typeof written?.v !== "number" || typeof written.row !== "object")
    throw new Error(`the lease store has a row "${key}" that no member has written`);
  if (written.v > VERSION)
    throw new InputError(
      `the lease store has rows of version ${written.v}, and this Sortition knows ${VERSION}: update it, or name another group`,
    );
  return written;
}

function parsed(text: string): Written<unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
