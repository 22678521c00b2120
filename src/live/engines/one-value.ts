/** Rows in one value, for stores that can do no more than replace a value if it is still the one that was read. */

import type { Limit } from "./engine.ts";
import type { Image, RowStore } from "./row-engine.ts";
import type { RowTexts } from "./rows.ts";

export interface StoredValue extends Omit<Image, "texts"> {
  /** Null: there is none yet. */
  readonly text: string | null;
  /** What a replacement has to name. */
  readonly version: string;
}

export interface ValueStore<V extends StoredValue = StoredValue> extends Pick<RowStore, "name" | "close"> {
  read(limit: Limit): Promise<V>;
  /** Writes, and gives the new revision, if the value still has the version of `was`; null: it has another one. `texts`: what is written. */
  replace(text: string, was: V, texts: RowTexts, limit: Limit): Promise<number | null>;
}

export function rowsInOneValue<V extends StoredValue>(store: ValueStore<V>): RowStore {
  const imageOf = ({ text, incarnation, revision, now, forgets }: V): Image => ({
    texts: textsIn(text),
    incarnation,
    revision,
    now,
    forgets,
  });
  return {
    name: store.name,
    close: () => store.close(),
    read: async (limit) => imageOf(await store.read(limit)),
    async commit({ seen, puts }, limit) {
      for (;;) {
        limit.signal.throwIfAborted();
        const stored = await store.read(limit);
        const image = imageOf(stored);
        const isSame = [...seen].every(([key, text]) => (image.texts.get(key) ?? null) === text);
        if (!isSame) return { image, revision: image.revision };
        const texts = new Map(image.texts);
        for (const [key, text] of puts) text === null ? texts.delete(key) : texts.set(key, text);
        const revision = await store.replace(JSON.stringify(Object.fromEntries(texts)), stored, texts, limit);
        // Where others have changed other rows, the same commit is tried on what they have left.
        if (revision !== null) return { image: null, revision };
      }
    },
  };
}

const textsIn = (text: string | null): RowTexts =>
  new Map(Object.entries(text === null ? {} : (JSON.parse(text) as Record<string, string>)));
