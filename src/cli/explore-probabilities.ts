/** `sortition explore PROTOCOL --probabilities`: what is exactly to be expected, instead of what can happen. */
import { InputError } from "../errors.ts";
import { text } from "../explorer/probability/fraction.ts";
import {
  computing,
  type Probabilities,
  type ProbabilityRequest,
  UNLIKELY,
} from "../explorer/probability/probabilities.ts";
import type { Known } from "../explorer/probability/solve.ts";
import { flagOf } from "../flags.ts";
import type { AnyProtocol } from "../protocol.ts";
import { figure } from "./figures.ts";
import { inTurns } from "./interrupt.ts";
import { table } from "./table.ts";
import { painter, print } from "./terminal.ts";

/** What is tried within a budget, or cut, has no probability. */
export function refuseUnlikely(options: Readonly<Record<string, unknown>>): void {
  const odd = UNLIKELY.find((name) => options[name] !== undefined);
  if (odd === undefined) return;
  throw new InputError(
    `${flagOf(odd)} has no probability: leave it out with --probabilities; faults are --loss and --crash there`,
  );
}

export async function showProbabilities(
  protocol: AnyProtocol,
  request: ProbabilityRequest,
  json: boolean,
): Promise<void> {
  const result = await inTurns(computing(protocol, request));
  print(
    json ? JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}` : value)) : forPeople(result),
  );
}

function forPeople(result: Probabilities): string {
  const paint = painter(process.stdout);
  const { outcomes, messages, rounds, schedules, exact } = result;
  const free = schedules === "all";
  const rows = [
    ["no leader", outcomes.none],
    ["exactly one leader", outcomes.one],
    ["several leaders", outcomes.many],
    ...(outcomes.never.max.to > 0 ? [["never ends", outcomes.never] as const] : []),
    ...(messages === null ? [] : [["messages, mean", messages] as const]),
    ...(rounds === null ? [] : [["rounds, mean", { min: rounds, max: rounds }] as const]),
  ] as const;
  const cases = result.cases === 1 ? "" : `, the mean of ${figure(result.cases)} cases`;
  const how = free
    ? "the least and the most over all weakly fair schedules; the scheduler sees every draw as soon as it is made"
    : "over all draws: nothing is left to a scheduler";
  return [
    `${paint("bold", result.protocol)}, n = ${result.n}: ${figure(result.states)} configurations${cases}`,
    `  ${how}`,
    `  ${exact ? "exact fractions" : "between two ends that were rounded outwards"}`,
    "",
    table(
      (free ? ["", "least", "most"] : ["", "probability"]).map((title) => ({ title })),
      rows.map(([name, { min, max }]) => (free ? [name, shown(min), shown(max)] : [name, shown(min)])),
    ),
  ].join("\n");
}

const shown = ({ from, to, exact }: Known): string => (exact === null ? `${from} to ${to}` : text(exact));
