/**
 * No client can take a lease away. A leader with a short lease is flooded over HTTP by another process: it keeps its lease, its memory
 * stays small, and a program beside it is answered.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentProcess } from "../support/agent-process.ts";
import { effort, isLong } from "../support/effort.ts";
import { type FloodKind, flood } from "../support/flood.ts";

/** Milliseconds. On a busy machine a short lease can run out without a flood: `npm test` asks for the default. */
const TTLS = effort([5000], [2000, 5000]);
const MS = effort(900, 30_000);
/** Megabytes. */
const MOST_MEMORY = 200;

type Case = readonly [kind: FloodKind, connections: number, path: string];

const QUICK: readonly Case[] = [
  ["pipelined", 40, "/v1/leader"],
  ["unread", 20, "/metrics"],
  ["slow", 1500, "/v1/leader"],
  ["kept", 100, "/v1/events"],
];

const ALL: readonly Case[] = [
  ...["/v1/leader", "/metrics"].flatMap((path): Case[] => [
    ...[1, 100, 500].map((count): Case => ["kept", count, path]),
    ...[1, 40, 400].flatMap((count): Case[] => [
      ["pipelined", count, path],
      ["unread", count, path],
    ]),
  ]),
  ["kept", 2000, "/v1/events"],
  ["unread", 40, "/v1/events"],
  ["slow", 3000, "/v1/leader"],
  ["idle", 10_000, "/v1/leader"],
];

const memoryOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

for (const ttl of TTLS) {
  test(`a leader with a lease of ${ttl} ms keeps it under every flood, and answers others`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "sortition-floods-"));
    const agent = new AgentProcess("a", [
      ...["--bind", "127.0.0.1:0", "--insecure", "--profile", "local"],
      ...["--lease", `sqlite:${folder}/leases.db`, "--lease-ttl", String(ttl)],
    ]);
    onTestFinished(async () => {
      agent.child.kill("SIGKILL");
      await agent.exit;
      rmSync(folder, { recursive: true, force: true });
    });
    const leader = async () => (await agent.get("/v1/leader"))?.body;
    const first = await agent.until("leading", async () => {
      const office = await leader();
      return office?.leader?.mine === true && office;
    });
    const port = Number(new URL(await agent.url()).port);
    const slowest = new Map<string, number>();
    for (const [kind, connections, path] of isLong ? ALL : QUICK) {
      const name = `${kind} ${connections} ${path}`;
      const over = flood({ port, kind, connections, path, ms: MS });
      let isOver = false;
      void over.finally(() => {
        isOver = true;
      });
      let answered = 0;
      let longest = 0;
      while (!isOver) {
        const began = performance.now();
        const answer = await leader();
        longest = Math.max(longest, performance.now() - began);
        if (answer === undefined) continue;
        answered++;
        expect([name, answer.token, answer.leader?.mine]).toEqual([name, first.token, true]);
      }
      await over;
      slowest.set(name, longest);
      expect([name, answered > 0]).toEqual([name, true]);
      expect(memoryOf(agent.child.pid!), `megabytes after ${name}`).toBeLessThan(MOST_MEMORY);
    }
    expect(agent.lines.filter(({ event }) => event === "lapsed" || event === "resigned")).toEqual([]);
    // Milliseconds: a machine with other work is not measured, it is only shown.
    if (isLong) for (const [name, ms] of slowest) process.stdout.write(`${name}: ${ms.toFixed(0)} ms\n`);
    agent.child.kill("SIGTERM");
    expect(await agent.end()).toBe(0);
  });
}
