/**
 * Rows in few values, for stores that can do no more than replace a value if it is still the one that was read. One value has all rows
 * of leases. Records of jobs are spread over others by their names, so that none of them grows large and a renewal reads none.
 */
import { createHash } from "node:crypto";
import type { Limit } from "./engine.ts";
import type { Image, RowStore, WantedJobs } from "./row-engine.ts";
import { type Change, isRecordRow, type RowTexts, textsIn } from "./rows.ts";

export interface StoredValue extends Omit<Image, "texts"> {
  /** Null: there is none yet. */
  readonly text: string | null;
  /** What a replacement has to name. */
  readonly version: string;
}

/** Which value: "" for leases, or one of those for records, such as "jobs-3f". */
export type ValuePart = string;

export interface ValueStore<V extends StoredValue = StoredValue> extends Pick<RowStore, "name" | "close"> {
  read(part: ValuePart, limit: Limit): Promise<V>;
  /** Writes, and gives the new revision, if the value still has the version of `was`; null: it has another one. `texts`: what is written. */
  replace(part: ValuePart, text: string, was: V, texts: RowTexts, limit: Limit): Promise<number | null>;
}

const LEASES: ValuePart = "";
/** The first six bits of a hash. */
const jobsPart = (row: string): ValuePart =>
  `jobs-${(createHash("sha256").update(row).digest()[0] >> 2).toString(16).padStart(2, "0")}`;
const partOf = (row: string): ValuePart => (isRecordRow(row) ? jobsPart(row) : LEASES);

export function rowsInOneValue<V extends StoredValue>(store: ValueStore<V>): RowStore {
  async function read(limit: Limit, jobs?: WantedJobs): Promise<Image> {
    const { text, incarnation, revision, now, forgets } = await store.read(LEASES, limit);
    const records = jobs === undefined ? [] : textsIn((await store.read(partOf(jobs.row), limit)).text);
    return { texts: new Map([...textsIn(text), ...records]), incarnation, revision, now, forgets };
  }

  /** One value; null where it has passed another one than was seen. Where others changed other rows, it is tried on what they left. */
  async function replace(
    part: ValuePart,
    { seen, puts }: Change,
    limit: Limit,
  ): Promise<{ revision: number | null } | null> {
    for (;;) {
      limit.signal.throwIfAborted();
      const stored = await store.read(part, limit);
      const texts = new Map(textsIn(stored.text));
      if (![...seen].every(([key, was]) => (texts.get(key) ?? null) === was)) return null;
      if (puts.size === 0) return { revision: stored.revision };
      for (const [key, is] of puts) is === null ? texts.delete(key) : texts.set(key, is);
      const written = await store.replace(part, JSON.stringify(Object.fromEntries(texts)), stored, texts, limit);
      if (written !== null) return { revision: written };
    }
  }

  return {
    name: store.name,
    close: () => store.close(),
    read,
    /**
     * Leases first. If a lease is lost between the two steps, an attempt at a job may be noted that does not begin: its member stops
     * by its own deadline. The next holder then begins another one, as after a crash.
     */
    async commit({ seen, puts }, limit, jobs) {
      const of = (rows: ReadonlyMap<string, string | null>, part: ValuePart) =>
        new Map([...rows].filter(([row]) => partOf(row) === part));
      let revision: number | null = null;
      for (const part of [...new Set([...seen.keys(), ...puts.keys()].map(partOf))].sort()) {
        const passed = await replace(part, { seen: of(seen, part), puts: of(puts, part) }, limit);
        if (passed === null) {
          const image = await read(limit, jobs);
          return { image, revision: image.revision };
        }
        if (part === LEASES) revision = passed.revision;
      }
      return { image: null, revision };
    },
  };
}
