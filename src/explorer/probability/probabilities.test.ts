import { describe, expect, test } from "vitest";
import { type Toy, toy } from "../../../test/explorer/toy.ts";
import { effort } from "../../../test/support/effort.ts";
import { InputError } from "../../errors.ts";
import { type AnyProtocol, SELF } from "../../protocol.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { randomWalks } from "../../protocols/graph/random-walks.ts";
import { predict } from "../../registry/all.ts";
import { questionOf } from "../../simulation/question.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { NEXT } from "../../topology/ring.ts";
import { finished } from "../search/search-terms.ts";
import { fraction, fractionText, ofDouble, plus, times, toDouble } from "./fraction.ts";
import { computing, type ProbabilityRequest, probabilities } from "./probabilities.ts";

const exactly = (over: number, under: number) =>
  expect.objectContaining({ exact: fraction(BigInt(over), BigInt(under)) });
const always = (over: number, under: number) => ({ min: exactly(over, under), max: exactly(over, under) });

/** A node with `leads` is elected. */
const electing = (parts: Toy, changes: Partial<AnyProtocol> = {}): AnyProtocol => ({
  ...toy(parts),
  verdict: ({ leads }) => ({ status: leads ? "elected" : "not-elected", leader: null, term: 0 }),
  ...changes,
});

test("fractions are exact, doubles are what they are", () => {
  expect(plus(fraction(1n, 6n), fraction(1n, 3n))).toEqual(fraction(1n, 2n));
  expect(times(fraction(2n, 3n), fraction(3n, 4n))).toEqual(fraction(1n, 2n));
  expect(ofDouble(0.1)).toEqual(fraction(3602879701896397n, 36028797018963968n));
  expect(toDouble(ofDouble(0.1))).toBe(0.1);
  expect(toDouble(fraction(1n, 3n ** 800n))).toBe(0);
  expect(toDouble(fraction(3n ** 800n, 3n ** 801n))).toBeCloseTo(1 / 3, 15);
  expect(fractionText(fraction(1n, 4n))).toBe("1/4 = 0.25");
});

describe("draws", () => {
  test("a coin falls with the probability that its double stands for", () => {
    const coin = electing({ init: (_node, ctx) => ({ leads: ctx.coin(0.1) }) });
    const { outcomes } = probabilities(coin, { n: 1 });
    expect(outcomes.one.min.exact).toEqual(ofDouble(0.1));
  });

  test("a value, a sample: each as likely as any other", () => {
    const third = electing({ init: (_node, ctx) => ({ leads: ctx.choose(6) < 2 }) });
    expect(probabilities(third, { n: 1 }).outcomes.one).toEqual(always(1, 3));
    const port = electing({ init: (_node, ctx) => ({ leads: ctx.sample(1)[0] === 0 }) });
    expect(probabilities(port, { n: 3, ids: [0, 1, 2] }).outcomes.many).toEqual(always(1, 2));
  });

  test("of which only the order matters give the same as all their values", () => {
    /** Each tells its rank to both others; who has the largest of those it knows leads. */
    const contest = (label: string | undefined): AnyProtocol =>
      electing({
        init(_node, ctx) {
          const rank = ctx.choose(5, label);
          for (const port of [0, 1]) ctx.send(port, rank);
          return { rank, leads: true };
        },
        receive: (state, other) => {
          if (other > state.rank) state.leads = false;
        },
      });
    const request = { n: 3, ids: [0, 1, 2], timed: 1 };
    const [all, order] = [undefined, "rank"].map((label) => probabilities(contest(label), request));
    expect(order.outcomes).toEqual(all.outcomes);
    // The largest of three out of five values is unique: sum of 3 k^2 / 125 for k below 5.
    expect(order.outcomes.one).toEqual(always(3 * (0 + 1 + 4 + 9 + 16), 125));
    expect(order.states).toBeLessThan(all.states);
  });

  test("with more values than can be tried are refused, unless only their order matters", () => {
    const large = (label?: string) => electing({ init: (_node, ctx) => ({ leads: ctx.choose(2 ** 40, label) >= 0 }) });
    expect(() => probabilities(large(), { n: 1 })).toThrow("only the order of such draws matters");
    expect(probabilities(large("rank"), { n: 1 }).outcomes.one).toEqual(always(1, 1));
  });
});

