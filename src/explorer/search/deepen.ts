/**
 * An exploration that cannot run away: where nobody says how many values of a draw are tried, it tries 2, then 4, then 8,
 * each to its end, as long as time and memory last; what does not end even then is cut at growing phases, or walked at random.
 */
import type { AnyProtocol } from "../../protocol.ts";
import { type Exploration, type ExploreRequest, exploring } from "../explore.ts";
import type { SearchCrew } from "./crew.ts";
import { finished, type Paused } from "./search-terms.ts";
import { Expectations, leftOpen, overall } from "./verdicts.ts";
import type { Walks } from "./walks.ts";

/** One search on the way, and whether it came to its end. */
export interface Level {
  readonly choices: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly states: number;
  readonly complete: boolean;
}

export interface Deepened {
  /** The deepest that came to its end or found something; otherwise the one that had to stop. Its verdicts are those of all levels. */
  readonly result: Exploration;
  readonly levels: readonly Level[];
  /** Whether something deeper was begun and had to stop. */
  readonly stopped: boolean;
  /** How far the random walks beside it came that found nothing; null where there were none. */
  readonly scouts: Walks | null;
}

const CHOICES = [2, 4, 8];
/** A draw of up to this many values is tried with all of them. */
const MOST_VALUES = 64;
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

type Limits = Readonly<Record<string, number>>;

export function deepening(
  protocol: AnyProtocol,
  request: ExploreRequest,
  clock: Clock,
  onLevel: (level: Pick<Level, "choices" | "limits">) => void = () => undefined,
  crew: SearchCrew | null = null,
): Paused<Deepened> {
  return new Deepening(protocol, request, clock, onLevel, crew).run();
}

class Deepening {
  private readonly protocol: AnyProtocol;
  private readonly request: ExploreRequest;
  private readonly clock: Clock;
  private readonly onLevel: (level: Pick<Level, "choices" | "limits">) => void;
  private readonly crew: SearchCrew | null;
  private readonly end: number;
  private readonly levels: Level[] = [];
  private readonly expectations: Expectations;
  /** The numbers of values that are to be tried. */
  private readonly asked: readonly number[];
  private readonly given: Limits;
  /** Growing measures at which a search can be cut. */
  private readonly open: readonly string[];
  private readonly scouts: Paused<Exploration>;
  private over = false;

  constructor(
    protocol: AnyProtocol,
    request: ExploreRequest,
    clock: Clock,
    onLevel: (level: Pick<Level, "choices" | "limits">) => void,
    crew: SearchCrew | null,
  ) {
    this.protocol = protocol;
    this.request = request;
    this.clock = clock;
    this.onLevel = onLevel;
    this.crew = crew;
    this.end = clock.now() + clock.budget;
    this.expectations = new Expectations(request.expect);
    const { choices } = request;
    this.asked = choices === undefined || choices === null ? CHOICES : [Number(choices)];
    const given = request.limits ?? {};
    this.given = given;
    this.open = Object.entries(protocol.measures).flatMap(([name, kind]) =>
      kind === "max" && given[name] === undefined ? [name] : [],
    );
    const beside = { walks: MANY, choices: this.asked.at(-1)!, onProgress: () => !this.over };
    this.scouts = exploring(protocol, { ...request, ...beside }, null, this.expectations);
  }

  *run(): Paused<Deepened> {
    const { request, clock, end } = this;
    if (request.walks !== undefined) {
      const onProgress: ExploreRequest["onProgress"] = (...far) =>
        clock.now() < end && (request.onProgress?.(...far) ?? true);
      const result = yield* exploring(this.protocol, { ...request, onProgress }, null, this.expectations);
      return { result, levels: this.levels, stopped: false, scouts: null };
    }
    const share = this.asked.length > 1 || this.open.length > 0 ? SHARE : 1;
    let best: Exploration | null = null;
    for (const choices of this.asked) {
      const until = best === null ? clock.now() + share * (end - clock.now()) : end;
      const result: Exploration = yield* this.attempt(choices, this.given, until);
      if (result.violation !== null) return this.settled(result);
      if (!result.complete) return best === null ? yield* this.growing(result) : yield* this.unsettled(best);
      best = result;
      if (isWhole(result)) return this.settled(best);
    }
    // Where all values are not many more, they are tried too: what holds for some of them need not hold for the last.
    const { of } = best!.draws!;
    if (this.asked !== CHOICES || of > MOST_VALUES) return this.settled(best!);
    const all = yield* this.attempt(of, this.given, end);
    return all.violation !== null || all.complete ? this.settled(all) : yield* this.unsettled(best!);
  }

