/** What a user of `sortition group` can get wrong, and what it says then. */
import { createSocket } from "node:dgram";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { GroupProcess } from "../support/group-process.ts";
import { ended, sortitionProcess as sortition, start } from "./run.ts";

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

describe("what the user can fix ends with status 2 and one line", () => {
  test.each([
    [() => ["--name", "a", "--bind", "10.0.0.7:0"], "there is no key, and 10.0.0.7:0 can be reached by others"],
    [() => ["--name", "a", "--bind", "127.0.0.1:0", "--key-file", join(folder, "none")], "there is no key file"],
    [() => ["--name", "a", "--bind", "127.0.0.1", "--key-file", key], "--bind must be an address, HOST:PORT"],
  ])("%#", async (args, message) => {
    const { status, stdout, stderr } = await sortition("group", ...args());
    expect(stderr).toContain(message);
    expect([status, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 1]);
  });

  test("a port in use", async () => {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${socket.address().port}`;
    const { status, stderr } = await ended(start(["group", "--name", "a", "--bind", address, "--key-file", key]));
    socket.close();
    expect([status, stderr]).toEqual([2, `sortition: cannot listen at ${address}: another process uses it\n`]);
  });
});

test("a name that is taken, by a process or in a state; a wrong key and a name that nobody knows are said and lived with", async () => {
  const state = join(folder, "state");
  const first = new GroupProcess("a", ["--bind", "127.0.0.1:0", "--key-file", key, "--state", state]);
  try {
    const { address } = await first.line(({ event }) => event === "started");
    const asking = ["--seeds", address!, "--bind", "127.0.0.1:0"];
    const namesake = new GroupProcess("a", [...asking, "--key-file", key]);
    expect(await namesake.exit).toBe(2);
    expect(namesake.errors).toContain(`the name "a" is taken by a live process at ${address}: choose another name`);
    const twin = await ended(start(["group", "--name", "a", ...asking, "--key-file", key, "--state", state]));
    expect([twin.status, twin.stderr]).toEqual([2, expect.stringContaining("uses this state")]);

    const other = file("other.key", newKeyText());
    const stranger = new GroupProcess("b", [...asking, "--seeds", "nosuch.invalid:7001", "--key-file", other]);
    expect((await first.line(({ event }) => event === "dropped")).why).toMatch(
      /sealed with a key whose id ends in [0-9a-f]{2}, which this member does not have/,
    );
    expect((await stranger.line(({ event }) => event === "unresolved")).address).toBe("nosuch.invalid:7001");
    expect(await stranger.kill("SIGTERM")).toBe(0);
  } finally {
    expect(await first.kill("SIGINT")).toBe(0);
  }
});

test("without --json a line for people; a second signal ends it at once", async () => {
  const child = start(["group", "--name", "a", "--bind", "[::1]:0", "--key-file", key]);
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
