/** Histories of concurrent clients on the real engines, held against the register: is there an order that explains all answers? */
import { describe, expect, test } from "vitest";
import type { LeaseAnswer } from "../../src/protocols/lease/messages.ts";
import { effort, isLong } from "../support/effort.ts";
import { life } from "../support/register.ts";
import { LINEAR_TTL } from "./linear-caller.ts";
import { type Doing, isOptional, judge, type Step, tell } from "./linear-checker.ts";
import { BEGIN, type Plan, rowsHistory } from "./linear-rows.ts";
import { sqliteHistory } from "./linear-sqlite.ts";
import { forEachStore } from "./stores.ts";

/** Requests of a history: with more, the search for an order can take minutes. */
const MOST_UNANSWERED = 8;

function expectLinear(history: readonly Step[]): void {
  const verdict = judge(history, BEGIN);
  expect(verdict.isLinear, tell(verdict)).toBe(true);
}

/** A history that says nothing would pass as well. */
function expectEventful(histories: readonly (readonly Step[])[]): void {
  const answers = histories.flat().map(({ answer }) => answer);
  const kinds = new Set(answers.map((answer) => (answer?.kind === "denied" ? answer.why : answer?.kind)));
  for (const kind of ["granted", "renewed", "held"]) expect(kinds).toContain(kind);
  expect(kinds.has("ended") || kinds.has("over")).toBe(true);
  const meetings = histories.map((steps) =>
    steps.filter(({ from, to }) => steps.some((one) => one.from > from && one.from < to)),
  );
  // On a quiet machine a third and more; on a busy one those who ask are kept apart.
  expect(meetings.flat().length).toBeGreaterThan(answers.length / 20);
}

describe("the checker", () => {
  const [A, B] = [life("A", 1, LINEAR_TTL), life("B", 2, LINEAR_TTL)];
  const granted = (lease: string, to: number, token: number): LeaseAnswer => ({
    kind: "granted",
    id: 1,
    to,
    seat: "leader",
    lease,
    token,
  });
  const step = (doing: Doing, from: number, to: number, answer: LeaseAnswer | null): Step => ({
    doing: "id" in doing ? { ...doing, id: 1 } : doing,
    from,
    to,
    answer,
  });
  const first = step(A.acquire("leader", "A1"), 0, 2, granted("A1", 1, 1000));

  test("finds the order of requests that overlap, and none where both hold the seat", () => {
    const late = step(B.acquire("leader", "B1"), 1, 9, granted("B1", 2, 1100));
    const turned = step({ kind: "turn", by: LINEAR_TTL }, 3, 4, null);
    expect(judge([late, turned, first], 1000)).toMatchObject({ isLinear: true, order: [first, turned, late] });
    expect(judge([late, first], 1000).isLinear).toBe(false);
  });

  test("a request without an answer may have happened, or not", () => {
    const open = step(A.acquire("leader", "A1"), 0, Number.POSITIVE_INFINITY, null);
    const free = step(B.acquire("leader", "B1"), 5, 6, granted("B1", 2, 1000));
    const gone = step(A.release("leader", "A1", 1000), 5, 6, {
      kind: "released",
      id: 1,
      to: 1,
      seat: "leader",
      lease: "A1",
      was: true,
    });
    expect(judge([open, free], 1000).isLinear).toBe(true);
    expect(judge([open, gone], 1000).isLinear).toBe(true);
    expect(judge([gone], 1000).isLinear).toBe(false);
  });
});

test("SQLite, several processes with one file, one of them killed", async () => {
  const histories: Step[][] = [];
  for (let seed = 0; seed < effort(1, 20); seed++) {
    histories.push(await sqliteHistory({ seed, members: 3, requests: 40, begin: BEGIN }));
  }
  for (const history of histories) expectLinear(history);
  expectEventful(histories);
});

await forEachStore("linear histories", (server) => {
  const plan: Plan = { seed: 0, members: 4, requests: 15 };
  async function histories(count: number, more: Partial<Plan> = {}): Promise<Step[][]> {
    const all: Step[][] = [];
    for (let seed = 0; seed < count; seed++) all.push(await rowsHistory(server, { ...plan, seed, ...more }));
    return all;
  }

  test("several connections", async () => {
    const all = await histories(effort(1, 15));
    for (const history of all) expectLinear(history);
    expectEventful(all);
  });

  test("answers and requests late or lost", async () => {
    for (let [seed, judged] = [0, 0]; judged < effort(1, 10); seed++) {
      const history = await rowsHistory(server, { ...plan, seed, manners: { late: 0.1, delay: 60, lost: 0.01 } });
      // On a machine that is busy more requests stay without an answer, and each doubles the orders that are to be tried.
      if (history.filter(isOptional).length > MOST_UNANSWERED) continue;
      expectLinear(history);
      judged++;
    }
  });

  if (isLong)
    test("the server killed in the middle", async () => {
      for (const history of await histories(8, { kills: true })) expectLinear(history);
    });

  test("caught: a take-over that does not compare the session", async () => {
    let isCaught = false;
    for (let seed = 0; seed < 20 && !isCaught; seed++) {
      const history = await rowsHistory(server, { ...plan, seed, omits: (key) => key.startsWith("session/") });
      isCaught = !judge(history, BEGIN).isLinear;
    }
    expect(isCaught).toBe(true);
  });
});
