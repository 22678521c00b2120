/** Agents as processes in the hands of people and machines that get something wrong: what they say, and how they end. */
import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { sortition } from "../cli/run.ts";
import { AgentProcess } from "../support/agent-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-agents-"));
const started: AgentProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.kill("SIGKILL")));
});
afterAll(() => rmSync(folder, { recursive: true }));

function secret(name: string, text = newKeyText()): string {
  const file = join(folder, name);
  writeFileSync(file, `${text}\n`);
  chmodSync(file, 0o600);
  return file;
}

function agent(name: string, args: readonly string[], through: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const one = new AgentProcess(name, ["--profile", "local", ...args], through, env);
  started.push(one);
  return one;
}

const leads = (one: AgentProcess) =>
  one.until("leading", async () => {
    const now = await one.get("/v1/leader");
    return now?.body.leader?.mine === true && now;
  });

const key = secret("group.key");

test("ports in use, beyond loopback without a key, a name that is taken: status 2 and one line; --check says the same", async () => {
  const udp = createSocket("udp4");
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const tcp = createServer();
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const members = `127.0.0.1:${udp.address().port}`;
  const http = `127.0.0.1:${(tcp.address() as { port: number }).port}`;
  const first = agent("a", ["--key-file", key]);
  const address = await first.address();
  const wrong: [readonly string[], string][] = [
    [["--bind", members], `cannot listen at ${members}: another process uses it: choose another port`],
    [["--http", http], `HTTP cannot be served at ${http}: another process uses it: choose another address`],
    [
      ["--bind", "0.0.0.0:0", "--advertise", "192.0.2.1:7001"],
      "there is no key, and 0.0.0.0:0 can be reached by others",
    ],
    [["--key-file", key, "--seeds", address], `the name "a" is taken by a live process at ${address}`],
    [["--key-file", key, "--state", join(key, "state")], "nothing can be kept in"],
    [["--key-file", join(folder, "none.key")], "there is no key file"],
    [["--log-levl", "info"], 'unknown option "--log-levl"; did you mean "--log-level"?'],
  ];
  await Promise.all(
    wrong.map(async ([args, words]) => {
      const one = agent("a", args);
      expect([await one.end(), one.errors], one.errors).toEqual([2, expect.stringContaining(words)]);
      expect(one.errors.trim().split("\n").length).toBe(1);
    }),
  );
  const check = await sortition(
    "agent",
    "--name",
    "a",
    "--bind",
    members,
    "--http",
    http,
    "--key-file",
    key,
    "--check",
  );
  expect([check.status, check.stderr]).toEqual([0, ""]);
  expect(check.stdout).toMatch(/bind +note +another process uses/);
  const bad = await sortition("agent", "--name", "a", "--key-file", key, "--lease", "sqlite:nosuch/a.db", "--check");
  expect([bad.status, bad.stdout]).toEqual([
    2,
    expect.stringMatching(/lease +WRONG .*An agent cannot start with this: lease/s),
  ]);
  udp.close();
  tcp.close();
  expect(await first.kill("SIGINT")).toBe(0);
});

test("two groups on one host share nothing but the host; a wrong key is named in the log; SIGHUP reads keys and token again", async () => {
  const token = secret("http.token", "first-token-of-the-tests");
  const [other, later] = [newKeyText(), newKeyText()];
  const [jobs, mail] = [secret("jobs.key"), secret("mail.key")];
  const common = [
    "--state",
    join(folder, "state"),
    "--lease",
    `sqlite:${join(folder, "both.db")}`,
    "--lease-ttl",
    "1000",
  ];
  const args = ["--group", "jobs", "--key-file", jobs, "--http-token-file", token, ...common];
  const [a, m] = [agent("a", args), agent("a", ["--group", "mail", "--key-file", mail, ...common])];
  await Promise.all([a.ready(1), m.ready(1)]);
  await Promise.all([leads(a), leads(m)]);
  // Of another group; of another key; of the right one.
  const seeds = ["--seeds", await a.address()];
  const strangers = [
    agent("b", ["--group", "mail", "--key-file", jobs, ...seeds]),
    agent("c", ["--group", "jobs", "--key-file", secret("other.key", other), ...seeds]),
  ];
  const b = agent("b", ["--group", "jobs", "--key-file", jobs, ...seeds, ...common]);
  await Promise.all([a.ready(2), b.ready(2)]);
  const dropped = await a.line(({ event }) => event === "dropped", "told of the wrong key");
  expect([dropped.level, dropped.why]).toEqual([
    "warn",
    expect.stringMatching(/key whose id ends in|could not be opened/),
  ]);
  await Promise.all(
    strangers.map((one) => one.until("started", async () => (await one.get("/v1/self"))?.body.members === 1)),
  );

  const resign = (bearer: string) =>
    a.answer("/v1/resign", { method: "POST", headers: { authorization: `Bearer ${bearer}` } });
  expect((await resign("second-token-of-the-tests")).status).toBe(401);
  secret("http.token", "second-token-of-the-tests");
  secret("jobs.key", "half a key");
  a.child.kill("SIGHUP");
  const kept = await a.line(({ msg }) => msg.startsWith("keys: "), "told that the key cannot be read");
  expect([kept.level, kept.msg]).toEqual(["error", expect.stringContaining("is not a key")]);
  expect(kept.msg).not.toContain("half a key");
  await a.until("with the new token", async () => (await resign("second-token-of-the-tests")).status === 200);
  secret("jobs.key", `${later}\n${other}`);
  a.child.kill("SIGHUP");
  await a.line(({ msg }) => msg === "keys: read again", "with new keys");
  await a.until("a member with the stranger who was", async () =>
    (await a.get("/v1/members"))?.body.members.some(({ name }: { name: string }) => name === "c"),
  );
  expect(await m.answer("/v1/self")).toMatchObject({ body: { group: "mail", members: 1 } });
  expect(JSON.stringify([...a.lines, ...m.lines])).not.toMatch(/second-token|s1~/);
});

