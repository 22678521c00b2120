/** A store of rows in memory, for tests: carries out reads and commits when it is told to. */
import type { Image, RowStore } from "../../src/live/engines/row-engine.ts";
import type { Change } from "../../src/live/engines/rows.ts";

/** Which comparisons a store leaves out, by the kind of row. */
export type Omits = (key: string) => boolean;

export class MemoryRows {
  texts: ReadonlyMap<string, string> = new Map();
  revision = 1;
  incarnation = "first";
  /** The time by the store's clock; null: it has none. */
  now: number | null = null;
  forgets = false;
  omits: Omits = () => false;

  image(): Image {
    const { texts, revision, incarnation, now, forgets } = this;
    return { texts, revision, incarnation, now, forgets };
  }

  /** As the contract of a store says: rows that were missing count only where they are put. */
  commit({ seen, puts }: Change): Awaited<ReturnType<RowStore["commit"]>> {
    for (const [key, text] of seen) {
      if (this.omits(key) || (text === null && !puts.has(key))) continue;
      if ((this.texts.get(key) ?? null) !== text) return { image: this.image(), revision: this.revision };
    }
    const texts = new Map(this.texts);
    for (const [key, text] of puts) text === null ? texts.delete(key) : texts.set(key, text);
    this.texts = texts;
    this.revision++;
    return { image: null, revision: this.revision };
  }

  /** Answers at once. */
  store(): RowStore {
    return {
      name: "memory",
      read: async () => this.image(),
      commit: async (change) => this.commit(change),
      close: async () => {},
    };
  }
}
