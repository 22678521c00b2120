import { describe, expect, test, vi } from "vitest";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { FlatTable } from "./flat-table.ts";
import { refereesKernel } from "./referees.ts";

const request = (n: number, rest: Partial<Request> = {}): Request => ({ protocol: "referees", n, seed: 5, ...rest });

describe("the referees kernel", () => {
  test.each([
    [2, {}],
    [3, {}],
    [10, { explicit: true }],
    [100, {}],
    [100, { referees: 3 }],
    [100, { estimate: 4 }],
    [100, { estimate: 0.01 }],
    [100, { candidates: 0 }],
    [100, { candidates: 100 }],
    [1000, { explicit: true, candidates: 3, referees: 12 }],
    [1000, { threshold: 0.9 }],
    [30000, {}],
  ])("n = %i, %j: equal to the protocol, bit for bit, and it ran", (n, params) => {
    const fast = resolve(request(n, { params }));
    const slow = resolve(request(n, { params, kernel: "off" }));
    expect([fast.kernel, slow.kernel]).toEqual(["referees", null]);
    const ran = vi.spyOn(refereesKernel, "run");
    const trials = n > 1000 ? 2 : 40;
    for (let trial = 0; trial < trials; trial++) expect(runTrial(fast, trial)).toEqual(runTrial(slow, trial));
    expect(ran).toHaveBeenCalledTimes(trials);
    ran.mockRestore();
  });

  test.each([
    [{ params: { wakeup: "adversarial" } }, "wakeup=simultaneous"],
    [{ params: { answers: "all" } }, "answers=winner"],
    [{ initiators: 5 }, "initiators"],
    [{ faults: { loss: 0.1 } }, "no faults"],
    [{ faults: { crashes: [{ node: 1, at: 1 }] } }, "no faults"],
    [{ topology: "regular:4" }, "complete graphs"],
    [{ params: { candidates: 50000 }, n: 100000 }, "too many"],
  ] as [Partial<Request>, string][])("refuses %j", (rest, reason) => {
    const settings = resolve(request(100, rest));
    expect(settings.kernel).toBe(null);
    expect(refereesKernel.refuses(settings)).toContain(reason);
  });

  test("is what lets n pass 2^24, and the error says why where it cannot", () => {
    expect(resolve(request(2 ** 24 + 1)).kernel).toBe("referees");
    expect(() => resolve(request(2 ** 24 + 1, { kernel: "off" }))).toThrow("set kernel to auto");
    expect(() => resolve(request(2 ** 24 + 1, { faults: { loss: 0.1 } }))).toThrow("knows no faults");
    expect(() => resolve({ protocol: "peterson", n: 2 ** 24 + 1 })).toThrow("has no kernel");
  });

  test("runs 10^8 processes in memory proportional to messages", () => {
    const before = process.memoryUsage().arrayBuffers;
    const { outcome, messages, measures } = runTrial(resolve(request(1e8)), 0);
    expect(outcome).toBe("one");
    const requests = measures.candidates * 2 * Math.ceil(Math.sqrt(1e8 * Math.log(1e8)));
    expect(messages).toBe(requests + measures.wins);
    // Six bytes an entry at a load of 1/1.4, and the candidate's own set.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 * requests);
  });
});

test("the flat table is a map from keys to values", () => {
  const table = new FlatTable(1000);
  const reference = new Map<number, number>();
  for (let i = 0; i < 1000; i++) {
    const key = (i * i * 7919) % 4294967290;
    const slot = table.find(key);
    expect(table.has(slot)).toBe(reference.has(key));
    if (reference.has(key)) table.replace(slot, i % 9);
    else table.put(slot, key, i % 9);
    reference.set(key, i % 9);
  }
  for (const [key, value] of reference) expect(table.value(table.find(key))).toBe(value);
  expect(table.size).toBe(reference.size);
  const counts = [...table.countValues(9)];
  expect(counts).toEqual(counts.map((_, value) => [...reference.values()].filter((other) => other === value).length));
});
