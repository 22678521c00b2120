import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { liveMulticast } from "../theory/rumour.ts";
import { Rumours } from "./rumours.ts";

const BODY = new Uint8Array(1);

/** Spreads one rumour, a delay for each datagram; says what it took. */
function spread(size: number, loss: number, crash: number, random: () => number) {
  const crashed = Array.from({ length: size }, (_, node) => node > 0 && random() < crash);
  let now = 0;
  let arriving: (() => void)[] = [];
  let [datagrams, heard, last] = [0, 0, 0];
  const nodes: Rumours[] = crashed.map(
    (_, node) =>
      new Rumours({
        node,
        size,
        choose: (n) => Math.floor(random() * n),
        send(to, frame) {
          datagrams++;
          if (random() >= loss && !crashed[to]) arriving.push(() => nodes[to].receive(frame));
        },
        deliver() {
          heard++;
          last = now;
        },
      }),
  );
  nodes[0].start(BODY);
  while (arriving.length > 0) {
    const due = arriving;
    arriving = [];
    now++;
    for (const arrive of due) arrive();
  }
  return { datagrams, missed: crashed.filter((dead) => !dead).length - 1 - heard, last };
}

// Means of 100 to 1000 multicasts lie within 6%, misses within 4 standard errors of a count: a false alarm in 15,000 each.
test.each([
  [40, 0, 0, 1000],
  [40, 0.3, 0, 1000],
  [500, 0.1, 0.02, 200],
  ...effort<[number, number, number, number][]>([], [[2000, 0.2, 0, 100]]),
])("what theory says of a rumour among %i with loss %d and crashes %d", (size, loss, crash, times) => {
  let seed = 12345;
  const random = () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0x45d9f3b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const runs = Array.from({ length: times }, () => spread(size, loss, crash, random));
  const mean = (of: (run: (typeof runs)[number]) => number) => runs.reduce((sum, run) => sum + of(run), 0) / times;
  const expected = liveMulticast({ size, loss, crash });
  expect(mean(({ datagrams }) => datagrams) / expected.datagrams).toBeCloseTo(1, 1);
  const missed = expected.missed * (size - 1) * (1 - crash) * times;
  const seen = runs.reduce((sum, run) => sum + run.missed, 0);
  expect(Math.abs(seen - missed)).toBeLessThan(4 * Math.sqrt(missed) + 0.1 * missed + 1);
  // All but a few of the multicasts have ended by then.
  const late = runs.filter(({ last }) => last > expected.delays).length;
  expect(late / times).toBeLessThan(0.05);
});
