/** Any store of rows on a bench: the same rows under a clock and an incarnation that the test sets. */
import { type Image, RowEngine, type RowStore } from "../../src/live/engines/row-engine.ts";
import { Watched } from "../../src/live/engines/watched.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { Bench } from "./bench.ts";

export interface RowsUnderTest {
  readonly name: string;
  /** One of several connections to the rows of one group. */
  open(): RowStore;
}

const LIMIT = { signal: new AbortController().signal, left: () => 30_000 };

export function rowBench({ name, open }: RowsUnderTest): Bench {
  // Connections are kept from one engine to the next: making them takes longer than most tests.
  const stores = [open(), open(), open()];
  const put = async (rows: ReadonlyMap<string, string>) => {
    const { texts } = await stores[0].read(LIMIT);
    const keys = [...new Set([...texts.keys(), ...rows.keys()])];
    const puts = new Map(keys.map((key) => [key, rows.get(key) ?? null]));
    const seen = new Map(keys.map((key) => [key, texts.get(key) ?? null]));
    if (keys.length > 0) await stores[0].commit({ seen, puts }, LIMIT);
  };
  return {
    name,
    slack: 0,
    speed: "disk",
    async begin() {
      await put(new Map());
      let [now, starts] = [1_000_000, 0];
      let copy: ReadonlyMap<string, string> = new Map();
      // One clock for all, whatever the store has: the register's answers are compared word for word.
      const clock = { name: "the test's", now: () => now, stamp: () => now };
      const connect = () =>
        stores.map((store) => {
          const set = (image: Image): Image => ({
            ...image,
            incarnation: String(starts),
            now: image.now === null ? null : now,
            forgets: false,
          });
          const controlled: RowStore = {
            name,
            close: async () => {},
            read: async (limit) => set(await store.read(limit)),
            async commit(change, limit) {
              const { image, revision } = await store.commit(change, limit);
              return { image: image && set(image), revision };
            },
          };
          return new RowEngine(controlled, new Watched(clock), { world: realWorld, requestTimeout: 30_000 });
        });
      let engines = connect();
      return {
        ask: (request, connection = 0) => engines[connection].ask(request),
        async turn(ms) {
          now += ms;
        },
        stamp: () => now,
        async restart() {
          starts++;
        },
        async snapshot() {
          copy = (await stores[0].read(LIMIT)).texts;
        },
        async restore() {
          await put(copy);
          // Members that were stopped: those that run would notice.
          engines = connect();
        },
        end: async () => {},
      };
    },
    async end() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}
