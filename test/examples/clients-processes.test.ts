/** Clients of the agent in other languages: they work while their agent leads, and others go on when it is killed. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { guardSql } from "../../src/live/guards/sql.ts";
import { bin, root } from "../cli/run.ts";
import { freePorts } from "../support/ports.ts";
import { Program, workshop } from "./programs.ts";

/** Where a command is missing the last lines of the run say so (reporter.ts); under CI that is a failure. */
function withCommand(command: string, what: string, body: () => Promise<void>): void {
  if (spawnSync(command, ["--version"]).error === undefined) {
    test.concurrent(what, body);
    return;
  }
  test(`NOT TESTED: ${what}: there is no ${command} here`, () => {
    expect(process.env.CI ?? "", "under CI all of it is tested").toBe("");
  });
}

const example = (file: string) => join(root, "examples", file);

/** Two agents of a group with leases, the files that their clients need, and where each serves HTTP. */
async function agents(shop: ReturnType<typeof workshop>) {
  writeFileSync(join(shop.folder, "http.token"), "a-token-that-only-this-test-knows\n", { mode: 0o600 });
  const args = ["keygen", "--guard", "jobs", "--key-file", "group.key", "--out", "guard.key"];
  const made = shop.start(process.execPath, [bin, ...args]);
  const [a, b, ...http] = await freePorts(4);
  const started = [a, b].map((port, i) =>
    shop.start(process.execPath, [
      ...[bin, "agent", "--name", "ab"[i], "--group", "jobs", "--bind", `127.0.0.1:${port}`, "--profile", "local"],
      ...["--seeds", `127.0.0.1:${a},127.0.0.1:${b}`, "--key-file", "group.key", "--http-token-file", "http.token"],
      ...["--lease", "sqlite:leases.db", "--lease-ttl", 2500, "--http", `127.0.0.1:${http[i]}`, "--log", "json"],
    ]),
  );
  expect(await made.end(), made.said).toBe(0);
  return { agents: started, urls: http.map((port) => `http://127.0.0.1:${port}`) };
}

/**
 * The tests of the client for Python, in the order in which unittest runs them. They share agents, so one process runs them all. Each has
 * a test of its own here: on a busy machine all together take longer than one test may.
 */
function pythonTests(): string[] {
  const text = readFileSync(join(root, "clients/python/tests/test_client.py"), "utf8");
  let group = "";
  const names: string[] = [];
  for (const [, keyword, name] of text.matchAll(/^ *(class|def) (Test\w+|test_\w+)/gm)) {
    if (keyword === "class") group = name;
    else names.push(`${group}.${name}`);
  }
  return names.sort();
}

let runOfPython: Program | undefined;
function pythonRun(): Program {
  const folder = join(root, "clients/python");
  const env = { PYTHONPATH: join(folder, "src"), SORTITION_NODE: process.execPath };
  const command = "exec python3 -B -m unittest discover -v -s tests 2>&1";
  runOfPython ??= new Program("sh", ["-c", command], folder, env);
  return runOfPython;
}

// A run that a test no longer waits for: interrupted, it ends its agents. A second signal ends the wait for its threads.
afterAll(async () => {
  while (runOfPython?.hasEnded === false) {
    runOfPython.child.kill("SIGINT");
    await Promise.race([runOfPython.exit, pass(1000)]);
  }
});

const ofPython = pythonTests();
for (const name of ofPython) {
  withCommand("python3", `the client for Python: ${name}`, async () => {
    const run = pythonRun();
    // Before Python 3.11 the words in brackets end with the class.
    const [group, method] = name.split(".");
    const begun = new RegExp(`^${method} \\(test_client\\.${group}(?:\\.${method})?\\) \\.\\.\\. `);
    const verdict = await run.line((line) => begun.test(line) || line.startsWith("Ran "));
    if (!verdict.endsWith(" ... ok")) {
      await run.end();
      expect.unreachable(run.said);
    }
  });
}

withCommand("python3", "the client for Python: all of its tests have run, and said nothing else", async () => {
  const run = pythonRun();
  expect([await run.end(), run.said]).toEqual([0, expect.stringMatching(/\n\nOK\n$/)]);
  expect(run.lines.filter((line) => line.endsWith(" ... ok"))).toHaveLength(ofPython.length);
});

withCommand("python3", "the guards of Python and of Node use the same SQL", async () => {
  const program =
    "import json; from sortition.guards import *; print(json.dumps([[g.table_sql, g.admit_sql, g.newest_sql] for g in (SqliteGuard, PostgresGuard)]))";
  const env = { ...process.env, PYTHONPATH: join(root, "clients/python/src") };
  const { stdout } = spawnSync("python3", ["-B", "-c", program], { env, encoding: "utf8" });
  const statements = (["sqlite", "postgres"] as const).map((database) => {
    const { table, admit, newest } = guardSql(database);
    return [table, admit, newest].map((sql) => sql.replaceAll(/\$\d/g, "%s"));
  });
  expect(JSON.parse(stdout)).toEqual(statements);
});

withCommand(
  "curl",
  "client-shell: steps of one leader, then of the next, and none of an old one after it",
  async () => {
    await using shop = workshop();
    const { agents: two, urls } = await agents(shop);
    const [port] = await freePorts(1);
    const serve = async (steps: number) => {
      const service = shop.run("client-shell/service.mjs", port, "guard.key", "jobs", steps);
      await service.line(/takes steps/);
      return service;
    };
    const service = await serve(1_000_000);
    const loops = urls.map((AGENT, i) =>
      shop.start("sh", [example("client-shell/while-leading.sh"), "sh", example("client-shell/step.sh")], {
        AGENT,
        TOKEN_FILE: "http.token",
        PAUSE: "0.2",
        NAME: "ab"[i],
        SERVICE: `http://127.0.0.1:${port}`,
      }),
    );
    const by = await service.line(/^step 2 /);
    const leader = by.includes(" by a ") ? 0 : 1;
    const heir = "ab"[1 - leader];
    two[leader].child.kill("SIGKILL");
    await service.line(new RegExp(` by ${heir} `));
    // A service that takes no more steps ends the leader's loop.
    service.child.kill("SIGKILL");
    await service.end();
    await serve(0);
    const other = loops[1 - leader];
    // A step that takes longer than the lease is sure, on a busy machine, is killed; some shells say so.
    expect([await other.end(), other.errors.replaceAll("Killed\n", "")]).toEqual([0, ""]);
    const steps = service.lines.flatMap((line) => {
      const [, number, name, token] = /^step (\d+) by (\w) with token (\d+)$/.exec(line) ?? [];
      return number === undefined ? [] : [{ number: Number(number), name, token: BigInt(token) }];
    });
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, i) => i + 1));
    expect(steps.every(({ token }, i) => i === 0 || token >= steps[i - 1].token)).toBe(true);
    expect(new Set(steps.map(({ name }) => name))).toEqual(new Set(["a", "b"]));
  },
);
