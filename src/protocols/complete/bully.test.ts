import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import { permutations, subsets } from "../../../test/support/rings.ts";
import { type ExploreRequest, explore } from "../../explorer/explore.ts";
import type { Delay } from "../../host/delays.ts";
import { runEvents } from "../../host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../host/faults/faults.ts";
import type { Result } from "../../host/setup.ts";
import { atMostOneLeader, everyNodeDecides, type Property, termination } from "../../properties/properties.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { predict } from "../../registry/all.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { LOSSLESS } from "../../theory/prediction.ts";
import { complete } from "../../topology/complete.ts";
import { bully } from "./bully.ts";

interface Counted {
  readonly election: number;
  readonly answer: number;
  readonly coordinator: number;
  readonly leader: number;
}

/** Another program, as a textbook has it, in steps of one delay: who asks whom, and who is heard after two delays at most. */
function textbook(ids: readonly number[], starters: readonly number[], dead: readonly number[]): Counted {
  const live = ids.filter((id) => !dead.includes(id));
  let [election, answer, coordinator] = [0, 0, 0];
  const begun = new Set<number>();
  let asking = starters.filter((id) => live.includes(id));
  while (asking.length > 0) {
    const asked = new Set<number>();
    for (const id of asking) {
      if (begun.has(id)) continue;
      begun.add(id);
      for (const higher of ids.filter((other) => other > id)) {
        election++;
        if (!live.includes(higher)) continue;
        answer++;
        asked.add(higher);
      }
    }
    asking = [...asked].filter((id) => !begun.has(id));
  }
  const leader = Math.max(...begun);
  coordinator += ids.filter((id) => id < leader).length;
  return { election, answer, coordinator, leader };
}

const total = ({ election, answer, coordinator }: Counted) => election + answer + coordinator;

function elect(
  ids: readonly number[],
  starters: readonly number[],
  faults: Partial<FaultPlan> = {},
  more: {
    protocol?: AnyProtocol;
    delay?: Delay;
    tau?: number;
    trial?: number;
    until?: number;
  } = {},
): Result {
  const { protocol = bully, delay = { kind: "fixed", value: 1 }, tau = 1, trial = 0, until = 1000 } = more;
  return runEvents({
    protocol,
    params: { tau },
    topology: complete(ids.length),
    ids: Float64Array.from(ids),
    initiators: starters.map((id) => ids.indexOf(id)),
    crashed: [],
    faults: { ...NO_FAULTS, ...faults },
    seed: 26,
    trial,
    delay,
    fifo: false,
    until,
  });
}

const deadAtStart = (ids: readonly number[], dead: readonly number[]): Partial<FaultPlan> => ({
  crashes: dead.map((id) => ({ node: ids.indexOf(id), at: 0 })),
});

