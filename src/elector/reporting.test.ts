/** Which events follow from one report of an office to the next, and when a report is a new one. */
import { beforeEach, describe, expect, test } from "vitest";
import { LoneMember, lifeOf } from "../../test/support/lone-member.ts";
import { openCouncils } from "./council/councils.ts";
import { groupParams } from "./params.ts";
import type { OfficeReport } from "./report.ts";
import { firstReport, refresh } from "./reporting.ts";
import { type GroupState, NO_LEASE, newOffice, type Turn } from "./state.ts";

let next: Partial<OfficeReport>;
let state: GroupState;
const params = groupParams({});
const turn = () => ({ state, order: { report: () => next } }) as unknown as Turn;

beforeEach(() => {
  const member = new LoneMember(3);
  state = {
    name: "m0",
    life: lifeOf(0),
    params,
    members: member.state,
    misfit: null,
    fewSince: null,
    largest: 3,
    lease: null,
    ranges: new Map(),
    offices: new Map([["o", newOffice("o", true, 0)]]),
    touched: new Set(),
    events: [],
    report: firstReport({ name: "m0", params }),
  } as unknown as GroupState;
  refresh(turn());
});

/** The office is reported so from now on; what is news then. */
function report(changes: Partial<OfficeReport> & { readonly term?: number }) {
  const office = state.offices.get("o")!;
  office.term = changes.term ?? office.term;
  next = { leader: null, mine: false, ...NO_LEASE, ...changes };
  state.touched.add("o");
  refresh(turn());
  return state.report.news;
}

const names = (changes: Partial<OfficeReport>) => report(changes).map(({ event }) => event);
const MINE = { leader: "m0", mine: true };
const OTHER = { leader: "m1", mine: false };

describe("without leases", () => {
  test.each<readonly [string, Partial<OfficeReport>, Partial<OfficeReport>, readonly string[]]>([
    ["nothing has changed", { term: 1, ...OTHER }, { term: 1, ...OTHER }, []],
    ["a leader is known", { term: 1 }, { term: 1, ...OTHER }, ["leader"]],
    ["another leads", { term: 1, ...OTHER }, { term: 1, leader: "m2" }, ["leader"]],
    ["the same one leads in the next term", { term: 1, ...OTHER }, { term: 2, ...OTHER }, ["term", "leader"]],
    ["nobody leads any more", { term: 1, ...OTHER }, { term: 1 }, ["leaderless"]],
    ["a term without a leader", { term: 1 }, { term: 2 }, ["term"]],
    ["this member leads", { term: 1 }, { term: 1, ...MINE }, ["leader", "leads"]],
    [
      "it leads in the next term too",
      { term: 1, ...MINE },
      { term: 2, ...MINE },
      ["resigned", "term", "leader", "leads"],
    ],
    ["it leads no longer", { term: 1, ...MINE }, { term: 1 }, ["resigned", "leaderless"]],
    ["another leads after it", { term: 1, ...MINE }, { term: 2, ...OTHER }, ["resigned", "term", "leader"]],
    ["the leader is out of reach", { term: 1, ...OTHER }, { term: 1, ...OTHER, unreachable: true }, ["unreachable"]],
    ["and is there again", { term: 1, ...OTHER, unreachable: true }, { term: 1, ...OTHER }, ["leader"]],
    ["work is to end", { term: 1, ...OTHER }, { term: 1, ...OTHER, settling: true }, ["settling"]],
    ["work has ended", { term: 1, ...OTHER, settling: true }, { term: 1, ...OTHER }, []],
  ])("%s", (_, before, after, events) => {
    report(before);
    expect(names(after)).toEqual(events);
  });
});

