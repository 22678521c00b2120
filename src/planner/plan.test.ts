import { describe, expect, test } from "vitest";
import { effort, isLong } from "../../test/support/effort.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { referees } from "../protocols/complete/referees.ts";
import { type Runner, runHere } from "../statistics/chunk.ts";
import { carriageOf } from "./carriage.ts";
import { MOST_PILOTED } from "./pilot.ts";
import { type Candidate, type Plan, type PlanRequest, plan } from "./plan.ts";
import { checkPlan } from "./setting.ts";

/** The plan for a request that several tests ask for. */
const plans = new Map<string, Promise<Plan>>();
function planned(request: PlanRequest): Promise<Plan> {
  const key = JSON.stringify(request);
  if (!plans.has(key)) plans.set(key, plan(request));
  return plans.get(key)!;
}

const find = (candidates: readonly Candidate[], name: string) => candidates.find(({ protocol }) => protocol === name);

test.each([
  { n: 3, success: 0.999, loss: 0.1 },
  ...effort<(PlanRequest & { success: number })[]>(
    [],
    [
      { n: 10, success: 0.99, loss: 0.02, crash: 0.01 },
      { n: 5000, success: 0.999999, loss: 0.01, crash: 0.001 },
      { n: 1000, success: 0.9999, council: { L: 4, U: 8 }, loss: 0.05 },
    ],
  ),
])(
  "%j: every protocol is a candidate that meets the target or rejected with a reason; cheapest first",
  async (request) => {
    const { candidates, rejected } = await planned(request);
    const names = new Set([...candidates, ...rejected].map(({ protocol }) => protocol));
    expect([...names].sort()).toEqual(catalogue.map(({ name }) => name).sort());
    for (const { pNone, pMany } of candidates) expect(1 - pNone - pMany).toBeGreaterThanOrEqual(request.success);
    for (const { reason } of rejected) expect(reason.length).toBeGreaterThan(20);
    const datagrams = candidates.map((candidate) => candidate.datagrams);
    expect(datagrams).toEqual([...datagrams].sort((a, b) => a - b));
  },
);

test("samples grow beyond the papers': their quorums cannot give 0.999999 at n = 5000", async () => {
  const { candidates } = await plan({ n: 5000, success: 0.999999 });
  expect(Number(find(candidates, "quorum")!.parameters.s)).toBeGreaterThan(207);
  expect(Number(find(candidates, "tournament")!.parameters.s)).toBeGreaterThan(207);
});

test("under loss more are asked than have to agree, so that quorums keep a promise of 0.999999 too", async () => {
  const { candidates } = await planned({ n: 5000, success: 0.999999, loss: 0.01, crash: 0.001 });
  for (const name of ["quorum", "tournament", "tournament-async"]) {
    const { s, ask } = find(candidates, name)!.parameters;
    expect(Number(ask)).toBeGreaterThan(Number(s));
  }
});

test.runIf(isLong)("a latency is met by other parameters, or is the reason", async () => {
  const free = await plan({ n: 1000, success: 0.999 });
  const quick = await plan({ n: 1000, success: 0.999, latency: 12 });
  const rounds = (candidates: readonly Candidate[]) => Number(find(candidates, "tournament")!.parameters.J);
  expect(rounds(quick.candidates)).toBeLessThan(rounds(free.candidates));
  expect(quick.rejected.find(({ protocol }) => protocol === "chang-roberts")!.reason).toContain("message delays");
});

test.runIf(isLong)("on a network that is not complete", async () => {
  const { candidates, rejected } = await plan({ n: 8, success: 0.9, topology: "hypercube" });
  const walks = find(candidates, "random-walks")!;
  expect(walks).toMatchObject({ method: "pilot" });
  expect((await plan({ n: 8, success: 0.9, topology: "hypercube" })).candidates).toEqual(candidates);
  expect(rejected.find(({ protocol }) => protocol === "peterson")!.reason).toContain("ring");
});