describe("schedules", () => {
  /** Nodes 1 and 2 toss and tell node 0, which believes the first that it hears. */
  const first: Toy = {
    init(node, ctx) {
      if (node > 0) ctx.send(node === 2 ? NEXT : 1, ctx.coin(0.5));
      return { heard: false, leads: false };
    },
    receive(state, heads) {
      if (!state.heard) state.leads = heads;
      state.heard = true;
    },
  };

  test("the scheduler sees the coins: least and most differ", () => {
    const { outcomes, schedules, messages } = probabilities(electing(first), { n: 3, ids: [0, 1, 2] });
    expect(outcomes.one).toEqual({ min: exactly(1, 4), max: exactly(3, 4) });
    expect([schedules, messages]).toEqual(["all", always(2, 1)]);
  });

  test("a coin that is tossed again and again ends the run, and a schedule that starves it is not fair", () => {
    const again: Toy = {
      init(node, ctx) {
        ctx.send(SELF, "go");
        return { node, leads: false };
      },
      receive(state, message, ctx) {
        if (state.node === 0 && ctx.coin(0.25)) state.leads = true;
        else if (state.node === 0 || message === "go") ctx.send(SELF, state.node === 0 ? message : "stop");
      },
    };
    const { outcomes, exact, messages } = probabilities(electing(again), { n: 2, ids: [0, 1] });
    // Four tosses on average, the first of which is sent by the start; and two messages of node 1.
    expect([exact, messages]).toEqual([true, always(6, 1)]);
    expect([outcomes.one, outcomes.never]).toEqual([always(1, 1), always(0, 1)]);
  });

  test("a run that can go on for ever may do so", () => {
    const endless: Toy = {
      init(_node, ctx) {
        if (ctx.coin(0.5)) ctx.send(SELF, "again");
        return { leads: false };
      },
      receive: (_state, message, ctx) => ctx.send(SELF, message),
    };
    const { outcomes } = probabilities(electing(endless), { n: 1 });
    expect([outcomes.never, outcomes.none]).toEqual([always(1, 2), always(1, 2)]);
  });
});

test("what lies beyond a limit is known to be between two ends", () => {
  const at = (phases: number) => probabilities("itai-rodeh", { n: 2, params: { range: 2 }, limits: { phases } });
  const { outcomes, messages, exact } = at(3);
  // Two draws are equal with probability 1/2, and then both go on: after three phases one run in eight does.
  expect([outcomes.one, exact]).toEqual([{ min: exactly(7, 8), max: exactly(1, 1) }, true]);
  // What was not followed costs more than nothing.
  expect(messages).toMatchObject({ min: { to: Infinity }, max: { to: Infinity } });
  expect(outcomes.none).toEqual({ min: exactly(0, 1), max: exactly(1, 8) });
  expect(at(5).outcomes.one.min).toEqual(exactly(31, 32));
});

describe("a budget", () => {
  /** Tossed until it falls the right way, and counted: no two configurations of its runs are the same. */
  const counted = electing({
    init(_node, ctx) {
      ctx.send(SELF, 1);
      return { leads: false };
    },
    receive(state, tosses, ctx) {
      if (ctx.coin(0.5)) state.leads = true;
      else ctx.send(SELF, tosses + 1);
    },
  });

  test("of configurations: what was followed is known, the rest is the distance of two ends", () => {
    const { outcomes, stopped, unknown, messages } = probabilities(counted, { n: 1, maxStates: 20 });
    expect(stopped).toBe("states");
    expect(unknown.max.to).toBeCloseTo(2 ** -19, 12);
    expect(outcomes.one.min.to).toBeCloseTo(1 - 2 ** -19, 12);
    expect(outcomes.one.max.to).toBe(1);
    // Two messages on average, of which a few have not been seen.
    expect(messages!.min).toMatchObject({ from: expect.closeTo(2, 1), to: Infinity });
    expect(messages!.min.from).toBeLessThan(2);
  });

  test("of time, also inside of a handler that draws for ever, and between the starts", () => {
    const restless = electing({
      init(_node, ctx) {
        while (ctx.choose(3) > 0);
        return { leads: true };
      },
    });
    let looks = 0;
    const clock = { now: () => looks++, budget: 5 };
    const found = finished(computing(restless, { n: 2, ids: [0, 1] }, clock));
    expect(found).toMatchObject({
      stopped: "time",
      unknown: { min: { to: 1 } },
      outcomes: { one: { min: { to: 0 } } },
    });
    expect(probabilities("quorum-estimated", { n: 2, maxStates: 500 }).stopped).toBe("states");
    expect(probabilities("network-size", { n: 3, ids: [1, 2, 3], initiators: [0], maxStates: 500 }).stopped).toBe(
      "states",
    );
  });

  test("cases that were not looked at count as unknown", () => {
    let looks = 0;
    const clock = { now: () => looks++, budget: 60 };
    const { stopped, outcomes } = finished(computing("chang-roberts", { n: 4 }, clock));
    expect(stopped).toBe("time");
    expect(outcomes.one.min.from).toBeLessThan(1);
    expect(outcomes.one.max.to).toBe(1);
  });
});

