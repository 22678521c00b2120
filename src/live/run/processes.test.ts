/** What Linux shows of processes, and where a command is found. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cgroupsOf, processesIn, removeCgroup, startInside } from "./cgroup.ts";
import {
  find,
  findProgram,
  isDead,
  listProcesses,
  MARKER_VARIABLE,
  markerOf,
  type Quarry,
  readProcess,
  type SystemProcess,
} from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-processes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = (quarry: Partial<Quarry>): Promise<readonly number[]> =>
  new Promise((resolve) =>
    find({ leader: null, isMarked: () => false, spared: [], ...quarry }, (left) =>
      resolve(left!.map(({ pid }) => pid)),
    ),
  );

describe.runIf(existsSync("/proc/self/stat"))("processes of Linux", () => {
  test("one is shown with its parent, group, session, threads and start", async () => {
    const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    const pid = child.pid!;
    const it = readProcess(pid)!;
    expect(it).toEqual({
      pid,
      state: expect.stringMatching(/^[RSD]$/),
      parent: process.pid,
      group: pid,
      session: pid,
      threads: 1,
      started: it.started,
    });
    const own = readProcess(process.pid)!;
    expect(own.threads).toBeGreaterThan(1);
    expect(it.started).toBeGreaterThanOrEqual(own.started);
    expect(listProcesses()).toContainEqual(expect.objectContaining({ pid, started: it.started }));
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readProcess(pid)).toBeNull();
  });

  test("those of a command are its group and session, what carries its marker, and descendants of these", async () => {
    const marker = `test-${process.pid}`;
    const isMarked = (text: string) => text === marker;
    const env = { ...process.env, [MARKER_VARIABLE]: marker };
    const script = "sleep 60 & env -i sleep 60 & echo $!; wait";
    const child = spawn("sh", ["-c", script], { detached: true, env, stdio: ["ignore", "pipe", "ignore"] });
    const pid = child.pid!;
    try {
      const [line] = (await once(child.stdout!, "data")) as [Buffer];
      const unmarked = Number(line);
      await expect.poll(() => markerOf(unmarked)).toBeNull();
      expect(markerOf(pid)).toBe(marker);
      const { started } = readProcess(pid)!;
      const all = await found({ leader: { pid, started } });
      expect(all).toHaveLength(3);
      expect(all).toEqual(expect.arrayContaining([pid, unmarked]));
      expect((await found({ isMarked })).toSorted()).toEqual(all.toSorted());
      expect((await found({ isMarked, spared: [pid] })).toSorted()).toEqual(
        all.filter((each) => each !== pid).toSorted(),
      );
      // A number that another process has by now.
      expect(await found({ leader: { pid, started: started + 1 } })).toEqual([]);
      expect(await found({ leader: { pid, started: null } })).toHaveLength(3);
      expect(await found({ isMarked: (text) => text === "another" })).toEqual([]);
    } finally {
      process.kill(-pid, "SIGKILL");
      await once(child, "close");
    }
  });
});

test("a process is dead where only its parent has not noticed; a leader whose threads go on is not", () => {
  const it = (state: string, threads: number) => isDead({ state, threads } as SystemProcess);
  expect([it("Z", 1), it("X", 0), it("Z", 2), it("S", 1), it("T", 1)]).toEqual([true, true, false, false, false]);
});

test("a command is looked for in PATH, or where its name says; what is wrong is said with the status of a shell", () => {
  const [first, second] = ["first", "second"].map((name) => join(folder, name));
  mkdirSync(join(first, "folder"), { recursive: true });
  mkdirSync(second);
  for (const [file, mode] of [
    [join(first, "text"), 0o644],
    [join(second, "tool"), 0o755],
    [join(second, "folder"), 0o755],
  ] as const) {
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, mode);
  }
  const path = `${first}:${second}`;
  expect(findProgram("tool", path)).toEqual({ file: join(second, "tool") });
  expect(findProgram("folder", path)).toEqual({ file: join(second, "folder") });
  expect(findProgram(join(second, "tool"), "")).toEqual({ file: join(second, "tool") });
  expect(findProgram("sh", undefined)).toHaveProperty("file");
  expect(findProgram("folder", first)).toMatchObject({
    status: 127,
    why: expect.stringContaining("none of the folders"),
  });
  expect(findProgram("none", path)).toMatchObject({ status: 127 });
  expect(findProgram(join(first, "none"), path)).toMatchObject({
    status: 127,
    why: expect.stringContaining("no such"),
  });
  expect(findProgram(join(first, "folder"), path)).toMatchObject({ status: 126 });
  expect(findProgram(join(first, "text"), path)).toMatchObject({ status: 126 });
  expect(findProgram("text", path)).toMatchObject({ status: 126 });
});

test("where there is no cgroup a command is started outside, and nothing is in it", () => {
  const none = join(folder, "no-cgroup");
  expect(startInside(null, () => "child")).toEqual({ child: "child", isInside: false });
  expect(startInside(none, () => "child")).toEqual({ child: "child", isInside: false });
  expect(processesIn(none)).toEqual([]);
  expect(cgroupsOf(() => false)).toEqual([]);
  expect(() => removeCgroup(none)).not.toThrow();
});
