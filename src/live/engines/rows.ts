/**
 * The rows of one group as texts, as a store keeps them, and the register's view of them. The view notes which rows a request has
 * looked at and which it wants to write: the store then writes them only if none of the rows looked at has changed.
 *
 * - Texts are compared, never revisions: revisions come back after a restore. A nonce makes each text another one.
 * - Phantoms: a new row changes the group's row in the same commit. So a request that found a row missing looks at the group's row. A
 *   record of a job needs no such thing: who finds it missing puts it, and what is there by then must not be replaced.
 * - A seat that is taken, frozen or ended changes the row of its session, of the former one and of the new one. So the row of a
 *   session stands for all its seats: a renewal compares one row, however many seats it keeps.
 */
import { InputError } from "../../errors.ts";
import {
  type GroupRow,
  isOver,
  noRows,
  type RecordRow,
  type Rows,
  rowsOf,
  type SeatRow,
  type SessionRow,
} from "../../protocols/lease/register-rows.ts";
import { isLeaseRow } from "../../protocols/lease/shapes.ts";

export type RowTexts = ReadonlyMap<string, string>;

/** What a store must compare (null: there was no such row) and, if all of it still holds, write (null: remove the row). */
export interface Change {
  readonly seen: Map<string, string | null>;
  readonly puts: Map<string, string | null>;
}

interface NotingRows extends Rows {
  readonly change: Change;
  /** Removes sessions that nobody has extended for long and that no seat names. */
  prune(): void;
}

const VERSION = 1;
const KINDS = ["group", "session", "seat", "record"] as const;
const GROUP = "group";
const SESSION = "session/";
const SEAT = "seat/";
const RECORD = "record/";

export const recordRow = (key: string): string => RECORD + key;
export const isRecordRow = (row: string): boolean => row.startsWith(RECORD);
/** All rows of records, and no others, are from the first name on and before the second. */
export const RECORD_ROWS = [RECORD, "record0"] as const;

/** How long ended sessions are remembered, so that a late request of one is known to be late. */
const KEEP_ENDED = 3_600_000;
/** How many old sessions, or records, one request removes: stores limit how much one transaction does. */
const MOST_PRUNED = 16;

/** `stamp`: milliseconds since 1970, written beside each row. */
export function notingRows(texts: RowTexts, nonce: () => string, stamp: number): NotingRows {
  const plain = noRows();
  const written = new Map<string, number>();
  for (const [key, text] of texts) {
    const { row, at } = read(key, text);
    if (key === GROUP) plain.group = row as GroupRow;
    else if (key.startsWith(SEAT)) plain.seats.set(key.slice(SEAT.length), row as SeatRow);
    else if (key.startsWith(RECORD)) plain.records.set(key.slice(RECORD.length), row as RecordRow);
    else if (key.startsWith(SESSION)) {
      plain.sessions.set(key.slice(SESSION.length), row as SessionRow);
      written.set(key.slice(SESSION.length), at);
    }
  }
  const rows = rowsOf(plain);
  const seen: Change["seen"] = new Map();
  const puts: Change["puts"] = new Map();

  function see(key: string): void {
    if (!seen.has(key)) seen.set(key, texts.get(key) ?? null);
    if (!texts.has(key) && key !== GROUP && !isRecordRow(key)) see(GROUP);
  }
  function put(key: string, row: object): void {
    see(key);
    puts.set(key, JSON.stringify({ v: VERSION, nonce: nonce(), at: stamp, row }));
    if (!texts.has(key) && !isRecordRow(key) && plain.group !== null && !puts.has(GROUP)) put(GROUP, plain.group);
  }
  function seat(name: string): SeatRow | null {
    const session = SESSION + rows.seat(name)?.lease?.session;
    see(texts.has(session) ? session : SEAT + name);
    return rows.seat(name);
  }

  return {
    change: { seen, puts },
    group() {
      see(GROUP);
      return rows.group();
    },
    session(id) {
      see(SESSION + id);
      return rows.session(id);
    },
    seat,
    seatsOf(session) {
      see(SESSION + session);
      return rows.seatsOf(session);
    },
    seats() {
      see(GROUP);
      for (const [name] of rows.seats()) seat(name);
      return rows.seats();
    },
    setGroup(row) {
      rows.setGroup(row);
      put(GROUP, row);
    },
    setSession(id, row) {
      rows.setSession(id, row);
      put(SESSION + id, row);
    },
    setSeat(name, row) {
      const sessions = [rows.seat(name)?.lease?.session, row.lease?.session];
      rows.setSeat(name, row);
      put(SEAT + name, row);
      for (const id of sessions) {
        const session = id === undefined ? null : rows.session(id);
        if (session !== null && !puts.has(SESSION + id)) put(SESSION + id, session);
      }
    },
    record(key) {
      see(RECORD + key);
      return rows.record(key);
    },
    setRecord(key, row) {
      // No request reads a record that it has written.
      put(RECORD + key, row);
    },
    pruneRecords(now, but) {
      const old = [...plain.records].filter(([key, row]) => key !== but && isOver(row, now));
      for (const [key] of old.slice(0, MOST_PRUNED)) {
        see(RECORD + key);
        puts.set(RECORD + key, null);
      }
    },
    prune() {
      const keep = Math.max(KEEP_ENDED, 2 * (plain.group?.longest ?? 0));
      const named = new Set(rows.seats().map(([, { lease }]) => lease?.session));
      const old = [...written].filter(([id, at]) => at < stamp - keep && !named.has(id) && !puts.has(SESSION + id));
      for (const [id] of old.slice(0, MOST_PRUNED)) {
        // A seat that came to name it would have changed its row.
        see(SESSION + id);
        puts.set(SESSION + id, null);
      }
    },
  };
}

/** All rows of one value; null: there is none yet. */
export function textsIn(value: string | null): RowTexts {
  if (value === null) return new Map();
  const rows = parsed(value);
  const isObject = typeof rows === "object" && rows !== null && !Array.isArray(rows);
  if (!isObject || !Object.values(rows).every((text) => typeof text === "string")) throw notOurs("value");
  return new Map(Object.entries(rows as Record<string, string>));
}

/** The rows as they are, to look at. */
export const rowsIn = (texts: RowTexts): Rows => notingRows(texts, () => "", 0);

function read(key: string, text: string): { readonly row: unknown; readonly at: number } {
  const { v, row, at } = (parsed(text) ?? {}) as { readonly v?: number; readonly row?: unknown; readonly at?: number };
  if (Number.isInteger(v) && v! > VERSION) {
    throw new InputError(
      `the lease store has rows of version ${v}, and this Sortition knows ${VERSION}: update it, or name another group`,
    );
  }
  const kind = KINDS.find((name) => key.split("/", 1)[0] === name);
  if (v !== VERSION || !Number.isFinite(at) || (kind !== undefined && !isLeaseRow(kind, row)))
    throw notOurs(`row "${key}"`);
  return { row, at: at! };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const notOurs = (what: string): InputError =>
  new InputError(
    `the lease store has a ${what} that no member has written: stop all members, then restore or remove the group's rows`,
  );
