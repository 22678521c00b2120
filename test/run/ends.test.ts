/** How a command ends, and what becomes of its status: real processes. */
import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { root } from "../cli/run.ts";
import { BEATS, isAlive, scene, sleep, TIMES, until } from "./harness.ts";

describe.concurrent("a command that", () => {
  test("ends by itself: its status, what it is told, and nothing is left", async () => {
    const it = scene();
    const run = it.run(["sh", "-c", 'env; cat; echo "$0 $1" >&2; exit 7', "x", "a b"], {
      env: { SORTITION_KEY: undefined, SORTITION_HTTP_TOKEN: "secret", SORTITION_TOKEN: "old" },
    });
    run.child.stdin!.end("from standard input\n");
    expect(await run.ended).toBe(7);
    expect(run.stdout).toContain("from standard input");
    expect(run.stderr).toContain("x a b");
    const env = Object.fromEntries(run.stdout.split("\n").map((line) => line.split(/=(.*)/s, 2)));
    expect(env).toMatchObject({ SORTITION_GROUP: "sortition", SORTITION_OFFICE: "leader", SORTITION_SEAT: "leader" });
    expect(env.SORTITION_TERM).toBe("1");
    expect(env.SORTITION_TOKEN).toMatch(/^\d{13}$/);
    expect(env.SORTITION_FENCE).toContain(`s1~${env.SORTITION_TOKEN}~sortition~leader~`);
    expect(env.SORTITION_RUN).toMatch(/^[0-9a-f]{16}\.\d+\.\d+\.[0-9a-f]{12}$/);
    expect(env.SORTITION_HTTP_TOKEN).toBeUndefined();
    expect(it.everything()).toEqual([]);
  });

  test("runs from a folder whose name has more than letters: the guardian is found there too", async () => {
    const it = scene();
    symlinkSync(root, it.file("a b%20ü"));
    const line = [process.execPath, "--preserve-symlinks", "--preserve-symlinks-main", "a b%20ü/bin/sortition.js"];
    const member = ["--self", "a", "--profile", "local", "--log", "json"];
    const run = it.through([...line, "run", ...member, "--", "sh", "-c", "exit 5"]);
    expect(await run.ended).toBe(5);
  });

  test("dies of a signal: 128 and its number", async () => {
    expect(await scene().sh("kill -SEGV $$").ended).toBe(139);
  });

  test("is not there, or is no program: 127 and 126 and a sentence, and nobody was asked for anything", async () => {
    const it = scene();
    const missing = it.run(["no-such-command"]);
    const data = it.run(["./data"]);
    it.note("data", "x");
    expect(await missing.ended).toBe(127);
    expect(missing.stderr).toContain("the command no-such-command was not found");
    expect(await data.ended).toBe(126);
    expect(it.read("leases.db")).toBe("");
  });

  test("leaves processes behind: they end with it, also those of another group, before the lease is given back", async () => {
    const it = scene();
    const next = "wc -l < beats; sleep 0.4; wc -l < beats";
    const run = it.sh(
      `setsid sh -c 'trap "" TERM; echo $$ > left; ${BEATS}' & while [ ! -s left ]; do sleep 0.01; done; exit 4`,
    );
    await run.started();
    const other = it.sh(next, { name: "b" });
    const left = Number(await until("a process that is left", () => it.read("left").trim()));
    expect(isAlive(left)).toBe(true);
    // It ignores SIGTERM: SIGKILL comes after the grace.
    expect(await run.ended).toBe(4);
    expect(isAlive(left)).toBe(false);
    expect(await other.ended).toBe(0);
    const [before, after] = other.stdout.trim().split("\n").map(Number);
    expect(before).toBeGreaterThan(0);
    expect(after).toBe(before);
  });

  test("is told by SIGTERM: it ends in its own way, and its status is that of the run", async () => {
    const run = scene().sh('trap "echo told; exit 3" TERM; echo up; while :; do sleep 0.05; done');
    await until("up", () => run.stdout.includes("up"));
    run.kill("SIGTERM");
    expect(await run.ended).toBe(3);
    expect(run.stdout).toBe("up\ntold\n");
  });

  test("ignores SIGTERM, and stands still besides: SIGKILL after the grace; a second SIGTERM does not wait", async () => {
    const it = scene();
    const script = 'trap "" TERM; echo up; while :; do sleep 0.05; done';
    const [patient, hasty] = [it.sh(script), it.sh(script, { name: "b", lease: "sqlite:other.db" })];
    await until("both", () => patient.stdout !== "" && hasty.stdout !== "");
    process.kill((await patient.started()).command, "SIGSTOP");
    const began = performance.now();
    patient.kill("SIGTERM");
    hasty.kill("SIGTERM");
    await sleep(TIMES.grace / 2);
    hasty.kill("SIGTERM");
    const first = await Promise.race([
      hasty.says("and has").then(() => "hasty"),
      patient.says("and has").then(() => "patient"),
    ]);
    expect([first, await hasty.ended]).toEqual(["hasty", 137]);
    expect(await patient.ended).toBe(137);
    expect(performance.now() - began).toBeGreaterThan(TIMES.grace * 0.9);
  });

  test("gets the signals of a terminal with its whole group, others alone", async () => {
    const run = scene().sh(
      'trap "echo usr1" USR1; trap "echo hup" HUP; trap "echo int; exit 0" INT; echo up; while :; do sleep 0.05; done',
    );
    await until("up", () => run.stdout.includes("up"));
    run.kill("SIGUSR1");
    await until("usr1", () => run.stdout.includes("usr1"));
    run.kill("SIGHUP");
    await until("hup", () => run.stdout.includes("hup"));
    run.kill("SIGINT");
    expect(await run.ended).toBe(0);
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
    expect(await first.ended).toBe(143);
  });

  test("ends soon, with --restart: it campaigns again, later each time, under a larger token", async () => {
    const it = scene();
    const run = it.sh('echo "$SORTITION_TOKEN"; exit 1', { args: ["--restart"] });
    const tokens = () => run.stdout.trim().split("\n").map(Number);
    await until("a second time", () => tokens().length >= 2 && run.starts.length >= 2);
    const [first, second] = tokens();
    expect(second).toBeGreaterThan(first);
    await until("its second start in the log", () => run.starts.length >= 2);
    const [began, again] = run.starts.map(({ time }) => Date.parse(String(time)));
    expect(again - began).toBeGreaterThan(990);
    run.kill("SIGTERM");
    expect(await run.ended).toBeGreaterThan(0);
  });

  test("runs without leases: no token, and a warning says that two may run", async () => {
    const run = scene().sh('echo "token:$SORTITION_TOKEN term:$SORTITION_TERM"; exit 5', { lease: null });
    expect(await run.ended).toBe(5);
    expect(run.stdout).toBe("token: term:1\n");
    expect(run.stderr).toContain("two members may run the command at the same time");
  });
});

test("times that do not fit are told in words, with numbers and what to change", async () => {
  const run = scene().run(["true"], { ttl: 5000, args: ["--grace", "5000"] });
  expect(await run.ended).toBe(2);
  expect(run.stderr).toContain(
    "a lease of 5000 ms is too short for a grace of 5000 ms: 4950 ms of it can be counted on",
  );
  expect(run.stderr).toMatch(/give --lease-ttl \d+ or more, or --grace \d+ or less/);
});
