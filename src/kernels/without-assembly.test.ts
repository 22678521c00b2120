/** Kernels that run in WebAssembly give the same in JavaScript, where the host is too slow to be compared with. */
import { expect, test, vi } from "vitest";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { LinearMemory } from "./linear-memory.ts";

const faults = [{}, { loss: 0.05 }, { loss: 0.02, crash: 0.1 }];

test.each([
  { protocol: "referees", n: 20_000 },
  { protocol: "referees", n: 3000, params: { answers: "all" } },
  { protocol: "tournament", n: 5000 },
  // Draws below 2^12 and above it in one sample.
  { protocol: "tournament", n: 4097 },
  { protocol: "tournament", n: 2000, params: { failures: "no-refusal", gamma: 0.1 } },
  { protocol: "tournament", n: 2000, params: { sigma: "alpha", rounding: "stochastic" } },
  { protocol: "tournament", n: 2000, initiators: 900 },
] as Request[])("%j", (request) => {
  for (const more of faults) {
    const settings = resolve({ ...request, ...more, seed: 3 });
    expect(settings.kernel).toBe(request.protocol);
    const open = vi.spyOn(LinearMemory, "open");
    const quick = [0, 1].map((trial) => runTrial(settings, trial));
    expect(open.mock.results.map(({ value }) => value instanceof LinearMemory)).toEqual([true, true]);
    open.mockReturnValue(null);
    expect([0, 1].map((trial) => runTrial(settings, trial))).toEqual(quick);
    open.mockRestore();
  }
});
