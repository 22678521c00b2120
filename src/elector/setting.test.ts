import { describe, expect, test } from "vitest";
import "../registry/all.ts";
import { runGroup } from "../../test/support/group-run.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { defineProtocol } from "../protocols/check.ts";
import { resolveParameters } from "../protocols/parameters.ts";
import { findProtocol } from "../protocols/registry.ts";
import { pairMiss, STANDERS } from "../theory/kutten/referees-async.ts";
import { encodedSize } from "../wire/codec.ts";
import { epsilonInWords, lossInWords } from "./report.ts";
import { chooseSetting, type LossEstimate, lossOf, paceAfter, SLOWEST, type WantedElection } from "./setting.ts";
import { isSetting } from "./talk/accepts.ts";
import { timesFor } from "./times.ts";

const find = (name: string): AnyProtocol => findProtocol(name).protocol;
const configured = (loss: number): LossEstimate => ({ from: "configured", low: loss, high: loss });
const choose = (n: number, rest: Partial<WantedElection> = {}) =>
  chooseSetting({ protocol: "auto", params: {}, n, loss: configured(0), epsilon: 1e-6, ...rest }, find);

describe("auto", () => {
  test("asks all of a small group, for however many come until it is chosen anew: two never lead", () => {
    for (const n of [1, 2, 3, 25, 64]) {
      expect(choose(n)).toMatchObject({ protocol: "referees-async", n, params: { m: 64 }, epsilon: 0 });
    }
  });

  test.each([
    [65, 0],
    [100, 0.01],
    [1000, 0],
    [1000, 0.05],
    [1000, 0.3],
    [20_000, 0.02],
  ])("n = %i, loss %d: the smallest m that meets the target", (n, loss) => {
    const { params, epsilon } = choose(n, { loss: configured(loss) });
    expect(epsilon).toBeLessThanOrEqual(1e-6);
    expect(epsilon).toBeGreaterThan(0);
    const fewer = choose(n, { loss: configured(loss), params: { m: Number(params.m) - 1 } });
    expect(fewer.epsilon).toBeGreaterThan(1e-6);
    expect(params.m).toBeLessThan(n);
  });

  test("a stricter target, or more loss, asks more", () => {
    const sizes = [
      choose(1000),
      choose(1000, { epsilon: 1e-9 }),
      choose(1000, { epsilon: 1e-9, loss: configured(0.1) }),
    ];
    const [a, b, c] = sizes.map(({ params }) => Number(params.m));
    expect([a < b, b < c]).toEqual([true, true]);
    // Two halves of a group and one more always meet, and without loss that is enough.
    expect(choose(1000, { epsilon: 0 })).toMatchObject({ params: { m: 501 }, epsilon: 0 });
  });

  test("parameters of the user's own stay", () => {
    expect(choose(10, { params: { window: 2, m: 7 } }).params).toEqual({ window: 2, m: 7 });
  });
});

describe("other protocols", () => {
  test("the name referees means those without rounds; a custom protocol keeps its name", () => {
    expect(choose(10, { protocol: "referees" }).protocol).toBe("referees-async");
    const own = defineProtocol({ ...(find("referees") as object), name: "referees" } as never) as AnyProtocol;
    expect(choose(10, { protocol: own })).toMatchObject({ protocol: "referees", params: {} });
  });

  test("all that elect one leader can be chosen, for groups of every size, and travel in a claim", () => {
    const electing = catalogue.filter(({ name }) => !name.startsWith("council-") && name !== "epidemic-multicast");
    for (const { name } of electing) {
      for (const n of [1, 2, 3, 10, 100]) {
        const setting = choose(n, { protocol: name, loss: configured(0.01) });
        expect(isSetting(setting)).toBe(true);
        expect(encodedSize(setting)).toBeLessThan(256);
        resolveParameters(find(setting.protocol), setting.params, n);
      }
    }
  });

  test("epsilon comes from theory, and where there is none it is null, in words", () => {
    const tournament = choose(100, { protocol: "tournament-async" });
    expect(tournament.epsilon).toBeCloseTo(0.0029, 4);
    // What links repair in time is not lost.
    expect(choose(100, { protocol: "tournament-async", loss: configured(0.01) }).epsilon).toBeCloseTo(0.0029, 4);
    expect(choose(10, { protocol: "filter-relay", loss: configured(0.1) }).epsilon).toBe(0);
    expect(choose(10, { protocol: "known-highest" }).epsilon).toBe(0);
    const unknown = choose(10, { protocol: "random-walks" });
    expect(unknown.epsilon).toBeNull();
    expect(epsilonInWords(unknown)).toContain("epsilon unknown: no formula");
    expect(epsilonInWords(choose(1000))).toMatch(
      /^epsilon \d\.\de-7: the chance of two leaders in one election, given/,
    );
  });

  test("where a group has become too small for its protocol, referees will do", () => {
    expect(choose(1, { protocol: "random-walks" }).protocol).toBe("referees-async");
  });
});

