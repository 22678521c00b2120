/** What `sortition explore` computes instead of what can happen: `--probabilities`, and `anonymous-ring`. */
import { flagOf, InputError } from "../../../errors.ts";
import { IMPOSSIBILITY_COLUMNS, type ImpossibilityRow, impossibility } from "../../../explorer/anonymous-ring.ts";
import type { Known, KnownSpan } from "../../../explorer/probability/fraction.ts";
import { fractionText } from "../../../explorer/probability/fraction.ts";
import { type Probabilities, UNLIKELY } from "../../../explorer/probability/probabilities.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import type { Params } from "../../../protocols/parameters.ts";
import type { Io } from "../../io.ts";
import { figure } from "../../text/figures.ts";
import { table } from "../../text/table.ts";
import { type Paint, painter, print } from "../../text/terminal.ts";

/** Options of the command that speak of promises and of single runs. */
const OF_RUNS = ["property", "propertyFile", "maxMessages", "maxTime", "trace", "svg", "open"];

/** What is tried within a budget, or cut, has no probability. */
export function refuseUnlikely(options: Readonly<Record<string, unknown>>): void {
  const given = (name: string) => options[name] !== undefined;
  const odd = UNLIKELY.find(given);
  if (odd !== undefined) {
    throw new InputError(
      `${flagOf(odd)} has no probability: leave it out with --probabilities; faults are --loss and --crash there`,
    );
  }
  const single = OF_RUNS.find(given);
  if (single !== undefined) {
    throw new InputError(`--probabilities are of outcomes, and not of single runs: leave ${flagOf(single)} out`);
  }
}

export const probabilitiesJson = (result: Probabilities): string =>
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}` : value));

const LEADERS = { none: "no leader", one: "exactly one leader", many: "several leaders" };

const councilNames = ({ L, U }: Params): typeof LEADERS => ({
  none: `fewer than ${L} members`,
  one: L === U ? `a council of ${L}` : `a council of ${L}..${U}`,
  many: `more than ${U} members`,
});

const OPEN = "what was not followed counts for the most of each outcome, and not for the least";
const NOTHING = "no run was followed to its end: nothing is known of outcomes";

const SPENT = {
  states: "stopped at so many configurations",
  bytes: "stopped when the tables took more than --memory",
  time: "stopped after --seconds",
} as const;

export function probabilitiesTable(paint: Paint, { assumes }: AnyProtocol, result: Probabilities): string {
  const { outcomes, messages, rounds, schedules, exact, stopped, unknown } = result;
  const free = schedules === "all";
  const whole = unknown.max.to === 0;
  const names = assumes.topology === "star" ? councilNames(result.params) : LEADERS;
  const rows: readonly (readonly [string, KnownSpan])[] = [
    [names.none, outcomes.none],
    [names.one, outcomes.one],
    [names.many, outcomes.many],
    ...(outcomes.never.max.to > unknown.max.to ? [["never ends", outcomes.never] as const] : []),
    ...(whole ? [] : [["not followed", unknown] as const]),
    ...(messages === null ? [] : [["messages, mean", messages] as const]),
    ...(rounds === null ? [] : [["rounds, mean", { min: rounds, max: rounds }] as const]),
  ];
  const cases = result.cases === 1 ? "" : `, the mean of ${figure(result.cases)} cases`;
  const how = free
    ? "the least and the most over all weakly fair schedules; the scheduler sees every draw as soon as it is made"
    : "over all draws: nothing is left to a scheduler";
  const two = free || !whole;
  return [
    `${paint("bold", result.protocol)}, n = ${result.n}: ${figure(result.states)} configurations${cases}`,
    `  ${how}`,
    `  ${exact ? "exact fractions; --json has those that are too long for a line" : "between two ends that were rounded outwards"}`,
    ...(whole ? [] : [`  ${outcomes.never.min.to === 0 && unknown.min.to === 1 ? NOTHING : OPEN}`]),
    "",
    table(
      (two ? ["", "least", "most"] : ["", "probability"]).map((title) => ({ title })),
      rows.map(([name, { min, max }]) => (two ? [name, shown(min), shown(max)] : [name, shown(min)])),
    ),
    ...(stopped === null ? [] : ["", paint("yellow", `${SPENT[stopped]}: ${advice(stopped)}`)]),
  ].join("\n");
}

const advice = (stopped: keyof typeof SPENT): string =>
  `lower --n, give smaller parameters or one arrangement with --ids${stopped === "states" ? "" : ", or raise it"}`;

const shown = ({ from, to, exact }: Known): string =>
  exact !== null ? fractionText(exact) : to === Infinity ? `at least ${from}` : `${from} to ${to}`;

// `sortition explore anonymous-ring`: the impossibility result of the lecture, by trying every small machine.

const LARGEST_N = 7;

export function showImpossibility(io: Io, n: number, json: boolean): void {
  if (n > LARGEST_N) throw new InputError(`n can be at most ${LARGEST_N} here: the number of schedules explodes`);
  const sizes = Array.from({ length: Math.max(1, n - 1) }, (_, i) => Math.min(n, i + 2));
  const rows = (["synchronous", "asynchronous"] as const).flatMap((timing) =>
    sizes.map((size) => impossibility(timing, size)),
  );
  if (json) {
    print(io, JSON.stringify({ protocol: "anonymous-ring", n, rows }));
    return;
  }
  const paint = painter(io.stdout);
  const broken = rows.some(({ n, asymmetric, oneLeader }) => n > 1 && asymmetric + oneLeader > 0);
  print(
    io,
    [
      "Every deterministic machine with three states and one kind of message, run by all nodes of an anonymous ring.",
      "Each ring size has machines of its own, so a machine may know n: it does not help.",
      "",
      table(
        IMPOSSIBILITY_COLUMNS.map(([title], i) => ({ title, align: i === 0 ? "left" : "right" })),
        rows.map(cells),
      ),
      "",
      broken
        ? paint("red", "✗ the symmetry was broken")
        : paint("green", "✓ every configuration looks the same from every node: nobody can be the only leader"),
      "The way out is randomness: sortition explore itai-rodeh --n 3 --limit phases=2 --param range=2",
    ].join("\n"),
  );
}

function cells(row: ImpossibilityRow): string[] {
  return IMPOSSIBILITY_COLUMNS.map(([, field]) => {
    const value = row[field];
    return value === null ? "-" : typeof value === "number" ? figure(value) : value;
  });
}
