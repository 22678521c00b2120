/** Many members in one process, for groups that are larger than the machine has room for processes. crowd.ts starts it and tells it what to do. */

import { onThisMachine, type RunningMember, startMember } from "../../src/live/group/member.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { readAll } from "../../src/setting.ts";
import { MEMBER } from "../../src/settings/member.ts";

/** What a crowd is told to do. */
export type Order =
  | { readonly kind: "start"; readonly names: readonly string[]; readonly seeds: readonly string[] }
  | { readonly kind: "look" }
  /** These send and hear nothing any more, as if their processes had been killed. */
  | { readonly kind: "crash"; readonly names: readonly string[] };

/** What it says of its members. */
export interface Glimpse {
  readonly addresses: readonly string[];
  /** Whom members follow, in which term, how many members they see, and how many of them say so. */
  readonly beliefs: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly datagrams: number;
  /** CPU seconds of this process, in user and system mode. */
  readonly cpu: number;
  /** When a belief last changed. */
  readonly changed: number;
  /** Bytes sent by those who lead something. */
  readonly holders: readonly { readonly name: string; readonly bytes: number }[];
  /** Members that were taken for dead, as told by others. */
  readonly failures: number;
}

const running = new Map<string, RunningMember>();
const crashed = new Set<string>();
const addresses: string[] = [];
let changed = 0;
let failures = 0;
const keyring = keyringOf([new Uint8Array(32).fill(1)]);

function hear(name: string, event: string): void {
  if (crashed.has(name)) return;
  if (event === "failed") failures++;
  if (event === "leader" || event === "leaderless" || event === "view") changed = Date.now();
}

async function start(names: readonly string[], seeds: readonly string[]): Promise<void> {
  for (const name of names) {
    const options = {
      ...readAll(MEMBER, { group: "bench", seeds, stallMs: 0 }),
      name,
      keyring,
      onEvent: ({ event }: { readonly event: string }) => hear(name, event),
    };
    const member = await onThisMachine(options, ({ transport, ...means }) =>
      startMember(options, {
        ...means,
        transport: {
          address: transport.address,
          send: (datagram, to, failed) => crashed.has(name) || transport.send(datagram, to, failed),
          listen: (receive) => transport.listen((datagram, from) => crashed.has(name) || receive(datagram, from)),
          close: () => transport.close(),
        },
      }),
    );
    running.set(name, member);
    addresses.push(member.address);
  }
}

function look(): Glimpse {
  const beliefs: Record<string, number> = {};
  const holders: { name: string; bytes: number }[] = [];
  let bytes = 0;
  let datagrams = 0;
  for (const [name, member] of running) {
    if (crashed.has(name)) continue;
    const { offices, members } = member.report();
    const { leader, term, mine } = offices.leader;
    const belief = `${leader} in term ${term}, ${members} members`;
    beliefs[belief] = (beliefs[belief] ?? 0) + 1;
    bytes += member.counters.bytesSent;
    datagrams += member.counters.datagrams;
    if (mine) holders.push({ name, bytes: member.counters.bytesSent });
  }
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1e6;
  return { addresses: addresses.slice(0, 3), beliefs, bytes, datagrams, cpu, changed, holders, failures };
}

process.on("message", async (order: Order) => {
  if (order.kind === "start") await start(order.names, order.seeds);
  else if (order.kind === "crash") for (const name of order.names) crashed.add(name);
  process.send!(look());
});
process.on("disconnect", () => process.exit());
