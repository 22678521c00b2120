/**
 * A key is replaced in a group of real agents, by the commands that an operator types: files are copied, agents read them again, one is
 * killed in the midst of it, steps that come too early are refused, and the same leader leads all the time.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { AgentClient } from "../../src/api/client.ts";
import { idsOf, keyIdText, loadKeyring } from "../../src/live/net/keyring.ts";
import { bin, type Ended, ended, root } from "../cli/run.ts";
import { isLong } from "../support/effort.ts";

/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;
const folder = mkdtempSync(join(tmpdir(), "sortition-rotation-"));
const fileOf = (name: string) => join(folder, `${name}.key`);
const token = join(folder, "http.token");

interface Agent {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown>;
  readonly lines: string[];
  url: string;
  address: string;
}

const agents = new Map<string, Agent>();
afterAll(async () => {
  for (const { child } of agents.values()) child.kill("SIGKILL");
  await Promise.all([...agents.values()].map(({ exit }) => exit));
  rmSync(folder, { recursive: true });
});

async function until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + LIMIT;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) {
      throw new Error(
        `${what}: not within ${LIMIT} ms\n${[...agents.values()].flatMap(({ lines }) => lines).join("\n")}`,
      );
    }
    // An agent that is asked all the time has no time for the others.
    await pass(100);
  }
}

async function start(name: string, seed: string | null): Promise<Agent> {
  const args = ["agent", "--name", name, "--group", "g", "--profile", "local", "--key-file", fileOf(name)];
  const more = ["--http", "127.0.0.1:0", "--http-token-file", token, "--log", "json"];
  const child = spawn(process.execPath, [bin, ...args, ...more, ...(seed === null ? [] : ["--seeds", seed])], {
    cwd: root,
    env: { ...process.env, SORTITION_AGENT: "" },
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const exit = new Promise((resolve) => child.on("close", resolve));
  const agent: Agent = { child, exit, lines, url: "", address: "" };
  agents.set(name, agent);
  agent.address = await until(`${name} listens`, () => lines.join("\n").match(/"address":"([^"]+)"/)?.[1]);
  agent.url = await until(`${name} serves`, () => lines.join("\n").match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]);
  return agent;
}

const command = (...args: string[]): Promise<Ended> => {
  const env = { ...process.env, SORTITION_AGENT: agents.get("a")?.url, SORTITION_HTTP_TOKEN_FILE: token };
  return ended(spawn(process.execPath, [bin, ...args], { cwd: root, env }));
};
const keys = (...args: string[]) => command("keys", ...args, "--key-file", fileOf("a"));
// Looking is done from here, and only what an operator types is typed: processes take their time to start.
const status = () => new AgentClient({ url: agents.get("a")!.url }).status();
const idsIn = () => idsOf(loadKeyring(fileOf("a"))).map(keyIdText);

/** Refused at each try, and in these words once all that matters is known: on a busy machine members are suspected now and then. */
const refused = (words: string, ...args: string[]) =>
  until(`keys ${args.join(" ")} refused: ${words}`, async () => {
    const { status, stderr } = await keys(...args);
    expect([status, stderr]).toEqual([2, expect.any(String)]);
    return stderr.includes(words);
  });

/** What others have is heard within a second or two. */
const told = (what: string, isSo: (keys: { readonly seals: string; readonly opens: readonly string[] }) => boolean) =>
  until(what, async () => (await status()).members.members.every(({ keys }) => keys !== null && isSo(keys)));

function copyTo(...names: string[]): void {
  for (const name of names) {
    copyFileSync(fileOf("a"), fileOf(name));
    agents.get(name)!.child.kill("SIGHUP");
  }
}

// In `npm test` rotation.test.ts does this in virtual time, and agent/processes.test.ts has agents that read their keys again.
test.runIf(isLong)(
  "add, use, remove: with refusals, a member that is killed and comes back, and one that missed it all",
  async () => {
    writeFileSync(token, "a-token-that-is-long-enough-for-anybody\n", { mode: 0o600 });
    expect((await command("keygen", "--out", fileOf("a"))).stdout).toMatch(/^A new key, [0-9a-f]{8}, is in /);
    for (const name of ["b", "c"]) copyFileSync(fileOf("a"), fileOf(name));
    const { address } = await start("a", null);
    await Promise.all([start("b", address), start("c", address)]);
    const before = await until("all are there", async () => {
      const now = await status();
      return now.members.members.length === 3 && now.offices[0].leader !== null && now;
    });
    const leader = before.offices[0].leader!.name;
    const [seen, asData, nobody] = await Promise.all([
      command("status"),
      command("status", "--json", "--office", "leader"),
      command("status", "--agent", "127.0.0.1:9"),
    ]);
    expect(seen).toMatchObject({ status: 0, stderr: "" });
    expect(seen.stdout).toContain('Group "g", probabilistic, 3 members, as a knows it');
    expect(JSON.parse(asData.stdout)).toMatchObject({ self: { name: "a" }, offices: [{ office: "leader" }] });
    expect(nobody).toMatchObject({ status: 2, stdout: "" });

    const [old] = idsIn();
    expect((await keys("add", "--rekey")).stdout).toContain("has read its keys again");
    const fresh = idsIn()[1];
    await refused(`${fresh} is not opened (only ${old}) by b, c.`, "use", fresh);

    // One is killed before it has read the file: it stands in the way until it is back with it.
    agents.get("c")!.child.kill("SIGKILL");
    await agents.get("c")!.exit;
    copyTo("b");
    await until("c is taken for dead", async () => (await status()).members.recent.some(({ name }) => name === "c"));
    await refused("by c (failed within a day, and may come back as it was)", "use", fresh);
    await start("c", address);
    await until("c is back", async () => (await status()).members.members.length === 3);
    copyTo("c");
    await told("all open the new key", ({ opens }) => opens.includes(fresh));
    expect((await keys("use", fresh.slice(0, 5), "--rekey")).stdout).toContain(`it seals with ${fresh}`);

    await refused(`${old} still seals what is sent by b, c`, "remove", old);
    copyTo("b", "c");
    await told("all seal with the new key", ({ seals }) => seals === fresh);
    expect(await keys("remove", old, "--rekey")).toMatchObject({ status: 0 });
    copyTo("b", "c");
    await told("all have the new key alone", ({ opens }) => opens.join() === fresh);
    expect(readFileSync(fileOf("b"), "utf8")).toBe(readFileSync(fileOf("a"), "utf8"));
    const after = await status();
    expect(after.members.members).toHaveLength(3);
    // A machine that is too busy to run the leader lets others take it for dead: then they say so.
    const wasSuspected = [...agents.values()].some(({ lines }) =>
      lines.some((line) => line.includes('"event":"failed"') && line.includes(`"peer":"${leader}"`)),
    );
    if (leader !== "c" && !wasSuspected)
      expect(after.offices[0]).toMatchObject({ leader: { name: leader }, term: before.offices[0].term });

    // Somebody who missed all of it is noticed, and nothing else happens.
    await command("keygen", "--out", fileOf("d"));
    const stranger = await start("d", address);
    const line = `from ${stranger.address} came sealed with a key whose id ends in `;
    await until("d is noticed", () => agents.get("a")!.lines.some((each) => each.includes(line)));
    expect((await status()).members.members).toHaveLength(3);
  },
);
