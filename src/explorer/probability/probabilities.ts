/**
 * Exact probabilities of a small network: that nobody, exactly one or several lead in the end, and the mean of messages and
 * rounds. For synchronous protocols over all draws; for others the least and the greatest over all weakly fair schedules,
 * whose scheduler sees every draw as soon as it has been made. Loss and crashes are coins.
 */
import { InputError } from "../../errors.ts";
import type { Outcome } from "../../protocol.ts";
import { isSynchronous, type Params } from "../../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../../protocols/registry.ts";
import { type Given, readAll } from "../../setting.ts";
import { type ExploreRequest, explorationCases, explorationProblem, explorationProblems } from "../explore.ts";
import type { Clock } from "../search/deepen.ts";
import type { Paused } from "../search/search-terms.ts";
import { finished } from "../search/search-terms.ts";
import { BUDGETS, EXPLORATION, FAULT_CHANCES } from "../settings.ts";
import { average, type Known, type KnownSpan, ofDouble } from "./fraction.ts";
import { type Allowance, decisionProcessOf, type FaultChances, type Spent } from "./graph.ts";
import { type CaseProbabilities, solve } from "./solve.ts";

/** A network, and the coins of its faults; what an exploration tries within budgets is no probability. */
export interface ProbabilityRequest
  extends Pick<
      ExploreRequest,
      "n" | "topology" | "params" | "ids" | "initiators" | "roles" | "fifo" | "timed" | "limits"
    >,
    Given<typeof FAULT_CHANCES> {
  /** In one case; what lies beyond is not followed. */
  readonly maxStates?: number;
  readonly maxBytes?: number;
}

/** What is to be expected of a protocol, and of how many configurations that follows. */
export interface Probabilities {
  readonly protocol: string;
  readonly n: number;
  readonly params: Params;
  /** Arrangements of ids and sets of initiators, each as likely as any other. */
  readonly cases: number;
  readonly states: number;
  /** Whether schedules differ, or all is chance. */
  readonly schedules: "all" | "none";
  /** Whether the numbers are fractions; otherwise they lie between two ends. */
  readonly exact: boolean;
  /** Which budget was spent before every run had been followed to its end; null where none was. */
  readonly stopped: Spent | null;
  /** How likely runs are that were not followed, beyond a limit or a budget: for the least and for the most of each outcome. */
  readonly unknown: KnownSpan;
  readonly outcomes: Readonly<Record<Outcome | "never", KnownSpan>>;
  /** Without an upper end where runs were not followed; null where a schedule can keep a run going for ever. */
  readonly messages: KnownSpan | null;
  /** As simulations count them; null where they do not follow from the number of instants. */
  readonly rounds: Known | null;
}

const MOST_STATES = 1_000_000;
/** Of the time of a case: to follow its runs, and until then to find fractions. */
const SHARES = { follow: 0.6, fractions: 0.9 };

/**
 * What is exactly to be expected of a protocol in a small network.
 *
 * @example
 * ```ts
 * import { probabilities } from "sortition/explore";
 *
 * const { outcomes } = probabilities("referees", { n: 3 });
 * const { over, under } = outcomes.one.min.exact!;
 * ```
 */
export function probabilities(protocol: ProtocolChoice, request: ProbabilityRequest): Probabilities {
  return finished(computing(protocol, request));
}

/** As `probabilities`, in pieces, and with an eye on the time. */
export function* computing(
  choice: ProtocolChoice,
  request: ProbabilityRequest,
  clock: Clock = { now: () => 0, budget: Infinity },
): Paused<Probabilities> {
  const { protocol } = findProtocol(choice);
  const { maxStates = MOST_STATES, maxBytes = Infinity, loss, multicastLoss, crash, ...asked } = request;
  const coins = coinsOf(choice, { loss, multicastLoss, crash });
  const end = clock.now() + clock.budget;
  const cases = explorationCases(protocol, asked);
  const parts: CaseProbabilities[] = [];
  for (const problem of explorationProblems(protocol, asked)) {
    const left = end - clock.now();
    if (left <= 0) break;
    const until = (share: number) => {
      const moment = clock.now() + (share * left) / (cases - parts.length);
      return () => clock.now() >= moment;
    };
    const allowance: Allowance = { maxStates, maxBytes, late: until(SHARES.follow) };
    const late = until(SHARES.fractions);
    const model = yield* decisionProcessOf(problem, coins, allowance);
    parts.push(yield* solve(model, late));
  }
  const { params } = explorationProblem(protocol, asked);
  const first = parts.find(({ stopped }) => stopped !== null)?.stopped ?? null;
  const missing = cases - parts.length;
  const mean = (of: (part: CaseProbabilities) => Known) => average(parts.map(of), missing, 1);
  const span = (of: (part: CaseProbabilities) => KnownSpan): KnownSpan => ({
    min: mean((part) => of(part).min),
    max: mean((part) => of(part).max),
  });
  const cost = (of: (part: CaseProbabilities) => Known) => average(parts.map(of), missing, Infinity);
  const outcome = (name: keyof CaseProbabilities["outcomes"]) => span(({ outcomes }) => outcomes[name]);
  return {
    protocol: protocol.name,
    n: readAll(EXPLORATION, asked).n,
    params: params as Params,
    cases,
    states: parts.reduce((sum, { states }) => sum + states, 0),
    schedules: isSynchronous(protocol, params) ? "none" : "all",
    exact: missing === 0 && parts.every(({ outcomes }) => outcomes.one.min.exact !== null),
    stopped: first ?? (missing > 0 ? "time" : null),
    unknown: span(({ unknown }) => unknown),
    outcomes: { none: outcome("none"), one: outcome("one"), many: outcome("many"), never: outcome("never") },
    messages: parts.every(({ messages }) => messages !== null)
      ? { min: cost(({ messages }) => messages!.min), max: cost(({ messages }) => messages!.max) }
      : null,
    rounds: parts.every(({ rounds }) => rounds !== null) ? cost(({ rounds }) => rounds!) : null,
  };
}

function coinsOf(choice: ProtocolChoice, given: Given<typeof FAULT_CHANCES>): FaultChances {
  const { protocol } = findProtocol(choice);
  const read = (name: keyof typeof FAULT_CHANCES) => {
    const value = given[name] ?? 0;
    const chance = FAULT_CHANCES[name].read(value);
    if (chance === undefined)
      throw new InputError((field) => `${field(name)} must be ${FAULT_CHANCES[name].wanted}, not ${value}`);
    return ofDouble(chance);
  };
  const { name, assumes } = protocol;
  const loss = read("loss");
  const multicastLoss = given.multicastLoss == null && assumes.multicast ? loss : read("multicastLoss");
  const coins = { loss, multicastLoss, crash: read("crash") };
  if (coins.multicastLoss.over > 0n && !assumes.multicast) {
    throw new InputError(
      (field) => `${name} sends no multicasts: leave ${field("multicastLoss")} out, or use ${field("loss")}`,
    );
  }
  if (coins.crash.over > 0n && (assumes.topology === "ring" || protocol.crash === "round")) {
    throw new InputError(
      `crashes of ${name} are not coins here (rings close over crashed nodes, rounds have their own): leave crash out, or simulate it`,
    );
  }
  return coins;
}

/** Settings of an exploration that are no probabilities. */
export const UNLIKELY: readonly string[] = [
  ...Object.keys(BUDGETS),
  ...["capacity", "choices", "ties", "longestPause", "latestStart", "reduction", "walks", "seed"],
];
