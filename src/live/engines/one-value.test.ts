/** Rows in few values, over a store that can only replace one value; and how a request's view of rows notes what it looked at. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Limit } from "./engine.ts";
import { rowsInOneValue, type StoredValue } from "./one-value.ts";
import { type Change, isRecordRow, notingRows, RECORD_ROWS, recordRow } from "./rows.ts";

const limit = { signal: new AbortController().signal } as Limit;
let values: Map<string, { text: string | null; version: number }>;
let reads: string[];
/** Before the next replacement somebody else writes. */
let meanwhile: (() => void) | null;

const store = rowsInOneValue<StoredValue>({
  name: "memory",
  close: async () => {},
  async read(part) {
    reads.push(part);
    const { text, version } = values.get(part) ?? { text: null, version: 0 };
    return { text, version: String(version), incarnation: "one", revision: version, now: 5, forgets: false };
  },
  async replace(part, text, was) {
    const other = meanwhile;
    meanwhile = null;
    other?.();
    const now = values.get(part)?.version ?? 0;
    if (String(now) !== was.version) return null;
    values.set(part, { text, version: now + 1 });
    return now + 1;
  },
});
const change = (seen: [string, string | null][], puts: [string, string | null][] = []): Change => ({
  seen: new Map(seen),
  puts: new Map(puts),
});
const texts = async () => Object.fromEntries((await store.read(limit)).texts);
const write = (part: string, rows: object) => {
  const { version } = values.get(part) ?? { version: 0 };
  values.set(part, { text: JSON.stringify(rows), version: version + 1 });
};

beforeEach(() => {
  values = new Map();
  reads = [];
  meanwhile = null;
});

describe("a commit", () => {
  test("writes and removes rows if all that was seen is still there, and gives the revision", async () => {
    expect(
      await store.commit(
        change(
          [["a", null]],
          [
            ["a", "1"],
            ["b", "2"],
          ],
        ),
        limit,
      ),
    ).toEqual({ image: null, revision: 1 });
    expect(await texts()).toEqual({ a: "1", b: "2" });
    expect(await store.commit(change([["a", "1"]], [["a", null]]), limit)).toEqual({ image: null, revision: 2 });
    expect(await texts()).toEqual({ b: "2" });
  });

  test.each([
    ["has another text", [["b", "3"]]],
    ["is missing", [["a", "1"]]],
    ["is there", [["b", null]]],
  ] as const)("of which a row %s writes nothing, and shows what is there", async (_, seen) => {
    write("", { b: "2" });
    const { image, revision } = await store.commit(
      change(
        seen.map(([key, was]) => [key, was]),
        [["c", "x"]],
      ),
      limit,
    );
    expect([Object.fromEntries(image!.texts), revision, await texts()]).toEqual([{ b: "2" }, 1, { b: "2" }]);
  });

  test("that writes nothing replaces nothing", async () => {
    write("", { b: "2" });
    expect(await store.commit(change([["b", "2"]]), limit)).toEqual({ image: null, revision: 1 });
    expect(values.get("")!.version).toBe(1);
  });

  test("is tried on what others have left, and fails where they changed what was seen", async () => {
    write("", { b: "2" });
    meanwhile = () => write("", { b: "2", other: "x" });
    expect((await store.commit(change([["b", "2"]], [["b", "3"]]), limit)).revision).toBe(3);
    expect(await texts()).toEqual({ b: "3", other: "x" });
    meanwhile = () => write("", { b: "4" });
    expect((await store.commit(change([["b", "3"]], [["b", "5"]]), limit)).image).not.toBeNull();
    expect(await texts()).toEqual({ b: "4" });
  });

  test("that nobody waits for any more ends", async () => {
    const over = { signal: AbortSignal.abort(new Error("too late")) } as Limit;
    await expect(store.commit(change([], [["a", "1"]]), over)).rejects.toThrow("too late");
  });

  test("keeps records of jobs in values of their own, which a request for leases does not read", async () => {
    const row = recordRow("backup");
    await store.commit(
      change(
        [
          ["a", null],
          [row, null],
        ],
        [
          ["a", "1"],
          [row, "r"],
        ],
      ),
      limit,
    );
    const [, part] = [...values.keys()];
    expect(part).toMatch(/^jobs-[0-3][0-9a-f]$/);
    expect(JSON.parse(values.get(part)!.text!)).toEqual({ [row]: "r" });
    reads = [];
    expect(await texts()).toEqual({ a: "1" });
    expect(reads).toEqual([""]);
    expect(Object.fromEntries((await store.read(limit, { row } as never)).texts)).toEqual({ a: "1", [row]: "r" });
    expect(reads).toEqual(["", "", part]);
    // Of a record alone no revision of leases is known.
    expect(await store.commit(change([[row, "r"]], [[row, "s"]]), limit)).toEqual({ image: null, revision: null });
  });
});

