/** Rows in one value, for stores that can do no more than replace a value if it is still the one that was read. */
import type { Image, Limit, RowStore } from "./row-engine.ts";
import type { RowTexts } from "./rows.ts";

export interface StoredValue extends Omit<Image, "texts"> {
  /** Null: there is none yet. */
  readonly text: string | null;
  /** What a replacement has to name. */
  readonly version: string;
}

export interface ValueStore extends Pick<RowStore, "name" | "close"> {
  read(limit: Limit): Promise<StoredValue>;
  /** Writes, and gives the new revision, if the value still has that version; null: it has another one. `texts`: what is written. */
  replace(text: string, version: string, texts: RowTexts, limit: Limit): Promise<number | null>;
}

export function rowsInOneValue(store: ValueStore): RowStore {
  const imageOf = ({ text, version: _, ...rest }: StoredValue): Image => ({ ...rest, texts: textsIn(text) });
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
        const revision = await store.replace(JSON.stringify(Object.fromEntries(texts)), stored.version, texts, limit);
        // Where others have changed other rows, the same commit is tried on what they have left.
        if (revision !== null) return { image: null, revision };
      }
    },
  };
}

const textsIn = (text: string | null): RowTexts =>
  new Map(Object.entries(text === null ? {} : (JSON.parse(text) as Record<string, string>)));
