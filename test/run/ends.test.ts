/** How a command ends, and what becomes of its status: real processes. */
import { symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { TWICE } from "../../src/live/run/times.ts";
import { root } from "../cli/run.ts";
import { freePort } from "../support/ports.ts";
import {
  BEATS,
  clearScenesAtTheEnd,
  isAlive,
  scene as newScene,
  type Options,
  type RunProcess,
  type Scene,
  until,
} from "./harness.ts";

clearScenesAtTheEnd();

/**
 * Nothing here is about a lease that runs out. So it is long, and with it the times within which a guardian has to answer: on a machine
 * with much to do none is given up, whose command would end with another status.
 */
const GRACE = 1000;
const scene = (defaults: Options = {}): Scene => newScene({ ttl: 30_000, grace: GRACE, ...defaults });

/** Again and again, each time later than the signal before could come twice: a busy machine may notice two of them at one moment. */
async function repeated(run: RunProcess, signal: NodeJS.Signals, until: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => run.child.kill(signal), 2 * TWICE);
  await until().finally(() => clearInterval(timer));
}

const DEAF = 'trap "" TERM; echo up; while :; do sleep 0.05; done';

// Two at the same time, then one: each of them starts processes, and beside other files the machine has no time for many.
describe("a command that", () => {
  test.concurrent("ends by itself: its status, what it is told, and nothing is left", async () => {
    const it = scene();
    const run = it.run(["sh", "-c", 'env; cat; echo "$0 $1" >&2; exit 7', "x", "a b"], {
      env: { SORTITION_KEY: undefined, SORTITION_HTTP_TOKEN: "secret", SORTITION_TOKEN: "old" },
    });
    const { guardian } = await run.started();
    // A guardian ends on SIGTERM, and on none of these.
    for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const) process.kill(guardian, signal);
    run.child.stdin!.end("from standard input\n");
    await run.endsWith(7);
    expect(run.stdout).toContain("from standard input");
    expect(run.stderr).toContain("x a b");
    const env = Object.fromEntries(run.stdout.split("\n").map((line) => line.split(/=(.*)/s, 2)));
    expect(env).toMatchObject({ SORTITION_GROUP: it.group, SORTITION_OFFICE: "leader", SORTITION_SEAT: "leader" });
    expect(env.SORTITION_TERM).toBe("1");
    expect(env.SORTITION_TOKEN).toMatch(/^\d{13}$/);
    expect(env.SORTITION_FENCE).toContain(`s1~${env.SORTITION_TOKEN}~${it.group}~leader~`);
    expect(env.SORTITION_RUN).toMatch(/^[0-9a-f]{16}\.\d+\.\d+\.[0-9a-f]{12}$/);
    expect(env.SORTITION_HTTP_TOKEN).toBeUndefined();
    await it.nothingLeft();
  });

  test.concurrent("runs from a folder whose name has more than letters: the guardian is found there too", async () => {
    const it = scene();
    symlinkSync(root, it.file("a b%20ü"));
    const line = [process.execPath, "--preserve-symlinks", "--preserve-symlinks-main", "a b%20ü/bin/sortition.js"];
    const member = ["--group", it.group, "--name", "a", "--profile", "local", "--log", "json"];
    const run = it.through([...line, "run", ...member, "--", "sh", "-c", "exit 5"]);
    await run.endsWith(5);
  });

  test("dies of a signal: 128 and its number", async () => {
    await scene().sh("kill -SEGV $$").endsWith(139);
  });

  test.concurrent("is not there, or is no program: 127 and 126 and a sentence, and nobody was asked for anything", async () => {
    const it = scene();
    it.note("data", "x");
    const missing = it.run(["no-such-command"]);
    const data = it.run(["./data"]);
    await missing.endsWith(127);
    expect(missing.stderr).toContain("the command no-such-command was not found");
    await data.endsWith(126);
    expect(it.read("leases.db")).toBe("");
  });

  test.concurrent("leaves processes behind: they end with it, also those of another group, before the lease is given back", async () => {
    const it = scene();
    const next = "wc -l < beats; sleep 0.4; wc -l < beats";
    // They know each other, so the second one hears at once that the lease is given back.
    const address = `127.0.0.1:${await freePort()}`;
    const run = it.sh(
      `setsid sh -c 'trap "echo told > told" TERM; echo $$ > left; ${BEATS}' & while [ ! -s left ]; do sleep 0.01; done; exit 4`,
      { args: ["--bind", address] },
    );
    await run.started();
    const other = it.sh(next, { name: "b", args: ["--seeds", address] });
    const left = Number(await until("a process that is left", () => it.read("left").trim()));
    await run.endsWith(4);
    // SIGTERM has come to it when the command had ended, and SIGKILL after the grace.
    expect([it.read("told"), isAlive(left)]).toEqual(["told\n", false]);
    await other.endsWith(0);
    const [before, after] = other.stdout.trim().split("\n").map(Number);
    expect(before).toBeGreaterThan(0);
    expect(after).toBe(before);
  });

  test.concurrent("has lost its run: its guardian ends it and itself, also where Node hangs at the exit of a process", async () => {
    const it = scene();
    const hang = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
    it.note("hangs.cjs", `if (/guardian/.test(process.argv[1])) process.on("exit", () => ${hang});`);
    const run = it.sh(BEATS, { env: { NODE_OPTIONS: `--require="${it.file("hangs.cjs")}"` } });
    await run.started();
    run.kill("SIGKILL");
    await it.nothingLeft();
  });

  test("is told by SIGTERM: it ends in its own way, and its status is that of the run", async () => {
    const env = { NODE_OPTIONS: "--trace-exit" };
    const run = scene().sh('trap "echo told; exit 3" TERM; echo up; while :; do sleep 0.05; done', { env });
    await until("up", () => run.stdout.includes("up"));
    run.kill("SIGTERM");
    await run.endsWith(3);
    expect(run.stdout).toBe("up\ntold\n");
    // A process that ends because nothing is left to do loses its listeners first: a signal would kill it at that moment.
    expect(run.stderr).toContain("Exited the environment with code 3");
  });

  test.concurrent("ignores SIGTERM, and is paused: SIGKILL after the grace", async () => {
    const run = scene().sh(DEAF);
    await until("up", () => run.stdout !== "");
    process.kill((await run.started()).command, "SIGSTOP");
    const began = performance.now();
    run.kill("SIGTERM");
    await run.endsWith(137);
    expect(performance.now() - began).toBeGreaterThan(GRACE * 0.9);
  });

  test.concurrent("ignores SIGTERM: a second one, if it is not the first one that comes twice, does not wait for the grace", async () => {
    const grace = 120_000;
    const run = scene({ grace, ttl: 10 * grace }).sh(DEAF);
    await until("up", () => run.stdout !== "");
    run.kill("SIGTERM");
    await repeated(run, "SIGTERM", () => run.endsWith(137));
  });

  test("has ended when a second SIGTERM comes: the run does not wait until the lease can be given back, and has its status", async () => {
    const it = scene();
    const run = it.sh('trap "exit 3" TERM; echo up; while :; do sleep 0.05; done');
    await until("up", () => run.stdout !== "");
    const locked = new DatabaseSync(it.file("leases.db"), { timeout: 10_000 });
    locked.exec("BEGIN EXCLUSIVE");
    run.kill("SIGTERM");
    await run.says("was told to end, and has");
    await repeated(run, "SIGTERM", () => run.endsWith(3));
    locked.close();
  });

  test.concurrent("has ended when Ctrl-C comes again and again: its status all the same", async () => {
    const run = scene().sh('trap "exit 3" INT; echo up; while :; do sleep 0.05; done');
    await until("up", () => run.stdout !== "");
    run.kill("SIGINT");
    await run.says("was told to end, and has");
    const again = () => void (run.child.kill("SIGINT") && setImmediate(again));
    again();
    await run.endsWith(3);
  });

  test.concurrent("gets the signals of a terminal with its whole group, others alone", async () => {
    const run = scene().sh(
      'trap "echo usr1" USR1; trap "echo hup" HUP; trap "echo int; exit 0" INT; echo up; while :; do sleep 0.05; done',
    );
    await until("up", () => run.stdout.includes("up"));
    run.kill("SIGUSR1");
    await until("usr1", () => run.stdout.includes("usr1"));
    run.kill("SIGHUP");
    await until("hup", () => run.stdout.includes("hup"));
    run.kill("SIGINT");
    await run.endsWith(0);
    expect(run.stdout).toBe("up\nusr1\nhup\nint\n");
  });

  test("waits for its turn: SIGTERM and SIGINT end the run, which has nothing to wait for", async () => {
    const it = scene();
    const first = it.sh(BEATS);
    await first.started();
    const [b, c] = [it.sh("echo no", { name: "b" }), it.sh("echo no", { name: "c" })];
    await Promise.all([b.says("waits to lead"), c.says("waits to lead")]);
    b.kill("SIGTERM");
    c.kill("SIGINT");
    expect([await b.ended, await c.ended]).toEqual([143, 130]);
    expect(b.stdout + c.stdout).toBe("");
    first.kill("SIGTERM");
    await first.endsWith(143);
  });

  test.concurrent("ends soon, with --restart: it campaigns again, later each time, under a larger token", async () => {
    const it = scene();
    const run = it.sh('echo "$SORTITION_TOKEN"; exit 1', { args: ["--restart"] });
    const tokens = () => run.stdout.trim().split("\n").map(Number);
    await until("a second time", () => tokens().length >= 2 && run.starts.length >= 2);
    const [first, second] = tokens();
    expect(second).toBeGreaterThan(first);
    await until("its second start in the log", () => run.starts.length >= 2);
    const [began, again] = run.starts.map(({ time }) => Date.parse(String(time)));
    expect(again - began).toBeGreaterThan(990);
    const leads = run.lines.filter(({ msg }) => /^leads leader in term \d+, and starts the command$/.test(msg));
    expect(leads.slice(0, 2).map(({ token }) => Number(token))).toEqual([first, second]);
    run.kill("SIGTERM");
    expect(await run.ended).toBeGreaterThan(0);
  });

  test.concurrent("is told to end when its member resigns, and does not run on to the end of its lease", async () => {
    const it = scene();
    const token = "a-token-that-only-this-test-knows";
    writeFileSync(it.file("http.token"), token, { mode: 0o600 });
    const port = await freePort();
    const args = ["--http", `127.0.0.1:${port}`, "--http-token-file", "http.token"];
    const run = it.sh('trap "exit 0" TERM; echo up; while :; do sleep 0.05; done', { args });
    await until("up", () => run.stdout !== "");
    const headers = { authorization: `Bearer ${token}` };
    const resigned = fetch(`http://127.0.0.1:${port}/v1/resign`, { method: "POST", headers });
    await run.says("the command was told to end, and has");
    expect((await resigned).status).toBe(200);
    await until("up again", () => run.stdout === "up\nup\n");
    run.kill("SIGTERM");
    await run.endsWith(0);
  });

  test.concurrent("runs without leases: no token, and a warning says that two may run", async () => {
    const run = scene().sh('echo "token:$SORTITION_TOKEN term:$SORTITION_TERM"; exit 5', { lease: null });
    await run.endsWith(5);
    expect(run.stdout).toBe("token: term:1\n");
    expect(run.stderr).toContain("two members may run the command at the same time");
  });
});

test("times that do not fit are told in words, with numbers and what to change", async () => {
  const run = scene().run(["true"], { ttl: 5000, grace: 5000 });
  await run.endsWith(2);
  expect(run.stderr).toContain(
    "a lease of 5000 ms is too short for a grace of 5000 ms: 4950 ms of it can be counted on",
  );
  expect(run.stderr).toMatch(/give --lease-ttl \d+ or more, or --grace \d+ or less/);
});
