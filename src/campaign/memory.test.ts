import { describe, expect, test } from "vitest";
import { isLong } from "../../test/support/effort.ts";
import { InputError } from "../errors.ts";
import { isOutOfMemory, leastMemory, refuseTooLarge } from "../simulation/memory.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { campaign } from "./campaign.ts";
import { WorkerPool } from "./pool.ts";

const GIGABYTE = 2 ** 30;

describe("what cannot fit is refused before it starts", () => {
  test.each([
    [
      { protocol: "tournament-async", n: 10_000_000, kernel: "off" },
      "at least 9.3 GB of memory, and there is 4 GB: choose a smaller n",
    ],
    [{ protocol: "quorum", n: 1_000_000 }, "at least 210 GB"],
    [{ protocol: "hirschberg-sinclair", n: 2 ** 24 }, "at least 5.6 GB"],
    [{ protocol: "tournament", n: 10_000_000, kernel: "off" }, "at least 10 GB"],
    [{ protocol: "tournament", n: 1e7, params: { sigma: "alpha", alpha: 1e6, J: 1 } }, "at least 37 GB"],
    [{ protocol: "tournament", n: 1e6, params: { J: 0 }, loss: 0.1 }, "at least 28 GB"],
    [{ protocol: "filter-relay", n: 1e9, params: { rounds: 1, view: 0.5 } }, "at least"],
    [{ protocol: "filter-relay", n: 1e9, params: { K: 1e8 } }, "at least"],
  ] as [Request, string][])("%j", (request, words) => {
    const refusal = () => refuseTooLarge(resolve(request), 4 * GIGABYTE, 1);
    expect(refusal).toThrow(InputError);
    expect(refusal).toThrow(words);
  });

  test("in words that say how much each thread has", () => {
    const settings = resolve({ protocol: "peterson", n: 2 ** 24 });
    expect(() => refuseTooLarge(settings, GIGABYTE, 4)).toThrow(
      "a trial of peterson with n = 16777216 takes at least 3.9 GB of memory, and each of 4 threads has 1 GB: choose a smaller n or fewer threads",
    );
  });

  test("by a campaign too", async () => {
    const run = campaign(resolve({ protocol: "quorum", n: 2 ** 22 }), { trials: 1, threads: 1 });
    await expect(run).rejects.toThrow("takes at least");
  });
});

test("a kernel takes what its tables take, and nothing else is refused", () => {
  const of = (request: Request) => leastMemory(resolve(request));
  expect(of({ protocol: "tournament", n: 10_000_000 })).toBeLessThan(150e6);
  expect(of({ protocol: "referees", n: 1e9 })).toBe(1e9 / 8);
  expect(of({ protocol: "referees", n: 1e9, crash: 0.1 })).toBe(1e9 / 4);
  expect(of({ protocol: "referees", n: 1e9, kernel: "lumped" })).toBe(0);
  expect(of({ protocol: "filter-relay", n: 1e9, params: { view: 0.5 } })).toBeLessThan(1e5);
  expect(of({ protocol: "filter-relay", n: 1e9, params: { rounds: 1 } })).toBe(0);
  expect(of({ protocol: "filter-relay", n: 1e9, initiators: 0, params: { rounds: 1, view: 0.5 } })).toBe(0);
  expect(of({ protocol: "quorum", n: 2 ** 22, initiators: 1 })).toBeLessThan(GIGABYTE);
  for (const name of ["chang-roberts", "peterson", "tournament", "quorum", "referees", "filter-relay"]) {
    expect(() => refuseTooLarge(resolve({ protocol: name, n: 10_000 }), 8 * GIGABYTE, 1)).not.toThrow();
  }
});

test("errors for lack of memory, or of a table that is full, are told from other faults", () => {
  const thrownBy = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };
  expect(isOutOfMemory(thrownBy(() => new ArrayBuffer(2 ** 52)))).toBe(true);
  expect(isOutOfMemory(thrownBy(() => new Int32Array(2 ** 45)))).toBe(true);
  expect(isOutOfMemory(new RangeError("Set maximum size exceeded"))).toBe(true);
  expect(isOutOfMemory(new RangeError("Map maximum size exceeded"))).toBe(true);
  expect(isOutOfMemory(thrownBy(() => new Int32Array(-1)))).toBe(false);
  expect(isOutOfMemory(thrownBy(() => new Array(-1)))).toBe(false);
  expect(isOutOfMemory(new Error("Array buffer allocation failed, they say"))).toBe(false);
});

test("a last round of filter-relay in which a billion would have to be followed one by one ends in a sentence", () => {
  const settings = resolve({ protocol: "filter-relay", n: 1e9, multicastLoss: 0.9, params: { view: 0.5, rounds: 2 } });
  expect(() => runTrial(settings, 0)).toThrow(
    "filter-relay has come to round 2, in which 1000000000 members relay, too many to follow one by one: choose a smaller n, more rounds or view=1",
  );
});

// V8 asks a thread to end when its memory is full, and ends the whole process if the thread takes no turn soon: seen once, at load 12.
test.runIf(isLong)(
  "where the estimate was too low, a thread that runs out of memory ends in a sentence",
  async () => {
    const pool = new WorkerPool(1, 64 * 2 ** 20);
    try {
      const run = campaign(resolve({ protocol: "flood-max", n: 4000, topology: "complete" }), { trials: 1, pool });
      await expect(run).rejects.toThrow(
        "a trial of flood-max with n = 4000 does not fit into the 0.063 GB that a thread has: choose a smaller n",
      );
    } finally {
      await pool.close();
    }
  },
  30_000,
);
