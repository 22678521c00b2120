import { expect, test } from "vitest";
import { NodeStream } from "../../random/streams.ts";
import { pairHalfLinks } from "./configuration.ts";

test("where one half-link is left over, it is anyone's, as often", () => {
  const left = [0, 0, 0];
  for (let trial = 0; trial < 90; trial++) {
    const { linked, unpaired } = pairHalfLinks(new NodeStream(1, trial, 0), [1, 1, 1]);
    expect([linked.size, unpaired]).toEqual([1, 1]);
    const [key] = linked;
    left[3 - Math.floor(key / 3) - (key % 3)]++;
  }
  // A third of 90 each; four standard deviations are 18.
  for (const times of left) expect(Math.abs(times - 30)).toBeLessThan(18);
});
