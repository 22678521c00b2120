/** How long etcd's own recipe takes from the death of a leader until every other process knows the next one. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const CANDIDATE = fileURLToPath(new URL("candidate.ts", import.meta.url));

export const hasEtcd = (): boolean => spawnSync("etcd", ["--version"]).status === 0;

interface Candidate {
  readonly name: string;
  readonly child: ChildProcess;
  readonly gone: Promise<unknown>;
  word: { readonly at: number; readonly leader: string | null } | null;
}

/** Milliseconds, one for each kill. */
export async function etcdFailOvers(n: number, kills: number, ttlSeconds: number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "sortition-etcd-"));
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${client}`;
  const server = spawn(
    "etcd",
    [
      ...["--data-dir", folder, "--listen-client-urls", url, "--advertise-client-urls", url],
      ...[
        "--listen-peer-urls",
        `http://127.0.0.1:${peer}`,
        "--initial-advertise-peer-urls",
        `http://127.0.0.1:${peer}`,
      ],
      ...["--initial-cluster", `default=http://127.0.0.1:${peer}`],
    ],
    { stdio: "ignore" },
  );
  const all = new Map<string, Candidate>();
  try {
    await answers(url);
    const names = Array.from({ length: n }, (_, i) => `c${String(i + 1).padStart(2, "0")}`);
    for (const name of names) all.set(name, candidate(url, name, ttlSeconds));
    const times: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const { leader } = await agreed(all, null);
      await pass(2000 + Math.random() * 1000);
      const { child, gone } = all.get(leader)!;
      all.delete(leader);
      const began = Date.now();
      child.kill("SIGKILL");
      times.push((await agreed(all, leader)).at - began);
      await gone;
      all.set(leader, candidate(url, leader, ttlSeconds));
    }
    return times;
  } finally {
    for (const { child } of all.values()) child.kill("SIGKILL");
    const ended = new Promise((resolve) => server.on("close", resolve));
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

function candidate(url: string, name: string, ttl: number): Candidate {
  const child = spawn(process.execPath, [CANDIDATE, url, name, String(ttl)], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((resolve) => child.on("close", resolve));
  const made: Candidate = { name, child, gone, word: null };
  createInterface({ input: child.stdout! }).on("line", (line) => {
    made.word = JSON.parse(line);
  });
  return made;
}

async function agreed(all: ReadonlyMap<string, Candidate>, but: string | null) {
  for (;;) {
    const words = [...all.values()].map(({ word }) => word);
    const leader = words[0]?.leader ?? null;
    if (leader !== null && leader !== but && words.every((word) => word?.leader === leader)) {
      return { leader, at: Math.max(...words.map((word) => word!.at)) };
    }
    await pass(5);
  }
}

async function answers(url: string): Promise<void> {
  for (;;) {
    const isUp = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await pass(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
