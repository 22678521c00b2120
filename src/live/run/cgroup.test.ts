/** Which cgroup this process is in, by the texts of /proc/self. */
import { expect, test } from "vitest";
import { ownCgroup } from "./cgroup.ts";

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