test("verification draws afresh: not the trials of a pilot that chose, on the network that it chose for", async () => {
  const runs: { first: number; seed: number }[] = [];
  await plan(
    { n: 8, success: 0.9, topology: "hypercube", verify: true, seed: 5 },
    {
      run: (settings, { trials, first = 0 }) => {
        runs.push({ first, seed: settings.seed });
        return runHere(settings, { trials: Math.min(trials, 20), first });
      },
    },
  );
  expect(runs.length).toBe(3);
  // Another seed would be another network; other numbers of trials are other draws on the same one.
  for (const { first, seed } of runs) expect({ seed, fresh: first >= MOST_PILOTED }).toEqual({ seed: 5, fresh: true });
});

test("verification stands beside the first three", async () => {
  const few: Runner = (settings, options) => runHere(settings, { ...options, trials: Math.min(options.trials, 150) });
  const { candidates } = await plan({ n: 4, success: 0.9, verify: true }, { run: few });
  const [first, , , fourth] = candidates;
  expect(first.verified!.trials).toBeGreaterThan(100);
  expect(first.verified!.success.low).toBeLessThanOrEqual(first.verified!.success.rate!);
  expect(fourth.verified).toBeNull();
});

describe("refused", () => {
  test.each([
    [{ n: 0, success: 0.9 }, "n must be"],
    [{ n: 10, success: 1 }, "no randomized protocol is certain"],
    [{ n: 10, success: 0.9, loss: 1 }, "loss must be"],
    [{ n: 10, success: 0.9, council: { L: 5, U: 4 } }, "council must be a range of sizes"],
    [{ n: 10, success: 0.9, council: { L: 11, U: 12 } }, "L must be"],
    [{ n: 10, success: 0.9, latency: 0 }, "latency"],
    [{ n: 10, within: "3 moons" }, "within must be a time above 0"],
    [{ n: 10, within: "3ms" }, "how long does a message take"],
    [{ n: 10, none: 0.6, several: 0.4 }, "leave no room"],
    [{ n: 10, success: 0.9, initiators: 11 }, "initiators"],
    [{ n: 10, success: 0.9, topology: "nosuch" }, "nosuch"],
    [{ n: 5, success: 0.9, topology: "torus:3x3" }, "9"],
  ])("%o", async (request, message) => {
    await expect(plan(request)).rejects.toThrow(message);
  });
});

describe("the network that there is", () => {
  test("without IP multicast its copies are counted, so filter-relay no longer wins 500 servers with 10 messages", async () => {
    const cloud = await plan({ n: 500, loss: 0.01 });
    const radio = await plan({ n: 500, loss: 0.01, multicast: true });
    expect(find(radio.candidates, "filter-relay")!.datagrams).toBeLessThan(60);
    expect(find(cloud.candidates, "filter-relay")!.datagrams).toBeGreaterThan(10_000);
    expect(cloud.candidates[cloud.advice.take!].protocol).toBe("referees");
    expect(cloud.advice.sentences[0]).toMatch(/^Take referees: about \d+ datagrams an election, done within 2 message/);
  });

  test("loss strikes every datagram, unless that of multicasts is given", async () => {
    const lossy = await plan({ n: 20, loss: 0.1, multicast: true });
    expect(find(lossy.candidates, "filter-relay")!.rates).toEqual({ loss: 0.1, multicastLoss: 0.1, crash: 0 });
    const given = await plan({ n: 20, loss: 0.1, multicastLoss: 0, multicast: true });
    expect(find(given.candidates, "filter-relay")!.rates).toEqual({ loss: 0.1, multicastLoss: 0, crash: 0 });
  });

  test.runIf(isLong)(
    "hops count: on a torus of 144 nothing takes two delays, and loss strikes on every link of a walk",
    async () => {
      const { candidates } = await plan({ topology: "torus:12x12" });
      for (const { time, datagrams } of candidates) expect(time > 30 && datagrams > 300).toBe(true);
      const lossy = await plan({ topology: "torus:4x4", loss: 0.001, success: 0.9 });
      expect(find(lossy.candidates, "referees-async")!.rates.loss).toBeGreaterThan(0.003);
    },
  );

  test("acknowledged links admit rings, whose acknowledgements count; dense ids admit time-slice", async () => {
    const { candidates } = await plan({ n: 12, loss: 0.05, reliable: true });
    const ring = find(candidates, "chang-roberts")!;
    expect(ring).toMatchObject({ acknowledged: true, method: "pilot", pNone: 0, pMany: 0 });
    expect(ring.datagrams / ring.messages).toBeGreaterThan(2);
    expect(ring.time).toBeGreaterThan(24);
    expect(find((await plan({ n: 12, denseIds: true })).candidates, "time-slice")).toMatchObject({ time: 24 });
    const { rejected } = await plan({ n: 12 });
    expect(rejected.find(({ protocol }) => protocol === "time-slice")!.reason).toContain("1 to n");
  });
});

