/** With a cgroup nothing that a command has started outlives it, however it flees. Real processes; it takes a cgroup that may be made. */
import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cgroupsOf, makeCgroup, ownCgroup, removeCgroup } from "../../src/live/run/cgroup.ts";
import { isLong } from "../support/effort.ts";
import { NEEDS_ROOT, notTested } from "../support/not-tested.ts";
import { freePorts } from "../support/ports.ts";
import { clearScenesAtTheEnd, inScene, isAlive, lineOf, type Scene, scene, sleep, strike, until } from "./harness.ts";

clearScenesAtTheEnd();

/** Each process starts the next one, in a session of its own and without the marker, and ends: nobody is anybody's parent. */
const FLEES = `echo $$ >> chain
[ "$1" -ge 600 ] && exit
sleep 0.03
cd "$SCENE"
env -i SCENE="$SCENE" PATH="$PATH" setsid sh flees.sh $(($1 + 1)) &
`;
const FLED = "sh flees.sh 0; while :; do sleep 1; done";

const HELD = { args: ["--cgroup", "always"] };

const chain = (it: Scene): number => it.read("chain").split("\n").length;

async function fleeing(it: Scene, options = HELD) {
  writeFileSync(it.file("flees.sh"), FLEES);
  const run = it.sh(FLED, options);
  const { guardian, command } = await run.started();
  await until("ten have fled", () => chain(it) > 10);
  return { run, guardian, command };
}

/** Nothing of it runs, and nothing begins. */
async function expectGone(it: Scene): Promise<void> {
  const length = chain(it);
  expect(it.everything().map(lineOf)).toEqual([]);
  await sleep(150);
  expect([it.everything(), chain(it)]).toEqual([[], length]);
}

/** Found out without the code under test. */
function mayMakeCgroups(): boolean {
  const folder = join(ownCgroup() ?? "/none", `tried-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  const canKill = existsSync(join(folder, "cgroup.kill"));
  rmdirSync(folder);
  return canKill;
}

const canHold = mayMakeCgroups();
if (!canHold) notTested("processes that flee, held by a cgroup", `${NEEDS_ROOT} or a delegated cgroup v2`);
else {
  test("a cgroup is made, found by its marker, and removed with all below it", () => {
    const marker = `made.${process.pid}`;
    const folder = makeCgroup(marker)!;
    expect(folder).toBe(join(ownCgroup()!, `sortition-${marker}`));
    expect(makeCgroup(marker)).toBeNull();
    mkdirSync(join(folder, "below"));
    expect(cgroupsOf((found) => found === marker)).toEqual([folder]);
    expect(cgroupsOf((found) => found === "another")).toEqual([]);
    removeCgroup(folder);
    expect([existsSync(folder), cgroupsOf((found) => found === marker)]).toEqual([false, []]);
  });

  test.concurrent("processes that flee end with their command, and the log says what holds them", () =>
    inScene(async (it) => {
      const [port] = await freePorts(1);
      const { run } = await fleeing(it, { args: [...HELD.args, "--http", `127.0.0.1:${port}`] });
      expect(run.starts[0]).toMatchObject({ held: "cgroup" });
      const self = await fetch(`http://127.0.0.1:${port}/v1/self`);
      expect(await self.json()).toMatchObject({ commandHeld: "cgroup" });
      run.kill("SIGTERM");
      await run.endsWith(143);
      await expectGone(it);
      expect(cgroupsOf((marker) => marker.includes(`.${run.pid}.`))).toEqual([]);
    }));

  test.concurrent("a command that ends by itself takes along what has fled, and its status counts", () =>
    inScene(async (it) => {
      writeFileSync(it.file("flees.sh"), FLEES);
      const run = it.sh("sh flees.sh 0; sleep 0.3; exit 7", HELD);
      await run.endsWith(7);
      expect(run.starts).toHaveLength(1);
      await expectGone(it);
    }));

  test("run killed while its guardian is paused: what has fled goes on until the guardian continues", () =>
    inScene(async (it) => {
      const { run, guardian } = await fleeing(it);
      strike(guardian, "SIGSTOP");
      run.kill("SIGKILL");
      const before = chain(it);
      await until("it goes on without them", () => chain(it) > before + 3);
      process.kill(guardian, "SIGCONT");
      // Processes that fork all the time can all be missed by one look; the guardian ends when it has ended them.
      await until("the end of the guardian", () => !isAlive(guardian));
      await expectGone(it);
    }));

  test("guardian killed while run is paused: what has fled goes on until run continues", () =>
    inScene(async (it) => {
      const { run, guardian } = await fleeing(it);
      await it.stop(run.pid);
      strike(guardian, "SIGKILL");
      const before = chain(it);
      await until("it goes on without them", () => chain(it) > before + 3);
      process.kill(run.pid, "SIGCONT");
      await run.says("the guardian has ended: the command is ended from here");
      run.kill("SIGTERM");
      await run.ended;
      await expectGone(it);
    }));

  test("a command that may write to the cgroups around its own can move out, and goes on: the docs say so", () =>
    inScene(async (it) => {
      const out = `echo $$ > ${ownCgroup()}/cgroup.procs; echo $$ > out; cd "$SCENE"; exec sleep 60 > /dev/null 2>&1`;
      const run = it.sh(`setsid sh -c '${out}' & while :; do sleep 1; done`, HELD);
      await run.started();
      const pid = await until("its number", () => Number(it.read("out")) || null);
      run.kill("SIGTERM");
      await run.endsWith(143);
      expect(it.everything()).toEqual([pid]);
      process.kill(pid, "SIGKILL");
    }));

  test("run and guardian both killed: the next run of this member ends all that has fled", () =>
    inScene(async (it) => {
      const { run, guardian } = await fleeing(it);
      strike(guardian, "SIGSTOP");
      run.kill("SIGKILL");
      process.kill(guardian, "SIGKILL");
      const before = chain(it);
      await until("it goes on without them", () => chain(it) > before + 3);
      const again = it.sh("exit 0", HELD);
      await again.says("a former run has left processes behind");
      await again.endsWith(0);
      await expectGone(it);
    }));
}

