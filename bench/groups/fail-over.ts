/** Real processes on loopback: leaders are killed and asked to leave, again and again, and it is measured until all others know the next one. */
import { setTimeout as pass } from "node:timers/promises";
import type { GroupProcess } from "../../test/support/group-process.ts";
import { GroupProcesses } from "../../test/support/group-processes.ts";

export interface FailOvers {
  /** Milliseconds from the signal until the last survivor has said who leads now, one for each. */
  readonly kills: number[];
  readonly handOvers: number[];
  /** Members said to have failed, or leaders replaced, that nobody had touched. */
  readonly falseAlarms: string[];
}

/** How long a group is left alone before the next signal, so that alarms without a reason have time to come. */
const CALM = 2000;

/** `extra`: further options of each member, such as where leases are kept. */
export async function failOvers(
  n: number,
  kills: number,
  handOvers: number,
  extra: readonly string[] = [],
): Promise<FailOvers> {
  const group = new GroupProcesses({ profile: "lan", extra });
  const found: FailOvers = { kills: [], handOvers: [], falseAlarms: [] };
  try {
    await group.start(Array.from({ length: n }, (_, i) => `m${String(i + 1).padStart(2, "0")}`));
    for (let turn = 0; turn < kills + handOvers; turn++) {
      await pass(CALM);
      const { leader } = await group.agree();
      const seen = new Map(group.all.map(({ name, lines }) => [name, lines.length]));
      const began = Date.now();
      const ended = group.end(leader, turn < kills ? "SIGKILL" : "SIGTERM");
      const { at } = await group.agree({ but: leader, size: null });
      (turn < kills ? found.kills : found.handOvers).push(at - began);
      await ended;
      await group.join(leader);
      await group.agree();
      found.falseAlarms.push(...alarms(group.all, seen, leader));
    }
    return found;
  } finally {
    await group.stop();
  }
}

/** What was said since, of anybody but the one that really went. */
function alarms(all: readonly GroupProcess[], seen: ReadonlyMap<string, number>, gone: string): string[] {
  return all.flatMap(({ name, lines }) =>
    lines
      .slice(seen.get(name) ?? lines.length)
      .filter(({ event, member }) => event === "failed" && member !== gone)
      .map(({ member }) => `${name} took ${member} for dead`),
  );
}
