/**
 * The second phase of Ramanathan et al. under every schedule and every choice of quorums, at small n. One arrangement of
 * ids and equal draws of ranks stand for all: ties are broken by id, and the nodes of a complete graph are
 * interchangeable. The result is told in docs/everybody-loses.md.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Exploration, type ExploreRequest, explorationProblem, explore } from "../../src/explorer/explore.ts";
import { search } from "../../src/explorer/search/search.ts";
import { atMostOneLeader, type Property, propertyNames } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { quorum } from "../../src/protocols/complete/quorum.ts";
import { READINGS, type Reading } from "../../src/protocols/complete/second-phase.ts";
import type { TimedMember } from "../../src/protocols/complete/timed-member.ts";
import { tournamentAsync } from "../../src/protocols/complete/tournament-async.ts";
import { root, sortition } from "../cli/run.ts";
import { leadersAreApart } from "../support/leaders-apart.ts";

const someLeader = propertyNames["some-leader"];

/** A protocol whose verdicts also tell a leader's quorum, a bit for each port, and whether the node mediated at its end. */
function revealing(protocol: AnyProtocol, memberOf: (state: never) => TimedMember): AnyProtocol {
  return {
    ...protocol,
    verdict(state) {
      const { claim, mediator } = memberOf(state as never);
      const { status } = protocol.verdict(state);
      const leader = status === "elected" ? claim!.mediators.reduce((bits, port) => bits | (1 << (port + 1)), 0) : null;
      return { status, leader, term: mediator === null ? 0 : 1 };
    },
  };
}

const PQ = revealing(quorum, (state: { member: TimedMember }) => state.member);
const RE = revealing(tournamentAsync, (state: TimedMember) => state);

const survivorsElect: Property = {
  name: "survivors-elect",
  about: "somebody leads if anybody reached the second phase",
  when: "end",
  violated(view) {
    const reached = Array.from({ length: view.size }, (_, node) => view.verdict(node)).some(({ term }) => term === 1);
    return reached ? someLeader.violated(view) : null;
  },
};

function every(protocol: AnyProtocol, request: Omit<ExploreRequest, "ids" | "choices">): Exploration {
  const ids = Array.from({ length: request.n }, (_, i) => i + 1);
  return explore(protocol, { properties: [leadersAreApart, someLeader], ...request, ids, choices: 1 });
}

const counts = ({ states, ends, complete }: Exploration) => ({ states, ends, complete });

describe("repaired: somebody leads in every schedule, and two only with disjoint quorums", () => {
  test.each([
    { n: 2, timed: 2, s: 2, spread: 3, states: 8077, ends: 10 },
    { n: 3, timed: 1, s: 2, spread: 0, states: 4357, ends: 72 },
    { n: 3, timed: 1, s: 2, spread: 3, states: 48_216, ends: 78 },
    { n: 3, timed: 2, s: 2, spread: 0, initiators: [0, 1], states: 14_624, ends: 32 },
    { n: 4, timed: 1, s: 2, spread: 0, initiators: [0, 1, 2], states: 29_047, ends: 480 },
  ])("$n processes, delays up to $timed, starts within $spread tau", ({ s, spread, states, ends, ...request }) => {
    const result = every(PQ, { ...request, params: { s, spread } });
    expect(result.violation?.what).toBeUndefined();
    expect(counts(result)).toEqual({ states, ends, complete: true });
  });

  test("two quorums of 2 among 4 can be disjoint, and then two do lead", () => {
    const result = every(PQ, { n: 4, timed: 1, initiators: [0, 1], params: { s: 2 }, properties: [atMostOneLeader] });
    expect(result.violation?.what).toBe("nodes 0 and 1 both lead");
  });

  test("after a first phase too: tournament-async with J = 1", () => {
    const result = every(RE, {
      n: 3,
      timed: 1,
      params: { s: 2, J: 1, rounding: "stochastic" },
      properties: [leadersAreApart, survivorsElect],
    });
    expect(result.violation?.what).toBeUndefined();
    expect(counts(result)).toEqual({ states: 71_736, ends: 1914, complete: true });
  });

  test("without a first phase (J = 0) tournament-async is the quorum", () => {
    expect(counts(every(RE, { n: 3, timed: 1, params: { s: 2, J: 0 } }))).toEqual({
      states: 4357,
      ends: 72,
      complete: true,
    });
  });
});

describe("Tables 5 to 7 as printed", () => {
  const printed = { n: 3, timed: 1, params: { s: 2, reading: "tables" } };

  test("everybody loses in some schedule; the shortest such run has 29 steps", () => {
    const { violation, states } = every(PQ, { ...printed, properties: [someLeader] });
    expect([violation?.what, violation?.steps.length, states]).toEqual(["nobody leads in the end", 29, 7397]);
  });

  test("two lead in others although their quorums meet", () => {
    const { violation } = every(PQ, {
      ...printed,
      params: { ...printed.params, spread: 3 },
      properties: [leadersAreApart],
    });
    expect(violation?.what).toBe("nodes 1 and 2 lead, and both asked 2");
  });

  /** The tables that work, but for one rule as printed. */
  function withOnly(rule: keyof Reading, ...properties: Property[]): string | null {
    const problem = explorationProblem(PQ, { n: 3, timed: 1, ids: [1, 2, 3], choices: 1, params: { s: 2, spread: 2 } });
    const readings = READINGS as Record<string, Reading>;
    readings.mixed = { ...READINGS.repaired, [rule]: READINGS.tables[rule] };
    try {
      const params = { ...(problem.params as object), reading: "mixed" };
      return search({ ...problem, params }, { properties }).violation?.what ?? null;
    } finally {
      delete readings.mixed;
    }
  }

  test("refusing the waiter on POTW is enough for everybody to lose, and only for that", () => {
    expect(withOnly("waiterStays", someLeader)).toBe("nobody leads in the end");
    expect(withOnly("waiterStays", leadersAreApart)).toBe(null);
  });

  test("hearing a DEC from anybody is enough for everybody to lose, and for two leaders", () => {
    expect(withOnly("declineFrom", someLeader)).toBe("nobody leads in the end");
    expect(withOnly("declineFrom", leadersAreApart)).toBe("nodes 1 and 2 lead, and both asked 1");
  });

  test.each(["strangersRefused", "lateRefused", "declineSpares"] as const)("alone, %s does no harm here", (rule) => {
    expect(withOnly(rule, someLeader, leadersAreApart)).toBe(null);
  });
});

test("the figure is what the commands draw", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sortition-figure-"));
  try {
    const page = readFileSync(join(root, "docs/everybody-loses.md"), "utf8");
    const [explored, traced] = [...page.matchAll(/^npx sortition ((?:explore|trace) .*everybody-loses.*)$/gm)].map(
      ([, words]) => words.split(" ").map((word) => (word.startsWith("everybody-loses.") ? join(folder, word) : word)),
    );
    expect((await sortition(...explored)).status).toBe(3);
    expect((await sortition(...traced)).status).toBe(0);
    const drawn = readFileSync(join(folder, "everybody-loses.svg"), "utf8");
    expect(drawn).toBe(readFileSync(join(root, "docs/figures/everybody-loses.svg"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