const USER = 54_321;
const asUser = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)("a user without a cgroup is told so: status 2 with --cgroup always", async () => {
  const it = scene();
  chownSync(it.folder, USER, USER);
  const run = it.sh("exit 0", { ...HELD, through: asUser });
  await run.endsWith(2);
  expect(run.stderr).toContain("--cgroup always: no cgroup can be made here");
});

// As systemd does for a unit with Delegate=yes.
test.runIf(isRoot && isLong && canHold)("a user to whom a cgroup is delegated", () =>
  inScene(async (it) => {
    chownSync(it.folder, USER, USER);
    const unit = join(ownCgroup()!, `delegated-${process.pid}`);
    mkdirSync(unit);
    try {
      for (const file of ["", "cgroup.procs", "cgroup.subtree_control"]) chownSync(join(unit, file), USER, USER);
      writeFileSync(it.file("flees.sh"), FLEES);
      const enters = ["sh", "-c", `echo $$ > ${unit}/cgroup.procs; exec "$@"`, "sh"];
      const run = it.sh("sh flees.sh 0; sleep 0.3; exit 7", { ...HELD, through: [...enters, ...asUser] });
      await run.endsWith(7);
      expect(run.starts[0]).toMatchObject({ held: "cgroup" });
      await expectGone(it);
    } finally {
      removeCgroup(unit);
    }
  }),
);

test.each([
  ["0::/system.slice/jobs.service\n", "/", "/sys/fs/cgroup/system.slice/jobs.service"],
  ["1:cpu:/x\n0::/\n", "/", "/sys/fs/cgroup/"],
  ["0::/docker/abc/x\n", "/docker/abc", "/sys/fs/cgroup/x"],
  ["0::/other\n", "/docker/abc", null],
  ["0::/../x\n", "/", null],
  ["1:cpu:/x\n", "/", null],
])("the cgroup of %j under a mount of %s is %s", (cgroups, mounted, folder) => {
  const mounts = `24 30 0:22 / /proc rw - proc proc rw\n30 23 0:26 ${mounted} /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n`;
  expect(ownCgroup(cgroups, mounts)).toBe(folder);
});

const SLEEPERS = Math.min(20_000, Math.floor((pidsLeft() * 2) / 3), Math.floor(freemem() / 2 ** 20));

function pidsLeft(): number {
  const [, , , counts] = readFileSync("/proc/loadavg", "utf8").split(" ");
  return Number(readFileSync("/proc/sys/kernel/pid_max", "utf8")) - Number(counts.split("/")[1]);
}

test.runIf(isLong)(`on a machine with ${SLEEPERS} more processes a job runs once, and its status counts`, async () => {
  const it = scene({ ttl: 5000 });
  const crowd = spawn(
    "sh",
    ["-c", `i=0; while [ $i -lt ${SLEEPERS} ]; do sleep 3600 & i=$((i+1)); done; echo up; wait`],
    {
      detached: true,
      env: { ...process.env, SCENE: it.folder },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  try {
    await new Promise((resolve) => crowd.stdout.once("data", resolve));
    for (const mode of ["never", "auto"]) {
      const run = it.sh("echo once >> ran; sleep 1; exit 3", { args: ["--cgroup", mode] });
      await run.endsWith(3);
      expect([mode, run.starts.length]).toEqual([mode, 1]);
    }
    expect(it.read("ran")).toBe("once\nonce\n");
  } finally {
    process.kill(-crowd.pid!, "SIGKILL");
  }
});

test.runIf(isLong && isRoot)("where no process can be forked a job that has ended is not repeated", async () => {
  const it = scene({ ttl: 5000 });
  chownSync(it.folder, USER, USER);
  // As many as the limit of this user allows: then every fork of the guardian and of the run fails, too.
  const run = it.sh("echo once >> ran; sh -c 'while :; do sleep 30 & done' 2> failed; exit 4", {
    through: ["prlimit", "--nproc=60", ...asUser],
  });
  const status = await run.ended;
  expect([status, it.read("ran"), run.starts.length], run.stderr).toEqual([4, "once\n", 1]);
  expect(it.read("failed")).toMatch(/fork/);
  expect(isAlive(run.pid)).toBe(false);
});
