/** Clients of the agent in other languages: they work while their agent leads, and others go on when it is killed. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bin, root } from "../cli/run.ts";
import { firstToSay, freePorts, workshop } from "./programs.ts";

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
      ...[bin, "agent", "--self", "ab"[i], "--group", "jobs", "--bind", `127.0.0.1:${port}`, "--profile", "local"],
      ...["--join", `127.0.0.1:${a},127.0.0.1:${b}`, "--key-file", "group.key", "--http-token-file", "http.token"],
      ...["--lease", "sqlite:leases.db", "--lease-ttl", 1500, "--http", `127.0.0.1:${http[i]}`, "--log", "json"],
    ]),
  );
  expect(await made.exit).toBe(0);
  return { agents: started, urls: http.map((port) => `http://127.0.0.1:${port}`) };
}

withCommand("python3", "client-python: rows follow each other, with tokens that only grow", async () => {
  await using shop = workshop();
  const { agents: two, urls } = await agents(shop);
  const jobs = urls.map((url, i) =>
    shop.start("python3", [example("client-python/job.py"), "ab"[i], "--agent", url, "--rows", 40]),
  );
  const first = await firstToSay(jobs, /works with token/);
  const leader = jobs.indexOf(first);
  const rows = () => {
    const database = new DatabaseSync(join(shop.folder, "app.db"), { timeout: 5000 });
    const found = database.prepare("SELECT * FROM runs").all() as { number: number; by: string; token: number }[];
    database.close();
    return found;
  };
  while (rows().length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  // Its program goes on until its lease has run out, and not longer.
  two[leader].child.kill("SIGKILL");
  expect(await Promise.all(jobs.map(({ exit }) => exit))).toEqual([0, 0]);
  const all = rows();
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(all.every(({ token }, i) => i === 0 || token >= all[i - 1].token)).toBe(true);
  expect(new Set(all.map(({ by }) => by)).size).toBe(2);
  expect(jobs.map(({ errors }) => errors)).toEqual(["", ""]);
});

withCommand(
  "curl",
  "client-shell: steps of one leader, then of the next, and none of an old one after it",
  async () => {
    await using shop = workshop();
    const { agents: two, urls } = await agents(shop);
    const [port] = await freePorts(1);
    const service = shop.run("client-shell/service.mjs", port, "guard.key", "jobs", 12);
    await service.line(/takes steps/);
    const loops = urls.map((AGENT, i) =>
      shop.start("sh", [example("client-shell/while-leading.sh"), "sh", example("client-shell/step.sh")], {
        ...{ AGENT, TOKEN_FILE: "http.token", PAUSE: "0.05", NAME: "ab"[i], SERVICE: `http://127.0.0.1:${port}` },
      }),
    );
    const by = await service.line(/^step 3 /);
    const leader = by.includes(" by a ") ? 0 : 1;
    two[leader].child.kill("SIGKILL");
    await service.line(/^step 12 /);
    const other = loops[1 - leader];
    // A step that takes longer than the lease is sure, on a busy machine, is killed; some shells say so.
    expect([await other.exit, other.errors.replaceAll("Killed\n", "")]).toEqual([0, ""]);
    const steps = service.lines.flatMap((line) => {
      const [, number, name, token] = /^step (\d+) by (\w) with token (\d+)$/.exec(line) ?? [];
      return number === undefined ? [] : [{ number: Number(number), name, token: BigInt(token) }];
    });
    expect(steps.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(steps.every(({ token }, i) => i === 0 || token >= steps[i - 1].token)).toBe(true);
    expect(new Set(steps.map(({ name }) => name)).size).toBe(2);
  },
);
