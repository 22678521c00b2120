/** The explorer for users: from a request to one search for each arrangement of ids and each set of initiators. */
import { didYouMean, InputError } from "../errors.ts";
import { type Property, promisesOf, propertyNames } from "../properties/properties.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { enterCall, leaveCall } from "../protocols/calls.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { checkRoles } from "../protocols/told.ts";
import { type Given, pick, readAll } from "../setting.ts";
import { factsOf } from "../topology/facts.ts";
import type { Topology } from "../topology/topology.ts";
import { isRound, networkFor, type Problem } from "./problem.ts";
import { type Aspect, scopeOf } from "./scope.ts";
import { casesOf, countCases, drawCase, type ExplorationSettings, type OneCase } from "./search/cases.ts";
import { Cases, type SearchCrew, searchedHereOr } from "./search/crew.ts";
import { checkTime } from "./search/own-promises.ts";
import { FEW_CONFIGURATIONS } from "./search/search.ts";
import { finished, type Paused, type SearchCounts, type SearchResult, type Violation } from "./search/search-terms.ts";
import { Twins } from "./search/twins.ts";
import {
  Expectations,
  overall,
  type PromiseStanding,
  type PromiseVerdict,
  standsAlone,
  verdictsOf,
} from "./search/verdicts.ts";
import { type Walks, walking } from "./search/walks.ts";
import { BUDGETS, EXPLORATION } from "./settings.ts";
import { StateSpace } from "./space/state-space.ts";

/** How large a network to explore, which faults may come, and what must hold. */
export interface ExploreRequest extends Given<Omit<typeof EXPLORATION, "n">> {
  readonly n: number;
  readonly params?: Params;
  readonly limits?: Readonly<Record<string, number>>;
  readonly properties?: readonly (string | Property)[];
  /** Names of promises that are expected to be broken: the search keeps one run that breaks each, and goes on. */
  readonly expect?: readonly string[];
  /** Whether rotations of anonymous networks, and arrangements of ids that the protocol cannot tell apart, are one; by default where that is sound. */
  readonly symmetry?: boolean;
  readonly maxBytes?: number;
  readonly maxStates?: number;
  /** Called now and then with the states found so far, and whether anybody has drawn yet; false stops. */
  readonly onProgress?: (states: number, finishedCases: number, cases: number, draws: boolean) => boolean;
}

/** One arrangement of ids and initiators, searched. */
export interface Case extends Omit<SearchCounts, "draws"> {
  readonly ids: readonly Id[] | null;
  readonly initiators: readonly number[];
  /** The promises whose own search a limit has cut. */
  readonly undecided: readonly string[];
  /** Promises that remain open because numbers were kept by order. */
  readonly doubtful: readonly string[];
}

/** What an exploration visited, what it says of each promise, and the shortest run that breaks one, where there is one. */
export interface Exploration extends SearchCounts {
  readonly protocol: string;
  readonly n: number;
  readonly params: Params;
  /** Those that were searched: fewer than `casesInAll` where one broke a promise or the search stopped. */
  readonly cases: readonly Case[];
  readonly casesInAll: number;
  /** How many of them were not searched, because nodes were seen to behave in them as in one that was. */
  readonly alike: number;
  readonly properties: readonly string[];
  /** Those of them that had a search of their own, through every order of steps, whose configurations are not counted. */
  readonly alone: readonly string[];
  /** In how many ways a case can begin, before what was tried of it: the starts of its nodes, with all that they draw. */
  readonly beginnings: number;
  /** How far random walks came, where they were asked for. */
  readonly walks: Walks | null;
  /** What the words about the result stand on, and what they say nothing of. */
  readonly tried: readonly Aspect[];
  readonly untried: readonly Aspect[];
  /** Of each promise. */
  readonly verdicts: readonly PromiseVerdict[];
  /** Of all promises: "holds" only where each of them does, or is broken as expected. */
  readonly verdict: PromiseStanding;
  /** A run that breaks a promise which is not expected to be broken. */
  readonly violation: Violation | null;
  /** Runs that break promises which are (`expect`), one for each. */
  readonly expected: readonly Violation[];
}

/**
 * Visits every configuration that a small network can reach and checks its promises in each.
 *
 * @example
 * ```ts
 * import { explore } from "sortition/explore";
 *
 * const { verdict, states, violation } = explore("peterson", { n: 4 });
 * ```
 */
export function explore(protocol: ProtocolChoice, request: ExploreRequest): Exploration {
  return finished(exploring(protocol, request));
}

