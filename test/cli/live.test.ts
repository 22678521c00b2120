/** elect, keygen and demo, as a user runs them. */

import { createSocket } from "node:dgram";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../support/effort.ts";
import { freePorts } from "../support/ports.ts";
import { ended, sortitionProcess as sortition, start } from "./run.ts";

/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;
/** Milliseconds for which a member that has a verdict answers others: longer than a busy machine keeps one of them from asking. */
const LINGER = "3000";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-live-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
};

/** A process of its own: sockets and signals are one process's. */
const command = (...args: string[]) => ended(start(args));

async function groupFile(name: string, n: number): Promise<string> {
  const ports = await freePorts(n);
  return file(name, ports.map((port, i) => `${i + 1} 127.0.0.1:${port}\n`).join(""));
}

test("keygen prints a key, or writes a new file that only its owner can read", async () => {
  const printed = await sortition("keygen");
  expect(printed.stdout).toMatch(/^[\w-]{43}\n$/);
  const path = join(folder, "new.key");
  expect((await sortition("keygen", "--out", path)).status).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toMatch(/^[\w-]{43}\n$/);
  const again = await sortition("keygen", "--out", path);
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("it exists already")]);
});

test("keygen makes a bearer token for programs, not for members", async () => {
  const path = join(folder, "new.token");
  const { stdout } = await sortition("keygen", "--http-token", "--out", path);
  expect(stdout).toBe(
    `A new bearer token is in ${path}; give it to the agent and to the programs that may change something over its HTTP API.\n`,
  );
  expect(readFileSync(path, "utf8")).toMatch(/^[\w-]{43}\n$/);
  const both = await sortition("keygen", "--http-token", "--guard", "jobs", "--key-file", path);
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("--http-token")]);
});

test.concurrent("four processes elect; one of them loses datagrams", async () => {
  const members = await groupFile("four.txt", 4);
  const key = file("four.key", (await sortition("keygen")).stdout);
  const ends = await Promise.all(
    [1, 2, 3, 4].map((id) =>
      command(
        ...["elect", "peterson", "--self", String(id), "--members", members, "--key-file", key, "--linger", LINGER],
        ...["--param", "winner=owner", "--loss", id === 2 ? "0.2" : "0"],
      ),
    ),
  );
  const outcomes = ends.map(({ stdout }) => JSON.parse(stdout));
  expect(ends.map(({ status, stderr }) => [status, stderr])).toEqual(Array(4).fill([0, ""]));
  expect(outcomes.map(({ leader, status }) => [leader, status])).toEqual([
    [4, "not-elected"],
    [4, "not-elected"],
    [4, "not-elected"],
    [4, "elected"],
  ]);
  expect(outcomes[0]).toMatchObject({ protocol: "peterson", self: 1, members: 4, reason: null, term: 0 });
});

test.concurrent("SIGHUP reads the key file again: members with different first keys elect", async () => {
  const members = await groupFile("rotation.txt", 2);
  const [old, fresh] = await Promise.all([1, 2].map(async () => (await sortition("keygen")).stdout));
  const mine = file("mine.key", old);
  const theirs = file("theirs.key", fresh);
  const args = (self: string, key: string) => [
    ...["elect", "chang-roberts", "--self", self, "--members", members, "--key-file", key],
    ...["--linger", LINGER, "--timeout", "45"],
  ];
  const [first, second] = [start(args("1", mine)), start(args("2", theirs))];
  const ends = [ended(first), ended(second)];
  for (const index of [0, 1]) await listens(members, index);
  file("mine.key", "no key at all\n");
  first.kill("SIGHUP");
  await new Promise((resolve) => first.stderr!.once("data", resolve));
  file("mine.key", old + fresh);
  first.kill("SIGHUP");
  file("theirs.key", fresh + old);
  second.kill("SIGHUP");
  const [one, two] = await Promise.all(ends);
  expect([one.status, two.status]).toEqual([0, 0]);
  expect([JSON.parse(one.stdout).leader, JSON.parse(two.stdout).leader]).toEqual([2, 2]);
  expect(one.stderr).toContain("is not a key");
});

test.concurrent("SIGHUP while it starts does not end it", async () => {
  const members = await groupFile("early.txt", 2);
  const hook = file("early.cjs", 'process.nextTick(() => process.kill(process.pid, "SIGHUP"));');
  const args = ["elect", "chang-roberts", "--self", "1", "--members", members, "--insecure", "--timeout", "0.3"];
  const { status, stdout } = await ended(start(args, { NODE_OPTIONS: `--require="${hook}"` }));
  expect([status, JSON.parse(stdout).reason]).toEqual([3, "no leader known: no verdict within 0.3 s"]);
});

