/** Random faults of members and engines: each begins, lasts for a while, and is fixed; several may overlap. */
import { setTimeout as pass } from "node:timers/promises";
import type { Source } from "../../src/random/source.ts";
import { type FaultyProxy, HONEST, type Manners } from "../engines/linear-proxy.ts";
import type { LeaseGroup } from "./lease-group.ts";
import type { Copy, PostgresServer } from "./postgres-server.ts";

export interface Fault {
  readonly name: string;
  /** Whom or what it strikes: one fault at a time for each. */
  readonly target: string;
  begin(): Promise<void> | void;
  fix(): Promise<void> | void;
}

const nothing = () => {};

export function memberFaults(group: LeaseGroup, names: readonly string[]): Fault[] {
  return names.flatMap((target): Fault[] => [
    { name: "kill", target, begin: () => group.kill(target), fix: async () => void (await group.join(target)) },
    { name: "leave", target, begin: () => group.leave(target), fix: async () => void (await group.join(target)) },
    { name: "stop", target, begin: () => group.stop(target), fix: () => group.resume(target) },
  ]);
}

/** The member who leads is struck more often than the others together. */
export const leaderOf = ({ said }: LeaseGroup): string | undefined =>
  said.findLast(({ event }) => event === "begins")?.self;

export function serverFaults(server: PostgresServer): Fault[] {
  const target = "server";
  let copy: Copy | null = null;
  return [
    { name: "kill", target, begin: () => server.kill(), fix: () => server.start() },
    { name: "stop", target, begin: () => server.stop(), fix: () => server.start() },
    { name: "pause", target, begin: () => server.pause(), fix: () => server.resume() },
    {
      name: "copy",
      target,
      begin: () => {
        copy ??= server.copy();
      },
      fix: nothing,
    },
    { name: "restore", target, begin: () => (copy === null ? undefined : server.restore(copy)), fix: nothing },
  ];
}

export function wayFaults(ways: ReadonlyMap<string, FaultyProxy>, ttl: number): Fault[] {
  const kinds: Readonly<Record<string, Manners>> = {
    slow: { late: 0.5, delay: 2 * ttl, lost: 0 },
    lossy: { late: 0.2, delay: ttl / 2, lost: 0.2 },
    cut: { late: 0, delay: 0, lost: 1 },
  };
  return [...ways].flatMap(([name, way]) =>
    Object.entries(kinds).map(([kind, manners]) => ({
      name: kind,
      target: `way of ${name}`,
      begin: () => {
        way.manners = manners;
      },
      fix: () => {
        way.manners = HONEST;
      },
    })),
  );
}

/** Gives back what was done, for people. */
export async function strike(
  group: LeaseGroup,
  faults: readonly Fault[],
  draws: Source,
  { count, ttl }: { readonly count: number; readonly ttl: number },
): Promise<string[]> {
  const done: string[] = [];
  const under = new Map<string, Promise<void>>();
  for (let number = 0; number < count; number++) {
    const leader = leaderOf(group);
    const idle = faults.filter(({ target }) => !under.has(target));
    const atLeader = idle.filter(({ target }) => target === leader || target === `way of ${leader}`);
    const from = atLeader.length > 0 && draws.coin(0.5) ? atLeader : idle;
    if (from.length > 0) {
      const fault = from[draws.choose(from.length)];
      const ms = Math.floor(draws.uniform() * 2.5 * ttl);
      done.push(`${fault.name} ${fault.target} for ${ms}`);
      const all = (async () => {
        await fault.begin();
        await pass(ms);
        await fault.fix();
      })().finally(() => under.delete(fault.target));
      under.set(fault.target, all);
    }
    await pass(draws.uniform() * ttl);
  }
  await Promise.all(under.values());
  return done;
}
