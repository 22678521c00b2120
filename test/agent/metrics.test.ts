/** What Prometheus reads of two agents, strict on SQLite: by its conventions, and true. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type RunningAgent, startAgent } from "../../src/live/agent/agent.ts";
import { configure } from "../../src/live/agent/config.ts";
import { createLog } from "../../src/live/agent/log.ts";
import { FailOvers } from "../../src/live/metrics.ts";
import { checkNames, type Family, readExposition } from "../support/exposition.ts";

/** Milliseconds: it does not end by itself in the middle of a test, however busy the machine is. */
const LEASE = 20_000;
/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;
const folder = mkdtempSync(join(tmpdir(), "sortition-metrics-"));
const running: RunningAgent[] = [];
afterAll(async () => {
  await Promise.all(running.map((agent) => agent.stop()));
  rmSync(folder, { recursive: true });
});

async function agent(name: string, seeds: string[] = []): Promise<RunningAgent> {
  const flags = { name, seeds, profile: "local", http: "127.0.0.1:0", lease: `sqlite:${folder}/l.db`, leaseTtl: LEASE };
  const { settings } = configure({ flags, env: {}, file: null });
  const log = createLog({ form: "json", level: "error", about: {}, write: () => {}, time: () => "" });
  const started = await startAgent(settings, { log });
  running.push(started);
  return started;
}

async function scrape({ url }: RunningAgent): Promise<Map<string, Family>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return readExposition(await response.text());
}

const value = (families: Map<string, Family>, name: string, labels: Record<string, string> = {}) =>
  families
    .get(`sortition_${name}`)
    ?.samples.find((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))?.value;

async function bothKnow(a: RunningAgent, b: RunningAgent): Promise<[Map<string, Family>, Map<string, Family>]> {
  for (const limit = performance.now() + LIMIT; ; await pause(20)) {
    const [of, other] = [await scrape(a), await scrape(b)];
    const isKnown = [of, other].every(
      (each) =>
        value(each, "has_leader", { office: "leader" }) === 1 && value(each, "members", { state: "alive" }) === 2,
    );
    if (isKnown) return [of, other];
    if (performance.now() > limit) throw new Error(`a and b do not know each other: ${JSON.stringify([...other])}`);
  }
}

test("metrics follow the conventions, tell the truth, and stand in the docs", async () => {
  const a = await agent("a");
  for await (const { leader } of a.member.changes()) if (leader?.mine) break;
  const b = await agent("b", [a.member.address]);
  for await (const { leader, members } of b.member.changes()) if (leader?.name === "a" && members.length === 2) break;
  const office = { office: "leader" };
  // On a busy machine they may not hear each other for a while, and then do not say that all live or that they know who leads.
  const [of, other] = await bothKnow(a, b);
  checkNames([...of.values()].filter(({ name }) => name.startsWith("sortition_")));
  expect(value(of, "info", { member: "a", group: "sortition", mode: "strict", profile: "local" })).toBe(1);
  expect([value(of, "is_leader", office), value(other, "is_leader", office)]).toEqual([1, 0]);
  expect(value(of, "has_leader", office)).toBe(1);
  expect(value(of, "members", { state: "alive" })).toBe(2);
  expect(value(of, "token", office)).toBe(Number(a.member.leader!.token));
  expect(value(of, "lease_remaining_seconds", office)).toBeGreaterThan(0);
  expect(value(of, "lease_remaining_seconds", office)).toBeLessThan(LEASE / 1000);
  expect(value(other, "lease_remaining_seconds", office)).toBe(0);
  expect([value(of, "engine_up"), value(other, "engine_up")]).toEqual([1, undefined]);
  expect([value(of, "elections_total", office), value(of, "leader_changes_total", office)]).toEqual([1, 1]);
  expect(value(other, "received_bytes_total")).toBeGreaterThan(value(other, "datagrams_received_total")!);
  expect(of.get("sortition_engine_request_seconds")!.samples.some(({ labels }) => labels.kind === "acquire")).toBe(
    true,
  );
  expect(of.get("process_cpu_seconds_total")?.type).toBe("counter");

  await a.member.transfer("b");
  // The text is at most a second old.
  let later = await scrape(b);
  while (value(later, "is_leader", office) !== 1) later = await scrape(b);
  expect([value(later, "is_leader", office), value(later, "leader_changes_total", office)]).toEqual([1, 2]);
  const samples = [...of.values()]
    .filter(({ name }) => name.startsWith("sortition_"))
    .flatMap(({ samples }) => samples);
  expect(samples.length, "few series").toBeLessThan(150);
  const docs = readFileSync(new URL("../../docs/agent.md", import.meta.url), "utf8");
  for (const name of of.keys()) if (name.startsWith("sortition_")) expect(docs).toContain(`\`${name}\``);
});

test("a fail-over is counted from the end of a known leader to the next one, and not before the first", () => {
  let now = 0;
  const seen: [string, number][] = [];
  const failOvers = new FailOvers({ now: () => now }, (office, ms) => seen.push([office, ms]));
  const leads = (leader: string) => failOvers.told({ event: "leader", office: "x", term: 1, token: null, leader });
  failOvers.told({ event: "leaderless", office: "x", term: 0, leader: null });
  leads("a");
  now = 100;
  failOvers.told({ event: "failed", member: "b", members: 2 });
  failOvers.told({ event: "failed", member: "a", members: 1 });
  now = 150;
  failOvers.told({ event: "leaderless", office: "x", term: 1, leader: null });
  now = 300;
  leads("b");
  leads("c");
  expect(seen).toEqual([["x", 200]]);
});
