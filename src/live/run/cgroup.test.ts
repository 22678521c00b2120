/** Which cgroup this process is in, by the texts of /proc/self; what is in a cgroup, by files such as the kernel shows. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cgroupsOf, isPopulated, killCgroup, ownCgroup, processesIn, removeCgroup } from "./cgroup.ts";

const mount = (root: string, point: string, type = "cgroup2") =>
  `31 23 0:26 ${root} ${point} rw,nosuid shared:4 - ${type} cgroup2 rw`;
const MOUNTS = ["22 23 0:20 / /proc rw - proc proc rw", mount("/", "/sys/fs/cgroup")].join("\n");

test.each([
  ["0::/user.slice/a.scope\n", MOUNTS, "/sys/fs/cgroup/user.slice/a.scope"],
  ["0::/\n", MOUNTS, "/sys/fs/cgroup/"],
  ["12:cpu:/old\n0::/new\n", MOUNTS, "/sys/fs/cgroup/new"],
  ["0::/pod/a/b", mount("/pod/a", "/cg"), "/cg/b"],
  ["0::/pod/a", mount("/pod/a", "/cg"), "/cg"],
  ["0::/pod/ab", mount("/pod/a", "/cg"), null],
  ["0::/../other", MOUNTS, null],
  ["1:cpu:/old\n", MOUNTS, null],
  ["", MOUNTS, null],
  ["0::/a", mount("/", "/sys/fs/cgroup", "cgroup"), null],
  ["0::/a", "", null],
])("%j is in %s: %s", (cgroups, mounts, folder) => {
  expect(ownCgroup(cgroups, mounts)).toBe(folder);
});

/** A folder with files, and folders below it with theirs. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "sortition-cgroup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** No system gives this number to a process. */
const NOBODY = 2 ** 30;

test("the processes of a cgroup are those of the cgroups below it too, and none that has ended", () => {
  const folder = folderOf({ "cgroup.procs": `${NOBODY}\n`, "below/cgroup.procs": `${process.pid}\n` });
  expect(processesIn(folder).map(({ pid }) => pid)).toEqual([process.pid]);
  expect(processesIn(join(folder, "no"))).toEqual([]);
});

test("a cgroup is populated as the kernel says; one that has been removed is not", () => {
  const [some, none] = [1, 0].map((count) => folderOf({ "cgroup.events": `populated ${count}\nfrozen 0\n` }));
  expect([some, none, join(none, "no"), folderOf({})].map(isPopulated)).toEqual([true, false, false, true]);
});

test("a cgroup is killed by its file, and a missing one is no error", () => {
  const folder = folderOf({ "cgroup.kill": "" });
  killCgroup(folder);
  killCgroup(join(folder, "no"));
  expect(readFileSync(join(folder, "cgroup.kill"), "utf8")).toBe("1");
});

test("cgroups are found by their markers, and removed with those below them", () => {
  const own = folderOf({ "sortition-m.1/below/x": "", "sortition-m.2/x": "", "other-m.1/x": "" });
  const [one, two] = ["m.1", "m.2"].map((marker) => join(own, `sortition-${marker}`));
  expect(cgroupsOf((marker) => marker.startsWith("m."), own).sort()).toEqual([one, two]);
  for (const root of [own, `${own}/`]) expect(cgroupsOf((marker) => marker === "m.2", root)).toEqual([two]);
  for (const file of [join(one, "below/x"), join(two, "x")]) rmSync(file);
  removeCgroup(one);
  removeCgroup(two);
  removeCgroup(join(own, "other-m.1"));
  expect(cgroupsOf(() => true, own)).toEqual([]);
  expect(readFileSync(join(own, "other-m.1/x"), "utf8")).toBe("");
});