  private *attempt(choices: number, limits: Limits, until: number): Paused<Exploration> {
    const { request, clock, end, open } = this;
    this.onLevel({ choices, limits });
    // A share of the time is for a search that may not end, while there is another way: phase by phase, or random walks.
    const inTime: ExploreRequest["onProgress"] = (states, done, cases, draws) =>
      clock.now() < (draws || open.length > 0 ? until : end) &&
      (request.onProgress?.(states, done, cases, draws) ?? true);
    const asked = { ...request, choices, limits, onProgress: inTime };
    const search = exploring(this.protocol, asked, this.crew, this.expectations);
    const result = yield* besides(search, this.scouts);
    this.levels.push({ choices, limits, states: result.states, complete: result.complete });
    return result;
  }

  /** Not even with the fewest values: phase by phase, where there are phases. */
  private *growing(whole: Exploration): Paused<Deepened> {
    const { asked, given, open, clock, end } = this;
    let deepest: Exploration | null = null;
    for (const [choices, most] of open.length > 0 ? phaseByPhase(asked) : []) {
      if (clock.now() >= end) break;
      const limits = { ...given, ...Object.fromEntries(open.map((name) => [name, most])) };
      const result: Exploration = yield* this.attempt(choices, limits, end);
      if (result.violation !== null) return this.settled(result);
      if (!result.complete) break;
      deepest = result;
      if (result.cut > 0) continue;
      // Phases are not what there is too much of.
      if (isWhole(result)) return this.settled(result);
      break;
    }
    return yield* this.unsettled(deepest ?? whole);
  }

  private settled(result: Exploration): Deepened {
    this.over = true;
    return { result, levels: this.levels, stopped: false, scouts: null };
  }

  /** A search had to stop: walks have as much time again, if there is so much, and whatever they have found counts. */
  private *unsettled(result: Exploration): Paused<Deepened> {
    const { request, clock, levels } = this;
    const now = clock.now();
    const until = Math.min(this.end, now + (now - (this.end - clock.budget)));
    let walked: Exploration | null = null;
    while (walked === null && clock.now() < until && (request.onProgress?.(result.states, 0, 1, true) ?? true)) {
      yield;
      const step = this.scouts.next();
      if (step.done === true) walked = step.value ?? null;
      if (step.done === true && walked === null) break;
    }
    this.over = true;
    walked ??= finished(this.scouts) ?? null;
    if (walked !== null && walked.violation !== null) return this.settled(walked);
    const searched = result.complete ? `nothing is wrong with ${finishing(levels)}` : "";
    const verdicts = leftOpen(result.verdicts, searched);
    const scouts = (walked?.walks?.walks ?? 0) > 0 ? walked!.walks : null;
    return { result: { ...result, verdicts, verdict: overall(verdicts) }, levels, stopped: true, scouts };
  }
}

/** Whether every value of each draw was tried. */
const isWhole = ({ draws }: Exploration): boolean => draws === null || draws.tried === draws.of;

/** The search is alone until it has paused so often, and then walks have their turn in one of so many pauses. */
const ALONE = 1024;
const ONE_IN = 64;

/**
 * What a search comes to, unless random walks beside it find something first: a search level by level comes late to where
 * runs end, and walks come there at once.
 */
function* besides(search: Paused<Exploration>, walks: Paused<Exploration>): Paused<Exploration> {
  for (let pauses = 0; ; ) {
    const step = search.next();
    if (step.done === true) return step.value;
    yield step.value;
    if (step.value !== undefined) continue;
    pauses++;
    if (pauses < ALONE || pauses % ONE_IN !== 0) continue;
    const walked = walks.next();
    if (walked.done === true && walked.value?.violation) return walked.value;
  }
}

/** Two phases with few values, then with more of them, then more phases: numbers of values, and of phases. */
function phaseByPhase(values: readonly number[]): [number, number][] {
  const most = values[values.length - 1];
  const further = Array.from({ length: MOST_LIMIT }, (_, i): [number, number] => [most, i + 3]);
  return [[values[0], 1], ...values.map((choices): [number, number] => [choices, 2]), ...further];
}

/** The options with which the deepest search that came to its end would be asked for; null where none did. */
export function finishing(levels: readonly Level[]): string | null {
  const level = levels.findLast(({ complete }) => complete);
  if (level === undefined) return null;
  const limits = Object.entries(level.limits).map(([name, most]) => ` --limit ${name}=${most}`);
  return `--choices ${level.choices}${limits.join("")}`;
}