describe("loops", () => {
  /** Node 0 tosses until heads; every toss is told to node 1. `large`: more vertices than fractions are found for. */
  const tossing = (wait: number): AnyProtocol =>
    electing({
      init(node, ctx) {
        if (node === 0) ctx.send(SELF, 0);
        return { leads: false };
      },
      receive(state, step, ctx) {
        if (step < wait) ctx.send(SELF, step + 1);
        else if (ctx.coin(0.25)) state.leads = true;
        else ctx.send(SELF, 0);
      },
    });

  test("are solved in fractions where they are small, and from both sides where they are not", () => {
    const request = { n: 2, ids: [0, 1] };
    const small = probabilities(tossing(4), request);
    // Four attempts on average, of five messages each.
    expect([small.outcomes.one, small.messages]).toEqual([always(1, 1), always(20, 1)]);
    const large = probabilities(tossing(300), request);
    expect(large.exact).toBe(false);
    const { from, to } = large.messages!.max;
    expect(from).toBeLessThanOrEqual(1204);
    expect(to).toBeGreaterThanOrEqual(1204);
    expect(to - from).toBeLessThan(1e-6);
    expect(large.outcomes.one.min.from).toBeGreaterThan(1 - 1e-9);
  });

  test("the scheduler of a loop chooses what is best for it", () => {
    /** Node 0 holds a coin of 1/4, node 1 one of 1/2; who is asked tosses, and on tails both are asked again. The first heads leads. */
    const rivals = electing({
      init(node, ctx) {
        ctx.send(SELF, "toss");
        return { node, leads: false, over: false };
      },
      receive(state, message, ctx) {
        if (message === "over") state.over = true;
        else if (state.over) return;
        else if (ctx.coin(state.node === 0 ? 0.25 : 0.5)) {
          state.leads = true;
          ctx.send(NEXT, "over");
        } else ctx.send(SELF, message);
      },
    });
    const { outcomes, exact } = probabilities(rivals, { n: 2, ids: [0, 1] });
    expect(exact).toBe(true);
    // Fair to both: nobody waits for ever, but one may toss often before the other does; in the end both can win.
    expect(outcomes.many).toEqual({ min: exactly(0, 1), max: exactly(1, 1) });
    expect(outcomes.one).toEqual({ min: exactly(0, 1), max: exactly(1, 1) });
  });
});

describe("faults are coins", () => {
  const tell: Toy = {
    init(node, ctx) {
      if (node === 0) ctx.send(NEXT, "lead");
      return { leads: false };
    },
    receive(state) {
      state.leads = true;
    },
  };

  test("loss and crash", () => {
    const complete = { assumes: { ...toy(tell).assumes, topology: "complete" as const } };
    const protocol = electing(tell, complete);
    expect(probabilities(electing(tell), { n: 2, ids: [0, 1], loss: 0.25 }).outcomes.one).toEqual(always(3, 4));
    expect(probabilities(protocol, { n: 2, ids: [0, 1], crash: "50%" }).outcomes.one).toEqual(always(1, 4));
  });

  test("which are refused where they are something else", () => {
    expect(() => probabilities("chang-roberts", { n: 2, crash: 0.1 })).toThrow(
      "crashes of chang-roberts are not coins",
    );
    expect(() => probabilities("chang-roberts", { n: 2, multicastLoss: 0.1 })).toThrow("sends no multicasts");
    expect(() => probabilities("chang-roberts", { n: 2, loss: 2 })).toThrow("loss must be a probability");
  });
});

