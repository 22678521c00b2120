/** Clients of the agent in other languages: they work while their agent leads, and others go on when it is killed. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bin, root } from "../cli/run.ts";
import { freePorts } from "../support/ports.ts";
import { firstToSay, until, workshop } from "./programs.ts";

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

withCommand("python3", "client-python: rows follow each other, with tokens that only grow", async () => {
  await using shop = workshop();
  const { agents: two, urls } = await agents(shop);
  // They end when the table has so many rows: more than one of them writes before it is killed, however late that is.
  const ROWS = 2000;
  const jobs = urls.map((url, i) =>
    shop.start("python3", [example("client-python/job.py"), "ab"[i], "--agent", url, "--rows", ROWS]),
  );
  const first = await firstToSay(jobs, /works with token/);
  const leader = jobs.indexOf(first);
  const file = join(shop.folder, "app.db");
  const rows = () => {
    const database = new DatabaseSync(file, { timeout: 5000 });
    const found = database.prepare("SELECT * FROM runs").all() as { number: number; by: string; token: number }[];
    database.close();
    return found;
  };
  const writes = (count: number, isOf: (by: string) => boolean) =>
    until(`${count} rows`, () => rows().filter(({ by }) => isOf(by)).length >= count, [...jobs, ...two]);
  await writes(3, () => true);
  // Its program goes on until its lease has run out, and not longer.
  two[leader].child.kill("SIGKILL");
  await writes(3, (by) => by === "ab"[1 - leader]);
  const all = fill(file, ROWS);
  expect(await Promise.all(jobs.map((job) => job.end()))).toEqual([0, 0]);
  expect(rows().slice(0, all.length)).toEqual(all);
  expect(rows().map(({ number }) => number)).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
  expect(all.every(({ token }, i) => i === 0 || token >= all[i - 1].token)).toBe(true);
  expect(new Set(all.map(({ by }) => by))).toEqual(new Set(["a", "b"]));
  expect(jobs.map(({ errors }) => errors)).toEqual(["", ""]);
});

/** Writes the rows that are missing, so that the jobs end. Returns those that were there. */
function fill(file: string, count: number): { number: number; by: string; token: number }[] {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec("BEGIN IMMEDIATE");
  const found = database.prepare("SELECT * FROM runs").all() as { number: number; by: string; token: number }[];
  const insert = database.prepare("INSERT INTO runs VALUES (?, 'the test', ?)");
  for (let number = found.length + 1; number <= count; number++) insert.run(number, found.at(-1)!.token);
  database.exec("COMMIT");
  database.close();
  return found;
}

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
        PAUSE: "0.05",
        NAME: "ab"[i],
        SERVICE: `http://127.0.0.1:${port}`,
      }),
    );
    const by = await service.line(/^step 3 /);
    const leader = by.includes(" by a ") ? 0 : 1;
    const heir = "ab"[1 - leader];
    two[leader].child.kill("SIGKILL");
    await service.line(new RegExp(` by ${heir} `));
    // A service that takes no more steps ends the loop of whoever leads.
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