/** As `explore`, in pieces: between them a program can listen to signals, or a page stay alive. A crew searches cases meanwhile. */
export function* exploring(
  choice: ProtocolChoice,
  request: ExploreRequest,
  crew: SearchCrew | null = null,
  expectations: Expectations = new Expectations(request.expect),
): Paused<Exploration> {
  const work = new Explorer(findProtocol(choice).protocol, request, expectations);
  // Threads know nothing of what others have found.
  return yield* request.walks === undefined
    ? work.everySchedule(expectations.names.size === 0 ? crew : null)
    : work.randomWalks();
}

class Explorer {
  private readonly protocol: AnyProtocol;
  private readonly request: ExploreRequest;
  private readonly asked: ExplorationSettings;
  private readonly expectations: Expectations;
  private readonly properties: readonly Property[];
  private readonly problems: ReturnType<typeof problemsOf>;
  private readonly twins: Twins<Case>;
  private readonly done: Case[] = [];
  private states = 0;
  private draws: SearchCounts["draws"] = null;
  private reduction: ExplorationSettings["reduction"];

  constructor(protocol: AnyProtocol, request: ExploreRequest, expectations: Expectations) {
    this.protocol = protocol;
    this.request = request;
    this.asked = readAll(EXPLORATION, request);
    this.expectations = expectations;
    this.properties = chosenProperties(request.properties ?? promisesOf(protocol, mayCrash(this.asked)));
    checkExpected(expectations.names, this.properties);
    this.problems = problemsOf(protocol, request);
    for (const property of this.properties) checkTime(this.problems.first, property);
    this.twins = new Twins(this.properties, request.symmetry !== false);
    this.reduction = this.asked.reduction;
  }

  *randomWalks(): Paused<Exploration> {
    const { asked, request } = this;
    const { first, count } = this.problems;
    // Every draw is made, unless only so many values of it are wanted.
    const choices = request.choices === undefined || request.choices === null ? Infinity : asked.choices;
    const { walks, violation } = yield* walking(
      { ...first, choices },
      {
        properties: this.properties,
        unexpected: (found) => this.expectations.unexpected(found),
        walks: asked.walks!,
        seed: asked.seed,
        longest: request.maxStates ?? LONGEST_WALK,
        draw: (random) => drawCase(this.protocol, first.params, asked, random),
        onProgress: (steps) => request.onProgress?.(steps, 0, count, true) ?? true,
      },
    );
    const visited = { states: walks.configurations, ends: walks.ended };
    this.done.push({ ids: null, initiators: first.initiators, ...NOTHING, ...visited });
    return this.result(violation, walks);
  }

  *everySchedule(crew: SearchCrew | null): Paused<Exploration> {
    const { request, twins } = this;
    const cases = new Cases(this.problems.all, crew, (problem, hands) => ({
      open: {
        ids: problem.ids,
        initiators: problem.initiators,
        wakesFirst: problem.wakesFirst,
        election: problem.election,
      },
      choices: problem.choices,
      limits: problem.limits,
      reduction: this.reduction === "auto" ? "always" : this.reduction,
      maxBytes: request.maxBytes === undefined ? undefined : request.maxBytes / hands,
    }));
    try {
      for (let next = cases.next(); next !== null; next = cases.next()) {
        const { problem } = next;
        const twin = twins.of(problem);
        if (twin !== null) {
          this.states += twin.states;
          this.done.push({ ...twin, ids: problem.ids, initiators: problem.initiators });
          yield;
          continue;
        }
        const { violation, complete } = yield* this.oneCase(next, cases, crew?.after ?? Infinity);
        if (violation !== null) return this.result(violation);
        if (!complete) break;
      }
      return this.result(null);
    } finally {
      cases.close();
    }
  }

  private *oneCase(
    { problem, errand }: NonNullable<ReturnType<Cases["next"]>>,
    cases: Cases,
    after: number,
  ): Paused<SearchResult> {
    const { request, twins, expectations, reduction } = this;
    const { symmetry, maxBytes, maxStates } = request;
    const properties = this.properties.filter(({ name }) => !expectations.isMet(name));
    const helps = !twins.mayHave(problem);
    if (helps && this.states > after) cases.sendAhead();
    // A search for one promise alone counts its own configurations, which say nothing of how the others are searched.
    const early = reduction !== "auto" || !properties.some(standsAlone);
    const network = twins.spaceOf(problem);
    const found = yield* searchedHereOr(errand, problem, {
      properties,
      unexpected: (violation) => expectations.unexpected(violation),
      reduction,
      network,
      symmetry,
      maxBytes,
      maxStates,
      onProgress: (now, _, drawing) => {
        if (helps && this.states + (early ? now : 0) > after) cases.sendAhead();
        const { count } = this.problems;
        return request.onProgress?.(this.states + now, this.done.length, count, drawing || this.draws !== null) ?? true;
      },
    });
    const { violation, draws, ...counts } = found;
    this.states += counts.states;
    // What one case needed, others will need; and many that are small are large together.
    if (reduction === "auto" && (counts.reduced || this.states > FEW_CONFIGURATIONS)) this.reduction = "always";
    if (draws !== null && draws.of >= (this.draws?.of ?? 0)) this.draws = draws;
    this.done.push({ ids: problem.ids, initiators: problem.initiators, ...counts });
    if (counts.complete && violation === null) twins.keep(problem, network, this.done[this.done.length - 1]);
    return found;
  }

