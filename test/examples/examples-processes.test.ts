/** Each example does what its page says, also when the one that leads is killed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { root } from "../cli/run.ts";
import { isLong } from "../support/effort.ts";
import { freePorts } from "../support/ports.ts";
import { firstToSay, until, workshop } from "./programs.ts";

/** The rows of a database that an example has made. */
function rows<T>(file: string, sql: string): T[] {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const found = database.prepare(sql).all() as T[];
  database.close();
  return found;
}

describe("one leader for each piece of work", () => {
  test.concurrent("cron-job: the leader is killed in the middle; each row is written once, in order, and all end", async () => {
    await using shop = workshop();
    // A leader that has written the last row before it could be killed, on a busy machine, is killed in the next night.
    for (let night = 1, isHit = false; !isHit; night++) {
      const [a, b, c] = await freePorts(3);
      const job = (...args: readonly (string | number)[]) =>
        shop.start(process.execPath, [join(root, "examples/cron-job/cron-job.mjs"), ...args], { NIGHT: String(night) });
      const members = [job("a", a), job("b", b, a), job("c", c, a)];
      const written = () =>
        rows<{ customer: number; by: string; token: string }>(
          join(shop.folder, "statements.db"),
          `SELECT * FROM statements WHERE night = '${night}'`,
        );
      const first = await firstToSay(members, / leads with token /);
      await until("3 rows", () => written().length >= 3, members);
      first.child.kill("SIGKILL");
      await first.end();
      isHit = written().length < 20;
      const rest = members.filter((member) => member !== first);
      expect(await Promise.all(rest.map((member) => member.end()))).toEqual([0, 0]);
      expect(written().map(({ customer }) => customer)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
      // Where the machine is busy more than two may have led.
      if (isHit) expect(new Set(written().map(({ by }) => by)).size).toBeGreaterThan(1);
      const tokens = written().map(({ token }) => BigInt(token));
      expect(tokens.every((token, i) => i === 0 || token >= tokens[i - 1])).toBe(true);
      for (const { lines, errors } of rest)
        expect([lines.at(-1), errors]).toEqual([expect.stringMatching(/^\w ends; 20 of 20/), ""]);
    }
  });

  test.concurrent("queue-shards: shards are shared, a consumer is killed, and each message is done once, in its order", async () => {
    await using shop = workshop();
    const [a, b, c] = await freePorts(3);
    // More than the first one can do before the others have started, however long they take: consumers end with an empty queue.
    const fill = shop.run("queue-shards/consumer.mjs", "fill", 60_000);
    expect(await fill.end(), fill.said).toBe(0);
    const first = shop.run("queue-shards/consumer.mjs", "a", a);
    await first.line(/a has shard/);
    const others = [shop.run("queue-shards/consumer.mjs", "b", b, a), shop.run("queue-shards/consumer.mjs", "c", c, a)];
    const file = join(shop.folder, "queue.db");
    const consumers = () => rows<{ by: string }>(file, "SELECT DISTINCT by FROM results").map(({ by }) => by);
    await until("results of a and of another one", () => consumers().includes("a") && consumers().length > 1, [
      first,
      ...others,
    ]);
    first.child.kill("SIGKILL");
    await first.end();
    const kept = shorten(file, 60);
    expect(await Promise.all(others.map((each) => each.end()))).toEqual([0, 0]);
    const done = rows<{ message: number; shard: string; by: string }>(file, "SELECT * FROM results");
    expect(done.length).toBe(kept);
    for (let shard = 1; shard <= 6; shard++) {
      const messages = done.filter((each) => each.shard === `shard-${shard}`).map(({ message }) => message);
      expect(messages).toEqual(Array.from({ length: kept / 6 }, (_, i) => 6 * i + shard));
    }
    expect(rows(file, "SELECT * FROM queue")).toEqual([]);
    for (const each of others)
      expect([each.lines.at(-1), each.errors]).toEqual([expect.stringMatching(/^\w ends;/), ""]);
  });

  /** Removes messages that nobody is at, all but so many that wait. Returns how many messages the queue has had then. */
  function shorten(file: string, more: number): number {
    const database = new DatabaseSync(file, { timeout: 5000 });
    database.exec("BEGIN IMMEDIATE");
    const oldest = database.prepare("SELECT max(id) AS id FROM (SELECT min(id) AS id FROM queue GROUP BY shard)").get();
    const kept = 6 * Math.ceil((oldest!.id as number) / 6) + more;
    database.prepare("DELETE FROM queue WHERE id > ?").run(kept);
    database.exec("COMMIT");
    database.close();
    return kept;
  }
});

describe("councils", () => {
  test.concurrent("warm-cache: three are warm and serve for all; when one is killed another takes its seat", async () => {
    await using shop = workshop();
    const [origin, ...ports] = await freePorts(6);
    const source = shop.run("warm-cache/cache.mjs", "origin", origin);
    const servers = ["a", "b", "c", "d", "e"].map((name, i) => ({
      name,
      port: ports[i],
      program: shop.run("warm-cache/cache.mjs", name, ports[i], origin, ...(i === 0 ? [] : [ports[0]])),
    }));
    type Server = (typeof servers)[number];
    const programs = [source, ...servers.map(({ program }) => program)];
    /** By what each has said last of its seat. On a busy machine somebody may lose it to another one for a while. */
    const seated = (among: readonly Server[]) =>
      among.filter(({ program }) => program.lines.findLast((line) => line.includes("seat"))?.endsWith("has a seat"));
    const isWarm = ({ program }: Server) => program.lines.some((line) => line.endsWith("is warm"));
    const threeAreWarm = (among: readonly Server[]) =>
      until(
        "three have a seat and are warm",
        () => seated(among).length === 3 && seated(among).every(isWarm),
        programs,
      );
    const allServe = async (among: readonly Server[]) => {
      for (const { name, port } of among) {
        await until(
          `an article from ${name}`,
          async () => {
            const answer = await fetch(`http://127.0.0.1:${port}/7`, { signal: AbortSignal.timeout(10_000) });
            const body = await answer.text();
            if (answer.status === 503) return false;
            expect([answer.status, body]).toEqual([200, expect.stringMatching(/^article 7, as of /)]);
            const from = answer.headers.get("x-from");
            expect(among.filter(isWarm).map(({ name }) => name)).toContain(from);
            return true;
          },
          programs,
        );
      }
    };
    await Promise.all(programs.map((program) => program.line(/serves/)));
    await threeAreWarm(servers);
    await allServe(servers);

    const [victim] = seated(servers);
    victim.program.child.kill("SIGKILL");
    await victim.program.end();
    const rest = servers.filter((server) => server !== victim);
    await threeAreWarm(rest);
    await allServe(rest);
    const left = [source, ...rest.map(({ program }) => program)];
    for (const { child } of left) child.kill("SIGTERM");
    expect(await Promise.all(left.map((program) => program.end()))).toEqual(left.map(() => 0));
  });

  test.runIf(isLong)(
    "multicast-feedback: everybody answers, then only the council; one of it is killed, and others answer",
    async () => {
      await using shop = workshop();
      const [target, first, ...ports] = await freePorts(7);
      const receivers = [first, ...ports].map((port, i) =>
        shop.run("multicast-feedback/feedback.mjs", `r${i + 1}`, port, target, ...(i === 0 ? [] : [first])),
      );
      await Promise.all(receivers.map((each) => each.line(/listens/)));
      const told = (line: string) => /^(.*) answers?: .* from (.*);/.exec(line)![2].split(" ");
      // On a busy machine the first councils may follow each other too fast for the source.
      const isCouncil = (line: string) =>
        line.startsWith("the council") && told(line).length >= 3 && told(line).length <= 5;
      const listen = () => shop.run("multicast-feedback/feedback.mjs", "source", target, "--for", 120);
      const answersOfAll = async (source: ReturnType<typeof listen>) => {
        await source.line(/^the council/);
        return new Set(source.lines.filter((line) => line.startsWith("everybody")).flatMap(told));
      };
      let source = listen();
      // Everybody is asked for two seconds. A receiver that a busy machine did not run then is asked by another source.
      while ((await answersOfAll(source)).size < receivers.length) {
        source.child.kill("SIGTERM");
        expect(await source.end()).toBe(0);
        source = listen();
      }
      const few = await source.line(isCouncil);

      const victim = receivers[Number(told(few)[0].slice(1)) - 1];
      victim.child.kill("SIGKILL");
      const without = (line: string) => !told(line).includes(told(few)[0]) && told(line).length >= 3;
      await source.line((line) => line.startsWith("the council") && without(line), source.lines.length);
      const rest = [source, ...receivers.filter((each) => each !== victim)];
      for (const { child } of rest) child.kill("SIGTERM");
      expect(await Promise.all(rest.map((each) => each.end()))).toEqual(rest.map(() => 0));
    },
  );
});

test("version-tree: prints what its page shows", async () => {
  await using shop = workshop();
  const program = shop.run("version-tree/version-tree.mjs");
  expect(await program.end()).toBe(0);
  const page = readFileSync(join(root, "examples/version-tree/README.md"), "utf8");
  expect(page).toContain(`\`\`\`\n${program.lines.join("\n")}\n\`\`\``);
});
