import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualRuns, expectRefusal } from "../../../test/support/kernels.ts";
import { HostStream } from "../../random/streams.ts";
import { sample } from "../../random/subsets.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { Sampler } from "../sampler.ts";
import { FlatTable } from "./contest.ts";
import { refereesKernel } from "./referees.ts";

const request = (n: number, rest: Partial<Request> = {}): Request => ({ protocol: "referees", n, seed: 5, ...rest });

const faults: Partial<Request>[] = [
  {},
  { loss: 0.05 },
  { loss: 0.5, multicastLoss: 0.5 },
  { loss: 1 },
  { crash: 0.2 },
  { crash: 1 },
  { crash: 0.1, loss: 0.1 },
  { faults: { crash: 0.1, crashes: [{ node: 1, at: 0 }] } },
];

describe("the referees kernel", () => {
  test.each([
    [2, {}],
    [3, {}],
    [4, { explicit: true }],
    [10, { explicit: true, threshold: 0.5 }],
    [10, { explicit: true, answers: "all", threshold: 0 }],
    [30, { candidates: 6, referees: 20, answers: "all", threshold: 0.6, explicit: true }],
    [100, {}],
    [100, { answers: "all", threshold: 0.7 }],
    [100, { referees: 3 }],
    [100, { estimate: 4 }],
    [100, { estimate: 0.01 }],
    [100, { candidates: 0 }],
    [100, { candidates: 100 }],
    [1000, { explicit: true, candidates: 3, referees: 12 }],
    [1000, { threshold: 0.9 }],
  ])("n = %i, %j: equal to the protocol under every fault, bit for bit, and it ran", (n, params) => {
    const trials = n < 500 ? effort(3, 60) : effort(1, 10);
    for (const fault of faults) expectEqualRuns(refereesKernel, request(n, { params, ...fault }), trials);
  });

  test("at a larger size", () => expectEqualRuns(refereesKernel, request(30_000, { crash: 0.01 }), 2));

  test.each([
    [{ params: { wakeup: "adversarial" } }, "wakeup=simultaneous"],
    [{ initiators: 5 }, "initiators"],
    [{ duplicate: 0.1 }, "no faults but"],
    [{ faults: { crashes: [{ node: 1, at: 1 }] } }, "no faults but"],
    [{ topology: "regular:4" }, "complete graphs"],
  ] as [Partial<Request>, string][])("refuses %j", (rest, reason) => {
    expectRefusal(refereesKernel, request(100, rest), reason);
  });

  test("leaves very many candidates to the host", () => {
    expectRefusal(refereesKernel, request(100_000, { params: { candidates: 50_000 } }), "too many");
  });

  test("is what lets n pass 2^24, and the error says why where it cannot", () => {
    expect(resolve(request(2 ** 24 + 1)).kernel).toBe("referees");
    expect(resolve(request(2 ** 24 + 1, { faults: { loss: 0.1, crash: 0.1 } })).kernel).toBe("referees");
    expect(() => resolve(request(2 ** 24 + 1, { kernel: "off" }))).toThrow("set kernel to auto");
    expect(() => resolve(request(2 ** 24 + 1, { duplicate: 0.1 }))).toThrow("no faults but");
    expect(() => resolve({ protocol: "peterson", n: 2 ** 24 + 1 })).toThrow("has no kernel");
  });

  test("runs 10^8 processes in memory proportional to messages, with some faults too", () => {
    const before = process.memoryUsage().arrayBuffers;
    const { outcome, messages, measures } = runTrial(resolve(request(1e8)), 0);
    expect(outcome).toBe("one");
    const requests = measures.candidates * 2 * Math.ceil(Math.sqrt(1e8 * Math.log(1e8)));
    expect(messages).toBe(requests + measures.wins);
    // A bit for each process, and a candidate's own requests.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * (1e8 / 8) + 12 * requests);
  });
});

test.each([1000, 2 ** 24 + 5])("the sampler out of %i makes the draws of Floyd's algorithm", (n) => {
  const sampler = new Sampler(n);
  for (const k of [1, 2, 40, 900, 7]) {
    const into = new Int32Array(k + 3);
    sampler.draw(new HostStream(k, 0, "ids"), k, into, 3);
    const source = new HostStream(k, 0, "ids");
    expect([...into.subarray(3)]).toEqual(sample((m) => source.choose(m), k, n));
  }
});

test("the flat table is a map from keys to values", () => {
  const table = new FlatTable(1000);
  const reference = new Map<number, number>();
  for (let i = 0; i < 1000; i++) {
    const key = (i * i * 7919) % 4294967290;
    const slot = table.find(key);
    expect(table.has(slot)).toBe(reference.has(key));
    if (reference.has(key)) continue;
    table.put(slot, key, i * 70_000);
    reference.set(key, i * 70_000);
  }
  for (const [key, value] of reference) expect(table.value(table.find(key))).toBe(value);
  expect(table.size).toBe(reference.size);
});
