/**
 * The second half of `npm run bench:live`: what a group that lasts takes on this machine, in the profile `lan` and on loopback. For
 * numbers that can be compared the machine has nothing else to do.
 */
import { availableParallelism } from "node:os";
import { failOvers } from "./fail-over.ts";
import { traffic } from "./traffic.ts";

const MEMBERS = 25;
const KILLS = Number(process.env.KILLS ?? 50);
const HAND_OVERS = Number(process.env.HAND_OVERS ?? 10);
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
print("n members in four processes: until all agree after the last join, and bytes a second while nothing happens");
for (const n of SIZES) {
  const { agreed, perMember, perHolder } = await traffic(n);
  const soon = agreed === null ? "not within a minute" : `${agreed} ms`;
  print(
    `  n = ${n}: agreed after ${soon}; ${perMember.toFixed(0)} bytes/s a member, ${perHolder.toFixed(0)} more of the leader`,
  );
}
print(`\n${MEMBERS} processes: from the signal until every other member knows the next leader`);
const { kills, handOvers, falseAlarms } = await failOvers(MEMBERS, KILLS, HAND_OVERS);
print(`  killed ${kills.length} times: ${summary(kills)}`);
print(`  asked to leave ${handOvers.length} times: ${summary(handOvers)}`);
print(`  false alarms: ${falseAlarms.length === 0 ? "none" : `${falseAlarms.length}, such as "${falseAlarms[0]}"`}`);