const anyDelay: Delay = { kind: "uniform", min: 0, max: 1 };

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe("costs", () => {
  test.each([1, 2, 3, 7, 20, 50])("n = %d: n - 1 at best, n² - 1 at worst, h(h + 1) + n - 1 between", (n) => {
    const ids = upTo(n);
    for (const starter of new Set([1, Math.ceil(n / 3), Math.ceil(n / 2), n - 1, n].filter((id) => id >= 1))) {
      const h = n - starter;
      const { messages, census } = elect(ids, [starter]);
      expect(messages).toBe(h * (h + 1) + n - 1);
      expect(total(textbook(ids, [starter], []))).toBe(messages);
      expect(census).toMatchObject({ leaders: [n], undecided: 0 });
    }
    expect(elect(ids, ids).messages).toBe(n * n - 1);
    const { factors } = predict({ protocol: bully, n, params: { tau: 1 }, initiators: n, ...LOSSLESS })!;
    expect(factors).toEqual({ best: n - 1, worst: n * n - 1 });
  });

  test("of four, for all initiators and crashes: as many messages as the textbook's, and the largest that lives leads", () => {
    for (const ids of permutations(4)) {
      for (const places of subsets(4)) {
        const dead = places.map((place) => place + 1).slice(0, 3);
        for (const starters of [[1], [2], [3], [4], upTo(4)]) {
          const wanted = textbook(ids, starters, dead);
          if (!(wanted.leader > 0)) continue;
          const { messages, census, measures } = elect(ids, starters, deadAtStart(ids, dead));
          expect(messages).toBe(total(wanted));
          expect(measures.announcements).toBe(wanted.coordinator);
          expect(census.leaders).toEqual([wanted.leader]);
          expect(census.beliefs.get(wanted.leader)).toBe(census.alive);
        }
      }
    }
  });

  test("with delays of any length within the bound, never more, and always the largest that lives", () => {
    for (let trial = 0; trial < 60; trial++) {
      const n = 3 + (trial % 15);
      const ids = upTo(n).map((id) => 1 + ((id * 7 + trial) % 97) * 3);
      const dead = ids.filter((_, i) => (i * 5 + trial) % 4 === 0);
      const starters = ids.filter((_, i) => (i + trial) % 3 === 0);
      const wanted = textbook(ids, starters, dead);
      if (!(wanted.leader > 0)) continue;
      const { messages, census } = elect(ids, starters, deadAtStart(ids, dead), {
        delay: anyDelay,
        trial,
      });
      expect(messages).toBeLessThanOrEqual(total(wanted));
      expect(census.leaders).toEqual([wanted.leader]);
      expect(census.beliefs.get(wanted.leader)).toBe(census.alive);
    }
  });

  test("theory is within 2% of the mean, for all initiators and with crashes", () => {
    for (const [initiators, crash] of [
      [1, 0],
      [9, 0],
      [9, 0.2],
      [20, 0.2],
    ] as const) {
      const runs = Array.from({ length: 600 }, (_, trial) =>
        runTrial(resolve({ protocol: "bully", n: 20, initiators, faults: { crash } }), trial),
      );
      const mean = runs.reduce((sum, { messages }) => sum + messages, 0) / runs.length;
      const { messages } = predict({ protocol: bully, n: 20, params: { tau: 1 }, initiators, ...LOSSLESS, crash })!;
      expect(Math.abs(mean / messages! - 1)).toBeLessThan(0.05);
    }
  });
});

/** In the end all follow one that leads; or the one that they follow has crashed since, which nobody watches. */
const settled: Property = {
  name: "settled",
  about: "in the end all live processes follow the one that leads, unless it has crashed since",
  when: "end",
  violated(view) {
    const live = Array.from({ length: view.size }, (_, node) => node).filter((node) => view.alive(node));
    const leader = live.find((node) => view.verdict(node).status === "elected");
    const named = live.map((node) => view.verdict(node).leader);
    if (leader === undefined) {
      const ids = live.map((node) => view.id(node));
      return live.length > 0 && named.every((id) => ids.includes(id))
        ? "nobody leads, and no leader has crashed"
        : null;
    }
    const wrong = live.find((node) => view.verdict(node).leader !== view.id(leader));
    if (wrong !== undefined) return `node ${wrong} follows ${view.verdict(wrong).leader}`;
    return live.some((node) => view.id(node)! > view.id(leader)!) ? "a larger one lives" : null;
  },
};

const promises = [atMostOneLeader, everyNodeDecides, termination, settled];

