/** The checker of `npm run soak:processes`: it accepts what five real agents on PostgreSQL have said and done, and notices what is planted. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Checker, type Happened } from "../bench/soak/checker.ts";

/** A minute of seed 2: 12 leaders under faults, then a quiet time. Of each leader's promises the first and the last ones. */
const recorded = readFileSync(new URL("support/drawn-history.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Happened => JSON.parse(line));

function found(history: readonly Happened[]): string[] {
  const checker = new Checker();
  return history.flatMap((event) => checker.take(event));
}

type Rows = Extract<Happened, { kind: "rows" }>["rows"][number][];

/** The same with other rows. */
const withRows = (change: (rows: Rows) => Rows): Happened[] =>
  recorded.map((event) => (event.kind === "rows" ? { ...event, rows: change([...event.rows]) } : event));

const renumbered = (rows: Rows): Rows => rows.map(([, token, id], i) => [i + 1, token, id]);

test("what was recorded is as promised", () => {
  expect(found(recorded)).toEqual([]);
  const kinds = new Map(recorded.map(({ kind }) => [kind, recorded.filter((event) => event.kind === kind).length]));
  expect(Object.fromEntries(kinds)).toEqual({ promise: 38, write: 126, quiet: 1, rows: 1 });
});

test("agents that promise 3 s more than they have", () => {
  const longer = recorded.map((event) =>
    event.kind === "promise" ? { ...event, validForMs: event.validForMs + 3000 } : event,
  );
  expect(found(longer)).toContainEqual(expect.stringMatching(/^two leaders: e \(life 1\) .* and a \(life 1\)/));
});

test("a guard that accepts an older leader", () => {
  const late = withRows((rows) => [...rows, [rows.length + 1, rows[0][1], "e.1.late"]]);
  expect(found(late)).toEqual([expect.stringMatching("an older leader wrote after a newer: e.1.late")]);
});

test("a guard that refuses the leader under its promise, and one that writes what it has refused", () => {
  const isWritten = (event: Happened) =>
    event.kind === "write" && event.outcome === "written" && event.got < event.until;
  const at = recorded.findIndex(isWritten);
  const refused = recorded.map(
    (event, i): Happened => (i === at && event.kind === "write" ? { ...event, outcome: "refused" } : event),
  );
  expect(found(refused)).toEqual([
    expect.stringMatching("refused under a promise"),
    expect.stringMatching("refused and written"),
  ]);
});

test("a store that loses, doubles or overwrites an acknowledged write", () => {
  expect(found(withRows((rows) => renumbered(rows.toSpliced(50, 1))))).toEqual([
    expect.stringMatching("acknowledged and lost"),
  ]);
  expect(found(withRows((rows) => renumbered(rows.toSpliced(50, 0, rows[50]))))).toEqual([
    expect.stringMatching("written twice"),
  ]);
  const stale = withRows((rows) => rows.map(([value, token, id]) => [value > 50 ? value - 1 : value, token, id]));
  expect(found(stale)).toEqual([expect.stringMatching("the counter went from 50 to 50")]);
});

test("tokens that go back, and a token that two have", () => {
  const last = recorded.findLast((event) => event.kind === "promise")!;
  const first = recorded.find((event) => event.kind === "promise")!;
  const [sent, got] = [last.sent + 20_000, last.sent + 20_001];
  expect(found([...recorded, { ...last, sent, got, token: "5" }])).toEqual([expect.stringMatching("went back")]);
  expect(found([...recorded, { ...last, sent, got, member: "z" }])).toEqual([
    expect.stringMatching("one token for two"),
  ]);
  expect(first.token).not.toBe(last.token);
});

test("a quiet group that does not agree on one leader", () => {
  const quiet = (known: (string | null)[], leading: string[]) => found([{ kind: "quiet", at: 0, known, leading }]);
  expect(quiet(["a", "a"], ["a"])).toEqual([]);
  for (const wrong of [
    quiet(["a", "b"], ["a"]),
    quiet(["a", "a"], []),
    quiet(["a", "a"], ["a", "b"]),
    quiet([null], []),
  ])
    expect(wrong).toHaveLength(1);
});
