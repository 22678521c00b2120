/**
 * Cases searched by others, several at a time: by threads, of which the explorer itself knows nothing. What comes of an exploration
 * does not depend on it: cases are counted in their order, and a search elsewhere pauses as often as here, so that walks beside it
 * come at the same moments.
 */

import { stepsAlong } from "../ordinals.ts";
import type { Problem } from "../problem.ts";
import { StateSpace } from "../space/state-space.ts";
import type { OneCase } from "./cases.ts";
import { type CaseOptions, type CaseResult, searchingCase } from "./search.ts";
import type { Paused, SearchOptions, Violation } from "./search-terms.ts";

/** One case, and what differs from one search of an exploration to the next. */
export interface SearchOrder {
  readonly open: OneCase;
  readonly choices: number;
  readonly limits: Problem["limits"];
  readonly reduction: NonNullable<SearchOptions["reduction"]>;
  readonly maxBytes?: number | undefined;
}

/** What comes back: a run that breaks a promise as numbers, since a state space stays where it is. */
export interface SearchAnswer extends Omit<CaseResult, "violation"> {
  readonly violation: (Omit<Violation, "problem" | "network" | "steps"> & { readonly path: readonly number[] }) | null;
  readonly pauses: number;
}

/** A case that is being searched elsewhere. */
export interface Errand {
  /** How far it has come. */
  far(): { readonly pauses: number; readonly states: number; readonly draws: boolean };
  /** Null while it goes on; throws where it failed. */
  answer(): SearchAnswer | null;
  /** Until there is an answer, or for a little while. */
  wait(): Promise<void>;
  /** It is to end soon, with what it has. */
  stop(): void;
}

export interface SearchCrew {
  /** How many cases at a time. */
  readonly hands: number;
  /** So many configurations are visited before it is worth its while; at least as many as are searched in full (`FEW_CONFIGURATIONS`), unless reduction is not "auto". */
  readonly after: number;
  send(order: SearchOrder): Errand;
}

/** For each hand so many cases may be searched before it is their turn to count. */
const AHEAD = 16;

/** The cases of an exploration in their order, of which a crew may search some before their turn. */
export class Cases {
  private readonly all: Iterator<Problem>;
  private readonly crew: SearchCrew | null;
  private readonly order: (problem: Problem, share: number) => SearchOrder;
  private readonly begun: { readonly problem: Problem; readonly errand: Errand }[] = [];

  /** `order`: how a case is searched by one of so many. */
  constructor(
    all: Iterator<Problem>,
    crew: SearchCrew | null,
    order: (problem: Problem, share: number) => SearchOrder,
  ) {
    this.all = all;
    this.crew = crew;
    this.order = order;
  }

  next(): { readonly problem: Problem; readonly errand: Errand | null } | null {
    const first = this.begun.shift();
    if (first !== undefined) return first;
    const { value, done } = this.all.next();
    return done === true ? null : { problem: value, errand: null };
  }

  /** Lets the crew begin whatever it has hands for. */
  sendAhead(): void {
    const { crew, begun } = this;
    if (crew === null) return;
    let busy = begun.filter(({ errand }) => errand.answer() === null).length;
    for (; busy < crew.hands && begun.length < AHEAD * crew.hands; busy++) {
      const { value: problem, done } = this.all.next();
      if (done === true) return;
      begun.push({ problem, errand: crew.send(this.order(problem, crew.hands)) });
    }
  }

  /** Nobody waits for the rest. */
  close(): void {
    for (const { errand } of this.begun) errand.stop();
  }
}

/** Waits for a case that is searched elsewhere; where memory ended it there, how often it paused. */
function* following(
  problem: Problem,
  errand: Errand,
  goesOn: (states: number, draws: boolean) => boolean,
): Paused<CaseResult | number> {
  let stopped = false;
  for (let made = 0; ; ) {
    const { pauses, states, draws } = errand.far();
    const answer = errand.answer();
    for (const most = answer?.pauses ?? pauses; made < most; made++) yield;
    if (answer !== null) {
      const { pauses: _, violation, ...counts } = answer;
      if (!answer.complete && violation === null && !stopped) return made;
      return { ...counts, violation: violation === null ? null : foundAgain(problem, violation) };
    }
    if (!stopped && !goesOn(states, draws)) {
      stopped = true;
      errand.stop();
    }
    yield errand.wait();
  }
}

function foundAgain(problem: Problem, { path, ...found }: NonNullable<SearchAnswer["violation"]>): Violation {
  const network = new StateSpace(problem);
  return { ...found, problem, network, steps: stepsAlong(network, path) };
}

/** As it would be searched here, by the thread that has begun it. */
export function* searchedHereOr(errand: Errand | null, problem: Problem, options: CaseOptions): Paused<CaseResult> {
  const { onProgress = () => true } = options;
  const made = errand === null ? 0 : yield* following(problem, errand, (states, draws) => onProgress(states, 0, draws));
  if (typeof made !== "number") return made;
  // There was not memory enough for several: once more, alone. What was a pause before is none now.
  const search = searchingCase(problem, options);
  for (let pauses = 0; ; pauses++) {
    const step = search.next();
    if (step.done === true) return step.value;
    if (pauses < made) yield Promise.resolve();
    else yield step.value;
  }
}
