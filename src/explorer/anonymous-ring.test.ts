/** No machine elects on an anonymous ring without randomness: all machines of three states and one message are tried. */
import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { impossibility } from "./anonymous-ring.ts";

const TIMINGS = [
  // First moves, moves of the undecided, of the lost and of the elected: without silent moves 6 * 6 * 2 * 2, with them 6 * 36 * 4 * 4.
  ["asynchronous", 144],
  ["synchronous", 3456],
] as const;

test.each(TIMINGS.slice(0, effort(1, 2)))("%s: all %i machines stay symmetric on a ring of two", (timing, machines) => {
  const row = impossibility(timing, 2);
  expect(row).toMatchObject({ timing, n: 2, machines, asymmetric: 0, oneLeader: 0 });
  expect(row.configurations).toBeGreaterThanOrEqual(machines);
});