describe("every schedule within the bound", () => {
  const requests: readonly ExploreRequest[] = [
    { n: 2, timed: 2, crashes: 1, restarts: 1 },
    { n: 3, timed: 2, initiators: "any" },
    { n: 3, timed: 2, crashes: 1 },
    { n: 3, timed: 1, initiators: "any", crashes: 1, restarts: 1 },
    { n: 3, timed: 1, crashes: 2, restarts: 2 },
    { n: 4, timed: 1, ids: [2, 4, 1, 3], crashes: 1, restarts: 1 },
    // The long ones.
    { n: 3, timed: 2, initiators: "any", crashes: 1, restarts: 1 },
    { n: 3, timed: 2, crashes: 2, restarts: 1 },
    { n: 3, timed: 3, crashes: 1, restarts: 1 },
    { n: 4, timed: 2, ids: [2, 4, 1, 3], crashes: 1, restarts: 1 },
  ];
  test.each(requests.slice(0, effort(6, requests.length)))(
    "%j: never two leaders, and all follow one in the end",
    (request) => {
      expect(explore(bully, { ...request, fifo: false, properties: promises })).toMatchObject({
        violation: null,
        complete: true,
      });
    },
  );

  test("where a coordinator crashes, one was elected all the same: that nobody leads afterwards is expected", () => {
    const found = explore(bully, { n: 3, timed: 2, crashes: 1, expect: ["some-leader"] });
    expect(found.verdicts.filter(({ standing }) => standing !== "holds").map(({ promise }) => promise)).toEqual([
      "some-leader",
    ]);
    expect(found.verdict).toBe("holds");
  });

  test("without restarts nobody ever follows another than the others do, where nobody crashes", () => {
    expect(explore(bully, { n: 3, timed: 2 })).toMatchObject({ violation: null, complete: true });
  });
});

describe("where the bound does not hold", () => {
  const two = (request: ExploreRequest) =>
    explore(bully, { ...request, properties: [atMostOneLeader] }).violation?.what;

  const asked: ExploreRequest = { n: 2, timed: 1, ids: [1, 2], initiators: [0] };

  test.each<[string, ExploreRequest]>([
    ["a timer expires before an answer that is on its way", { n: 2 }],
    ["messages take longer than tau", { ...asked, timed: 2, params: { tau: 1 } }],
    ["an answer is lost", { ...asked, drops: 2 }],
    ["both pause", { ...asked, pauses: 2, longestPause: 6 }],
    ["the network is partitioned", { ...asked, partitions: 1 }],
  ])("%s: two lead", (_what, request) => {
    expect(two(request)).toMatch("both lead");
  });

  test("an answer above tau, in simulation: two lead until it arrives; with a larger tau, one", () => {
    const spikes = [{ rate: 1, delay: 5, link: [1, 0] as const, from: 0, to: null }];
    expect(elect([1, 2], [1], { spikes }, { until: 5 }).census.leaders).toEqual([1, 2]);
    expect(elect([1, 2], [1], { spikes }).census.leaders).toEqual([2]);
    expect(elect([1, 2], [1], { spikes }, { tau: 6, until: 6.5 }).census.elected).toBe(0);
    expect(elect([1, 2], [1], { spikes }, { tau: 6 }).census.leaders).toEqual([2]);
  });

  test("a partition, in simulation: each side has its leader", () => {
    const partitions = [{ groups: [[0, 1]], from: 0, to: null }];
    const { census } = elect([1, 2, 3, 4, 5], upTo(5), { partitions });
    expect(census.leaders).toEqual([2, 5]);
  });
});

describe("a process that starts again", () => {
  test("takes over if it is the largest, and everybody follows it", () => {
    const faults = {
      crashes: [{ node: 2, at: 0.5 }],
      restarts: [{ node: 2, at: 20, saved: true }],
    };
    const result = elect([1, 2, 3], [1], faults);
    expect(result.census).toMatchObject({ leaders: [3], undecided: 0 });
    expect(result.census.beliefs.get(3)).toBe(3);
  });

  test("finds the coordinator if it is not", () => {
    const faults = { crashes: [{ node: 0, at: 5 }], restarts: [{ node: 0, at: 20, saved: true }] };
    const result = elect([1, 2, 3], [1], faults);
    expect(result.census.beliefs.get(3)).toBe(3);
  });
});

test("a bound must be known", () => {
  expect(() => resolve({ protocol: "bully", n: 5, delay: { kind: "exponential", mean: 1 } })).toThrow(
    /say after what time/,
  );
  expect(bully.bits({ kind: "coordinator", id: 5 })).toBe(2 + 3);
  expect(bully.bits({ kind: "election", again: true })).toBe(2 + 1);
  expect(bully.bits({ kind: "answer" })).toBe(2);
});

