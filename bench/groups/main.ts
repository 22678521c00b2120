/**
 * The second half of `npm run bench:live`: what a group that lasts takes on this machine, in the profile `lan` and on loopback. For
 * numbers that can be compared the machine has nothing else to do.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { etcdFailOvers, hasEtcd } from "../etcd/fail-over.ts";
import { crowd, crowdInWords } from "./crowd.ts";
import { type FailOvers, failOvers } from "./fail-over.ts";
import { engineRequests } from "./idle-engine.ts";

const MEMBERS = 25;
const KILLS = Number(process.env.KILLS ?? 50);
const HAND_OVERS = Number(process.env.HAND_OVERS ?? 10);
/** Of leases, in milliseconds; whole seconds, since etcd knows no others. */
const LEASE = 2000;
const SIZES = (process.env.SIZES ?? "10,100,1000").split(",").map(Number);

const print = (line: string) => process.stdout.write(`${line}\n`);

function quantile(values: readonly number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))])} ms`;
}

const summary = (values: readonly number[]) =>
  values.length === 0
    ? "none"
    : `p50 ${quantile(values, 0.5)}, p95 ${quantile(values, 0.95)}, longest ${quantile(values, 1)}`;

print(`${availableParallelism()} cores, loopback, profile lan\n`);
for (const n of SIZES) print(crowdInWords(n, 4, await crowd(n, 4)));
const MEASURED = "from the signal until every other member knows the next leader";

function show({ kills, handOvers, falseAlarms }: FailOvers): void {
  print(`  killed ${kills.length} times: ${summary(kills)}`);
  print(`  asked to leave ${handOvers.length} times: ${summary(handOvers)}`);
  print(`  false alarms: ${falseAlarms.length === 0 ? "none" : `${falseAlarms.length}, such as "${falseAlarms[0]}"`}`);
}

print(`\n${MEMBERS} processes: ${MEASURED}`);
show(await failOvers(MEMBERS, KILLS, HAND_OVERS));

print(`\n${MEMBERS} processes, strict, leases of ${LEASE} ms in SQLite: ${MEASURED}`);
const folder = mkdtempSync(join(tmpdir(), "sortition-bench-"));
try {
  const leases = ["--lease", `sqlite:${join(folder, "leases.db")}`, "--lease-ttl", String(LEASE)];
  show(await failOvers(MEMBERS, KILLS, HAND_OVERS, leases));
} finally {
  rmSync(folder, { recursive: true });
}

if (hasEtcd()) {
  const times = await etcdFailOvers(MEMBERS, KILLS, LEASE / 1000);
  print(`\n${MEMBERS} processes, etcd's own recipe with the same lease: ${MEASURED}`);
  print(`  killed ${times.length} times: ${summary(times)}`);
} else print("\netcd was not measured: it is not here (Debian's package etcd-server has it)");

print(
  "\nrequests to the engine in a minute while nothing happens, in virtual time, leases renewed every third of 2000 ms",
);
for (const n of SIZES) {
  const { holders, requests, followers } = engineRequests(n, LEASE);
  print(`  n = ${n}: ${requests} of ${holders} holder, ${followers} of followers`);
}
