import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fileStore } from "./store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes that take three bytes at a time, and disks that refuse to be sure. */
const disk = vi.hoisted(() => ({ most: Infinity, fails: false, open: 0 }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      disk.open++;
      return fs.openSync(...args);
    },
    closeSync: (descriptor: number) => {
      disk.open--;
      fs.closeSync(descriptor);
    },
    writeSync: (descriptor: number, bytes: Uint8Array, at = 0) =>
      fs.writeSync(descriptor, bytes, at, Math.min(disk.most, bytes.length - at)),
    fsyncSync: (descriptor: number) => {
      if (disk.fails) throw new Error("the disk is gone");
      fs.fsyncSync(descriptor);
    },
  };
});

test("what was saved is there after a restart, whole, however little a write takes", () => {
  disk.most = 3;
  const store = fileStore(folder, "x");
  expect(store.load()).toBeNull();
  store.save({ term: 7, text: "a longer text" });
  store.close();
  disk.most = Infinity;
  const again = fileStore(folder, "x");
  expect(again.load()).toEqual({ term: 7, text: "a longer text" });
  again.close();
  expect(readdirSync(folder)).toEqual(["x.state"]);
});

test("a write that fails leaves the old state and no open file", () => {
  const store = fileStore(folder, "x");
  store.save("old");
  disk.fails = true;
  expect(() => store.save("new")).toThrow("the disk is gone");
  disk.fails = false;
  expect(disk.open).toBe(0);
  expect(store.load()).toBe("old");
  store.close();
});

test("one process at a time: another one is refused in words, the lock of a dead one is void", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  writeFileSync(join(folder, "x.lock"), String(other.pid));
  expect(() => fileStore(folder, "x")).toThrow(`says that process ${other.pid} uses this state`);
  other.kill("SIGKILL");
  await once(other, "exit");
  const store = fileStore(folder, "x");
  expect(readFileSync(join(folder, "x.lock"), "utf8")).toMatch(new RegExp(`^${process.pid}( |$)`));
  expect(() => fileStore(folder, "x")).toThrow(`says that process ${process.pid} uses this state`);
  store.close();
  expect(existsSync(join(folder, "x.lock"))).toBe(false);
});

test.runIf(existsSync("/proc/self/stat"))("a number that was given to another process since keeps no lock", () => {
  // In a container every start is process 1.
  writeFileSync(join(folder, "x.lock"), `${process.pid} 17 of another boot`);
  fileStore(folder, "x").close();
  expect(readdirSync(folder)).toEqual([]);
});

test("a newer version and a damaged file are refused in words", () => {
  const store = fileStore(folder, "x");
  writeFileSync(join(folder, "x.state"), Buffer.from([2, 1]));
  expect(() => store.load()).toThrow("has version 2, but this program reads up to 1");
  for (const bytes of [[], [0, 7], [1], [1, 7], [1, 0, 0, 0, 0, 1]]) {
    writeFileSync(join(folder, "x.state"), Buffer.from(bytes));
    expect(() => store.load()).toThrow("is damaged");
  }
  store.close();
});

test("where damage may be reported, the file is put aside and nothing was saved", () => {
  const reports: string[] = [];
  const store = fileStore(folder, "x", { damaged: (why) => reports.push(why) });
  store.save({ term: 7 });
  const bytes = readFileSync(join(folder, "x.state"));
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(join(folder, "x.state"), bytes);
  expect(store.load()).toBeNull();
  expect(reports).toEqual([expect.stringContaining("its checksum is another one")]);
  store.save({ term: 8 });
  expect(store.load()).toEqual({ term: 8 });
  expect(readFileSync(join(folder, "x.state.damaged"))).toEqual(bytes);
  store.close();
});