/** A folder on a small disk that is the agent's own: as root, or in a namespace where it is. */
const ROOT = process.getuid?.() === 0 ? [] : ["-Ur"];
const small = (disk: string, options = "size=256k") => [
  ...["unshare", ...ROOT, "-m", "sh", "-c"],
  ...[`mount -t tmpfs -o ${options} none "$0" && exec "$@"`, disk],
];

function fill(pid: number, disk: string): string {
  const file = join(`/proc/${pid}/root`, disk, "fill");
  for (const size of [4096, 512, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
  }
  return file;
}

test("disks: read-only, full while it runs under its state, full under its leases and free again", async () => {
  const disks = ["ro", "state", "leases"].map((name) => join(folder, `disk-${name}`));
  for (const disk of disks) mkdirSync(disk);
  const [ro, state, leases] = disks;
  const barred = agent("a", ["--state", ro], small(ro, "ro"));
  const saving = agent("a", ["--state", state], small(state), { SORTITION_HTTP_TOKEN: "a-token-of-the-tests" });
  const strict = agent("a", ["--group", "s", "--lease", `sqlite:${leases}/l.db`, "--lease-ttl", "1000"], small(leases));
  expect([await barred.end(), barred.errors]).toEqual([2, expect.stringContaining("nothing can be kept in")]);

  await leads(saving);
  fill(saving.child.pid!, state);
  // It leads again, in a term that it must not forget.
  const headers = { authorization: "Bearer a-token-of-the-tests" };
  void saving.get("/v1/resign", { method: "POST", headers });
  expect([await saving.end(), saving.errors]).toEqual([
    2,
    expect.stringMatching(/a has stopped, because its terms and tokens could not be saved in .* \(ENOSPC\): make room/),
  ]);

  const { body } = await leads(strict);
  const filled = fill(strict.child.pid!, leases);
  await strict.until("not ready", async () => (await strict.get("/readyz"))?.status === 503);
  expect((await strict.line(({ event }) => event === "engine")).level).toBe("warn");
  expect((await strict.answer("/v1/leader")).body.leader?.mine ?? false, "no lease, no leader").toBe(false);
  rmSync(filled);
  const again = await leads(strict);
  expect(BigInt(again.body.token)).toBeGreaterThan(BigInt(body.token));
  await strict.ready(1);
  expect(await strict.kill("SIGTERM")).toBe(0);
});

test("as the first process of a container it hears SIGTERM; a second signal ends it at once", async () => {
  const first = agent("a", [], ["unshare", ...ROOT, "--pid", "--fork", "--kill-child"]);
  await first.ready(1);
  // unshare is its parent here, and passes no signals on.
  const stdout = execFileSync("ps", ["-o", "pid=", "--ppid", String(first.child.pid)], { encoding: "utf8" });
  process.kill(Number(stdout), "SIGTERM");
  expect(await first.end()).toBe(0);
  expect(first.lines.at(-1)!.msg).toBe("has left");

  const hasty = agent("a", []);
  await hasty.ready(1);
  hasty.child.kill("SIGTERM");
  await hasty.line(({ msg }) => msg.startsWith("leaving"), "leaving");
  hasty.child.kill("SIGINT");
  expect([0, 130]).toContain(await hasty.end());
});
