/** The explorer for users: from a request to one search for each arrangement of ids and each set of initiators. */
import { didYouMean, InputError } from "../errors.ts";
import { type Property, promisesOf, propertyNames } from "../properties/properties.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { checkRoles } from "../protocols/told.ts";
import { type Given, pick, readAll } from "../setting.ts";
import { factsOf } from "../topology/facts.ts";
import type { Topology } from "../topology/topology.ts";
import { isRound, networkFor } from "./networks.ts";
import type { Problem } from "./problem.ts";
import { type Aspect, scopeOf } from "./scope.ts";
import { casesOf, countCases, drawCase, type ExplorationSettings, type OneCase } from "./search/cases.ts";
import { Cases, type SearchCrew, searchedHereOr } from "./search/crew.ts";
import { checkTime, standsAlone } from "./search/own-promises.ts";
import { FEW_CONFIGURATIONS, finished } from "./search/search.ts";
import type { Paused, SearchResult, Violation } from "./search/search-terms.ts";
import { Twins } from "./search/twins.ts";
import { type Walks, walking } from "./search/walks.ts";
import { BUDGETS, EXPLORATION } from "./settings.ts";
import { StateSpace } from "./space/state-space.ts";

/** How large a network to explore, which faults may come, and what must hold. */
export interface ExploreRequest extends Given<Omit<typeof EXPLORATION, "n">> {
  readonly n: number;
  readonly params?: Params;
  readonly limits?: Readonly<Record<string, number>>;
  readonly properties?: readonly (string | Property)[];
  /** Whether rotations of anonymous networks, and arrangements of ids that the protocol cannot tell apart, are one; by default where that is sound. */
  readonly symmetry?: boolean;
  readonly maxBytes?: number;
  readonly maxStates?: number;
  /** Called now and then with the states found so far, and whether anybody has drawn yet; false stops. */
  readonly onProgress?: (states: number, finishedCases: number, cases: number, draws: boolean) => boolean;
}

/** One arrangement of ids and initiators, searched. */
export interface Case extends Omit<SearchResult, "violation" | "draws" | "loops"> {
  readonly ids: readonly Id[] | null;
  readonly initiators: readonly number[];
}

/** What an exploration visited, and the shortest run that breaks a promise, where there is one. */
export interface Exploration {
  readonly protocol: string;
  readonly n: number;
  readonly params: Params;
  /** Those that were searched: fewer than `casesInAll` where one broke a promise or the search stopped. */
  readonly cases: readonly Case[];
  readonly casesInAll: number;
  /** How many of them were not searched, because nodes were seen to behave in them as in one that was. */
  readonly alike: number;
  /** Sums and extremes over the cases. */
  readonly states: number;
  readonly ends: number;
  readonly cut: number;
  readonly depth: number;
  /** Whether commuting steps were tried in one order only, in some case. */
  readonly reduced: boolean;
  /** Why not, where that was wanted and could not be done, in some case. */
  readonly unreduced: string | null;
  readonly complete: boolean;
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly properties: readonly string[];
  /** Those of them that had a search of their own, through every order of steps, whose configurations are not counted. */
  readonly alone: readonly string[];
  /** In how many ways a case can begin, before what was tried of it: the starts of its nodes, with all that they draw. */
  readonly beginnings: number;
  /** How many values of the largest draw were tried, and how many it has; null where nobody draws. */
  readonly draws: SearchResult["draws"];
  /** How far random walks came, where they were asked for. */
  readonly walks: Walks | null;
  /** What the words about the result stand on, and what they say nothing of. */
  readonly tried: readonly Aspect[];
  readonly untried: readonly Aspect[];
  readonly violation: (Violation & { readonly problem: Problem }) | null;
}

