/**
 * An exploration that cannot run away: where nobody says how many values of a draw are tried, it tries 2, then 4, then 8,
 * each to its end, as long as time and memory last; what does not end even then is cut at growing phases.
 */
import type { AnyProtocol } from "../../protocol.ts";
import { type Exploration, type ExploreRequest, exploring } from "../explore.ts";
import type { SearchCrew } from "./crew.ts";
import { besides } from "./scouts.ts";
import { finished } from "./search.ts";
import type { Paused } from "./search-terms.ts";
import type { Walks } from "./walks.ts";

/** One search on the way, and whether it came to its end. */
export interface Level {
  readonly choices: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly states: number;
  readonly complete: boolean;
}

export interface Deepened {
  /** The deepest that came to its end or found something; otherwise the one that had to stop. */
  readonly result: Exploration;
  readonly levels: readonly Level[];
  /** Whether something deeper was begun and had to stop. */
  readonly stopped: boolean;
  /** How far the random walks beside it came that found nothing; null where there were none. */
  readonly scouts: Walks | null;
}

const CHOICES = [2, 4, 8];
const MOST_LIMIT = 64;
/** More random walks than there is time for. */
const MANY = 1_000_000_000;
/** Of the time that is left, for a search that may not end at all. */
const SHARE = 0.5;

/** The time that a search may take, and how it is told. */
export interface Clock {
  /** Milliseconds, from any moment on. */
  now(): number;
  readonly budget: number;
}

export function* deepening(
  protocol: AnyProtocol,
  request: ExploreRequest,
  clock: Clock,
  onLevel: (level: Pick<Level, "choices" | "limits">) => void = () => undefined,
  crew: SearchCrew | null = null,
): Paused<Deepened> {
  const end = clock.now() + clock.budget;
  const levels: Level[] = [];
  let best: Exploration | null = null;
  const given = request.limits ?? {};
  const asked = request.choices === undefined || request.choices === null ? CHOICES : [Number(request.choices)];
  const measured = hasMeasure(protocol, given);
  let over = false;
  const beside = { walks: MANY, choices: asked.at(-1)!, onProgress: () => !over };
  const scouts = exploring(protocol, { ...request, ...beside });

  function* attempt(choices: number, limits: Readonly<Record<string, number>>, until: number): Paused<Exploration> {
    onLevel({ choices, limits });
    // A share of the time is for a search that may not end, while there is another way: fewer values, or phase by phase.
    const inTime: ExploreRequest["onProgress"] = (states, done, cases, draws) =>
      clock.now() < (draws || measured ? until : end) && (request.onProgress?.(states, done, cases, draws) ?? true);
    const search = exploring(protocol, { ...request, choices, limits, onProgress: inTime }, crew);
    const result = yield* besides(search, scouts);
    levels.push({ choices, limits, states: result.states, complete: result.complete });
    return result;
  }
  if (request.walks !== undefined) {
    const onProgress: ExploreRequest["onProgress"] = (...far) =>
      clock.now() < end && (request.onProgress?.(...far) ?? true);
    const result = yield* exploring(protocol, { ...request, onProgress });
    return { result, levels, stopped: false, scouts: null };
  }
  const share = asked.length > 1 || measured ? SHARE : 1;
  for (const choices of asked) {
    const until = best === null ? clock.now() + share * (end - clock.now()) : end;
    const result: Exploration = yield* attempt(choices, given, until);
    if (result.violation !== null) return known(result, false);
    if (!result.complete) return best !== null ? known(best, true) : yield* growing(result);
    best = result;
    if (result.draws === null || result.draws.tried === result.draws.of) break;
  }
  return known(best!, false);

  function known(result: Exploration, stopped: boolean): Deepened {
    over = true;
    const walked = stopped ? finished(scouts).walks : null;
    return { result, levels, stopped, scouts: walked === null || walked.walks === 0 ? null : walked };
  }

  /** Not even with the fewest values: with one, or phase by phase. */
  function* growing(whole: Exploration): Paused<Deepened> {
    const measures = Object.keys(protocol.measures).filter((name) => protocol.measures[name] === "max");
    const open = measures.filter((name) => given[name] === undefined);
    const tries: [number, Readonly<Record<string, number>>][] =
      open.length > 0
        ? phaseByPhase(asked).map(([choices, most]) => [choices, { ...given, ...atMost(open, most) }])
        : asked[0] > 1 && whole.draws !== null
          ? [[1, given]]
          : [];
    let deepest: Exploration | null = null;
    for (const [choices, limits] of tries) {
      if (clock.now() >= end) break;
      const result: Exploration = yield* attempt(choices, limits, end);
      if (result.violation !== null) return known(result, false);
      if (!result.complete) break;
      deepest = result;
      if (result.cut === 0) return known(result, false);
    }
    return known(deepest ?? whole, true);
  }
}

/** Two phases with few values, then with more of them, then more phases: numbers of values, and of phases. */
function phaseByPhase(values: readonly number[]): [number, number][] {
  const most = values[values.length - 1];
  const further = Array.from({ length: MOST_LIMIT }, (_, i): [number, number] => [most, i + 3]);
  return [[values[0], 1], ...values.map((choices): [number, number] => [choices, 2]), ...further];
}

const hasMeasure = (protocol: AnyProtocol, given: Readonly<Record<string, number>>): boolean =>
  Object.entries(protocol.measures).some(([name, kind]) => kind === "max" && given[name] === undefined);

const atMost = (measures: readonly string[], most: number): Readonly<Record<string, number>> =>
  Object.fromEntries(measures.map((name) => [name, most]));

/** The options with which the deepest search that came to its end would be asked for; null where none did. */
export function finishing(levels: readonly Level[]): string | null {
  const level = levels.findLast(({ complete }) => complete);
  if (level === undefined) return null;
  const limits = Object.entries(level.limits).map(([name, most]) => ` --limit ${name}=${most}`);
  return `--choices ${level.choices}${limits.join("")}`;
}