  private result(violation: Violation | null, walks: Walks | null = null): Exploration {
    const { asked, done, properties, draws, expectations } = this;
    const { first, count } = this.problems;
    const complete = violation === null && done.every((each) => each.complete);
    const verdicts = verdictsOf({
      properties,
      cases: done,
      complete,
      limits: first.limits,
      anonymous: first.ids === null,
      walked: walks !== null,
      violation,
      expectations,
    });
    return {
      protocol: this.protocol.name,
      n: asked.n,
      params: first.params as Params,
      cases: done,
      casesInAll: count,
      alike: this.twins.found,
      ...totals(done),
      complete,
      properties: properties.map(({ name }) => name),
      alone: walks === null ? properties.filter(standsAlone).map(({ name }) => name) : [],
      beginnings: walks === null ? beginningsOf(first) : 1,
      draws,
      ...scopeOf(first, asked, draws),
      walks,
      verdicts,
      verdict: overall(verdicts),
      violation,
      expected: expectations.met,
    };
  }
}

const mayCrash = ({ crashes, halfway }: ExplorationSettings): boolean => crashes + (halfway ?? 0) > 0;

function checkExpected(names: ReadonlySet<string>, properties: readonly Property[]): void {
  const asked = properties.map(({ name }) => name);
  const unknown = [...names].find((name) => !asked.includes(name));
  if (unknown === undefined) return;
  throw new InputError(
    (field) =>
      `${field("expect")} names "${unknown}", which is not checked${didYouMean(unknown, asked) || `; checked are ${asked.join(", ")}`}`,
  );
}

/** Steps of a random walk that does not end. */
const LONGEST_WALK = 100_000;

/** Every way into two sides is a step out of every configuration. */
const MOST_PARTED = 16;

/** Of what walks do not count. */
const NOTHING = {
  cut: 0,
  depth: 0,
  reduced: false,
  unreduced: null,
  complete: false,
  loops: false,
  messages: { min: null, max: null },
  undecided: [],
  doubtful: [],
};

/** The only problem of a request that leaves nothing open. */
export function explorationProblem(protocol: ProtocolChoice, request: ExploreRequest): Problem {
  return problemsOf(findProtocol(protocol).protocol, request).first;
}

/** The problem of one case of a request. */
export function caseProblem(protocol: AnyProtocol, request: ExploreRequest, open: OneCase): Problem {
  const asked = readAll(EXPLORATION, request);
  return { ...common(protocol, asked, request.params ?? {}, request.limits ?? {}), ...open };
}

/** One problem for each case. */
export const explorationProblems = (protocol: ProtocolChoice, request: ExploreRequest): Iterable<Problem> =>
  problemsOf(findProtocol(protocol).protocol, request).all;

/** How many that are. */
export const explorationCases = (protocol: ProtocolChoice, request: ExploreRequest): number =>
  problemsOf(findProtocol(protocol).protocol, request).count;

/** One for each case, made when its turn comes; n = 12 has 39,916,800 arrangements. */
function problemsOf(protocol: AnyProtocol, request: ExploreRequest) {
  const asked = readAll(EXPLORATION, request);
  const shared = common(protocol, asked, request.params ?? {}, request.limits ?? {});
  const round = isRound(protocol, shared.topology);
  function* all(): Generator<Problem> {
    for (const open of casesOf(protocol, shared.params, asked, round)) yield { ...shared, ...open };
  }
  return { first: all().next().value as Problem, all: all(), count: countCases(protocol, shared.params, asked, round) };
}

/** Sums and extremes over the cases. */
function totals(done: readonly Case[]): Omit<SearchCounts, "draws" | "complete"> {
  const extreme = (pick: typeof Math.min, end: "min" | "max") =>
    done.map(({ messages }) => messages[end]).reduce((a, b) => (a === null || b === null ? null : pick(a, b)));
  return {
    states: done.reduce((sum, { states }) => sum + states, 0),
    ends: done.reduce((sum, { ends }) => sum + ends, 0),
    cut: done.reduce((sum, { cut }) => sum + cut, 0),
    depth: done.reduce((most, { depth }) => Math.max(most, depth), 0),
    reduced: done.some(({ reduced }) => reduced),
    unreduced: done.find(({ unreduced }) => unreduced !== null)?.unreduced ?? null,
    loops: done.some(({ loops }) => loops),
    messages: { min: extreme(Math.min, "min"), max: extreme(Math.max, "max") },
  };
}

