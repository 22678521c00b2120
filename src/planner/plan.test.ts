import { describe, expect, test } from "vitest";
import { simulate } from "../campaign/simulate.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { runHere } from "../statistics/run.ts";
import { type Candidate, plan } from "./plan.ts";

const find = (candidates: readonly Candidate[], name: string) => candidates.find(({ protocol }) => protocol === name);

test("every protocol is either a candidate that meets the target or rejected with a reason; cheapest first", async () => {
  for (const request of [
    { n: 5000, success: 0.999999, loss: 0.01, crash: 0.001 },
    { n: 3, success: 0.999, loss: 0.1 },
    { n: 40, success: 0.99, loss: 0.02, crash: 0.01 },
    { n: 1000, success: 0.9999, council: { L: 4, U: 8 }, loss: 0.05 },
  ]) {
    const { candidates, rejected } = await plan(request);
    const names = new Set([...candidates, ...rejected].map(({ protocol }) => protocol));
    expect([...names].sort()).toEqual(catalogue.map(({ name }) => name).sort());
    for (const { pNone, pMany } of candidates) expect(1 - pNone - pMany).toBeGreaterThanOrEqual(request.success);
    for (const { reason } of rejected) expect(reason.length).toBeGreaterThan(20);
    const messages = candidates.map((candidate) => candidate.messages);
    expect(messages).toEqual([...messages].sort((a, b) => a - b));
  }
});

test("samples grow beyond the papers': their quorums cannot give 0.999999 at n = 5000", async () => {
  const { candidates } = await plan({ n: 5000, success: 0.999999 });
  expect(Number(find(candidates, "quorum")!.parameters.s)).toBeGreaterThan(207);
  expect(Number(find(candidates, "tournament")!.parameters.s)).toBeGreaterThan(207);
});

test("under loss more are asked than have to agree, so that quorums keep a promise of 0.999999 too", async () => {
  const { candidates } = await plan({ n: 5000, success: 0.999999, loss: 0.01, crash: 0.001 });
  for (const name of ["quorum", "tournament", "tournament-async"]) {
    const { s, ask } = find(candidates, name)!.parameters;
    expect(Number(ask)).toBeGreaterThan(Number(s));
  }
});

// Targets of 0.9 leave room for failures that 600 trials show. 4 standard errors: a false alarm in 15,000 each.
test("what is promised is kept", async () => {
  const faults = { loss: 0.03, crash: 0.02 };
  const n = 30;
  const { candidates } = await plan({ n, success: 0.9, ...faults });
  expect(candidates.length).toBeGreaterThan(2);
  for (const { protocol, parameters, messages } of candidates) {
    const report = await simulate({ protocol, n, params: parameters, faults, trials: 600 });
    const slack = 4 * Math.sqrt((0.9 * 0.1) / 600);
    expect({ protocol, kept: report.success.rate! >= 0.9 - slack }).toEqual({ protocol, kept: true });
    const error = (report.messages.sd! * 4) / Math.sqrt(600);
    expect(Math.abs(report.messages.mean! - messages)).toBeLessThan(error + 0.04 * messages);
  }
});

test("a latency is met by other parameters, or is the reason", async () => {
  const free = await plan({ n: 1000, success: 0.999 });
  const quick = await plan({ n: 1000, success: 0.999, latency: 12 });
  const rounds = (candidates: readonly Candidate[]) => Number(find(candidates, "tournament")!.parameters.J);
  expect(rounds(quick.candidates)).toBeLessThan(rounds(free.candidates));
  expect(quick.rejected.find(({ protocol }) => protocol === "chang-roberts")!.reason).toContain("message delays");
});

test("on a network that is not complete", async () => {
  const { candidates, rejected } = await plan({ n: 64, success: 0.99, topology: "hypercube" });
  expect(candidates[0]).toMatchObject({ protocol: "random-walks", method: "pilot" });
  const again = await plan({ n: 64, success: 0.99, topology: "hypercube" });
  expect(again.candidates).toEqual(candidates);
  expect(rejected.find(({ protocol }) => protocol === "peterson")!.reason).toContain("ring");
});

test("verification draws afresh: not the trials of the pilot that chose, on the network that it chose for", async () => {
  const runs: { first: number; last: number; seed: number }[] = [];
  await plan(
    { n: 64, success: 0.9, topology: "hypercube", verify: true },
    {
      run: (settings, { trials, first = 0 }) => {
        runs.push({ first, last: first + trials - 1, seed: settings.seed });
        return runHere(settings, { trials: Math.min(trials, 50), first });
      },
    },
  );
  const pilots = runs.filter(({ first }) => first === 0);
  const verifications = runs.filter(({ first }) => first > 0);
  expect(pilots.length).toBeGreaterThan(0);
  expect(verifications.length).toBeGreaterThan(0);
  expect(new Set(runs.map(({ seed }) => seed)).size).toBe(1);
  const seen = Math.max(...pilots.map(({ last }) => last));
  for (const { first } of verifications) expect(first).toBeGreaterThan(seen);
});

test("verification stands beside the first three", async () => {
  const { candidates } = await plan({ n: 8, success: 0.9, verify: true });
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
    [{ n: 10, success: 0.9, initiators: 11 }, "initiators"],
    [{ n: 10, success: 0.9, topology: "nosuch" }, "nosuch"],
    [{ n: 5, success: 0.9, topology: "torus:3x3" }, "9"],
  ])("%o", async (request, message) => {
    await expect(plan(request)).rejects.toThrow(message);
  });
});
