import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type ModelSetting, modelRun } from "../../../test/support/filter-relay-model.ts";
import { electionOf, type Mean, meanOf, means, trials, watch, zBetween } from "../../../test/support/groups.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { InputError } from "../../errors.ts";
import { NO_FAULTS } from "../../host/faults/faults.ts";
import { HostStream } from "../../random/streams.ts";
import { resolve } from "../../simulation/settings.ts";
import type { Params } from "../parameters.ts";
import { filterValue, viewValue } from "./hash.ts";

letHandlersWrite();

const protocol = "filter-relay";

/** A trial whose first round has exactly these relays among ids 1..n. */
function trialWithRelays(
  n: number,
  K: number,
  relays: readonly number[],
  and: (election: number) => boolean = () => true,
): number {
  for (let trial = 0; ; trial++) {
    const election = electionOf(trial);
    const admitted = Array.from({ length: n }, (_, i) => i + 1).filter((id) => filterValue(election, 1, id) < K / n);
    if (admitted.join() === relays.join() && and(election)) return trial;
  }
}

describe("without faults and with complete views", () => {
  test.each([1, 2, 3, 7, 50, 300])("n = %i: the lowest id leads, and everybody knows after one round", (n) => {
    for (const run of trials({ protocol, n, params: { K: n } }, 20)) {
      expect(run).toMatchObject({ outcome: "one", leader: 1, rounds: 1, measures: { strong: 1, weak: 1 } });
      // All prefer the same from the start: each tells each, and equals are silent.
      expect(run.measures).toMatchObject({ relays: n, unicasts: n * (n - 1), multicasts: n + 1 });
    }
  });

  test("messages are unicasts and multicasts together", () => {
    for (const run of trials({ protocol, n: 100, params: { view: 0.5 } }, 20)) {
      expect(run.messages).toBe(run.measures.unicasts + run.measures.multicasts);
    }
  });

  test("several initiations of one round merge", () => {
    const [run] = trials({ protocol, n: 40, initiators: 5 }, 1);
    expect(run).toMatchObject({ outcome: "one", rounds: 1 });
    expect(run.measures.multicasts).toBe(5 + run.measures.relays);
    expect(trials({ protocol, n: 40, initiators: "all" }, 1)[0]).toMatchObject({ outcome: "one", rounds: 1 });
  });

  test("nobody initiates: no election, unless members expect one", () => {
    const request = { protocol, n: 10, initiators: 0 };
    const unexpected = trials({ ...request, params: { expects: false } }, 1)[0];
    expect(unexpected).toMatchObject({ outcome: "none", messages: 0, rounds: 0 });
    expect(trials(request, 1)[0]).toMatchObject({ outcome: "one", rounds: 2 });
  });
});

