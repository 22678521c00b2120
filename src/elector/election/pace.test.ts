/** Where messages take longer than tau, elections take their time until somebody wins. */
import { expect, test } from "vitest";
import { runGroup } from "../../../test/support/group-run.ts";
import { timesFor } from "../times.ts";
import { paceAfter, SLOWEST } from "./pace.ts";

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
