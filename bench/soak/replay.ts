/** One seed again: what went wrong in it, and its trace for `sortition trace`. */
import { writeFileSync } from "node:fs";
import { traceText } from "../../src/trace/file.ts";
import { traceRun } from "../../src/trace/recorded-run.ts";
import { machine, recordedRun } from "../../test/group/simulate.ts";
import type { Line } from "../../test/group/strict/chronicle.ts";
import type { SoakOptions } from "./options.ts";
import { runOn, scenarioFor } from "./session.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Events of this many milliseconds before the end are worth a look first. */
const LAST = 3000;
/** What happened in strict mode is told in lines, from so long before the end on. */
const BEFORE = 12_000;

export function replay(seed: number, options: SoakOptions): number {
  const scenario = scenarioFor(seed, options);
  const { members, policy, offices, plan, mix, lease } = scenario;
  const mode = lease === null ? "" : `, leases of ${lease.ttl} ms`;
  print(
    `seed ${seed}, mix ${mix}: ${members} members, policy ${policy}, offices ${offices.join(", ")}${mode}, faults ${plan.kinds.join(", ")}`,
  );
  const lines: Line[] = [];
  const { breach, events } = runOn(options.stack, scenario, lines);
  if (breach === null) {
    print(`✓ nothing went wrong in ${events} events`);
    return 0;
  }
  print(`✗ ${breach.property} at ${breach.time.toFixed(3)} ms, event ${breach.event}: ${breach.what}`);
  for (const { time, text } of lines)
    if (time > breach.time - BEFORE) print(`  ${time.toFixed(1).padStart(9)}  ${text}`);
  // What happened on the live host is no run of the events host, and strict mode has parts that `sortition trace` does not know.
  if (options.stack === "live" || lease !== null) return 1;
  const file = `soak-${seed}-${mix}.jsonl`;
  const run = recordedRun(scenario, breach);
  writeFileSync(file, traceText({ trace: "run", ...run }, traceRun(run, machine)));
  print(`written to ${file}; draw its end with`);
  print(
    `  npx sortition trace ${file} --from ${Math.max(0, Math.floor(breach.time - LAST))} --svg ${file.replace("jsonl", "svg")}`,
  );
  return 1;
}
