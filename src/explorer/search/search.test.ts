import { describe, expect, test } from "vitest";
import { plantedBugs } from "../../../test/explorer/planted-bugs.ts";
import { type Ctx, forever, type Plain, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import { election, messageBound, type Property, termination } from "../../properties/properties.ts";
import { SELF } from "../../protocol.ts";
import { changRoberts } from "../../protocols/ring/chang-roberts.ts";
import { itaiRodeh } from "../../protocols/ring/itai-rodeh.ts";
import { NEXT } from "../../topology/ring.ts";
import { explorationProblem, explore } from "../explore.ts";
import type { Problem } from "../problem.ts";
import type { Step } from "../space/configurations.ts";
import { StateSpace } from "../space/state-space.ts";
import { search } from "./search.ts";

/** A node alone: in each of two stages it sends itself 1 message or 3, one after another, as the draw says. */
const stages: Toy = {
  init: (_node, ctx) => enter({ stage: 0 }, ctx),
  receive(state, left, ctx) {
    if (left > 0) ctx.send(SELF, left - 1);
    else enter(state, ctx);
  },
};

function enter(state: { stage: number }, ctx: Ctx): Plain {
  if (state.stage++ < 2) ctx.send(SELF, 2 * ctx.choose(2));
  return state;
}

describe("messages of a whole run", () => {
  test("the least and the most, though both ways lead to the same configurations", () => {
    const result = search(toyProblem(toy(stages), 1), { properties: [] });
    expect(result).toMatchObject({ complete: true, ends: 1, messages: { min: 2, max: 6 } });
  });

  test("a bound is checked on the dearest way, and the counterexample is one", () => {
    const problem = toyProblem(toy(stages), 1);
    expect(search(problem, { properties: [messageBound(6)] }).violation).toBeNull();
    const { violation } = search(problem, { properties: [messageBound(5)] });
    expect(violation?.what).toBe("6 messages were sent, more than 5");
    expect(sentOn(violation!.steps)).toBe(6);
  });

  test("the most is over schedules, too: whose message comes first decides", () => {
    const first: Toy = {
      init(node, ctx) {
        if (node !== 0) ctx.send(node === 2 ? NEXT : 1, "go");
        return { heard: 0 };
      },
      receive(state, message, ctx, port) {
        if (message !== "go" || state.heard++ > 0) return;
        for (let i = 0; i < (port === 1 ? 5 : 1); i++) ctx.send(NEXT, "echo");
      },
    };
    expect(search(toyProblem(toy(first), 3), { properties: [] }).messages).toEqual({ min: 3, max: 7 });
  });

  const sentOn = (steps: readonly Step[]) => steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
});

describe("runs that never end", () => {
  const properties = [termination];

  test("a loop is found, with the way to it and once around", () => {
    const { violation, messages } = search(toyProblem(toy(forever), 1), { properties });
    expect(violation).toMatchObject({ property: "termination", what: expect.stringContaining("its last 1 steps") });
    expect(violation?.steps).toHaveLength(2);
    expect(messages).toEqual({ min: null, max: null });
  });

  test("one that would starve a message for ever is none: in the end it arrives", () => {
    const result = search(toyProblem(toy(forever), 2), { properties });
    expect(result).toMatchObject({ complete: true, violation: null, messages: { min: 2, max: null } });
  });

  test("but where that message can be lost, the run need not end", () => {
    const faulty = toyProblem(toy(forever), 2, { budget: { drops: 1, crashes: 0, restarts: 0 } });
    expect(search(faulty, { properties }).violation?.property).toBe("termination");
  });

  test("one that a draw can end does end, with probability 1; one that none can does not", () => {
    const until = (ends: (draw: number) => boolean): Toy => ({
      init(_node, ctx) {
        ctx.send(SELF, "again");
        return {};
      },
      receive(_state, message, ctx) {
        if (!ends(ctx.choose(3))) ctx.send(SELF, message);
      },
    });
    expect(search(toyProblem(toy(until((draw) => draw === 2)), 1), { properties }).violation).toBeNull();
    expect(search(toyProblem(toy(until(() => false)), 1), { properties }).violation).not.toBeNull();
  });
});

describe("counterexamples", () => {
  /** The fewest steps after the starts to a violation, by trying all sequences of steps of length 0, 1, 2, ... */
  function bruteForce(problem: Problem, properties: readonly Property[]): number {
    const network = new StateSpace(problem);
    let open = [network.blank()];
    for (const node of network.starters()) {
      open = open.flatMap((vector) => network.start(vector, node).map(({ after }) => after));
    }
    for (let depth = 0; ; depth++) {
      const next: Int32Array[] = [];
      for (const vector of open) {
        const steps = network.steps(vector);
        const view = {
          size: problem.topology.size,
          alive: () => true,
          id: (node: number) => problem.ids?.[node] ?? null,
          verdict: (node: number) => network.nodes.verdict(node, network.state(vector, node)),
          messages: 0,
        };
        for (const { when, violated } of properties) {
          if ((when === "always" || (when === "end" && steps.length === 0)) && violated(view) !== null) return depth;
        }
        next.push(...steps.filter(({ outcome }) => outcome?.beyond !== true).map(({ after }) => after));
      }
      open = next;
    }
  }

  const short = plantedBugs.filter(({ mistake }) =>
    [
      "chang-roberts forwards smaller ids",
      "chang-roberts swallows its own id",
      "chang-roberts loses the announcement at the second node",
      "peterson decides when it meets its own id as the second one",
      "itai-rodeh has no bit for ties",
      "time-slice gives each id one round instead of n",
    ].includes(mistake),
  );

  test.each(short)("are as short as any: $mistake", ({ protocol, request }) => {
    const { violation } = explore(protocol, request);
    const starts = violation!.steps.filter(({ action }) => action.do === "start").length;
    expect(violation!.steps.length - starts).toBe(bruteForce(violation!.problem, election));
  });

  test("lead from the blank network to the violation, step by step, with symmetry as well", () => {
    const { protocol, request } = plantedBugs.find(({ mistake }) => mistake === "itai-rodeh has no bit for ties")!;
    for (const symmetry of [true, false]) {
      const { network, steps } = explore(protocol, { ...request, n: 3, symmetry }).violation!;
      let vector = network.blank();
      for (const { action, after } of steps) {
        const possible = action.do === "start" ? network.start(vector, action.node) : network.steps(vector);
        expect(possible.map((step) => step.after.join())).toContain(after.join());
        vector = after;
      }
      const leaders = [0, 1, 2].filter(
        (node) => network.nodes.verdict(node, network.state(vector, node)).status === "elected",
      );
      expect(leaders).toHaveLength(2);
    }
  });
});

describe("symmetry", () => {
  test.each([
    { n: 2, range: 3, fifo: true },
    { n: 3, range: 2, fifo: true },
    { n: 3, range: 2, fifo: false },
    { n: 4, range: 2, fifo: true },
  ])("of an anonymous ring: the same findings, from fewer states; n = $n, fifo $fifo", ({ n, range, fifo }) => {
    const request = { n, fifo, params: { range }, limits: { phases: 2 } };
    const [folded, whole] = [true, false].map((symmetry) => explore(itaiRodeh, { ...request, symmetry }));
    for (const what of ["violation", "complete", "depth", "messages"] as const)
      expect(folded[what]).toEqual(whole[what]);
    expect(folded.states).toBeLessThan(whole.states);
    expect(folded.states).toBeGreaterThanOrEqual(whole.states / n);
  });
});

describe("limits", () => {
  test("of a measure: what would exceed it is cut off, and counted", () => {
    const [one, two] = [1, 2].map((phases) => explore(itaiRodeh, { n: 2, limits: { phases } }));
    expect(one).toMatchObject({ complete: true, violation: null });
    expect(one.cut).toBeGreaterThan(0);
    expect(two.states).toBeGreaterThan(one.states);
    expect(two.messages.max).toBeGreaterThan(one.messages.max!);
  });

  test("of states and of memory: the search stops and says that it is not complete", () => {
    const problem = explorationProblem(changRoberts, { n: 5, ids: [5, 4, 3, 2, 1] });
    const whole = search(problem, { properties: election });
    expect(whole.complete).toBe(true);
    const stopped = search(problem, { properties: election, maxStates: 20 });
    expect(stopped).toMatchObject({ complete: false, violation: null, messages: { min: null, max: null } });
    expect(stopped.states).toBeLessThan(whole.states);
    expect(search(problem, { properties: election, maxBytes: 1000 }).complete).toBe(false);
  });

  test("an observer can stop it", () => {
    const result = explore(changRoberts, { n: 4, onProgress: () => false });
    expect(result).toMatchObject({ complete: false, violation: null });
    expect(result.cases).toHaveLength(1);
  });
});

test("a run may end without the faults that it was allowed", () => {
  const counted = explore(changRoberts, { n: 2, crashes: 1, properties: [] });
  // Unharmed; or one of the two crashed before or after any of the steps of the election.
  expect(counted.ends).toBeGreaterThan(1);
  const silent = toy({ init: () => ({}) });
  const { violation } = explore(silent, { n: 1, crashes: 1, properties: ["every-node-decides"] });
  expect(violation?.what).toBe("node 0 never decides");
});
