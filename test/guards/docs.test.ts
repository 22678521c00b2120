/** The programs of docs/guards.md do what their comments say. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guardSql } from "../../src/live/guards/sql.ts";
import { root, sortitionIn } from "../cli/run.ts";
import { withPostgres } from "../support/with-postgres.ts";

const run = promisify(execFile);
const page = readFileSync(join(root, "docs/guards.md"), "utf8");
const programs = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
const needsPostgres = (program: string) => program.includes('from "pg"');

const folder = mkdtempSync(join(tmpdir(), "sortition-guard-docs-"));
beforeAll(async () => {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/sortition"));
  for (const name of ["pg", "express"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  for (const args of ["--out jobs.key", "--guard jobs --key-file jobs.key --out guard.key"])
    await sortitionIn({ cwd: folder }, "keygen", ...args.split(" "));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function expectAsSaid(program: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const said = [...program.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text]) => text);
  expect(said.length).toBeGreaterThan(0);
  expect(stderr).toBe("");
  expect(stdout.split("\n").filter(Boolean)).toEqual(said);
}

test.each(programs.filter((program) => !needsPostgres(program)))("program %#", (program) => expectAsSaid(program));

await withPostgres("the program of docs/guards.md", (server) => {
  test("the program for PostgreSQL", async () => {
    const [program, ...more] = programs.filter(needsPostgres);
    expect(more).toEqual([]);
    const { host, port, user, password, database } = server.client();
    await expectAsSaid(program, {
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: String(password),
      PGDATABASE: database,
    });
  });
});

test("the SQL of the page is the guards' own", () => {
  const [, shown] = /^```sql\n([\s\S]*?)\n```$/m.exec(page)!;
  const upTo = (text: string) => text.slice(0, text.indexOf("RETURNING"));
  expect(upTo(guardSql("postgres").admit)).toBe(upTo(shown));
  expect(guardSql("sqlite").admit).toBe(shown.replace(/\$\d/g, "?"));
});