describe("phases, step by step", () => {
  test("a round without relays is noticed by everybody, and one member starts the next", () => {
    const { result, sent } = watch(6, { K: 2, window: 1000 }, {}, trialWithRelays(6, 2, []));
    const initiations = sent.filter((message) => message.kind === "initiate");
    expect(initiations.map(({ round }) => round)).toEqual(initiations.map((_, i) => i + 1));
    expect(result.measures.rounds).toBe(initiations.length);
    expect(initiations.length).toBeGreaterThan(1);
    expect(result.census.beliefs).toEqual(new Map([[1, 6]]));
  });

  test("a re-initiation tells how long to wait, so that all begin together", () => {
    const { sent } = watch(6, { K: 2, window: 50 }, {}, trialWithRelays(6, 2, []));
    const [first, second] = sent.filter((message) => message.kind === "initiate");
    expect(first.wait).toBe(0);
    expect(second.wait).toBeGreaterThanOrEqual(0);
    expect(second.wait).toBeLessThan(50);
  });

  test("a worse preference is answered, a better one adopted and not sent back, an equal one met with silence", () => {
    const sees = (election: number, viewer: number, member: number) => viewValue(election, viewer, member) < 0.5;
    // Relay 2 knows 1 but not 3; relay 3 knows 2 but not 1, and so it tells 2 that it prefers 2.
    const trial = trialWithRelays(4, 2, [2, 3], (election) => {
      const knows = [sees(election, 2, 1), sees(election, 3, 2)];
      return knows.every(Boolean) && !sees(election, 2, 3) && !sees(election, 3, 1);
    });
    const { sent, result } = watch(4, { K: 2, view: 0.5 }, {}, trial);
    expect(sent.filter(({ kind }) => kind === "prefer")).toEqual([
      { kind: "prefer", round: 1, leader: 2, step: 1 },
      { kind: "prefer", round: 1, leader: 1, step: 2 },
    ]);
    expect(result.measures).toMatchObject({ rounds: 1, relays: 2, unicasts: 2, multicasts: 3 });
    expect(result.census.beliefs).toEqual(new Map([[1, 4]]));
  });

  test("what is late counts as lost: with delays above tau no final choice is heard in time", () => {
    const again = (tau: number) =>
      trials({ protocol, n: 30, delay: { kind: "fixed", value: 3 }, params: { tau, rounds: 2 } }, 40).filter(
        ({ rounds }) => rounds === 2,
      ).length;
    // No relay at all, hence a second round, has probability 3e-4 in each run.
    expect(again(3)).toBeLessThan(2);
    // An initiator that relays begins before all others and is in time after all.
    expect(again(1.4)).toBeGreaterThan(15);
  });

  test("jitter within tau changes nothing of the outcome", () => {
    for (const max of [1, 0.3]) {
      const delay = { kind: "uniform", min: 0, max } as const;
      const runs = trials({ protocol, n: 200, delay, params: { tau: max } }, 40);
      expect(runs.every(({ outcome }) => outcome === "one")).toBe(true);
    }
  });

  test("a member that misses the initiation cannot relay, but listens", () => {
    const trial = trialWithRelays(6, 2, [3, 5]);
    // Node 2, which is id 3, does not hear the initiation of node 0.
    const losses = [{ rate: 1, kind: "multicast", link: [0, 2], from: 0, to: 1 }] as const;
    const { result, sent } = watch(6, { K: 2 }, { losses }, trial);
    expect(sent.filter((message) => message.kind === "final").map(({ from }) => from)).toEqual([5]);
    expect(result.census.beliefs).toEqual(new Map([[1, 6]]));
  });

  test("a whole round of lost multicasts is repaired by the next one", () => {
    const losses = [{ rate: 1, kind: "multicast", link: null, from: 5, to: 20 }] as const;
    const { result } = watch(50, {}, { losses });
    expect(result.measures.rounds).toBe(2);
    expect(result.census.beliefs).toEqual(new Map([[1, 50]]));
  });

  test("lock-step rounds give the same election", () => {
    const runs = trials({ protocol, n: 80, host: "lockstep", params: { view: 0.4 } }, 30);
    expect(runs.every(({ measures }) => measures.strong === 1)).toBe(true);
  });
});

test("the same seed gives the same run, another seed another", () => {
  const request = { protocol, n: 120, faults: { ...NO_FAULTS, loss: 0.3, multicastLoss: 0.3 }, params: { view: 0.3 } };
  expect(trials(request, 3)).toEqual(trials(request, 3));
  expect(trials(request, 3)).not.toEqual(trials({ ...request, seed: 2 }, 3));
});

describe("crashes strike with a probability per round", () => {
  test("in the first round, and again in each that follows; five standard errors, false alarm 6e-7 each", () => {
    const alive = (rounds: number) =>
      // Total multicast loss lets only the initiator take part; it re-initiates until the rounds are used up.
      meanOf(
        Array.from({ length: 200 }, (_, trial) => {
          const faults = { multicastLoss: 1, crash: 0.1 };
          return watch(50, { rounds, K: 0.001, window: 1 }, faults, trial);
        })
          .filter(({ result }) => result.measures.rounds === rounds)
          .map(({ result }) => result.census.alive),
      );
    for (const rounds of [1, 2, 3]) {
      const { mean, error } = alive(rounds);
      // The initiator itself has survived all rounds but the last.
      const expected = 49 * 0.9 ** rounds + 0.9;
      expect(Math.abs(mean - expected)).toBeLessThan(5 * error);
    }
  });
});