test.concurrent("without the others: no verdict, status 3; interrupted: status 130", async () => {
  const members = await groupFile("lonely.txt", 3);
  const args = ["elect", "chang-roberts", "--self", "1", "--members", members, "--insecure", "--gather", "0.1"];
  const { status, stdout } = await command(...args, "--timeout", "0.5");
  expect([status, JSON.parse(stdout).reason]).toEqual([3, "no leader known: no verdict within 0.5 s"]);
  const child = start(args);
  const end = ended(child);
  await listens(members);
  child.kill("SIGINT");
  const { status: interrupted, stdout: last } = await end;
  expect([interrupted, JSON.parse(last).reason]).toEqual([130, "no leader known: interrupted"]);
});

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + LIMIT; !(await isSo()); await pass(20)) {
    if (performance.now() > limit) throw new Error(`not within ${LIMIT} ms: ${what}`);
  }
}

/** Waits until a member has its port; it handles signals by then. */
async function listens(members: string, index = 0): Promise<void> {
  const port = Number([...readFileSync(members, "utf8").matchAll(/:(\d+)/g)][index][1]);
  await until(`port ${port} is taken`, () => isTaken(port));
}

/** Linux shows it. Elsewhere the port is tried, which may be just when the member tries it. */
async function isTaken(port: number): Promise<boolean> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  if (existsSync("/proc/net/udp")) return readFileSync("/proc/net/udp", "utf8").includes(`:${hex} 00000000:0000`);
  const probe = createSocket("udp4");
  return new Promise((resolve) => {
    probe.once("error", () => resolve(true));
    probe.bind(port, "127.0.0.1", () => probe.close(() => resolve(false)));
  });
}

describe("what the user can fix ends with status 2 and one line", () => {
  const members = () => file("two.txt", "1 127.0.0.1:7901\n2 127.0.0.1:7902\n");
  const far = () => file("far.txt", "1 127.0.0.1:7901\n2 192.0.2.1:7902\n");
  test.each([
    [() => ["--self", "1", "--members", members()], "no key: give --key-file FILE"],
    [() => ["--self", "3", "--members", members(), "--insecure"], "--self 3 is not in"],
    [() => ["--self", "1", "--members", join(folder, "none"), "--insecure"], "there is no such file"],
    [
      () => ["--self", "1", "--members", far(), "--insecure"],
      "--insecure is for loopback, but member 2 is at 192.0.2.1:7902",
    ],
    [() => ["--self", "1", "--members", members(), "--key-file", join(folder, "none")], "there is no key file"],
    [() => ["--self", "1", "--members", members(), "--insecure", "--tau", "0"], "--tau must be above 0"],
    [() => ["--self", "1", "--members", members(), "--insecure", "--tau", "1e-6"], "--tau must be at least 1"],
    [() => ["--self", "1", "--members", members(), "--insecure", "--gather", "0"], "--gather must be above 0"],
    [() => ["--self", "1", "--members", members(), "--insecure", "--timeout", "1e9"], "--timeout can be at most 86400"],
    [() => ["--self", "1", "--members", members(), "--insecure", "--param", "x=1"], 'has no parameter "x"'],
    [() => ["--members", members()], "--self"],
  ])("%#", async (args, message) => {
    const { status, stderr } = await sortition("elect", "chang-roberts", ...args());
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n").length).toBe(1);
    expect(status).toBe(2);
  });
});

describe.concurrent("demo --protocols", () => {
  test("elects, kills, elects again, and ends with status 0", async () => {
    const { status, stdout, stderr } = await command(
      "demo",
      "--protocols",
      "--members",
      "4",
      "--protocol",
      "chang-roberts",
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/undisturbed +chang-roberts +4 +4 +\d+ ms +11 +11 +12\.33 +14 /);
    expect(stdout).toMatch(/5% lost +chang-roberts +4 +4 +\d+ ms +11 +11 +12\.33 +14 /);
    expect(stdout).toMatch(/1 killed +chang-roberts +3 /);
    expect(stdout).toMatch(/survivors +chang-roberts +3 +4 /);
  });

  test.runIf(isLong)("a protocol with timers elects among the survivors, as without a kill", async () => {
    // On a busy machine messages can be later than tau: then another one leads, or nobody, and it is tried again. Two never lead: the
    // demo would end with an error.
    for (let isInTime = false; !isInTime; ) {
      const { status, stdout } = await command("demo", "--protocols", "--members", "4", "--protocol", "time-slice");
      expect([status, stdout]).toEqual([0, expect.stringMatching(/survivors +time-slice +3 +(1|2|4|none) /)]);
      isInTime = /1 killed +time-slice +3 +none +time-out /.test(stdout) && /survivors +time-slice +3 +1 /.test(stdout);
    }
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGKILL", null],
  ] as const)("%s leaves no process behind", async (signal, status) => {
    const mark = `SORTITION_TEST_MARK_${process.pid}_${signal}`;
    const child = start(["demo", "--protocols", "--members", "3"], { [mark]: "1" });
    const end = ended(child);
    await new Promise((resolve) => child.stdout!.once("data", resolve));
    child.kill(signal);
    expect((await end).status).toBe(status);
    await until("no process is left", () => marked(mark).length === 0);
  });
});

/** Processes whose environment carries the mark (Linux shows it; elsewhere there is nothing to see). */
function marked(mark: string): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}
