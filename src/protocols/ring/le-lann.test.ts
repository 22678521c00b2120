import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Reckoned, ringComplaint } from "../../../test/support/judged-ring.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import { elect, outOfOrder, permutations, schedules, subsets } from "../../../test/support/rings.ts";
import { explore } from "../../explorer/explore.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { leLann } from "./le-lann.ts";

/** Another program: one queue for each link, one message at a time in turn. */
const reckoned: Reckoned = (ids, starters) => {
  const n = ids.length;
  const queues: { owner: number }[][] = ids.map((_, node) => (starters.includes(node) ? [{ owner: node }] : []));
  let messages = 0;
  for (let node = 0; queues.some((queue) => queue.length > 0); node = (node + 1) % n) {
    const token = queues[node].shift();
    if (token === undefined) continue;
    messages++;
    const to = (node + 1) % n;
    if (to !== token.owner) queues[to].push(token);
  }
  return {
    leader: Math.max(...starters.map((node) => ids[node])),
    messages: messages + (starters.length < n ? n : 0),
  };
};

describe("n² messages", () => {
  test.each([1, 2, 3, 4, 5, 6].slice(0, effort(4, 6)))("n = %d: in every arrangement, under every schedule", (n) => {
    for (const ids of permutations(n)) {
      for (const schedule of schedules(n)) {
        const { messages, measures, census } = elect({ protocol: "le-lann", ids, schedule });
        expect([messages, measures.announcements]).toEqual([n * n, 0]);
        expect(census.leaders).toEqual([n]);
        expect(census.beliefs.get(n)).toBe(n);
      }
    }
  });

  test.each([17, 64, 150])("n = %d: for ids in any order", (n) => {
    for (const ids of ["random", "increasing", "decreasing"] as const) {
      expect(runTrial(resolve({ protocol: "le-lann", n, ids }), 0)).toMatchObject({ messages: n * n, rounds: n });
    }
  });
});

test("k who start take kn messages, and n to tell the others; a node that joins with a larger id takes n more", () => {
  for (const ids of permutations(4)) {
    for (const initiators of subsets(4)) {
      const k = initiators.length;
      const relayed = elect({ protocol: "le-lann", ids, initiators });
      expect(relayed.messages).toBe(4 * k + (k < 4 ? 4 : 0));
      expect(relayed.census.leaders).toEqual([Math.max(...initiators.map((node) => ids[node]))]);
      const joined = elect({ protocol: "le-lann", ids, initiators, params: { passive: "join" } });
      expect(joined.census).toMatchObject({ leaders: [4], undecided: 0 });
      expect(joined.messages % 4).toBe(0);
    }
  }
});

describe("what it does not tolerate", () => {
  test("links that do not keep the order are refused: an id that overtakes others makes two leaders", () => {
    const delay = { kind: "exponential", mean: 1 } as const;
    expect(() => resolve({ protocol: "le-lann", n: 5, delay, fifo: false })).toThrow(/set fifo to true/);
    const careless = { ...leLann, assumes: { ...leLann.assumes, fifo: false } };
    expect(explore(careless, { n: 3, fifo: false }).violation?.property).toBe("at-most-one-leader");
    const seeds = Array.from({ length: 30 }, (_, seed) => seed);
    const outcomes = seeds.map(
      (seed) => elect({ protocol: "le-lann", ids: [2, 3, 1, 4], schedule: outOfOrder(seed) }).census.elected,
    );
    expect(Math.max(...outcomes)).toBeGreaterThan(1);
  });

  test("after a loss there are never two leaders, but some may follow another id; after a restart there can be two", () => {
    const request = { n: 3, properties: ["at-most-one-leader", "termination"] };
    expect(explore(leLann, { ...request, drops: 1 })).toMatchObject({ violation: null, complete: true });
    expect(explore(leLann, { ...request, crashes: 1 })).toMatchObject({ violation: null, complete: true });
    expect(explore(leLann, { n: 3, drops: 1, properties: ["agreement"] }).violation?.property).toBe("agreement");
    expect(explore(leLann, { ...request, crashes: 1, restarts: 1 }).violation?.what).toMatch("both lead");
  });
});

test("who passes a larger id on is beaten, who passes a smaller one on is not", () => {
  const state = {
    id: 5,
    params: { passive: "relay", spread: 0 },
    role: "contends",
    best: 9,
    status: "undecided",
    leader: null,
  } as const;
  const told = (id: number) =>
    leLann.narrate!(
      state,
      { do: "deliver", node: 0, from: 1, sent: [], message: { kind: "token", id, relayed: false } },
      state,
      { n: 3, name: String, id: () => 5, behind: () => 1 },
    );
  expect(told(9)).toMatchObject({ beaten: true, part: "contends" });
  expect(told(4)).toMatchObject({ beaten: false });
});

test("the size of a message is that of its kind and id, and a bit for relays", () => {
  expect(leLann.bits({ kind: "token", id: 5, relayed: true })).toBe(3 + 3);
  expect(leLann.bits({ kind: "announce", id: 5 })).toBe(2 + 3);
});

plantedFaults(
  new URL("./le-lann.ts", import.meta.url),
  "leLann",
  [
    ["the smallest id leads", "Math.max(state.best, id)", "Math.min(state.best, id)"],
    ["ids that pass are not looked at", "  state.best = Math.max(state.best, id);\n", ""],
    [
      "smaller ids are swallowed",
      "  state.best = Math.max(state.best, id);",
      "  if (id < state.id) return;\n  state.best = Math.max(state.best, id);",
    ],
    ["its own id goes on", "    decide(state, message, ctx);\n    return;", "    decide(state, message, ctx);"],
    ["everybody whose id is back leads", 'state.best === state.id ? "elected" : "not-elected"', '"elected"'],
    ["nobody says that it has relayed", "{ ...message, relayed: true }", "message"],
    ["the leader always announces", "state.best === state.id && relayed", "state.best === state.id"],
    ["a node that has lost announces", "state.best === state.id && relayed", "relayed"],
    [
      "the announcement stops at those who know",
      "  passOn(message, ctx);\n}",
      '  if (state.status === "undecided") passOn(message, ctx);\n}',
    ],
    ["the leader passes its announcement on", "  if (message.id === state.id) return;\n", ""],
    ["those who have not started do not decide", "    state.leader = message.id;\n  }\n  passOn", "  }\n  passOn"],
    [
      "who joins sends its id after the other one",
      'if (state.role === "idle" && joinsElection(state, id)) contend(state, ctx);',
      'if (state.role === "idle" && joinsElection(state, id)) {\n    ctx.send(NEXT, message);\n    contend(state, ctx);\n    return;\n  }',
    ],
    [
      "a late start comes although it has relayed",
      'if (state.role === "idle") contend(state, ctx);\n  },',
      "contend(state, ctx);\n  },",
    ],
    ["ids start as relayed", "relayed: false", "relayed: true"],
  ],
  (protocol) => ringComplaint(protocol, reckoned),
);
