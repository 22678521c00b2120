/** Any store of rows on a bench: the same rows under a clock and an incarnation that the test sets. */
import { type Image, RowEngine, type RowStore } from "../../src/live/engines/row-engine.ts";
import { recordRow } from "../../src/live/engines/rows.ts";
import { Watched } from "../../src/live/engines/watched.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { LeaseAnswer } from "../../src/protocols/lease/messages.ts";
import type { Bench, BenchEngine } from "./bench.ts";

/** Of rows that can be put back, or removed, under members that run. */
export interface RowBenchEngine extends BenchEngine {
  restore(members?: "stopped" | "running"): Promise<void>;
  empty(): Promise<void>;
}

export interface RowBench extends Bench {
  begin(): Promise<RowBenchEngine>;
}

export interface RowsUnderTest {
  readonly name: string;
  /** One of several connections to the rows of one group. */
  open(): RowStore;
}

const LIMIT = { signal: new AbortController().signal, left: () => 30_000 };

export function rowBench({ name, open }: RowsUnderTest): RowBench {
  let runs = 0;
  // Connections are kept from one engine to the next: making them takes longer than most tests.
  const stores = [open(), open(), open()];
  const put = async (rows: ReadonlyMap<string, string>, texts: ReadonlyMap<string, string>) => {
    const keys = [...new Set([...texts.keys(), ...rows.keys()])];
    const puts = new Map(keys.map((key) => [key, rows.get(key) ?? null]));
    const seen = new Map(keys.map((key) => [key, texts.get(key) ?? null]));
    if (keys.length > 0) await stores[0].commit({ seen, puts }, LIMIT);
  };
  /** All rows of leases, and those of these records. */
  async function all(records: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const texts = new Map((await stores[0].read(LIMIT)).texts);
    for (const row of records) {
      const text = (await stores[0].read(LIMIT, { row, after: "" })).texts.get(row);
      if (text !== undefined) texts.set(row, text);
    }
    return texts;
  }
  return {
    name,
    slack: 0,
    speed: "disk",
    async begin() {
      await put(new Map(), await all([]));
      // Records of jobs stay in the store: each engine has keys of its own.
      const mark = `${++runs} `;
      const records = new Set<string>();
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
            read: async (limit, jobs) => set(await store.read(limit, jobs)),
            async commit(change, limit, jobs) {
              const { image, revision } = await store.commit(change, limit, jobs);
              return { image: image && set(image), revision };
            },
          };
          return new RowEngine(controlled, new Watched(clock), { world: realWorld, requestTimeout: 30_000 });
        });
      let engines = connect();
      return {
        async ask(request, connection = 0) {
          if ("key" in request) records.add(recordRow(mark + request.key));
          const marked = "key" in request ? { ...request, key: mark + request.key } : request;
          return plain(await engines[connection].ask(marked), mark);
        },
        async turn(ms) {
          now += ms;
        },
        stamp: () => now,
        async restart() {
          starts++;
        },
        async snapshot() {
          copy = await all(records);
        },
        async restore(members = "stopped") {
          await put(copy, await all(records));
          // Those that run would notice.
          if (members === "stopped") engines = connect();
        },
        async empty() {
          await put(new Map(), await all(records));
        },
        end: async () => {},
      };
    },
    async end() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

/** What the register itself answers: only stores without a clock add what a holder tells others. */
function plain(answer: LeaseAnswer, mark: string): LeaseAnswer {
  const unmarked = (key: string) => key.slice(mark.length);
  if (answer.kind === "record") {
    const { record } = answer;
    return { ...answer, key: unmarked(answer.key), record: record && { ...record, key: unmarked(record.key) } };
  }
  if (answer.kind !== "granted" && answer.kind !== "renewed") return answer;
  const { extended: _, ...rest } = answer;
  return rest;
}
