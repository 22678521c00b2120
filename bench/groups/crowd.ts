/**
 * Groups of up to a thousand members in a few processes: how soon they agree, what they send and compute while nothing happens, how
 * long a fail-over takes, and how long the others need when one process is killed.
 *
 *   node bench/groups/crowd.ts --members 1000 --processes 4
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Glimpse, Order } from "./crowd-members.ts";

export interface CrowdResult {
  /** Milliseconds from the first start until all run, and until all follow one leader and see all; null: not within the limit. */
  readonly started: number;
  readonly agreed: number | null;
  /** Until then: CPU seconds of all processes, datagrams and bytes. */
  readonly joining: Cost;
  /** Seconds of CPU per second while nothing happens, of all processes. */
  readonly idleCpu: number;
  /** Bytes a second, sealed: of a member, and what a holder sends beyond that. */
  readonly perMember: number;
  readonly perHolder: number;
  /** Members that were taken for dead before any had crashed, as told by others. */
  readonly falseAlarms: number;
  /** Milliseconds until all others follow the next leader. */
  readonly failOver: number | null;
  /** Milliseconds until all others agree after one process was killed, and what that took. */
  readonly afterLoss: number | null;
  readonly losing: Cost;
}

interface Cost {
  readonly cpu: number;
  readonly datagrams: number;
  readonly bytes: number;
}

/** Milliseconds for which an idle group is watched, after it has come to rest. */
const REST = 10_000;
const SPAN = 10_000;
const LIMIT = 60_000;
const LOOK = 100;

class Crowds {
  readonly all: ChildProcess[];

  constructor(processes: number) {
    const program = fileURLToPath(new URL("./crowd-members.ts", import.meta.url));
    this.all = Array.from({ length: processes }, () => fork(program));
  }

  async look(): Promise<Look> {
    return summed(await Promise.all(this.all.map((crowd) => ask(crowd, { kind: "look" }))));
  }

  /** When all follow one leader, not this one, and see so many members (any number: null); null where they did not in time. */
  async agree(members: number | null, but = ""): Promise<number | null> {
    const end = Date.now() + LIMIT;
    while (Date.now() < end) {
      const { beliefs, changed } = await this.look();
      const [leader] = beliefs[0].split(" ");
      const isSized = members === null || beliefs[0].endsWith(`, ${members} members`);
      const isOne =
        beliefs.length === 1 || (members === null && beliefs.every((each) => each.startsWith(`${leader} `)));
      if (isOne && leader !== "null" && leader !== but && isSized) return changed;
      await pass(LOOK);
    }
    return null;
  }

  end(): void {
    for (const crowd of this.all) crowd.kill("SIGKILL");
  }
}

interface Look extends Cost {
  readonly members: number;
  readonly beliefs: readonly string[];
  readonly changed: number;
  readonly holder: { readonly name: string; readonly bytes: number };
  readonly failures: number;
}

function summed(glimpses: readonly Glimpse[]): Look {
  const sum = (of: (glimpse: Glimpse) => number) => glimpses.reduce((total, each) => total + of(each), 0);
  return {
    members: sum(({ beliefs }) => Object.values(beliefs).reduce((total, count) => total + count, 0)),
    beliefs: [...new Set(glimpses.flatMap(({ beliefs }) => Object.keys(beliefs)))],
    changed: Math.max(...glimpses.map(({ changed }) => changed)),
    holder: glimpses.flatMap(({ holders }) => holders)[0] ?? { name: "", bytes: 0 },
    failures: sum(({ failures }) => failures),
    cpu: sum(({ cpu }) => cpu),
    datagrams: sum(({ datagrams }) => datagrams),
    bytes: sum(({ bytes }) => bytes),
  };
}

const between = (before: Cost, after: Cost): Cost => ({
  cpu: after.cpu - before.cpu,
  datagrams: after.datagrams - before.datagrams,
  bytes: after.bytes - before.bytes,
});

