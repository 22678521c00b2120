import { expect, test } from "vitest";
import { resolve } from "../simulation/settings.ts";
import { type Chunk, type ChunkResult, runChunk } from "../statistics/chunk.ts";
import { Ledger } from "./ledger.ts";

const SETTINGS = resolve({ protocol: "chang-roberts", n: 4 });

/** The result of a chunk whose trials took so many milliseconds each. */
function resultOf(chunk: Chunk, each: number): ChunkResult {
  return { ...runChunk(SETTINGS, chunk), started: 0, ended: each * chunk.count };
}

test("counts results in the order of the trials, whatever order they come in", () => {
  const seen: number[] = [];
  const ledger = new Ledger(
    3,
    { threads: 3, chunkMilliseconds: 75 },
    { onTrials: (rows) => seen.push(...rows.map(({ trial }) => trial)) },
  );
  const [a, b, c] = [ledger.next()!, ledger.next()!, ledger.next()!];
  expect(ledger.next()).toBeNull();
  ledger.accept(resultOf(c, 100));
  ledger.accept(resultOf(b, 100));
  expect([ledger.tally.trials, ledger.waiting, ledger.complete]).toEqual([0, 2, false]);
  ledger.accept(resultOf(a, 100));
  expect(seen).toEqual([0, 1, 2]);
  expect([ledger.tally.trials, ledger.waiting, ledger.complete]).toEqual([3, 0, true]);
});

test("chunks grow to about 75 ms, stay single where a trial is longer, and shrink towards the end", () => {
  const sizes = (trials: number, threads: number, each: number) => {
    const ledger = new Ledger(trials, { threads, chunkMilliseconds: 75 }, {});
    const counts: number[] = [];
    for (let chunk = ledger.next(); chunk !== null; chunk = ledger.next()) {
      counts.push(chunk.count);
      ledger.accept(resultOf(chunk, each));
    }
    return counts;
  };
  expect(sizes(200, 1, 1)).toEqual([1, 4, 16, 64, 75, 40]);
  expect(sizes(4, 1, 500)).toEqual([1, 1, 1, 1]);
  expect(sizes(100, 2, 1)).toEqual([1, 4, 16, 20, 15, 11, 9, 6, 5, 4, 3, 2, 1, 1, 1, 1]);
});