/** Three roads to one number: all runs here, a formula there, and trials. */
describe("against theory and simulation", () => {
  const TRIALS = effort(500, 10_000);

  function simulated(protocol: string, request: ProbabilityRequest, count = TRIALS) {
    const settings = resolve({ protocol, ...request } as never);
    const trials = Array.from({ length: count }, (_, trial) => runTrial(settings, trial));
    return {
      share: (outcome: string) => trials.filter((trial) => trial.outcome === outcome).length / count,
      mean: (of: "messages" | "rounds") => trials.reduce((sum, trial) => sum + trial[of], 0) / count,
    };
  }

  /** Null where it has too many configurations, or refuses so few nodes. */
  function known(protocol: string, n: number) {
    try {
      const found = probabilities(protocol, { n, maxStates: effort(200, 5000) });
      return found.stopped === null ? found : null;
    } catch (error) {
      if (error instanceof InputError) return null;
      throw error;
    }
  }

  test.each<[string, ProbabilityRequest, boolean]>([
    ["referees", { n: 2 }, true],
    ["referees", { n: 2, crash: 0.2 }, true],
    ["referees", { n: 2, loss: 0.1 }, true],
    ["referees", { n: 3 }, true],
    ["referees-async", { n: 2 }, true],
    ["quorum", { n: 2, params: { timing: "sync" } }, true],
    ["tournament", { n: 2 }, true],
    ["random-walks", { n: 2, params: { walks: 1 } }, false],
    ["random-walks", { n: 2, params: { walks: 2, tau: 1 } }, false],
    ["time-slice", { n: 3 }, true],
    ["chang-roberts", { n: 4 }, true],
    ["peterson", { n: 4 }, true],
    ["hirschberg-sinclair", { n: 3 }, true],
    ["known-highest", { n: 3 }, true],
  ])("%s %j", (protocol, request, inTheory) => {
    const found = probabilities(protocol, request);
    const { one, none, many } = found.outcomes;
    const trials = simulated(protocol, request);
    const slack = 5 / Math.sqrt(TRIALS);
    for (const [outcome, { min, max }] of Object.entries({ one, none, many })) {
      expect(trials.share(outcome)).toBeGreaterThanOrEqual(min.from - slack);
      expect(trials.share(outcome)).toBeLessThanOrEqual(max.to + slack);
    }
    const { min, max } = found.messages!;
    expect(trials.mean("messages")).toBeGreaterThanOrEqual(min.from * (1 - slack));
    expect(trials.mean("messages")).toBeLessThanOrEqual(max.to * (1 + slack));
    if ((found.rounds?.from ?? 0) > 0) expect(trials.mean("rounds") / found.rounds!.from).toBeCloseTo(1, 1);
    if (!inTheory) return;
    const theory = predict(questionOf({ protocol, ...request } as never))!;
    const between = (value: unknown, least: number, most: number) => {
      if (typeof value !== "number") return;
      expect(value).toBeGreaterThan(least - 1e-9);
      expect(value).toBeLessThan(most + 1e-9);
    };
    between(theory.success, one.min.from, one.max.to);
    between(theory.messages, min.from, max.to);
  });

  test("at every protocol of the catalogue that ends here, up to three nodes", () => {
    const held = new Set<string>();
    for (const { name: protocol } of catalogue) {
      // Three walkers, or three who draw eight others each, draw for seconds.
      for (const n of ["random-walks", "network-size", "quorum-estimated"].includes(protocol) ? [2] : [1, 2, 3]) {
        const found = known(protocol, n);
        if (found === null) continue;
        held.add(protocol);
        const { one } = found.outcomes;
        // Five standard deviations of 200 trials: a false alarm in a million.
        const trials = simulated(protocol, { n }, 200);
        expect(trials.share("one"), protocol).toBeGreaterThanOrEqual(one.min.from - 0.18);
        expect(trials.share("one"), protocol).toBeLessThanOrEqual(one.max.to + 0.18);
        const { min, max } = found.messages!;
        const theory = predict(questionOf({ protocol, n } as never));
        if (theory.method === "none") continue;
        // A bound on success is from below, one on messages from above; an approximation is near.
        const bound = theory.method === "bound";
        const slack = theory.method === "approximation" ? 0.05 : 1e-9;
        expect(theory.success ?? 1, protocol).toBeLessThan(one.max.to + slack);
        if (!bound) expect(theory.success ?? 1, protocol).toBeGreaterThan(one.min.from - slack);
        // Messages of approximations are made for more nodes than that: random-walks says half at two.
        if (theory.messages === null || theory.method === "approximation") continue;
        expect(theory.messages, protocol).toBeGreaterThan(min.from - 1e-9);
        if (!bound) expect(theory.messages, protocol).toBeLessThan(max.to + 1e-9);
      }
    }
    expect(held.size).toBeGreaterThanOrEqual(18);
  });

  test("a doubled count in random walks, which no promise sees, is another probability", () => {
    const doubled: AnyProtocol = {
      ...randomWalks,
      expire(state, timer, ctx) {
        state.won *= 2;
        randomWalks.expire!(state, timer, ctx);
      },
    };
    const request = { n: 2, loss: 0.25, params: { walks: 2, tau: 1 } };
    const right = probabilities(randomWalks, request).outcomes.one.min.from;
    expect(simulated("random-walks", request).share("one")).toBeCloseTo(right, 1);
    expect(probabilities(doubled, request).outcomes.one.min.from).toBeGreaterThan(right + 0.01);
  });
});