function complaint(protocol: AnyProtocol): string | null {
  const requests: readonly ExploreRequest[] = [
    { n: 2, timed: 2, crashes: 1, restarts: 1 },
    { n: 3, timed: 1, ids: [2, 3, 1], crashes: 2, restarts: 1 },
    { n: 3, timed: 2, ids: [2, 3, 1], initiators: [2], crashes: 1, restarts: 1 },
    { n: 3, timed: 2, ids: [2, 3, 1] },
  ];
  for (const request of requests) {
    const { violation, complete: isComplete } = explore(protocol, {
      ...request,
      fifo: false,
      properties: promises,
      maxStates: 50_000,
    });
    if (violation !== null) return violation.what;
    if (!isComplete) return "too many states";
  }
  const ids = [4, 1, 6, 3, 5, 2];
  for (const starters of [[1], [3], [6], ids]) {
    for (const dead of [[], [6], [6, 5], [2]]) {
      const wanted = textbook(ids, starters, dead);
      if (!(wanted.leader > 0)) continue;
      const { messages, census, measures } = elect(ids, starters, deadAtStart(ids, dead), { protocol });
      if (messages !== total(wanted) || measures.announcements !== wanted.coordinator) return `${messages} messages`;
      if (census.leaders[0] !== wanted.leader) return `${census.leaders[0]} leads`;
      for (let trial = 0; trial < 5; trial++) {
        const drawn = elect(ids, starters, deadAtStart(ids, dead), { protocol, delay: anyDelay, trial });
        if (drawn.messages > total(wanted)) return `${drawn.messages} messages`;
      }
    }
  }
  return null;
}

plantedFaults(
  new URL("./bully.ts", import.meta.url),
  "bully",
  [
    ["smaller ids are asked", "ctx.peer(port)! > state.id", "ctx.peer(port)! < state.id"],
    ["nobody is asked", "ctx.peer(port)! > state.id", "ctx.peer(port)! < 0"],
    ["a process that starts again keeps quiet", "self.initiator || self.life > 0", "self.initiator"],
    ["it waits for answers half as long", "waitFor(2,", "waitFor(1,"],
    ["it waits for a coordinator half as long", "waitFor(4,", "waitFor(2,"],
    [
      "it waits for ever",
      '      ctx.arm("wait", waitFor(4, { tau: state.params.tau, spread: 0 }));\n',
      '      ctx.disarm("wait");\n',
    ],
    ["an answer does not matter", '      state.phase = "waits";\n', ""],
    [
      "it takes office at once",
      '  state.phase = "announces";\n',
      '  state.phase = "leads";\n  state.leader = state.id;\n',
    ],
    ["questions are not answered", '  ctx.send(port, { kind: "answer" });\n', ""],
    ["a process that is asked holds no election", 'state.phase === "idle" || (again', "(again"],
    ["a follower never holds one again", ' || (again && state.phase === "follows")', ""],
    ["a follower always holds one again", '(again && state.phase === "follows")', 'state.phase === "follows"'],
    [
      "a repeated question is not told from the first",
      "holdElection(state, true, ctx)",
      "holdElection(state, false, ctx)",
    ],
    ["larger ids are told too", "ctx.peer(one)! < state.id", "ctx.peer(one)! < Infinity"],
    ["nobody is told", "ctx.peer(one)! < state.id", "ctx.peer(one)! < 0"],
    [
      "a coordinator does not say that it is one",
      'if (state.phase === "announces" || state.phase === "leads") {',
      'if (state.phase === "announces") {',
    ],
    ["a follower goes on waiting", '  ctx.disarm("wait");\n', ""],
    ["it does not note its leader", "  state.leader = leader;\n", ""],
    [
      "a coordinator stays one",
      '  state.phase = "follows";\n',
      '  if (state.phase !== "leads") state.phase = "follows";\n',
    ],
    [
      "the larger one is not asked whether it is there",
      "former !== null && former > leader",
      "former !== null && former < leader",
    ],
    ["it announces again instead of taking office", "else takeOffice(state);", "else announceItself(state, ctx);"],
  ],
  complaint,
);
