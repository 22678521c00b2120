/**
 * No client can take a lease away. A leader with a short lease is flooded over HTTP by another process: it keeps its lease, its memory
 * stays small, a program beside it is answered, and it ends when it is told to.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentProcess, type Answer } from "../support/agent-process.ts";
import { askFor } from "../support/asker.ts";
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

describe.each(TTLS)("a leader with a lease of %i ms", (ttl) => {
  const folder = mkdtempSync(join(tmpdir(), "sortition-floods-"));
  let agent: AgentProcess;
  let first: Answer["body"];
  beforeAll(async () => {
    agent = new AgentProcess("a", [
      ...["--bind", "127.0.0.1:0", "--insecure", "--profile", "local"],
      ...["--lease", `sqlite:${folder}/leases.db`, "--lease-ttl", String(ttl)],
    ]);
    first = await agent.until("leading", async () => {
      const office = (await agent.get("/v1/leader"))?.body;
      return office?.leader?.mine === true && office;
    });
  });
  afterAll(async () => {
    agent.child.kill("SIGKILL");
    await agent.exit;
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(isLong ? ALL : QUICK)("keeps it and answers others: %s %i %s", async (kind, connections, path) => {
    const url = await agent.url();
    const port = Number(new URL(url).port);
    const { report } = await askFor(url, MS);
    const [{ fresh, kept }] = await Promise.all([report, flood({ port, kind, connections, path, ms: MS })]);
    const memory = memoryOf(agent.child.pid!);
    // Milliseconds: a machine with other work is not measured, it is only shown.
    if (isLong) {
      const times = `new connections ${fresh.longest.toFixed(0)} ms, a kept one ${kept.longest.toFixed(0)} ms`;
      process.stdout.write(`TTL ${ttl}, ${kind} ${connections} ${path}: ${times}, ${memory.toFixed(0)} MB\n`);
    }
    expect({ fresh: fresh.said, kept: kept.said }).toEqual({
      fresh: [`${first.token} true`],
      kept: [`${first.token} true`],
    });
    // A program that was there before the flood keeps its place.
    expect({ failed: kept.failed, connections: kept.connections }).toEqual({ failed: 0, connections: 1 });
    expect(memory).toBeLessThan(MOST_MEMORY);
    expect(agent.lines.filter(({ event }) => event === "lapsed" || event === "resigned")).toEqual([]);
  });

  test("ends when it is told to, also under a flood", async () => {
    const port = Number(new URL(await agent.url()).port);
    const over = flood({ port, kind: "unread", connections: 40, path: "/metrics", ms: 3000 });
    await sleep(1000);
    agent.child.kill("SIGTERM");
    expect(await agent.end()).toBe(0);
    await over;
  });
});
