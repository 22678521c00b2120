/** How the processes of a command are ended, in virtual time: whether any is left, which signals they get, and what is said of those that stay. */
import { expect, test } from "vitest";
import { VirtualNetwork } from "../virtual-world.ts";
import { Ending } from "./ending.ts";
import type { SystemProcess } from "./processes.ts";

const GRACE = 100;
const processOf = (pid: number, group = pid, started = 1): SystemProcess => ({
  pid,
  group,
  started,
  state: "S",
  parent: 1,
  session: group,
  threads: 1,
});

/** `list`: what a look at all processes finds, null if it fails; `table`: what is found of one process. */
function scene(leader: { readonly pid: number; readonly started: number | null } | null = { pid: 9, started: 1 }) {
  const network = new VirtualNetwork(1);
  const { world } = network.machine({ host: "10.0.0.1", port: 1 });
  const said: string[] = [];
  const at = () => Math.round(world.now());
  const there = {
    list: [] as SystemProcess[] | null,
    table: new Map<number, SystemProcess>(),
    groups: new Set<number>(),
  };
  const ending = new Ending({
    quarry: { leader, isMarked: () => true, spared: [], cgroup: null },
    grace: GRACE,
    clocks: { mono: () => world.now(), wall: () => world.wall() },
    set: (ms, callback) => world.set(ms, callback),
    find: (_quarry, found) => found(there.list),
    read: (pid) => there.table.get(pid) ?? null,
    kill(pid, signal) {
      if (signal === 0) return there.groups.has(-pid);
      said.push(`${at()} ${signal} ${pid}`);
      return true;
    },
    killCgroup: () => {},
    isPopulated: () => false,
    deadline: () => null,
    gone: () => void said.push(`${at()} gone`),
    lingers: (pids) => void said.push(`${at()} lingers ${pids}`),
  });
  return { network, said, there, ending };
}

test.each([1, null])(
  "a leader that a list of all processes misses is not gone; another one with its number is no leader (%s)",
  (started) => {
    const it = scene({ pid: 9, started });
    it.there.table.set(9, processOf(9, 9, 1));
    it.ending.begin();
    it.network.runFor(50);
    expect(it.said).toEqual([]);
    if (started === null) it.there.table.delete(9);
    else it.there.table.set(9, processOf(9, 9, 2));
    it.network.runFor(50);
    expect(it.said).toEqual(["80 gone"]);
    it.ending.look();
    it.ending.kill();
    it.network.runFor(100);
    expect(it.said).toEqual(["80 gone"]);
  },
);

test("if there is no list, the leader's group counts", () => {
  const it = scene();
  it.there.list = null;
  it.there.groups.add(9);
  it.ending.begin();
  it.network.runFor(GRACE + 30);
  expect(it.said).toEqual(["0 SIGTERM -9", "0 SIGCONT -9", "100 SIGKILL -9", "120 SIGKILL -9"]);
  it.there.groups.delete(9);
  it.network.runFor(100);
  expect(it.said.at(-1)).toBe("160 gone");
});

test("all get the signal once, then SIGKILL again and again; the group gets it while any of it is left", () => {
  const it = scene();
  it.there.list = [processOf(10, 9), processOf(20)];
  it.ending.begin("SIGINT");
  it.network.runFor(50);
  expect(it.said).toEqual(["0 SIGINT -9", "0 SIGCONT -9", "0 SIGINT 20", "0 SIGCONT 20"]);
  it.there.list = [processOf(20)];
  it.network.runFor(70);
  expect(it.said.slice(4)).toEqual(["100 SIGKILL 20", "120 SIGKILL 20"]);
});

test("what is left long after SIGKILL is said again and again", () => {
  const it = scene(null);
  it.there.list = [processOf(20), processOf(21)];
  it.ending.kill();
  it.network.runFor(11_000);
  expect(it.said.filter((line) => line.includes("lingers"))).toEqual(["5000 lingers 20,21", "10000 lingers 20,21"]);
  it.there.list = [];
  it.network.runFor(5000);
  expect(it.said.at(-1)).toMatch(/^110[0-4]0 gone$/);
});
