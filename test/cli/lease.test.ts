/** `sortition lease`, as the person on call types it. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { life } from "../support/register.ts";
import { sortition, sortitionIn } from "./run.ts";

const folder = memoryFolder();
const address = `sqlite:${join(folder, "leases.db")}`;
const A = life("db-1", 35, 600_000);
let token: number;

beforeAll(async () => {
  const engine = await openEngine(address, {
    group: "sortition",
    requestTimeout: 5000,
    migrate: true,
    world: realWorld,
  });
  const granted = await engine.ask(A.acquire("leader", "z.1.db-1"));
  token = (granted as { token: number }).token;
  const other = await engine.ask(A.acquire("reports", "z.2.db-1", { preemptible: false }));
  await engine.ask(A.release("reports", "z.2.db-1", (other as { token: number }).token, { name: "db-2", ms: 500_000 }));
  await engine.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test("ls shows who holds what, for how long, and what is reserved", async () => {
  const { status, stdout, stderr } = await sortition("lease", "ls", "--lease", address);
  expect([status, stderr]).toEqual([0, ""]);
  const [heading, leader, reports] = stdout.trim().split("\n");
  expect(heading).toMatch(/^seat +holder +left +token +lease +also$/);
  expect(leader).toMatch(new RegExp(`^leader +db-1 +(600|59\\d)\\.\\d s +${token} +z\\.1\\.db-1 +pre-emptible$`));
  expect(reports).toMatch(/^reports +free +- +\d+ +- +reserved for db-2 \((500|49\d)\.\d s\)$/);
});

test("as JSON tokens are text; the address may come from the environment", async () => {
  const { stdout } = await sortitionIn({ env: { SORTITION_LEASE: address } }, "lease", "ls", "--json");
  expect(JSON.parse(stdout)).toEqual({
    engine: address,
    group: "sortition",
    seats: [
      {
        seat: "leader",
        token: String(token),
        preemptible: true,
        holder: {
          name: "db-1",
          life: 35,
          token: String(token),
          lease: "z.1.db-1",
          frozen: false,
          leftMs: expect.any(Number),
        },
        reserved: null,
      },
      {
        seat: "reports",
        token: expect.stringMatching(/^\d+$/),
        preemptible: false,
        holder: null,
        reserved: { name: "db-2", leftMs: expect.any(Number) },
      },
    ],
  });
});

test("what the caller can fix is said in one line", async () => {
  const secret = join(folder, "lease.txt");
  writeFileSync(secret, address, { mode: 0o600 });
  const cases: [string[], RegExp][] = [
    [["ls"], /where are the leases kept\?/],
    [
      ["show", "nosuch", "--lease-file", secret],
      /has no seat "nosuch": there are leader, reports; --group names another/,
    ],
    [["ls", "--lease", `sqlite:${join(folder, "none.db")}`], /does not exist/],
    [["ls", "--lease", "etcd://127.0.0.1:1"], /^sortition: etcd:\S+ cannot be asked: nothing listens at 127/],
    [["ls", "--lease", "postgres://app:secret@db.example/app"], /has a password in it/],
    [["sql", "--lease", "mysql://app@db.example/app"], /leases are kept in sqlite:FILE or postgres:/],
    [["lss", "--lease", address], /unknown command "lss"; did you mean "ls"\?/],
    [["release", "reports", "--lease", address], /reports is free/],
    [["release", "leader", "--token", "7", "--yes", "--lease", address], /another token by now/],
    // Another member may have taken the seat since the look.
    [["release", "leader", "--yes", "--lease", address], /Add --token \d+ --yes/],
  ];
  const results = await Promise.all(cases.map(([args]) => sortition("lease", ...args)));
  for (const [index, { status, stdout, stderr }] of results.entries()) {
    expect([status, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 1]);
    expect(stderr).toMatch(cases[index][1]);
    expect(stderr).not.toContain("secret");
  }
});

test("release explains the danger, and does it only when told so", async () => {
  const refused = await sortition("lease", "release", "leader", "--lease", address);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/db-1 \(life z\) holds\. The holder is not told.*only guards.*Add --token \d+ --yes/);
  const { stdout: before } = await sortition("lease", "show", "leader", "--lease", address);
  expect(before).toContain(`token         ${token}`);
  const told = /Add (--token \d+ --yes)/.exec(refused.stderr)![1].split(" ");
  const { stdout } = await sortition("lease", "release", "leader", ...told, "--lease", address);
  expect(stdout).toMatch(/^leader is released: db-1 \(life z\) held it with token \d+\. The holder is not told/);
  const { stdout: after } = await sortition("lease", "show", "leader", "--lease", address);
  expect(after).toMatch(/holder +nobody/);
});

test("the SQL of the tables is printed for either engine", async () => {
  const [file, server] = await Promise.all([
    sortition("lease", "sql", "--lease", address),
    sortition("lease", "sql", "--lease", "postgres://app@db.example/app?schema=app"),
  ]);
  expect(file.stdout).toContain("CREATE TABLE IF NOT EXISTS sortition_seats");
  expect(server.stdout).toContain('CREATE TABLE IF NOT EXISTS "app".sortition_rows');
  expect(server.stdout).toContain('GRANT USAGE ON SCHEMA "app" TO member');
});