test("the chance of two leaders is a certainty at most, and nothing where all are asked", () => {
  const epsilon = (n: number, m: number, loss = 0) => choose(n, { params: { m }, loss: configured(loss) }).epsilon;
  expect([epsilon(100, 99)! > 0, epsilon(100, 100), epsilon(100, 101)]).toEqual([false, 0, 0]);
  expect([epsilon(1000, 1), epsilon(1000, 20)]).toEqual([1, expect.any(Number)]);
  // Of every two that stand, each may miss the other.
  const pairs = epsilon(1000, 60)!;
  expect(pairs).toBeGreaterThan(0);
  expect(pairs / pairMiss(1000, 60, 0)).toBeCloseTo((STANDERS * (STANDERS - 1)) / 2, 6);
});

test("percentages have three digits", () => {
  expect(lossInWords({ loss: 0.123456, lossLow: 0, lossFrom: "configured" })).toBe(
    "12.3% of messages lost (configured)",
  );
  expect(epsilonInWords({ epsilon: 0, protocol: "x" })).toMatch(/^epsilon 0: /);
  expect(epsilonInWords({ epsilon: 1, protocol: "x" })).toMatch(/^epsilon 1\.0e\+0: /);
});

test("what was chosen is kept", () => {
  expect(choose(500)).toBe(choose(500));
});

describe("loss", () => {
  test("measured: the interval of Wilson, for one message of the two of a probe, rounded outwards", () => {
    // 20 of 1000: 1.30% to 3.07% of probes, 0.65% to 1.55% of messages.
    expect(lossOf(null, { probes: 1000, lost: 20 })).toEqual({ from: "measured", low: 0.005, high: 0.02 });
    expect(lossOf(null, { probes: 1000, lost: 0 })).toEqual({ from: "measured", low: 0, high: 0.002 });
    expect(lossOf(null, { probes: 50, lost: 50 })).toEqual({ from: "measured", low: 0.5, high: 0.5 });
  });

  test("few probes say little: 5% is assumed, or what was seen where that is more", () => {
    expect(lossOf(null, { probes: 0, lost: 0 })).toEqual({ from: "measured", low: 0, high: 0.05 });
    expect(lossOf(null, { probes: 10, lost: 0 })).toEqual({ from: "measured", low: 0, high: 0.05 });
    expect(lossOf(null, { probes: 10, lost: 4 }).high).toBe(0.3);
  });

  test("from 30 probes on the interval counts, however wide it is", () => {
    const high = (probes: number, lost: number) => lossOf(null, { probes, lost }).high;
    expect([high(29, 0), high(30, 0)]).toEqual([0.05, 0.1]);
    // A class of loss holds its own end.
    expect([lossOf(null, { probes: 4000, lost: 4000 }).low, lossOf(null, { probes: 4000, lost: 3000 }).high]).toEqual([
      0.5, 0.5,
    ]);
  });

  test("configured: as it was given", () => {
    expect(lossOf(0.013, { probes: 1000, lost: 500 })).toEqual({ from: "configured", low: 0.013, high: 0.013 });
  });

  test("in words it always says where it comes from", () => {
    expect(lossInWords(choose(9, { loss: configured(0.01) }))).toBe("1% of messages lost (configured)");
    expect(lossInWords(choose(9, { loss: lossOf(null, { probes: 1000, lost: 20 }) }))).toBe(
      "0.5% to 2% of messages lost (measured by probes, 95% interval; 2% is used)",
    );
  });
});

// Where messages take longer than tau, elections take their time until somebody wins.

test("the first two tries are quick, then each takes twice as long, within bounds", () => {
  expect([0, 1, 2, 3, 4, 9].map(paceAfter)).toEqual([1, 1, 2, 4, SLOWEST, SLOWEST]);
});

test("a group whose messages take almost four tau elects all the same", () => {
  const { tau } = timesFor("lan");
  for (let seed = 1; seed <= 3; seed++) {
    const group = runGroup({ n: 5, seed, delay: [3.5 * tau, 3.9 * tau], params: { watch: false } });
    expect(group.until(() => group.agreed() !== null, 30_000)).toBe(true);
  }
});