/** Starts are independent of each other, unless one is late or crashes. */
function beginningsOf(problem: Problem): number {
  const network = new StateSpace(problem);
  const ways = network.starters().map((node) => network.start(network.blank(), node).length);
  return ways.reduce((product, count) => product * count, 1);
}

function common(
  protocol: AnyProtocol,
  asked: ExplorationSettings,
  given: Params,
  limits: Problem["limits"],
): Omit<Problem, "ids" | "initiators"> {
  const { assumes, name } = protocol;
  const { n, fifo, timed, choices, roles } = asked;
  const topology = networkFor(protocol, n, asked.topology);
  checkRoles(protocol, topology.size, roles);
  if (assumes.fifo && !fifo) {
    throw new InputError(
      (field) => `${name} needs channels that keep the order of messages: set ${field("fifo")} to true`,
    );
  }
  if (asked.partitions !== undefined && asked.partitions > 0 && topology.size > MOST_PARTED) {
    throw new InputError(
      (field) =>
        `${topology.size} nodes can fall apart in 2^${topology.size - 1} ways: set ${field("n")} to ${MOST_PARTED} at most, or ${field("partitions")} to 0`,
    );
  }
  const params = adapted(protocol, resolveParameters(protocol, given, n, { maxDelay: timed ?? 1 }), topology);
  const synchronous = isSynchronous(protocol, params);
  if (synchronous && timed !== undefined && timed !== 1) {
    throw new InputError((field) => `${name} is synchronous: leave ${field("timed")} out, or set it to 1`);
  }
  const unknown = Object.keys(limits).find((measure) => protocol.measures[measure] !== "max");
  if (unknown !== undefined) {
    const known = Object.keys(protocol.measures).filter((measure) => protocol.measures[measure] === "max");
    throw new InputError(
      `${name} has no growing measure "${unknown}" to limit${didYouMean(unknown, known) || `; it has ${known.join(", ") || "none"}`}`,
    );
  }
  const maxDelay = timed ?? (synchronous ? 1 : null);
  return {
    protocol,
    params,
    roles,
    topology,
    fifo,
    maxDelay,
    budget: pick(BUDGETS, asked),
    longestPause: asked.longestPause ?? (maxDelay ?? 0) + 1,
    latestStart: asked.latestStart ?? (maxDelay ?? 0) + 1,
    ties: asked.ties ?? false,
    choices,
    limits,
    capacity: asked.capacity,
    ordered: orderedFields(protocol, maxDelay, limits),
  };
}

/** With time, or within a limit, numbers are what they are. */
function orderedFields({ ordered }: AnyProtocol, maxDelay: number | null, limits: Problem["limits"]) {
  if (ordered === undefined || ordered.length === 0 || maxDelay !== null || Object.keys(limits).length > 0) return;
  return ordered;
}

/** Parameters that follow from the network, filled in. */
function adapted(protocol: AnyProtocol, params: Params, topology: Topology): Params {
  const result = protocol.adapt?.(params, factsOf(topology)) ?? params;
  if (typeof result === "string") throw new InputError(`${protocol.name}: ${result}`);
  return result;
}

/** Properties by name or as they are; those that need a memory are refused. */
export function chosenProperties(wanted: readonly (string | Property)[]): readonly Property[] {
  return wanted.map((property) => {
    if (typeof property !== "string") return withoutMemory(property);
    if (Object.hasOwn(propertyNames, property)) return propertyNames[property];
    const known = Object.keys(propertyNames);
    throw new InputError(
      `unknown property "${property}"${didYouMean(property, known) || `; choose from ${known.join(", ")}`}`,
    );
  });
}

/** Runs that meet are one here, whatever led to it: what a property remembers of them would be the memory of one. */
function withoutMemory(property: Property): Property {
  if (typeof property.violated === "function") return isOurs(property) ? property : careful(property);
  throw new InputError(
    `the explorer cannot check "${property.name}", which remembers how a run went: check it in a simulation`,
  );
}

const isOurs = (property: Property): boolean => Object.values(propertyNames).includes(property);

/** A promise that somebody else wrote may fail, or say yes and no instead of what is wrong. */
function careful(property: Property): Property {
  const { name } = property;
  return {
    ...property,
    violated(view) {
      let what: unknown;
      enterCall("a promise");
      try {
        what = property.violated(view);
      } catch (error) {
        throw new InputError(`violated of "${name}" fails, ${error}: it is asked in every configuration: fix it there`);
      } finally {
        leaveCall();
      }
      if (what === null || typeof what === "string") return what;
      throw new InputError(`violated of "${name}" says ${what}: it must say what is wrong, as text, or null`);
    },
  };
}
