/**
 * Many members in one process, for groups that are larger than the machine has room for processes: started by traffic.ts, which
 * tells it what to do over the channel between them.
 */

import { type RunningMember, runMember } from "../../src/live/group/member.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";

/** What a crowd is told to do. */
export type Order =
  | { readonly kind: "start"; readonly names: readonly string[]; readonly seeds: readonly string[] }
  | { readonly kind: "look" };

/** What it says of its members. */
export interface Glimpse {
  readonly addresses: readonly string[];
  /** Whom members follow, in which term, how many members they see, and how many of them say so. */
  readonly beliefs: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** When a belief last changed. */
  readonly changed: number;
  /** Bytes sent by those who lead something. */
  readonly holders: readonly { readonly name: string; readonly bytes: number }[];
}

const running = new Map<string, RunningMember>();
let changed = 0;
const keyring = keyringOf([new Uint8Array(32).fill(1)]);

async function start(names: readonly string[], seeds: readonly string[]): Promise<void> {
  for (const name of names) {
    const known = seeds.length > 0 ? seeds : [...running.values()].slice(0, 3).map(({ address }) => address);
    const member = await runMember({
      name,
      group: "bench",
      bind: "127.0.0.1:0",
      seeds: known,
      keyring,
      state: null,
      params: { profile: "lan" },
      onEvent: ({ event }) => {
        if (event === "leader" || event === "leaderless" || event === "view") changed = Date.now();
      },
    });
    running.set(name, member);
  }
}

function look(): Glimpse {
  const beliefs: Record<string, number> = {};
  const holders: { name: string; bytes: number }[] = [];
  let bytes = 0;
  for (const [name, member] of running) {
    const { offices, members } = member.report();
    const { leader, term, mine } = offices.leader;
    const belief = `${leader} in term ${term}, ${members} members`;
    beliefs[belief] = (beliefs[belief] ?? 0) + 1;
    bytes += member.counters.bytesSent;
    if (mine) holders.push({ name, bytes: member.counters.bytesSent });
  }
  return { addresses: [...running.values()].map(({ address }) => address), beliefs, bytes, changed, holders };
}

process.on("message", (order: Order) => {
  if (order.kind === "look") process.send!(look());
  else void start(order.names, order.seeds).then(() => process.send!(look()));
});
process.on("disconnect", () => process.exit());
