/** A `Set` of JavaScript ends at 2^24 entries, and kernels run more processes than that: none may hold a share of them all. */
import { expect, test, vi } from "vitest";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";

const n = 3000;
const faults = { crashes: [{ node: 7, at: 0 }] };

test.each([
  { protocol: "chang-roberts", initiators: n / 2 },
  { protocol: "chang-roberts", initiators: n / 2, crash: 0.3, loss: 0.1 },
  { protocol: "chang-roberts", crash: 0.3, faults },
  { protocol: "tournament", crash: 0.3 },
  { protocol: "tournament", crash: 0.3, faults, initiators: n / 2 },
  { protocol: "tournament", loss: 0.5 },
  { protocol: "tournament-async", crash: 0.3, faults, loss: 0.5 },
] satisfies Request[])("%j", (request) => {
  const settings = resolve({ n, ...request });
  expect(settings.kernel).toBe(request.protocol);
  let largest = 0;
  const { add } = Set.prototype;
  const watched = vi.spyOn(Set.prototype, "add").mockImplementation(function (this: Set<unknown>, value) {
    add.call(this, value);
    largest = Math.max(largest, this.size);
    return this;
  });
  runTrial(settings, 0);
  watched.mockRestore();
  expect(largest).toBeLessThan(n / 16);
});
