/**
 * The lumped kernel of filter-relay against the protocol on its host: means at 5 standard errors, and whole distributions. A
 * false alarm has a chance of 6e-7 per comparison, about 1e-3 for all of this file. Seeds are fixed.
 */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualLaws, expectRefusal } from "../../../test/support/kernels.ts";
import type { Params } from "../../protocols/parameters.ts";
import { HostStream } from "../../random/streams.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial, type Trial } from "../../simulation/trial.ts";
import { predictElection } from "../../theory/gupta/filter-relay-election.ts";
import { IdBits } from "./context.ts";
import { filterRelayKernel } from "./filter-relay.ts";

const protocol = "filter-relay";
const lossy = { loss: 0.2, multicastLoss: 0.25, crash: 0.05 };
const lossier = { loss: 0.5, multicastLoss: 0.7, crash: 0.1 };
const dead = { crashes: [0, 5].map((node) => ({ node, at: 0 })) };

const cases: [number, Partial<Request>][] = [
  [1, {}],
  [2, { crash: 0.5, params: { rounds: 1 } }],
  [3, { crash: 0.4, loss: 0.3, params: { rounds: 1, tau: 1 }, delay: { kind: "fixed", value: 0.75 } }],
  [6, { multicastLoss: 0.8, params: { K: 2, rounds: 2 } }],
  [8, { ...lossy, ids: "increasing" }],
  [8, { ...lossier, params: { K: 1, factor: 1.5, rounds: 4 } }],
  [12, { multicastLoss: 1, params: { K: 2, rounds: 2, window: 4 } }],
  [12, { multicastLoss: 0.7, params: { K: 2, rounds: 2, window: 3, tau: 1 }, delay: { kind: "fixed", value: 1.5 } }],
  [12, { ...lossy, params: { K: 2 }, faults: dead }],
  [20, { ...lossy, params: { view: 0.2, K: 4, rounds: 3 }, initiators: "all" }],
  [30, { params: { rounds: 1 } }],
  [30, { crash: 0.4, multicastLoss: 0.5, params: { K: 1, factor: 10, rounds: 4 } }],
  [30, { ...lossier, params: { K: 2, rounds: 3, choice: "highest-id" }, ids: "decreasing" }],
  [30, { ...lossier, params: { K: 2, rounds: 3, suppression: "ideal" } }],
  [30, { ...lossy, params: { K: 3, rounds: 3, reinitiate: "filtered" } }],
  [30, { ...lossy, params: { K: 3, expects: false } }],
  [30, { ...lossy, params: { K: 2, window: 10 } }],
  [30, { ...lossy, params: { K: 3, "n-spread": 3 } }],
  [30, { ...lossy, params: { K: 3, view: 0.5 }, host: "lockstep", initiators: 0 }],
  [30, { ...lossy, params: { K: 3, view: 0.5, tau: 1 }, delay: { kind: "fixed", value: 0.25 } }],
  [30, { ...lossy, params: { K: 3, tau: 1 }, delay: { kind: "fixed", value: 1.5 } }],
  [60, { multicastLoss: 0.3, params: { view: 0.1, K: 4, factor: 1, rounds: 6 }, initiators: 3 }],
  [200, { ...lossy, params: { view: 0.7 } }],
];

test.each(cases)("n = %i, %j: every measure has the protocol's distribution", (n, rest) => {
  const request = { protocol, n, ...rest };
  expect(resolve(request).kernel).toBe("filter-relay, lumped");
  const trials = effort(n < 20 ? 150 : 50, 4000);
  expectEqualLaws({ ...request, kernel: "off" }, trials, { ...request, seed: 2 }, 4 * trials);
});

const runs = (n: number, params: Params, trials: number, rest: Partial<Request> = {}): Trial[] => {
  const settings = resolve({ protocol, n, params, ...rest });
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
};

test("relays are binomial, and without any there is another round", () => {
  const [n, K] = [1000, 2];
  const trials = effort(1200, 100_000);
  const relays = runs(n, { K }, trials).map(({ rounds, measures }) => (rounds > 1 ? 0 : measures.relays));
  let p = (1 - K / n) ** n;
  for (let m = 0; m <= 6; p *= ((n - m) / (m + 1)) * (K / (n - K)), m++) {
    const share = relays.filter((value) => value === m).length / trials;
    expect(Math.abs(share - p), `${m} relays`).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / trials));
  }
});

test.each([1e4, 1e9])("n = %i: as many first rounds end the election as exact theory says", (n) => {
  const params = { K: 5, view: 1, factor: 2, rounds: 5, reading: "repaired", reinitiate: "any", "n-spread": 1 };
  const question = { n, params, loss: 0.1, multicastLoss: 0.1, crash: 0, initiators: 1, graph: null };
  const p = predictElection(question)!.factors!.beyond1;
  const trials = effort(n > 1e6 ? 100 : 300, 20_000);
  const share = runs(n, params, trials, { loss: 0.1, multicastLoss: 0.1 }).filter(({ rounds }) => rounds > 1).length;
  expect(Math.abs(share / trials - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / trials));
});

test("a round in which a million relay is counted, not run: each tells each, and equals are silent", () => {
  const n = 1_000_000;
  for (const { measures, messages, leader } of runs(n, { rounds: 1 }, 20, lossy)) {
    expect(measures.unicasts).toBe(measures.relays * (n - 1));
    expect(measures.multicasts).toBe(1 + measures.relays);
    expect(messages).toBe(measures.unicasts + measures.multicasts);
    // 75% of all hear of the round, and 95% of them live.
    expect(Math.abs(measures.relays / n - 0.7125)).toBeLessThan(0.003);
    expect(leader ?? 1).toBe(1);
  }
});

test.each([1, 2, 7, 8, 1000])("the lengths of all ids up to %i together, in two parts", (n) => {
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  const others = ids.slice(3);
  const bits = new IdBits(n, ids.slice(0, 3));
  const source = new HostStream(1, 0, "ids");
  const some = Math.floor(others.length / 2);
  const drawn = bits.draw(source, some) + bits.draw(source, others.length - some);
  expect(drawn).toBe(others.reduce((sum, id) => sum + id.toString(2).length, 0));
});

test("what tells members apart is left to the host", () => {
  const refused: [Partial<Request>, string][] = [
    [{ topology: "ring" }, "complete graphs only"],
    [{ delay: { kind: "uniform", min: 0.5, max: 1 } }, "one fixed delay"],
    [{ faults: { crashes: [{ node: 1, at: 2 }] } }, "no faults but"],
    [{ faults: { duplicate: 0.1 } }, "no faults but"],
    [{ ids: [3, 1, 2, 7, 9, 8, 4, 6, 5, 10], n: 10 }, "ids 1 to n"],
    [{ params: { choice: "zone" } }, "choice=lowest-id"],
    [{ params: { reading: "printed" } }, "reading=repaired"],
    [{ params: { "n-spread": 2, reinitiate: "filtered" } }, "n-spread=1"],
    [{ n: 2000, params: { window: 1 } }, "raise window"],
    [{ n: 2000, initiators: 1500 }, "up to 1000 initiators"],
  ];
  for (const [rest, reason] of refused) expectRefusal(filterRelayKernel, { protocol, n: 20, ...rest }, reason);
});