async function ask(crowd: ChildProcess, order: Order): Promise<Glimpse> {
  const answer = once(crowd, "message") as Promise<[Glimpse]>;
  crowd.send(order);
  return (await answer)[0];
}

export async function crowd(members: number, processes: number): Promise<CrowdResult> {
  const crowds = new Crowds(Math.min(processes, members));
  try {
    const names = Array.from({ length: members }, (_, i) => `m${String(i).padStart(4, "0")}`);
    const [first] = crowds.all;
    const { addresses } = await ask(first, { kind: "start", names: names.slice(0, 1), seeds: [] });
    const began = Date.now();
    const before = await crowds.look();
    const shares = crowds.all.map((_, k) => names.slice(1).filter((_, i) => i % crowds.all.length === k));
    await Promise.all(crowds.all.map((each, k) => ask(each, { kind: "start", names: shares[k], seeds: addresses })));
    const started = Date.now() - began;
    const agreedAt = await crowds.agree(members);
    const joining = between(before, await crowds.look());
    const idle = await idling(crowds, members);
    const failOver = await failingOver(crowds);
    const loss = await losing(crowds);
    return { started, agreed: agreedAt && agreedAt - began, joining, ...idle, failOver, ...loss };
  } finally {
    crowds.end();
  }
}

async function idling(crowds: Crowds, members: number) {
  await pass(REST);
  const before = await crowds.look();
  await pass(SPAN);
  const after = await crowds.look();
  const { cpu, bytes } = between(before, after);
  const rate = (amount: number) => (1000 * amount) / SPAN;
  const held = rate(after.holder.bytes - before.holder.bytes);
  const perMember = (rate(bytes) - held) / Math.max(1, members - 1);
  return { idleCpu: rate(cpu), perMember, perHolder: held - perMember, falseAlarms: after.failures };
}

/** The leader crashes. */
async function failingOver(crowds: Crowds): Promise<number | null> {
  const { holder } = await crowds.look();
  const began = Date.now();
  await Promise.all(crowds.all.map((each) => ask(each, { kind: "crash", names: [holder.name] })));
  const at = await crowds.agree(null, holder.name);
  await pass(REST);
  return at && at - began;
}

/** The last process is killed, with all its members. */
async function losing(crowds: Crowds): Promise<Pick<CrowdResult, "afterLoss" | "losing">> {
  if (crowds.all.length === 1) return { afterLoss: null, losing: { cpu: 0, datagrams: 0, bytes: 0 } };
  crowds.all.pop()!.kill("SIGKILL");
  const began = Date.now();
  const before = await crowds.look();
  const at = await crowds.agree(before.members);
  return { afterLoss: at && at - began, losing: between(before, await crowds.look()) };
}

export function crowdInWords(members: number, processes: number, result: CrowdResult): string {
  const time = (ms: number | null) => (ms === null ? `not within ${LIMIT / 1000} s` : `${(ms / 1000).toFixed(1)} s`);
  const cost = ({ cpu, datagrams, bytes }: Cost) =>
    `${cpu.toFixed(1)} CPU seconds, ${datagrams} datagrams, ${(bytes / 1e6).toFixed(1)} MB`;
  const { started, agreed, joining, idleCpu, perMember, perHolder, falseAlarms, failOver, afterLoss } = result;
  return `${members} members in ${processes} processes, loopback, profile lan
  all run after ${time(started)}, agree after ${time(agreed)}: ${cost(joining)}
  idle: ${(100 * idleCpu).toFixed(0)}% of one core; ${perMember.toFixed(0)} bytes/s a member, ${perHolder.toFixed(0)} more of the leader; false alarms: ${falseAlarms}
  the leader crashes: all others follow the next after ${time(failOver)}
  one process is killed: the others agree after ${time(afterLoss)}: ${cost(result.losing)}
`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { members: { type: "string", default: "1000" }, processes: { type: "string", default: "4" } },
  });
  const [members, processes] = [Number(values.members), Number(values.processes)];
  process.stdout.write(crowdInWords(members, processes, await crowd(members, processes)));
}
