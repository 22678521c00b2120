import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolve } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { campaign } from "./campaign.ts";
import { mergeParts, runShard, shardOf, stretchOf } from "./shards.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-shards-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SHARDS = 37;
const TRIALS = 100;
const settings = resolve({ protocol: "tournament", n: 40, loss: 0.05, seed: 7, params: { J: 2 } });
const fileOf = (index: number) => join(folder, `part-${index}.jsonl`);
const files = Array.from({ length: SHARDS }, (_, i) => fileOf(i + 1));

beforeAll(async () => {
  for (const [i, file] of files.entries()) await runShard(settings, TRIALS, { index: i + 1, of: SHARDS }, file);
});

describe("a campaign cut into 37 shards", () => {
  test("has the very result of one machine, and the same trials in the same order", async () => {
    const [rows, alone]: [Trial[], Trial[]] = [[], []];
    const { report } = await mergeParts([...files].reverse(), (some) => rows.push(...some));
    const whole = await campaign(settings, { trials: TRIALS, check: true, onTrials: (some) => alone.push(...some) });
    const { seconds: _, messagesPerSecond: __, ...merged } = report;
    const { seconds: ___, messagesPerSecond: ____, ...expected } = whole;
    expect(merged).toEqual(expected);
    expect(rows).toEqual(alone);
  });

  test("gives every trial to exactly one shard, also where there are more shards than trials", () => {
    for (const [trials, of] of [
      [100, 37],
      [3, 37],
      [1, 1],
      [1_000_003, 100],
    ]) {
      let next = 0;
      for (let index = 1; index <= of; index++) {
        const { first, count } = stretchOf({ index, of }, trials);
        expect(first).toBe(next);
        next += count;
      }
      expect(next).toBe(trials);
    }
  });

  test("is refused where a part is missing, twice there, cut short or of another campaign", async () => {
    await expect(mergeParts(files.slice(2))).rejects.toThrow("parts are missing: run simulate with --shard 1/37, 2/37");
    await expect(mergeParts([...files, files[4]])).rejects.toThrow("shard 5/37 is there twice");
    const other = join(folder, "other.jsonl");
    await runShard({ ...settings, seed: 8 }, TRIALS, { index: 1, of: SHARDS }, other);
    await expect(mergeParts([other, ...files.slice(1)])).rejects.toThrow("are parts of different campaigns");
    writeFileSync(other, readFileSync(files[0], "utf8").split("\n").slice(0, -2).join("\n"));
    await expect(mergeParts([other, ...files.slice(1)])).rejects.toThrow("is no complete part of a campaign");
    await expect(mergeParts([join(folder, "nowhere.jsonl")])).rejects.toThrow("cannot read the part");
  });

  test("is named i/k", () => {
    expect(shardOf("3/100")).toEqual({ index: 3, of: 100 });
    for (const wrong of ["0/3", "4/3", "3", "a/b"])
      expect(() => shardOf(wrong)).toThrow("--shard must be one of several");
  });
});