/**
 * Visits every configuration that a small network can reach and checks its promises in each.
 *
 * @example
 * ```ts
 * import { explore } from "sortition/explore";
 *
 * const { complete, states, violation } = explore("peterson", { n: 4 });
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
): Paused<Exploration> {
  const { protocol } = findProtocol(choice);
  const properties = chosenProperties(request.properties ?? promisesOf(protocol));
  const { first, all, count } = problemsOf(protocol, request);
  for (const property of properties) checkTime(first, property);
  const done: Case[] = [];
  let states = 0;
  let draws: SearchResult["draws"] = null;
  let { reduction } = readAll(EXPLORATION, request);
  const asked = readAll(EXPLORATION, request);
  const twins = new Twins<Case>(properties, request.symmetry !== false);
  const result = (violation: Exploration["violation"]) => ({
    ...summary(first, count, asked, done, properties, draws, violation),
    alike: twins.found,
  });
  if (asked.walks !== undefined) {
    // Every draw is made, unless only so many values of it are wanted.
    const choices = request.choices === undefined || request.choices === null ? Infinity : asked.choices;
    const { walks, violation } = yield* walking(
      { ...first, choices },
      {
        properties,
        walks: asked.walks,
        seed: asked.seed,
        longest: request.maxStates ?? LONGEST_WALK,
        draw: (random) => drawCase(protocol, first.params, asked, random),
        onProgress: (steps) => request.onProgress?.(steps, 0, count, true) ?? true,
      },
    );
    done.push({ ids: null, initiators: first.initiators, ...NOTHING, states: walks.configurations, ends: walks.ended });
    return { ...result(violation), walks };
  }
  const { symmetry, maxBytes, maxStates } = request;
  const cases = new Cases(all, crew, (problem, hands) => ({
    open: { ids: problem.ids, initiators: problem.initiators, wakesFirst: problem.wakesFirst },
    choices: problem.choices,
    limits: problem.limits,
    reduction: reduction === "auto" ? "always" : reduction,
    maxBytes: maxBytes === undefined ? undefined : maxBytes / hands,
  }));
  // A search for one promise alone counts its own configurations, which say nothing of how the others are searched.
  const early = reduction !== "auto" || !properties.some(standsAlone);
  const { after } = crew ?? { after: Infinity };
  const goesOn = (found: number, drawing: boolean) =>
    request.onProgress?.(states + found, done.length, count, drawing || draws !== null) ?? true;
  try {
    for (let next = cases.next(); next !== null; next = cases.next()) {
      const { problem, errand } = next;
      const twin = twins.of(problem);
      if (twin !== null) {
        states += twin.states;
        done.push({ ...twin, ids: problem.ids, initiators: problem.initiators });
        yield;
        continue;
      }
      const helps = !twins.mayHave(problem);
      if (helps && states > after) cases.sendAhead();
      const network = twins.spaceOf(problem);
      const options = { properties, reduction, network, symmetry, maxBytes, maxStates };
      const found = yield* searchedHereOr(errand, problem, {
        ...options,
        onProgress: (now: number, _: number, drawing: boolean) => {
          if (helps && states + (early ? now : 0) > after) cases.sendAhead();
          return goesOn(now, drawing);
        },
      });
      const { violation, draws: drawn, ...counts } = found;
      states += counts.states;
      // What one case needed, others will need; and many that are small are large together.
      if (reduction === "auto" && (counts.reduced || states > FEW_CONFIGURATIONS)) reduction = "always";
      if (drawn !== null && drawn.of >= (draws?.of ?? 0)) draws = drawn;
      done.push({ ids: problem.ids, initiators: problem.initiators, ...counts });
      if (counts.complete && violation === null) twins.keep(problem, network, done[done.length - 1]);
      if (violation !== null) return result({ ...violation, problem });
      if (!counts.complete) break;
    }
    return result(null);
  } finally {
    cases.close();
  }
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
  messages: { min: null, max: null },
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

function summary(
  first: Problem,
  casesInAll: number,
  asked: ExplorationSettings,
  done: readonly Case[],
  properties: readonly Property[],
  draws: SearchResult["draws"],
  violation: Exploration["violation"],
): Omit<Exploration, "alike"> {
  const { protocol, params } = first;
  const extreme = (pick: typeof Math.min, end: "min" | "max") =>
    done.map(({ messages }) => messages[end]).reduce((a, b) => (a === null || b === null ? null : pick(a, b)));
  return {
    protocol: protocol.name,
    n: asked.n,
    params: params as Params,
    cases: done,
    casesInAll,
    states: done.reduce((sum, { states }) => sum + states, 0),
    ends: done.reduce((sum, { ends }) => sum + ends, 0),
    cut: done.reduce((sum, { cut }) => sum + cut, 0),
    depth: done.reduce((most, { depth }) => Math.max(most, depth), 0),
    reduced: done.some(({ reduced }) => reduced),
    unreduced: done.find(({ unreduced }) => unreduced !== null)?.unreduced ?? null,
    complete: violation === null && done.every(({ complete }) => complete),
    messages: { min: extreme(Math.min, "min"), max: extreme(Math.max, "max") },
    properties: properties.map(({ name }) => name),
    alone: asked.walks === undefined ? properties.filter(standsAlone).map(({ name }) => name) : [],
    beginnings: asked.walks === undefined ? beginningsOf(first) : 1,
    draws,
    ...scopeOf(first, asked, draws),
    walks: null,
    violation,
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
  };
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
      try {
        what = property.violated(view);
      } catch (error) {
        throw new InputError(
          `violated of "${name}" fails, ${error}: it is asked in every configuration, mend it there`,
        );
      }
      if (what === null || typeof what === "string") return what;
      throw new InputError(`violated of "${name}" says ${what}: it must say what is wrong, as text, or null`);
    },
  };
}
