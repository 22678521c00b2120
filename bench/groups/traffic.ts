/** Groups of up to a thousand members in a few processes: how soon they agree, and what they send while nothing happens. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Glimpse, Order } from "./crowd.ts";

export interface Traffic {
  readonly n: number;
  /** Milliseconds from the last join until all follow one leader and see all; null where they did not within a minute. */
  readonly agreed: number | null;
  /** Bytes a second, sealed: of a member, and what a holder sends beyond that. */
  readonly perMember: number;
  readonly perHolder: number;
}

const PROCESSES = 4;
/** Milliseconds for which an idle group is watched, after it has come to rest. */
const REST = 10_000;
const SPAN = 20_000;
const LIMIT = 60_000;

export async function traffic(n: number): Promise<Traffic> {
  const program = fileURLToPath(new URL("./crowd.ts", import.meta.url));
  const crowds = Array.from({ length: Math.min(PROCESSES, n) }, () => fork(program));
  try {
    const names = Array.from({ length: n }, (_, i) => `m${String(i).padStart(4, "0")}`);
    const [first, ...rest] = crowds;
    const { addresses } = await ask(first, { kind: "start", names: names.slice(0, 1), seeds: [] });
    const shares = crowds.map((_, k) => names.slice(1).filter((_, i) => i % crowds.length === k));
    await Promise.all(
      [first, ...rest].map((crowd, k) => ask(crowd, { kind: "start", names: shares[k], seeds: addresses })),
    );
    const agreed = await agreement(crowds, n, Date.now());
    await pass(REST);
    const before = await lookAt(crowds);
    await pass(SPAN);
    const after = await lookAt(crowds);
    const rate = (bytes: number) => (1000 * bytes) / SPAN;
    const sum = (glimpses: readonly Glimpse[]) => glimpses.reduce((total, { bytes }) => total + bytes, 0);
    const holder = (glimpses: readonly Glimpse[]) => glimpses.flatMap(({ holders }) => holders)[0]?.bytes ?? 0;
    const whole = rate(sum(after) - sum(before));
    const held = rate(holder(after) - holder(before));
    const perMember = (whole - held) / Math.max(1, n - 1);
    return { n, agreed, perMember, perHolder: held - perMember };
  } finally {
    for (const crowd of crowds) crowd.kill("SIGKILL");
  }
}

async function ask(crowd: ChildProcess, order: Order): Promise<Glimpse> {
  const answer = once(crowd, "message") as Promise<[Glimpse]>;
  crowd.send(order);
  return (await answer)[0];
}

const lookAt = (crowds: readonly ChildProcess[]) => Promise.all(crowds.map((crowd) => ask(crowd, { kind: "look" })));

async function agreement(crowds: readonly ChildProcess[], n: number, joined: number): Promise<number | null> {
  while (Date.now() < joined + LIMIT) {
    const glimpses = await lookAt(crowds);
    const beliefs = new Set(glimpses.flatMap(({ beliefs: found }) => Object.keys(found)));
    const [only] = beliefs;
    if (beliefs.size === 1 && !only.startsWith("null") && only.endsWith(`, ${n} members`)) {
      return Math.max(0, ...glimpses.map(({ changed }) => changed - joined));
    }
    await pass(50);
  }
  return null;
}
