/** What old and new leaders do to a guard, and what must come of it, whichever guard it is. */
import { expect } from "vitest";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import { fence, type Lease } from "./lease-fences.ts";

export const OLD: Lease = { token: 5, lease: "a.1.alice" };
export const NEW: Lease = { token: 6, lease: "b.1.bob" };
/** The token of the new leader, of an engine that was restored from an old copy. */
export const RIVAL: Lease = { token: 6, lease: "c.1.carol" };

/** A token that would lock all leaders out, signed by nobody. */
export const FORGED = fence(NEW).replace("s1~6~", `s1~${2n ** 62n}~`);

export interface Scenario {
  readonly name: string;
  /** Who wrote before. */
  readonly before: readonly Lease[];
  readonly writers: readonly [Lease, Lease];
}

export const scenarios: readonly Scenario[] = [
  { name: "an old and a new leader, both for the first time", before: [], writers: [OLD, NEW] },
  { name: "an old leader that wrote before, and a new one", before: [OLD], writers: [OLD, NEW] },
  { name: "two leases with one token", before: [OLD], writers: [NEW, RIVAL] },
  { name: "two writes of one leader", before: [OLD], writers: [NEW, NEW] },
];

export type Outcome = "written" | FenceRefused;

/** Holds what was written, in its order, and how each writer fared against the rule. */
export function expectFenced(
  { before, writers }: Scenario,
  written: readonly Lease[],
  outcomes: readonly Outcome[],
  order: readonly number[],
): void {
  const about = `after ${order.join(" ")}`;
  for (const [index, { token, lease }] of written.entries()) {
    const next = written[index + 1];
    if (next === undefined) break;
    expect(next.token, `a write with an old token ${about}`).toBeGreaterThanOrEqual(token);
    if (next.token === token) expect(next.lease, `two leases wrote with one token ${about}`).toBe(lease);
  }
  expect(written.length, about).toBe(before.length + outcomes.filter((outcome) => outcome === "written").length);
  const newest = Math.max(...written.map(({ token }) => token));
  expect(newest, `nobody got through ${about}`).toBe(Math.max(...writers.map(({ token }) => token)));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === "written") continue;
    const { token, lease } = writers[index];
    expect([outcome.code, outcome.newest], about).toEqual([token < newest ? "old" : "rival", BigInt(newest)]);
    expect(written.at(-1)!.lease, `the newest was refused ${about}`).not.toBe(lease);
  }
}

/** The outcome of a guarded write; throws whatever is no refusal. */
export async function outcomeOf(write: () => unknown): Promise<Outcome> {
  try {
    await write();
    return "written";
  } catch (error) {
    if (error instanceof FenceRefused) return error;
    throw error;
  }
}