describe("with leases", () => {
  test.each<readonly [string, Partial<OfficeReport>, Partial<OfficeReport>, readonly string[]]>([
    ["a term under the same token", { term: 1, ...OTHER, token: 5 }, { term: 2, ...OTHER, token: 5 }, ["term"]],
    ["a new token of the same leader", { term: 1, ...OTHER, token: 5 }, { term: 1, ...OTHER, token: 6 }, ["leader"]],
    ["a first token", { term: 1 }, { term: 1, ...MINE, token: 5 }, ["leader", "leads"]],
    [
      "a new token of this member",
      { term: 1, ...MINE, token: 5 },
      { term: 1, ...MINE, token: 6 },
      ["resigned", "leader", "leads"],
    ],
    ["the same token of this member", { term: 1, ...MINE, token: 5 }, { term: 2, ...MINE, token: 5 }, ["term"]],
    ["the end of a token", { term: 1, ...MINE, token: 5 }, { term: 1 }, ["resigned", "leaderless"]],
  ])("%s", (_, before, after, events) => {
    report(before);
    expect(names(after)).toEqual(events);
  });

  test("events say the token that they are about: the one that ends with the one that resigns", () => {
    report({ term: 1, ...MINE, token: 5 });
    expect(report({ term: 2, ...MINE, token: 6 })).toEqual([
      { event: "resigned", office: "o", term: 1, token: 5 },
      { event: "term", office: "o", term: 2 },
      { event: "leader", office: "o", term: 2, leader: "m0", token: 6 },
      { event: "leads", office: "o", term: 2, leader: "m0", token: 6 },
    ]);
    expect(report({ term: 2 })).toEqual([
      { event: "resigned", office: "o", term: 2, token: 6 },
      { event: "leaderless", office: "o", term: 2, leader: null },
    ]);
  });
});

describe("a report", () => {
  test("is a new one where anything has changed; news are told once", () => {
    report({ term: 1, ...OTHER });
    const { report: first } = state;
    expect(report({ term: 1, ...OTHER })).toEqual([]);
    expect(state.report.version).toBe(first.version);
    const { report: second } = state;
    report({ term: 1, ...OTHER });
    expect(state.report).toBe(second);
    report({ term: 1, ...OTHER, lapse: "lease/lapse#1" });
    expect([state.report.version, state.report.news, state.report.offices.o.lapse]).toEqual([
      first.version + 1,
      [],
      "lease/lapse#1",
    ]);
  });

  test("says once that this process is no member, and when the view has another size", () => {
    Object.assign(state, { misfit: "too old" });
    refresh(turn());
    expect(state.report).toMatchObject({ refused: "too old", news: [{ event: "refused", why: "too old" }] });
    refresh(turn());
    expect(state.report.news).toEqual([]);
    state.members.live.pop();
    refresh(turn());
    expect(state.report).toMatchObject({ members: 2, news: [{ event: "view", members: 2 }] });
  });
});

test("before anything is known the report says so; under the policy majority there is none yet", () => {
  const first = {
    version: 0,
    news: [],
    self: "m0",
    refused: null,
    joined: false,
    members: 0,
    offices: {},
    engine: { state: "none", why: null },
  };
  expect(firstReport({ name: "m0", params })).toEqual({ ...first, policy: "available", quorate: true });
  const majority = groupParams({ policy: "majority" });
  expect(firstReport({ name: "m0", params: majority })).toEqual({ ...first, policy: "majority", quorate: false });
});

test("a leader that has a token now, or has none any more, is another one", () => {
  expect(names({ term: 1, ...MINE } as never)).toEqual(["term", "leader", "leads"]);
  expect(names({ term: 1, ...MINE, token: 5 } as never)).toEqual(["resigned", "leader", "leads"]);
  expect(names({ term: 2, ...MINE, token: 5 } as never)).toEqual(["term"]);
  expect(names({ term: 2, ...MINE } as never)).toEqual(["resigned", "leader", "leads"]);
  expect(state.touched.size).toBe(0);
});

test("a council is another one where a name, the order or the number of its members is", () => {
  const versions = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "c", "d"], ["a", "c"], []].map((council) => {
    state.ranges.set("o", { L: 1, U: 3 });
    Object.assign(state, { councils: { ...openCouncils(), lists: new Map([["o", council]]) } });
    report({ term: 1 });
    return state.report.version;
  });
  const [first] = versions;
  expect(versions.map((version) => version - first)).toEqual([0, 0, 1, 2, 3, 4]);
});