describe("against the second model of the protocol", () => {
  // Six measures and seven settings: a false alarm in any has probability 42 * 6e-5 = 0.003 for a fresh seed; this seed passes.
  const base: ModelSetting = {
    suppression: "lossy",
    n: 40,
    loss: 0.2,
    multicastLoss: 0.2,
    crash: 0.01,
    view: 0.4,
    K: 5,
    rounds: 4,
    expects: true,
  };
  test.each<ModelSetting>([
    base,
    { ...base, expects: false },
    { ...base, loss: 0, multicastLoss: 0.5, crash: 0 },
    { ...base, loss: 0.6, view: 0.2, n: 25 },
    { ...base, crash: 0.15, view: 1, rounds: 2 },
    { ...base, suppression: "ideal", multicastLoss: 0.4 },
    { ...base, K: 2, rounds: 3, n: 30, view: 0.1 },
  ])("%j", (setting) => {
    const { n, loss, multicastLoss, crash, ...params } = setting;
    const measured = means({ protocol, n, faults: { loss, multicastLoss, crash }, params }, effort(250, 1000));
    const source = new HostStream(11, 0, "topology");
    const runs = Array.from({ length: effort(250, 1000) }, () => modelRun(setting, source));
    for (const name of ["rounds", "unicasts", "multicasts", "relays", "strong", "weak"] as const) {
      const expected: Mean = meanOf(runs.map((run) => run[name]));
      const z = measured[name].mean === expected.mean ? 0 : zBetween(measured[name], expected);
      expect([name, z < 4, measured[name].mean, expected.mean]).toEqual([
        name,
        true,
        measured[name].mean,
        expected.mean,
      ]);
    }
  });
});

describe("parameters", () => {
  const refusal = (params: Params) => {
    try {
      resolve({ protocol, n: 100, params });
    } catch (error) {
      if (error instanceof InputError) return error.message;
      throw error;
    }
    return null;
  };

  test.each<[Params, RegExp]>([
    [{ K: 0 }, /K must be above 0/],
    [{ K: -3 }, /K must be above 0/],
    [{ rounds: 0 }, /rounds must be at least 1.*final round/],
    [{ view: 0 }, /view must be above 0/],
    [{ view: 1.5 }, /view must be a share from 0 to 1/],
    [{ tau: 0 }, /tau must be above 0/],
    [{ factor: 0.5 }, /factor must be a number of at least 1/],
    [{ "n-spread": 0.5 }, /n-spread must be a number of at least 1/],
  ])("%j is refused", (params, message) => {
    expect(refusal(params)).toMatch(message);
  });

  test("n-spread: members that disagree about N still elect; five standard errors of the number of relays", () => {
    const { strong, relays } = means({ protocol, n: 300, params: { "n-spread": 1.5, K: 20, rounds: 5 } }, 200);
    expect(strong.mean).toBe(1);
    // The mean of f and 1/f, f uniform in [1, 1.5], each with probability 1/2.
    const factor = (1.25 + Math.log(1.5) / 0.5) / 2;
    expect(Math.abs(relays.mean - 20 * factor)).toBeLessThan(5 * relays.error);
  });

  test("a narrow window lets many re-initiations through, ideal suppression exactly one", () => {
    const lossy = { protocol, n: 100, faults: { multicastLoss: 0.5 }, params: { K: 0.001, rounds: 2 } };
    const reinitiations = (params: Params) => {
      const { multicasts, relays } = means({ ...lossy, params: { ...lossy.params, ...params } }, 40);
      return multicasts.mean - relays.mean - 1;
    };
    expect(reinitiations({ suppression: "ideal" })).toBeCloseTo(1, 9);
    expect(reinitiations({})).toBeGreaterThan(2);
    expect(reinitiations({ window: 1 })).toBeGreaterThan(30);
  });

  // A member that was suppressed and missed the one re-initiation waited in vain, and stayed undecided for ever.
  test("ideal suppression leaves nobody behind: members that miss the re-initiation see the outcome, or detect that there is none", () => {
    for (const multicastLoss of [0.4, 0.5]) {
      const setting = { protocol, n: 200, faults: { multicastLoss }, params: { suppression: "ideal" } };
      expect(means(setting, 20).undecided.mean).toBe(0);
    }
  });
});
