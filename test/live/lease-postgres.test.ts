/** Members with leases in a real PostgreSQL, which count in it while they lead; members and server are killed, stopped, restarted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { effort } from "../support/effort.ts";
import { GroupProcess } from "../support/group-process.ts";
import { LeaseGroup } from "../support/lease-group.ts";
import { passwordInEnvironment, withPostgres } from "../support/with-postgres.ts";
import { LEDGER } from "./lease-counter.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-leases-"));
const TTL = 700;

await withPostgres("a group with leases in PostgreSQL", (server) => {
  passwordInEnvironment(server);
  const group = new LeaseGroup({
    folder,
    ttl: TTL,
    lease: () => server.url(),
    counter: { kind: "postgres", client: server.client() },
  });
  afterAll(async () => {
    await group.end();
    rmSync(folder, { recursive: true });
  });

  let killed = "";

  test("somebody leads once the server is there; a leader is killed, and the next one stopped", async () => {
    await server.sql(LEDGER);
    // It is not there when the members start; they say so, and go on asking.
    await server.stop();
    await group.start(["a", "b", "c", "d", "e", "f", "g"].slice(0, effort(3, 7)));
    await group.hear(({ event, engine }) => event === "engine" && engine === "silent", 0);
    expect(group.tenures).toEqual([]);
    await server.start();

    const first = await group.leads();
    killed = first.self;
    await group.kill(killed);
    const second = await group.leads(first.token);

    await group.pauseLeader(second);
  });

  test("the server is killed, stopped and restarted; through all of it a guarded counter never goes back", async () => {
    await server.kill();
    await server.start();
    await group.pauseServer(server);

    await group.join(killed);
    await server.stop();
    await server.start();
    await group.leads();

    await group.end();
    const counted = await server.sql("SELECT number, token::int8, lease FROM counted ORDER BY number");
    group.judge(
      counted.map(({ number, token, lease }) => ({
        number: Number(number),
        token: Number(token),
        lease: String(lease),
      })),
    );
    expect(group.said.some(({ event, code }) => event === "refused" && code === "old")).toBe(true);
    expect(group.errors).toBe("");
  });

  test("with a wrong password nobody leads, and it is said why, without the password; once it is right somebody does", async () => {
    await server.sql("CREATE ROLE member LOGIN PASSWORD 'right'; GRANT USAGE ON SCHEMA sortition TO member");
    await server.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON sortition.sortition_rows TO member");
    await sortition("keygen", "--out", join(folder, "key"));
    const files = [
      "--key-file",
      join(folder, "key"),
      "--lease",
      server.url("postgres", "member"),
      "--lease-ttl",
      "500",
    ];
    const member = new GroupProcess("a", ["--bind", "127.0.0.1:0", "--group", "other", ...files], [], {
      PGPASSWORD: "guess-8",
    });
    try {
      // On a busy machine there may be no answer at all before.
      await member.line(({ event, why }) => event === "engine" && /password/.test(why ?? ""));
      expect(member.lines.some(({ event }) => event === "leads")).toBe(false);
      await server.sql("ALTER ROLE member PASSWORD 'guess-8'");
      await member.line(({ event, token }) => event === "leads" && /^\d+$/.test(token!));
      expect(JSON.stringify(member.lines) + member.errors).not.toContain("guess-8");
    } finally {
      await member.kill("SIGKILL");
    }
  });
});
