import fc from "fast-check";
import { expect, test } from "vitest";
import { ReplayWindow, WINDOW } from "./lives.ts";

test("accepts a counter once, and none from below the window", () => {
  const counters = fc.array(
    fc.oneof(fc.nat({ max: 3 * WINDOW }), fc.nat({ max: 40 }), fc.integer({ min: 2 ** 40, max: 2 ** 40 + 2000 })),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(counters, (sequence) => {
      const window = new ReplayWindow();
      const seen = new Set<number>();
      let highest = -1;
      for (const counter of sequence) {
        const expected = !seen.has(counter) && counter > highest - WINDOW;
        expect(window.accept(counter)).toBe(expected);
        seen.add(counter);
        highest = Math.max(highest, counter);
      }
    }),
    { numRuns: 500, seed: 8 },
  );
});
