/** What people are told of an exploration, and of one that goes on. */

import type { Exploration } from "../../../explorer/explore.ts";
import type { Aspect } from "../../../explorer/scope.ts";
import { type Deepened, finishing, type Level } from "../../../explorer/search/deepen.ts";
import type { Walks } from "../../../explorer/search/walks.ts";
import { flagOf } from "../../../flags.ts";
import { lines } from "../../../trace/describe.ts";
import { listedWords, type Story } from "../../../trace/story.ts";
import type { Io, Output } from "../../io.ts";
import { figure } from "../../text/figures.ts";
import { type Paint, painter } from "../../text/terminal.ts";

/** The options that show in it. */
interface Shown {
  readonly trace?: string;
  readonly svg?: string;
  readonly words: boolean;
  readonly protocolFile?: string;
}

const INTERRUPTED = "interrupted: nothing was found in what had been visited, and nothing is known of the rest";
const STOPPED =
  "stopped before everything was visited: nothing was found in what had been, and nothing is known of the rest";
const CUT_SHORT = "interrupted when more was to be tried: nothing was found there, and nothing is known of it";
const OUT_OF_BUDGET = "stopped when more was to be tried: nothing was found there, and nothing is known of it";

export function printExploration(
  io: Io,
  deepened: Deepened,
  seconds: number,
  interrupted: boolean,
  shown: Shown,
  story: Story | null,
): string {
  const paint = painter(io.stdout);
  const { result, levels } = deepened;
  const { walks, violation } = result;
  const head = walks !== null ? walkLines(result, walks, levels, seconds) : searchLines(result, seconds, paint);
  const found =
    violation === null || story === null
      ? verdictLines(deepened, interrupted, paint)
      : violationLines(result, violation, shown, story, paint);
  return [...head, "", ...found].join("\n");
}

function searchLines(result: Exploration, seconds: number, paint: Paint): string[] {
  const { cases, casesInAll, messages } = result;
  const searched = cases.length < casesInAll ? `${figure(cases.length)} of ${figure(casesInAll)}` : figure(casesInAll);
  const several = casesInAll === 1 ? "one case" : `${searched} cases (arrangements of ids, sets of initiators)`;
  return [
    `${paint("bold", result.protocol)}, n = ${result.n}: ${several}`,
    `  ${figure(result.states)} configurations, ${figure(result.ends)} of them final, at most ${figure(result.depth)} steps away`,
    ...(result.beginnings > 1 || result.draws !== null ? [`  ${beginnings(result)}`] : []),
    ...(result.reduced
      ? ["  steps that commute were tried in one order only, which tells the same (--reduction)"]
      : []),
    ...(result.unreduced === null ? [] : [`  every order of steps was tried: ${result.unreduced} (--reduction)`]),
    ...(result.alone.length > 0
      ? [`  a search of its own, every order of steps, not counted above: ${result.alone.join(", ")}`]
      : []),
    ...(result.alike > 0
      ? [`  ${figure(result.alike)} cases were not searched: nodes behave in them as in one that was`]
      : []),
    ...(result.cut > 0 ? [`  ${figure(result.cut)} were not followed further, because of --limit`] : []),
    ...(messages.max === null ? [] : [`  ${range(messages.min, messages.max)} messages in a whole run`]),
    paint("dim", `  ${seconds.toFixed(2)} s, ${figure(Math.round(result.states / seconds))} configurations a second`),
  ];
}

/** Nothing was found: in how much of what there is. */
function verdictLines({ result, levels, stopped, scouts }: Deepened, interrupted: boolean, paint: Paint): string[] {
  const verdict =
    result.walks !== null
      ? paint("yellow", "nothing was found on these walks, and nothing is known of others")
      : result.complete
        ? paint("green", `✓ holds in every one that was tried: ${result.properties.join(", ")}`)
        : paint("yellow", interrupted ? INTERRUPTED : STOPPED);
  const deeper = result.complete && stopped ? [paint("yellow", interrupted ? CUT_SHORT : OUT_OF_BUDGET)] : [];
  const beside = scouts === null ? [] : [`  ${scoutWords(scouts)}`];
  const finish = stopped ? [paint("yellow", `  ${advice(levels)}`)] : [];
  return [verdict, ...scopeLines(result), ...deeper, ...beside, ...finish];
}