test("names of records are known, and lie between two names", () => {
  expect([recordRow("a"), "seat/record/", "records"].map(isRecordRow)).toEqual([true, false, false]);
  const [from, to] = RECORD_ROWS;
  expect(["record/", "record/~"].every((row) => row >= from && row < to)).toBe(true);
  expect(["recor", "record0", "seat/a"].some((row) => row >= from && row < to)).toBe(false);
});

describe("a request's view of the rows", () => {
  const HOUR = 3_600_000;
  const session = (changes: object = {}) => ({
    name: "ann",
    life: 7,
    ttl: 5000,
    expires: { clock: "", at: 0 },
    ended: true,
    counter: 0,
    ...changes,
  });
  const seat = (lease: object | null) => ({ token: 5, preemptible: false, lease, reserved: null });
  const lease = { id: "l", token: 5, session: "s1", until: null, over: false };
  const group = { incarnation: "one", barred: null, longest: 5000 };
  const stored = (rows: Record<string, object>, at = 0) =>
    new Map(Object.entries(rows).map(([key, row]) => [key, JSON.stringify({ v: 1, nonce: "n", at, row })]));
  const view = (rows: Record<string, object>, stamp = 0) => notingRows(stored(rows), () => "n", stamp);
  const seen = ({ change: of }: ReturnType<typeof view>) => [...of.seen.keys()].sort();
  const puts = ({ change: of }: ReturnType<typeof view>) => [...of.puts.keys()].sort();

  test("notes a row that it finds; for a missing one also the group's, but not for a missing record", () => {
    const it = view({ group, "session/s1": session() });
    it.session("s1");
    expect(seen(it)).toEqual(["session/s1"]);
    it.record("k");
    expect(seen(it)).toEqual(["record/k", "session/s1"]);
    it.session("s2");
    expect(seen(it)).toEqual(["group", "record/k", "session/s1", "session/s2"]);
    expect(it.change.seen.get("session/s2")).toBeNull();
  });

  test("notes the session of a taken seat in the seat's place", () => {
    const it = view({ group, "seat/a": seat(lease), "session/s1": session(), "seat/b": seat(null) });
    it.seat("a");
    expect(seen(it)).toEqual(["session/s1"]);
    it.seat("b");
    expect(seen(it)).toEqual(["seat/b", "session/s1"]);
    it.seats();
    expect(seen(it)).toEqual(["group", "seat/b", "session/s1"]);
  });

  test("writes the group's row with a new row, and the sessions with a seat that passes from one to the other", () => {
    const it = view({ group, "session/s1": session(), "session/s2": session(), "seat/a": seat(lease) });
    it.setSeat("a", seat({ ...lease, session: "s2" }) as never);
    expect(puts(it)).toEqual(["seat/a", "session/s1", "session/s2"]);
    it.setSession("s3", session() as never);
    expect(puts(it)).toEqual(["group", "seat/a", "session/s1", "session/s2", "session/s3"]);
    const record = view({ group });
    record.setRecord("k", { state: "done" } as never);
    expect(puts(record)).toEqual(["record/k"]);
  });

  test("removes sessions that ended an hour ago, unless a seat names them, at most sixteen", () => {
    const rows = { group, "seat/a": seat(lease), "session/s1": session(), "session/s2": session() };
    const at = (stamp: number) => {
      const it = view(rows, stamp);
      it.prune();
      return puts(it);
    };
    expect([at(HOUR), at(HOUR + 1)]).toEqual([[], ["session/s2"]]);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`session/x${i}`, session()]));
    const it = view({ group, ...many }, HOUR + 1);
    it.setSession("x0", session() as never);
    it.prune();
    expect([...it.change.puts.values()].filter((text) => text === null)).toHaveLength(16);
    expect(it.change.puts.get("session/x0")).not.toBeNull();
    const slow = view({ group: { ...group, longest: HOUR }, "session/s2": session() }, 2 * HOUR);
    slow.prune();
    expect(puts(slow)).toEqual([]);
  });

  test("removes records that are over, but not the one that is written, at most sixteen", () => {
    const record = (keep: number) => ({
      occurrence: 1,
      attempt: "a",
      attempts: 1,
      failures: 0,
      state: "done",
      name: "ann",
      token: 5,
      status: 0,
      at: 0,
      keep,
    });
    const it = view({ group, "record/a": record(99), "record/b": record(100), "record/c": record(99) });
    it.pruneRecords(100, "c");
    expect([puts(it), seen(it)]).toEqual([["record/a"], ["record/a"]]);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`record/x${i}`, record(1)]));
    const full = view({ group, ...many });
    full.pruneRecords(100, "");
    expect(puts(full)).toHaveLength(16);
  });
});
