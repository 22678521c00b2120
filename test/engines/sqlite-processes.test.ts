/** A file of leases used by real processes: killed, on a full disk, without the right to write, in another time namespace. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { effort } from "../support/effort.ts";
import { memoryFolder, type SmallDisk, smallDisk } from "../support/lease-disk.ts";
import { NEEDS_ROOT, notTested } from "../support/not-tested.ts";
import { life } from "../support/register.ts";
import { CONTENDED_TTL, overlaps, tenuresIn } from "./sqlite-contention.ts";

const PROCESS = fileURLToPath(new URL("./sqlite-process.ts", import.meta.url));

let folder: string;
let file: string;
const children: ChildProcess[] = [];
const disks: SmallDisk[] = [];
beforeEach(() => {
  folder = memoryFolder();
  file = join(folder, "leases.db");
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  for (const disk of disks.splice(0)) disk.remove();
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], through: readonly string[] = []): ChildProcess {
  const [command, ...rest] = [...through, process.execPath, PROCESS, ...args];
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Another member, in a process of its own. */
function serve(through: readonly string[] = [], mode: "serve" | "visit" = "serve") {
  const child = start([mode, file], through);
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  return {
    child,
    async ask(request: LeaseRequest): Promise<Record<string, unknown>> {
      child.stdin!.write(`${JSON.stringify(request)}\n`);
      return JSON.parse((await lines.next()).value!);
    },
  };
}

/** Milliseconds: longer than the slowest machine takes for a test. */
const TTL = 600_000;
const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];

test(
  "processes that are killed or stopped in the middle of what they write leave one holder at a time, and a sound file",
  async () => {
    const lines: string[] = [];
    let holder: ChildProcess | null = null;
    let number = 0;
    const contend = () => {
      const child = start(["contend", file, `m${++number}`]);
      createInterface(child.stdout!).on("line", (line) => {
        lines.push(line);
        holder = line.includes("got") ? child : null;
      });
      return child;
    };
    const running = new Set([contend(), contend(), contend()]);
    for (let round = 0; round < effort(3, 80); round++) {
      const before = lines.length;
      const isDue = () => lines.length > before + 40 && holder !== null && running.has(holder);
      await expect.poll(isDue, { timeout: 40_000, interval: 1 }).toBe(true);
      const victim = holder!;
      if (round % 2 === 0) {
        running.delete(victim);
        await kill(victim);
        running.add(contend());
      } else {
        victim.kill("SIGSTOP");
        // It may have stopped with the file locked: then nobody else gets on.
        const since = performance.now();
        while (performance.now() - since <= 2 * CONTENDED_TTL) await pass(10);
        victim.kill("SIGCONT");
      }
    }
    await Promise.all([...running].map(kill));
    const tenures = tenuresIn(lines);
    expect(overlaps(tenures)).toEqual([]);
    expect(tenures.length).toBeGreaterThan(10);
    const database = new DatabaseSync(file);
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
  },
  effort(60_000, 600_000),
);

test("an engine that is open keeps no process alive", async () => {
  const { child, ask } = serve();
  expect(await ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin!.end();
  expect(await ended).toBe(0);
});

/** Root may write everything but what lies on a disk that is mounted for reading alone. */
function small(size: string): SmallDisk | string {
  const disk = smallDisk(join(folder, "disk"), size);
  if (typeof disk !== "string") disks.push(disk);
  return disk;
}

/** Why there can be none here; null where there can. */
const withoutDisk = (() => {
  const place = memoryFolder();
  const disk = smallDisk(join(place, "disk"), "64k");
  if (typeof disk !== "string") disk.remove();
  rmSync(place, { recursive: true });
  return typeof disk === "string" ? disk : null;
})();
const OTHER_TIME = ["unshare", "--time", "--monotonic", "1000000", "--"];
const withoutTime = spawnSync(OTHER_TIME[0], [...OTHER_TIME.slice(1), "true"]).status === 0 ? null : NEEDS_ROOT;

test("a file that may not be written is refused by members at their start; others can look at it, and go on when it may be written", async () => {
  const disk = small("1m");
  const place = typeof disk === "string" ? null : disk;
  if (place !== null) file = join(place.folder, "leases.db");
  const owner = serve();
  expect(await owner.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
  await kill(owner.child);
  if (place === null) chmodSync(file, 0o444);
  else place.remount("ro");
  const error = `sqlite:${file} cannot be written: this process needs the right to write the file and its folder`;
  expect(await serve().ask(B.look())).toEqual({ error });
  const other = serve([], "visit");
  expect(await other.ask(B.look())).toMatchObject({ seats: [{ holder: { name: "A" } }] });
  expect(await other.ask(B.acquire("other", "B1"))).toEqual({ error });
  if (place === null) chmodSync(file, 0o644);
  else place.remount("rw");
  expect(await other.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "denied", why: "held" });
  expect(await other.ask(B.acquire("other", "B1"))).toMatchObject({ kind: "granted" });
});

/** Files of this process cannot be longer than this many blocks of 512 bytes: a full disk for those who may not mount one. */
const shortFiles = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh"];

async function fillsUp(through: readonly string[], expected: RegExp): Promise<void> {
  const { child, ask } = serve(through);
  const granted: string[] = [];
  let refusal: Record<string, unknown> | null = null;
  for (let number = 0; refusal === null && number < 500; number++) {
    const seat = `seat ${number} ${"x".repeat(500)}`;
    const answer = await ask(A.acquire(seat, `A${number}`));
    if (answer.kind === "granted") granted.push(seat);
    else refusal = answer;
  }
  expect(refusal!.error).toMatch(expected);
  // By another process: this one may not be able to undo what it could not write.
  await kill(child);
  const { seats } = (await serve().ask(A.look())) as { seats: { seat: string; holder: object | null }[] };
  expect(seats.map(({ seat }) => seat).sort()).toEqual(granted.sort());
  expect(seats.every(({ holder }) => holder !== null)).toBe(true);
  expect(granted.length).toBeGreaterThan(5);
}

test("where files cannot grow, nothing is given that is not stored", () =>
  fillsUp(shortFiles, /could not be (read or )?written/));

if (withoutDisk === null) {
  test("on a full disk nothing is given that is not stored, and it works again once there is room", async () => {
    const disk = small("128k") as SmallDisk;
    file = join(disk.folder, "leases.db");
    await fillsUp([], /could not be written: the disk is full/);
    disk.remount("size=1m");
    expect(await serve().ask(B.acquire("another", "B1"))).toMatchObject({ kind: "granted" });
  });
} else {
  notTested("leases on a full disk", withoutDisk);
}

if (withoutTime === null) {
  test("in another time namespace clocks are not compared: the row is watched for one TTL and more", async () => {
    const here = serve();
    const there = serve(OTHER_TIME);
    await here.ask(A.acquire("leader", "A1"));
    const wait = Math.ceil(TTL * 1.01 + 50);
    expect(await there.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "denied", why: "held", wait });
    expect((await here.ask(B.acquire("leader", "B2"))).wait).toBeLessThanOrEqual(TTL);
  });
} else {
  notTested("leases in another time namespace", withoutTime);
}