function violationLines(
  { draws }: Exploration,
  violation: NonNullable<Exploration["violation"]>,
  { trace, svg, words, protocolFile }: Shown,
  story: Story,
  paint: Paint,
): string[] {
  const { ids, initiators } = violation.problem;
  return [
    paint("red", `✗ ${violation.property} does not hold: ${violation.what}`),
    `  ${ids === null ? "no ids" : `ids ${ids.join(", ")}`}; nodes that start: ${initiators.join(", ")}`,
    "",
    ...lines(story.events, undefined, (number) => (words ? listedWords(story, number) : null)),
    ...partitionLines(violation),
    ...(draws === null ? [] : ["", "here every draw that can be made is; how likely that is: --probabilities"]),
    ...(violation.network.timed || !story.events.some((event) => event.do === "timer")
      ? []
      : ["", "here a timer may expire before any message, however long it waits; --timed 2: messages take at most 2"]),
    ...(trace === undefined && svg === undefined ? [] : [""]),
    ...(svg === undefined ? [] : [`drawn in ${svg}`]),
    ...(trace === undefined
      ? []
      : [
          `written to ${trace}; look at it again with: sortition trace ${trace}${protocolFile === undefined ? "" : ` --protocol-file ${protocolFile}`}`,
        ]),
  ];
}

function walkLines({ protocol, n }: Exploration, walks: Walks, levels: readonly Level[], seconds: number): string[] {
  const { steps, configurations, fresh, ended } = walks;
  return [
    `${protocol}, n = ${n}: ${walks.walks === 1 ? "one random walk" : `${figure(walks.walks)} random walks`}, ${figure(ended)} of which came to an end`,
    `  ${figure(steps)} steps, at least ${figure(configurations)} different configurations`,
    ...(fresh === null
      ? []
      : [`  in the last quarter ${(100 * fresh).toFixed(1)} % of the steps led to one that was new`]),
    ...(levels.length === 0 ? [] : ["  beside a search of every schedule that had not come to its end"]),
    `  ${seconds.toFixed(2)} s`,
  ];
}

const scoutWords = ({ walks, ended }: Walks): string =>
  `beside it ${figure(walks)} random walks were taken, ${figure(ended)} of them to an end: nothing was found on them`;

/** A partition happens to no node, so it is no event. */
function partitionLines({ steps, problem }: NonNullable<Exploration["violation"]>): string[] {
  const nodes = Array.from({ length: problem.topology.size }, (_, node) => node);
  return steps.flatMap(({ action }, i) => {
    const done = i === 1 ? "1 step" : `${i} steps`;
    if (action.do === "heal") return [`after ${done} the network heals`];
    if (action.do !== "part") return [];
    const [here, there] = [0, 1].map((side) => nodes.filter((node) => ((action.sides >> node) & 1) === side));
    return [`after ${done} the network falls apart: nodes ${here.join(", ")}, and ${there.join(", ")}`];
  });
}

/** What the verdict stands on, and what it says nothing of, each with the option that would try it. */
function scopeLines({ tried, untried, complete, walks }: Exploration): string[] {
  const text = ({ what, setting }: Aspect) => (setting === null ? what : `${what} (${flagOf(setting)})`);
  return [
    `  ${complete || walks !== null ? "tried" : "to be tried"}: ${tried.map(({ what }) => what).join("; ")}`,
    ...(untried.length === 0 ? [] : [`  not tried: ${untried.map(text).join("; ")}`]),
  ];
}

const range = (min: number | null, max: number) =>
  min === max ? figure(max) : `${figure(min ?? 0)} to ${figure(max)}`;

/** What would come to its end, as far as that was seen, and what would go further. */
function advice(levels: readonly Level[]): string {
  const finishes = finishing(levels);
  const more = "raise --seconds and --memory";
  return finishes === null
    ? `${more}, lower --n or --choices, set a --limit, or give one arrangement with --ids`
    : `${finishes} comes to its end; to go further, ${more}`;
}

function beginnings({ beginnings, draws }: Exploration): string {
  const ways = `each case begins in ${figure(beginnings)} ${beginnings === 1 ? "way" : "ways"}`;
  if (draws === null) return ways;
  return `${ways}; a draw has up to ${figure(draws.of)} values, of which ${figure(draws.tried)} were tried`;
}

/** Milliseconds between two lines where there is no terminal. */
const SELDOM = 10_000;

/** How many configurations have been found: on the last line of a terminal, or on a line now and then where there is none. */
export class StateMeter {
  private readonly stream: Output;
  private readonly began = performance.now();
  private drawn = performance.now();
  private written = false;
  private level = "";

  constructor(stream: Output) {
    this.stream = stream;
  }

  /** A search begins. */
  begin({ choices, limits }: Pick<Level, "choices" | "limits">): void {
    const cut = Object.entries(limits).map(([name, most]) => `, ${name} up to ${most}`);
    this.level = `${choices} values of a draw${cut.join("")}: `;
  }

  show(states: number, done: number, cases: number): void {
    const now = performance.now();
    if (now - this.drawn < (this.stream.isTTY ? 200 : SELDOM)) return;
    this.drawn = now;
    const rate = Math.round((states / (now - this.began)) * 1000);
    const line = `${this.level}${figure(states)} configurations, case ${figure(done + 1)} of ${figure(cases)}, ${figure(rate)} a second`;
    this.stream.write(this.stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
    this.written = this.stream.isTTY === true;
  }

  clear(): void {
    if (this.written) this.stream.write("\r\x1b[2K");
  }
}
