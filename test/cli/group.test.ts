/** What a user of `sortition group` can get wrong, and what it says then. */
import { createSocket } from "node:dgram";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKeyText } from "../../src/live/keyring.ts";
import { GroupProcess } from "../support/group-process.ts";
import { ended, sortition, start } from "./run.ts";

let folder: string;
let key: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-group-"));
  key = file("group.key", newKeyText());
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
};

describe("what can be mended ends with status 2 and one line", () => {
  const bound = (bind: string, ...rest: string[]) => ["--self", "a", "--bind", bind, "--key-file", key, ...rest];
  test.each([
    [() => ["--bind", "127.0.0.1:0", "--key-file", key], "--self"],
    [() => ["--self", "a", "--bind", "127.0.0.1:0"], "--key-file"],
    [() => ["--self", "a", "--bind", "127.0.0.1:0", "--key-file", join(folder, "none")], "there is no key file"],
    [() => bound("127.0.0.1"), '--bind: "127.0.0.1" is not an address: write HOST:PORT'],
    [() => bound("192.0.2.1:7001"), "cannot listen at 192.0.2.1:7001: this machine has no such address"],
    [() => bound("nosuch.invalid:7001"), "--bind: nobody knows an address for nosuch.invalid"],
    [() => bound("0.0.0.0:0"), "others need one to answer to: add --advertise HOST:PORT"],
    [() => bound("127.0.0.1:0", "--join", "a b"), '--join: "a b" is not an address'],
    [() => bound("127.0.0.1:0", "--join", "192.0.2.1:7001"), "192.0.2.1:7001 cannot answer to 127.0.0.1"],
    [() => bound("127.0.0.1:0", "--office", "a/b"), '"a/b" is no office'],
    [() => bound("127.0.0.1:0", "--policy", "most"), "--policy"],
    [() => bound("127.0.0.1:0", "--expected", "5"), "--expected is for --policy majority"],
    [() => bound("127.0.0.1:0", "--weight", "-1"), "--weight must be at least 0, not -1"],
    [() => bound("127.0.0.1:0", "--protocol", "refere"), 'unknown protocol "refere"'],
    [() => bound("127.0.0.1:0", "--group", "x".repeat(65)), "the name of a group has 1 to 64 bytes"],
  ])("%#", async (args, message) => {
    const { status, stdout, stderr } = await sortition("group", ...args());
    expect(stderr).toContain(message);
    expect([status, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 1]);
  });

  test("a port in use", async () => {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${socket.address().port}`;
    const { status, stderr } = await sortition("group", ...bound(address));
    socket.close();
    expect([status, stderr]).toEqual([2, `sortition: cannot listen at ${address}: another process uses it\n`]);
  });
});

test("a name that is taken, by a process or in a state; a wrong key and a name that nobody knows are said and lived with", async () => {
  const state = join(folder, "state");
  const first = new GroupProcess("a", ["--bind", "127.0.0.1:0", "--key-file", key, "--state", state]);
  try {
    const { address } = await first.line(({ event }) => event === "started");
    const join_ = ["--join", address!, "--bind", "127.0.0.1:0"];
    const namesake = new GroupProcess("a", [...join_, "--key-file", key]);
    expect(await namesake.exit).toBe(2);
    expect(namesake.errors).toContain(`the name "a" is taken by a live process at ${address}: choose another name`);
    const twin = await sortition("group", "--self", "a", ...join_, "--key-file", key, "--state", state);
    expect([twin.status, twin.stderr]).toEqual([2, expect.stringContaining("uses this state")]);

    const other = file("other.key", newKeyText());
    const stranger = new GroupProcess("b", [...join_, "--join", "nosuch.invalid:7001", "--key-file", other]);
    expect((await first.line(({ event }) => event === "dropped")).why).toContain("could not be opened: another key");
    expect((await stranger.line(({ event }) => event === "unresolved")).address).toBe("nosuch.invalid:7001");
    expect((await stranger.line(({ event }) => event === "alone")).why).toContain(`nobody has answered at ${address}`);
    expect(await stranger.kill("SIGTERM")).toBe(0);
  } finally {
    expect(await first.kill("SIGINT")).toBe(0);
  }
});

test("without --json a line for people; a second signal ends it at once", async () => {
  const child = start(["group", "--self", "a", "--bind", "[::1]:0", "--key-file", key]);
  const end = ended(child);
  child.stdout!.on("data", (text: string) => {
    if (!text.includes("LEADS")) return;
    child.kill("SIGTERM");
    child.kill("SIGINT");
  });
  const { status, signal, stdout } = { ...(await end), signal: child.signalCode };
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d\d\d {2}a listens; others reach it at \[::1\]:\d+\n/);
  expect(stdout).toMatch(/leader: THIS MEMBER LEADS in term 1\n/);
  expect([status, signal]).toEqual([expect.toSatisfy((code) => code === 130 || code === 143), null]);
});