describe("targets", () => {
  test("a time of its own, in delays or milliseconds: hops, rounds and retries fit into it", async () => {
    for (const within of ["12tau", "600ms"]) {
      const { candidates, rejected } = await plan({ n: 100, loss: 0.02, within, tau: 50 });
      for (const { time, milliseconds } of candidates) {
        expect(time).toBeLessThanOrEqual(12);
        expect(milliseconds!.time).toBeCloseTo(50 * time, 9);
      }
      expect(rejected.find(({ protocol }) => protocol === "filter-relay")!.reason).toMatch(
        /ended within .* 12 are allowed/,
      );
    }
  });

  test("none and several apart: what is left for a retry makes an election cheaper, also where two must hardly ever lead", async () => {
    const strict = await plan({ n: 200, success: 0.999999, loss: 0.01 });
    const apart = await plan({ n: 200, none: 0.01, several: 1e-6, loss: 0.01 });
    for (const { pNone, pMany } of apart.candidates) expect(pNone <= 0.01 && pMany <= 1e-6).toBe(true);
    const cost = (candidates: readonly Candidate[]) => find(candidates, "referees-async")!.datagrams;
    expect(cost(apart.candidates)).toBeLessThan(0.6 * cost(strict.candidates));
  });

  test("the frontier: no other is as cheap, as quick and as safe", async () => {
    const { candidates } = await plan({ n: 60, loss: 0.05 });
    expect(candidates[0].frontier).toBe(true);
    expect(candidates.every(({ frontier }) => frontier)).toBe(false);
    const quickest = Math.min(...candidates.map(({ time }) => time));
    expect(candidates.find(({ time }) => time === quickest)!.frontier).toBe(true);
  });
});

describe("advice", () => {
  test("of one process there is nothing quicker or cheaper", async () => {
    const { advice } = await plan({ n: 1 });
    expect(advice.sentences).toHaveLength(2);
  });

  test.runIf(isLong)("says what acknowledged links would do where they are not allowed, and costs less", async () => {
    const ring = { n: 16, topology: "ring", loss: 0.02 };
    const { advice } = await plan(ring);
    expect(advice.take).toBeNull();
    expect(advice.sentences[1]).toMatch(/--reliable.* chang-roberts would do with about \d+ datagrams/);
    expect((await plan({ ...ring, reliable: true })).advice.sentences.join()).not.toContain("--reliable");
    expect((await plan({ n: 16, loss: 0.02 })).advice.sentences.join()).not.toContain("--reliable");
  });

  test("a target that is missed by a hair is not said to be reached", async () => {
    const { rejected } = await plan({ n: 4, loss: 0.01, crash: 0.001 });
    const { reason } = rejected.find(({ protocol }) => protocol === "filter-relay")!;
    expect(reason).not.toContain("reaches 0.999, not 0.999");
    expect(reason).toContain("crashes in the round");
  });
});

test("a walk ends at a process that has crashed, and that is a loss to those who ask", () => {
  const lost = (faults: object) =>
    carriageOf(checkPlan({ n: 32, topology: "hypercube", ...faults }), referees).setting.loss;
  expect(lost({ crash: 0.02 })).toBeGreaterThan(0.05);
  expect(lost({ crash: 0.02, loss: 0.01 })).toBeGreaterThan(lost({ crash: 0.02 }));
  expect(carriageOf(checkPlan({ n: 32, crash: 0.02 }), referees).setting.loss).toBe(0);
});

test.runIf(isLong)("over acknowledged links a bound is no price: a tree costs what it costs", async () => {
  const grid = { topology: "torus:3x3" };
  const bare = find((await plan(grid)).candidates, "tree-election")!;
  const linked = find((await plan({ ...grid, loss: 0.001, reliable: true })).candidates, "tree-election")!;
  expect(linked.datagrams / bare.datagrams).toBeLessThan(2.5);
  expect(linked.delays / bare.delays).toBeLessThan(1.5);
});
