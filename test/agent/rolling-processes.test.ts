/**
 * Agents as processes, strict on SQLite, with a program beside each that counts while its agent leads: restarted one after the other,
 * then the leader killed, and stopped for longer than its lease. The counter never goes back, and never takes a write with an old token.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { AgentProcess } from "../support/agent-process.ts";
import { Besides } from "../support/beside.ts";
import { effort } from "../support/effort.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-rolling-"));
const agents = new Map<string, AgentProcess>();
afterAll(async () => {
  for (const agent of agents.values()) agent.child.kill("SIGCONT");
  await Promise.all([...agents.values()].map((agent) => agent.kill("SIGKILL")));
  rmSync(folder, { recursive: true });
});

const MEMBERS = effort(3, 25);
const TTL = effort(1500, 3000);
const at = (name: string) => join(folder, name);

test(
  `rolling restart of ${MEMBERS} agents, then kill -9 and a pause of the leader`,
  async () => {
    await sortition("keygen", "--out", at("key"));
    const { stdout } = await sortition("keygen", "--guard", "jobs", "--key-file", at("key"));
    expect(stdout.length).toBeGreaterThan(20);
    const bearer = "a-token-of-the-tests";
    const programs = new Besides(at("counted.db"), at("key"), "jobs", bearer, effort(100, 300));
    const names = Array.from({ length: MEMBERS }, (_, i) => `agent-${i + 1}`);
    const all = () => [...agents.values()];

    async function start(name: string): Promise<AgentProcess> {
      const others = await Promise.all(
        all()
          .filter((agent) => agent.name !== name)
          .slice(0, 3)
          .map((agent) => agent.address()),
      );
      const files = ["--key-file", at("key"), "--state", at("state"), "--lease", `sqlite:${at("leases.db")}`];
      const joined = others.length === 0 ? [] : ["--seeds", others.join(",")];
      const args = [
        "--group",
        "jobs",
        "--profile",
        effort("local", "lan"),
        "--lease-ttl",
        String(TTL),
        ...files,
        ...joined,
      ];
      const agent = new AgentProcess(name, args, [], { SORTITION_HTTP_TOKEN: bearer });
      agents.set(name, agent);
      programs.beside(agent);
      return agent;
    }

    await (await start(names[0])).address();
    await Promise.all(names.slice(1).map(start));
    await Promise.all(all().map((agent) => agent.ready(names.length)));
    const first = await programs.next(all);

    // Each agent in turn, the leader too.
    for (const name of names) {
      const { writer, token } = programs.wrote.at(-1)!;
      const [from, agent] = [programs.wrote.length, agents.get(name)!];
      agents.delete(name);
      expect(await agent.kill("SIGTERM"), agent.errors).toBe(0);
      if (writer === name) {
        await programs.next(all, token, from);
        // A machine that is too busy to run it for that long would be another matter.
        const since = agent.lines
          .slice(agent.lines.findIndex(({ msg }) => msg.startsWith("leaving")))
          .map(({ event }) => event);
        if (!since.includes("stalled")) expect(since, "given back, not run out").not.toContain("lapsed");
      }
      await (await start(name)).ready(names.length);
    }
    const rolled = await programs.next(all);
    expect(rolled.token, "the first leader was restarted too").toBeGreaterThan(first.token);

    const killed = agents.get(rolled.writer)!;
    agents.delete(killed.name);
    await killed.kill("SIGKILL");
    const heir = await programs.next(all, rolled.token);
    await start(killed.name);

    // Until somebody else leads, and then for a while more with a fence that was good.
    const paused = agents.get(heir.writer)!;
    let after = heir.token;
    for (let isLed = false; !isLed; ) {
      paused.child.kill("SIGSTOP");
      const others = () => all().filter((agent) => agent !== paused);
      // Stopped in the middle of a write it keeps the file of leases locked: then it goes on, and is stopped again.
      const limit = performance.now() + 4 * TTL;
      isLed = await others()[0]
        .until("led by another, or for long not", () => {
          const next = programs.wrote.at(-1)!;
          return next.writer !== paused.name ? { next } : performance.now() > limit && { next: null };
        })
        .then(({ next }) => next !== null);
      paused.child.kill("SIGCONT");
      after = programs.wrote.at(-1)!.token;
    }
    expect(after).toBeGreaterThan(heir.token);
    const late = programs.refusedLate;
    await paused.until(
      "told that it leads no longer",
      async () => (await paused.get("/v1/leader"))?.body.leader?.mine === false,
    );
    await paused.until("refused by the guard", () => programs.refusedLate > late);
    await Promise.all(all().map((agent) => agent.ready(names.length)));
    await programs.next(all);

    await programs.stop();
    programs.judge();
    // A token is one agent's.
    const granted = all().flatMap(({ name, lines }) =>
      lines.filter(({ event }) => event === "leads").map(({ token }) => [token, name]),
    );
    expect(new Map(granted.map(([token, name]) => [token, name])).size).toBe(
      new Set(granted.map((one) => one.join())).size,
    );
    expect(
      await Promise.all(
        all()
          .reverse()
          .map((agent) => agent.kill("SIGTERM")),
      ),
    ).toEqual(names.map(() => 0));
  },
  effort(60_000, 900_000),
);
