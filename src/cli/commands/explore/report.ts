/** What people are told of an exploration, and of one that goes on. */

import { flagOf } from "../../../errors.ts";
import type { Exploration } from "../../../explorer/explore.ts";
import type { Aspect } from "../../../explorer/scope.ts";
import { type Deepened, finishing, type Level } from "../../../explorer/search/deepen.ts";
import type { Violation } from "../../../explorer/search/search-terms.ts";
import type { PromiseVerdict } from "../../../explorer/search/verdicts.ts";
import type { Walks } from "../../../explorer/search/walks.ts";
import { lines } from "../../../trace/describe.ts";
import { tracePath } from "../../../trace/exploration.ts";
import { listedWords, type Story } from "../../../trace/story.ts";
import type { Output } from "../../io.ts";
import { figure } from "../../text/figures.ts";
import type { Paint } from "../../text/terminal.ts";

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
const WALKED = "nothing was found on these walks, and nothing is known of others";
const UNDECIDED = "nothing was found, but not every promise could be evaluated";

export function printExploration(
  paint: Paint,
  deepened: Deepened,
  seconds: number,
  interrupted: boolean,
  shown: Shown,
  story: Story | null,
): string {
  const { result, levels } = deepened;
  const { walks, violation } = result;
  const head = walks !== null ? walkLines(result, walks, levels, seconds) : searchLines(result, seconds, paint);
  const verdict =
    violation === null || story === null
      ? verdictLines(deepened, interrupted, paint)
      : brokenLines(result, violation, story, shown, paint);
  return [...head, "", ...expectedLines(result, paint), ...verdict].join("\n");
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

/** Where no promise is broken, or only those that are expected to be. */
function verdictLines({ result, levels, stopped, scouts }: Deepened, interrupted: boolean, paint: Paint): string[] {
  const holding = result.verdicts.filter(({ standing }) => standing === "holds").map(({ promise }) => promise);
  const line =
    result.verdict === "holds"
      ? paint("green", `✓ holds in every one that was tried: ${holding.join(", ")}`)
      : paint("yellow", undecidedWords(result, stopped, interrupted));
  return [
    line,
    ...(result.verdict === "holds" ? [] : openLines(result.verdicts)),
    ...scopeLines(result),
    ...(scouts === null ? [] : [`  ${scoutWords(scouts)}`]),
    ...(stopped ? [paint("yellow", `  ${advice(levels)}`)] : []),
  ];
}

function undecidedWords({ walks, complete }: Exploration, stopped: boolean, interrupted: boolean): string {
  if (walks !== null) return WALKED;
  if (!complete) return interrupted ? INTERRUPTED : STOPPED;
  if (stopped) return interrupted ? CUT_SHORT : OUT_OF_BUDGET;
  return UNDECIDED;
}

/** Promises that hold, and those that were not evaluated, by their reasons. */
function openLines(verdicts: readonly PromiseVerdict[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { promise, standing, reason } of verdicts) {
    if (standing === "broken") continue;
    const key = standing === "holds" ? "✓ holds" : `not evaluated, because ${reason}`;
    groups.set(key, [...(groups.get(key) ?? []), promise]);
  }
  return [...groups].map(([what, promises]) => `  ${what}: ${promises.join(", ")}`);
}

function expectedLines({ expected, verdicts }: Exploration, paint: Paint): string[] {
  const kept = verdicts.filter((each) => each.expected && each.standing === "holds").map(({ promise }) => promise);
  return [
    ...expected.map(({ property, what, steps, problem: { ids } }) => {
      const where = ids === null ? "" : `, with ids ${ids.join(", ")}`;
      return paint("yellow", `✗ ${property} does not hold, as expected: ${what} (after ${steps.length} steps${where})`);
    }),
    ...(kept.length === 0 ? [] : [`expected to be broken, and not: ${kept.join(", ")}`]),
  ];
}

function brokenLines(result: Exploration, violation: Violation, story: Story, shown: Shown, paint: Paint): string[] {
  const { ids, initiators } = violation.problem;
  const { trace, svg, words, protocolFile } = shown;
  const told = lines(story.events, undefined, (number) => (words ? listedWords(story, number) : null));
  const others = result.verdicts.filter(({ standing }) => standing === "not evaluated").map(({ promise }) => promise);
  return [
    paint("red", `✗ ${violation.property} does not hold: ${violation.what}`),
    `  ${ids === null ? "no ids" : `ids ${ids.join(", ")}`}; nodes that start: ${initiators.join(", ")}`,
    "",
    ...told,
    ...loopLines(violation),
    ...partitionLines(violation),
    ...(result.draws === null ? [] : ["", "here every draw that can be made is; how likely that is: --probabilities"]),
    ...(violation.network.timed || !story.events.some((event) => event.do === "timer")
      ? []
      : ["", "here a timer may expire before any message, however long it waits; --timed 2: messages take at most 2"]),
    ...(others.length === 0
      ? []
      : ["", `not evaluated: ${others.join(", ")}; add --expect ${violation.property} to go on with them`]),
    ...(trace === undefined && svg === undefined ? [] : [""]),
    ...(svg === undefined ? [] : [`drawn in ${svg}`]),
    ...(trace === undefined
      ? []
      : [
          `written to ${trace}; look at it again with: sortition trace ${trace}${protocolFile === undefined ? "" : ` --protocol-file ${protocolFile}`}`,
        ]),
  ];
}

/** A run that never ends, as the events before its loop and those of the loop. */
function loopLines({ loop, network, steps }: Violation): string[] {
  if (loop === undefined) return [];
  const first = tracePath(network, steps.slice(0, steps.length - loop.steps)).length;
  return [
    "",
    `from #${first} on the run repeats for ever: after the last event the network is as it was before #${first}`,
    ...(loop.starves.length === 0
      ? ["nothing starves in it: whatever becomes possible happens"]
      : [`possible again and again, but not all the time, and it never happens: ${loop.starves.join("; ")}`]),
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
function partitionLines({ steps, problem }: Violation): string[] {
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
