import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InputError } from "../errors.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial, type Trial } from "../simulation/trial.ts";
import { openRows } from "./rows.ts";

const disk = vi.hoisted(() => ({ full: false }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const writeSync = ((...given: Parameters<typeof fs.writeSync>) => {
    if (disk.full) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    return fs.writeSync(...given);
  }) as typeof fs.writeSync;
  return { ...fs, writeSync };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-rows-"));
});
afterEach(() => {
  disk.full = false;
  rmSync(folder, { recursive: true });
});

const SETTINGS = resolve({ protocol: "chang-roberts", n: 5, delay: { kind: "exponential", mean: 1 } });
const SOME = [0, 1, 2].map((trial) => runTrial(SETTINGS, trial));
const LEADERLESS: Trial = { ...SOME[0], trial: 3, outcome: "none", leader: null };
const TRIALS = [...SOME, LEADERLESS];

const flat = ({ trial, outcome, leader, messages, rounds, bits, measures }: Trial) => ({
  trial,
  outcome,
  leader,
  messages,
  rounds,
  bits,
  ...measures,
});

async function written(name: string, ...stretches: readonly (readonly Trial[])[]): Promise<Buffer> {
  const file = join(folder, name);
  const rows = await openRows(file);
  for (const stretch of stretches) rows.write(stretch);
  rows.finish();
  expect(readdirSync(folder)).toEqual([name]);
  return readFileSync(file);
}

test("CSV: a header, a line per trial, nothing for null", async () => {
  const lines = (await written("out.csv", TRIALS.slice(0, 1), [], TRIALS.slice(1))).toString().split("\n");
  expect(lines[0]).toBe("trial,outcome,leader,messages,rounds,bits,announcements,steps,undecided");
  expect(lines[1]).toBe(Object.values(flat(TRIALS[0])).join(","));
  expect(lines[4]).toMatch(/^3,none,,\d+,/);
  expect(lines).toHaveLength(6);
});

test("JSON lines: an object per trial", async () => {
  const lines = (await written("out.JSONL", TRIALS.slice(0, 2), TRIALS.slice(2))).toString().trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(TRIALS.map(flat));
});

test("Parquet: reads back as written, over several row groups", async () => {
  const many = Array.from({ length: 100_003 }, (_, trial) => ({
    ...TRIALS[trial % 4],
    trial,
    messages: 2 ** 40 + trial,
  }));
  const bytes = await written("out.parquet", many.slice(0, 70_000), many.slice(70_000));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  expect(parquetMetadata(file).row_groups).toHaveLength(2);
  const back = await parquetReadObjects({ file });
  const plain = back.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === "bigint" ? Number(value) : value]),
    ),
  );
  expect(plain).toEqual(many.map(flat));
});

test.each(["none.csv", "none.jsonl", "none.parquet"])("%s without rows is still a sound file", async (name) => {
  const bytes = await written(name);
  if (name.endsWith("csv")) expect(bytes.toString()).toBe("trial,outcome,leader,messages,rounds,bits\n");
  else if (name.endsWith("jsonl")) expect(bytes).toHaveLength(0);
  else
    expect(
      parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer).num_rows,
    ).toBe(0n);
});

test("a measure that is called like a column appears once", async () => {
  const trial = { ...TRIALS[0], measures: { rounds: TRIALS[0].rounds, phases: 3 } };
  expect((await written("out.csv", [trial])).toString().split("\n")[0]).toBe(
    "trial,outcome,leader,messages,rounds,bits,phases",
  );
});

test("an earlier file stays as it was until the new one is complete, and when it is given up", async () => {
  const file = join(folder, "out.csv");
  writeFileSync(file, "earlier");
  const rows = await openRows(file);
  rows.write(TRIALS);
  expect(readFileSync(file, "utf8")).toBe("earlier");
  rows.discard();
  expect(readdirSync(folder)).toEqual(["out.csv"]);
  expect(readFileSync(file, "utf8")).toBe("earlier");
});

test("behind a link, the file it points to is replaced", async () => {
  const target = join(folder, "target.csv");
  writeFileSync(target, "earlier");
  symlinkSync(target, join(folder, "link.csv"));
  const rows = await openRows(join(folder, "link.csv"));
  rows.finish();
  expect(readFileSync(target, "utf8")).toMatch(/^trial,/);
});

test.each(["csv", "jsonl", "parquet"])("a full disk gives one clear line and leaves nothing (%s)", async (ending) => {
  const rows = await openRows(join(folder, `out.${ending}`));
  disk.full = true;
  const run = () => {
    rows.write(TRIALS);
    rows.finish();
  };
  expect(run).toThrow(InputError);
  expect(readdirSync(folder)).toEqual([]);
});

test("the line names the file and what to do", async () => {
  const rows = await openRows(join(folder, "out.csv"));
  disk.full = true;
  expect(() => rows.write(TRIALS)).toThrow(/^cannot write ".*out\.csv": the disk is full; make room/);
});

test("places and names that cannot work are refused before anything runs", async () => {
  mkdirSync(join(folder, "folder.csv"));
  writeFileSync(join(folder, "file"), "");
  const refusals: readonly (readonly [string, RegExp])[] = [
    [join(folder, "missing", "out.csv"), /its folder does not exist; create it/],
    [join(folder, "file", "out.csv"), /not a folder/],
    [join(folder, "folder.csv"), /it is a folder/],
    [join(folder, "out.xlsx"), /end in \.csv, \.jsonl, \.parquet/],
    [join(folder, "csv"), /end in/],
  ];
  for (const [name, message] of refusals) {
    await expect(openRows(name)).rejects.toThrow(InputError);
    await expect(openRows(name)).rejects.toThrow(message);
  }
  expect(readdirSync(folder).sort()).toEqual(["file", "folder.csv"]);
});

test.skipIf(process.getuid?.() === 0)("a folder without permission is refused", async () => {
  chmodSync(folder, 0o500);
  await expect(openRows(join(folder, "out.csv"))).rejects.toThrow(/permission denied/);
  chmodSync(folder, 0o700);
});

test("what a killed process has left of the same file is removed; what a running one writes is not", async () => {
  // No system gives a process this number.
  const nobody = 2 ** 31 - 1;
  const left = `.rows.csv.${nobody}-0123abcd.part`;
  const running = `.rows.csv.${process.pid}-0123abcd.part`;
  const foreign = `.more.csv.${nobody}-0123abcd.part`;
  for (const name of [left, running, foreign]) writeFileSync(join(folder, name), "trial");
  const rows = await openRows(join(folder, "rows.csv"));
  rows.write(TRIALS);
  rows.finish();
  expect(readdirSync(folder).sort()).toEqual([foreign, running, "rows.csv"]);
});

test("labels come first, in every row; a measure of the same name keeps its own", async () => {
  const trial = { ...TRIALS[0], measures: { n: 7 } };
  const file = join(folder, "out.csv");
  const rows = await openRows(file, [
    { name: "protocol", type: "text", value: 'a, "b"' },
    { name: "n", type: "whole", value: 5 },
  ]);
  rows.write([trial]);
  rows.finish();
  const [head, line] = readFileSync(file, "utf8").split("\n");
  expect(head).toBe("protocol,n,trial,outcome,leader,messages,rounds,bits,measures.n");
  expect(line).toMatch(/^"a, ""b""",5,0,one,.*,7$/);
});
