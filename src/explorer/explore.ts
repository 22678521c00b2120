/** The explorer for users: from a request to one search for each arrangement of ids and each set of initiators. */
import { didYouMean, InputError } from "../errors.ts";
import { type Property, promisesOf, propertyNames } from "../properties/properties.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { checkRoles } from "../protocols/told.ts";
import { type Given, pick, readAll, type Values } from "../setting.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import type { Problem } from "./problem.ts";
import { finished, type Paused, type SearchResult, searching, type Violation } from "./search.ts";
import { BUDGETS, EXPLORATION } from "./settings.ts";

/** How large a network to explore, which faults may come, and what must hold. */
export interface ExploreRequest extends Given<Omit<typeof EXPLORATION, "n">> {
  readonly n: number;
  readonly params?: Params;
  readonly limits?: Readonly<Record<string, number>>;
  readonly properties?: readonly (string | Property)[];
  readonly symmetry?: boolean;
  readonly maxBytes?: number;
  readonly maxStates?: number;
  /** Called now and then with the states found so far; false stops. */
  readonly onProgress?: (states: number, finishedCases: number, cases: number) => boolean;
}

/** One arrangement of ids and initiators, searched. */
export interface Case extends Omit<SearchResult, "violation"> {
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
  /** Sums and extremes over the cases. */
  readonly states: number;
  readonly ends: number;
  readonly cut: number;
  readonly depth: number;
  readonly complete: boolean;
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly properties: readonly string[];
  readonly violation: (Violation & { readonly problem: Problem }) | null;
}

/** What is given, read; defaults included. */
type Asked = Values<typeof EXPLORATION>;

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

/** As `explore`, in pieces: between them a program can listen to signals, or a page stay alive. */
export function* exploring(choice: ProtocolChoice, request: ExploreRequest): Paused<Exploration> {
  const { protocol } = findProtocol(choice);
  const { n } = readAll(EXPLORATION, request);
  const properties = chosenProperties(request.properties ?? promisesOf(protocol));
  const problems = problemsOf(protocol, request);
  const params = problems[0].params as Params;
  const done: Case[] = [];
  let states = 0;
  for (const problem of problems) {
    const { violation, ...result } = yield* searching(problem, {
      ...request,
      properties,
      symmetry: request.symmetry ?? looksTheSameEverywhere(problem),
      onProgress: (found) => request.onProgress?.(states + found, done.length, problems.length) ?? true,
    });
    states += result.states;
    done.push({ ids: problem.ids, initiators: problem.initiators, ...result });
    if (violation !== null)
      return summary(protocol, n, params, done, problems.length, properties, { ...violation, problem });
    if (!result.complete) break;
  }
  return summary(protocol, n, params, done, problems.length, properties, null);
}

/** Whether a rotation leads to the same problem: nothing but its place would tell one node from another. */
const looksTheSameEverywhere = ({ ids, initiators, maxDelay, topology, roles, budget }: Problem): boolean =>
  [ids === null, roles === undefined, initiators.length === topology.size].every(Boolean) &&
  maxDelay === null &&
  (budget.partitions ?? 0) === 0;

/** The only problem of a request that leaves nothing open. */
export function explorationProblem(protocol: ProtocolChoice, request: ExploreRequest): Problem {
  return problemsOf(findProtocol(protocol).protocol, request)[0];
}

function problemsOf(protocol: AnyProtocol, request: ExploreRequest): Problem[] {
  const asked = readAll(EXPLORATION, request);
  const params = resolveParameters(protocol, request.params ?? {}, asked.n, { maxDelay: asked.timed ?? 1 });
  const shared = common(protocol, asked, params, request.limits ?? {});
  return [...cases(protocol, asked)].map((open) => ({ ...shared, ...open }));
}

function summary(
  protocol: AnyProtocol,
  n: number,
  params: Params,
  done: readonly Case[],
  casesInAll: number,
  properties: readonly Property[],
  violation: Exploration["violation"],
): Exploration {
  const extreme = (pick: typeof Math.min, end: "min" | "max") =>
    done.map(({ messages }) => messages[end]).reduce((a, b) => (a === null || b === null ? null : pick(a, b)));
  return {
    protocol: protocol.name,
    n,
    params,
    cases: done,
    casesInAll,
    states: done.reduce((sum, { states }) => sum + states, 0),
    ends: done.reduce((sum, { ends }) => sum + ends, 0),
    cut: done.reduce((sum, { cut }) => sum + cut, 0),
    depth: done.reduce((most, { depth }) => Math.max(most, depth), 0),
    complete: violation === null && done.every(({ complete }) => complete),
    messages: { min: extreme(Math.min, "min"), max: extreme(Math.max, "max") },
    properties: properties.map(({ name }) => name),
    violation,
  };
}

function common(
  protocol: AnyProtocol,
  asked: Asked,
  params: Params,
  limits: Problem["limits"],
): Omit<Problem, "ids" | "initiators"> {
  const { assumes, name } = protocol;
  const { n, fifo, timed, choices, roles } = asked;
  if (assumes.topology === "star") {
    throw new InputError(`${name} needs a centre, and the explorer has rings and complete graphs only`);
  }
  if (assumes.topology === "open") {
    throw new InputError(
      `${name} makes its links by address, and the explorer has rings and complete graphs only: explore a protocol that it embeds, or simulate it`,
    );
  }
  checkRoles(protocol, n, roles);
  if (assumes.fifo && !fifo) {
    throw new InputError(
      (field) => `${name} needs channels that keep the order of messages: set ${field("fifo")} to true`,
    );
  }
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
    topology: assumes.topology === "ring" ? ring(n) : complete(n),
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

function chosenProperties(wanted: readonly (string | Property)[]): readonly Property[] {
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
  if (typeof property.violated === "function") return property;
  throw new InputError(
    `the explorer cannot check "${property.name}", which remembers how a run went: check it in a simulation`,
  );
}

function* cases(protocol: AnyProtocol, { n, ids, initiators }: Asked): Generator<Pick<Problem, "ids" | "initiators">> {
  const everybody = Array.from({ length: n }, (_, node) => node);
  const placed = initiators !== "all" && initiators !== "any";
  const anonymous = protocol.assumes.identity === "anonymous";
  if (anonymous && ids !== "all") {
    throw new InputError(
      (name) => `the nodes of ${protocol.name} have no ids, so their order means nothing: leave ${name("ids")} out`,
    );
  }
  const arranged = anonymous ? [null] : arrangements(n, ids, placed);
  for (const arrangement of arranged) {
    if (initiators === "any") {
      for (let set = 1; set < 2 ** n; set++) {
        yield { ids: arrangement, initiators: everybody.filter((node) => (set >> node) & 1) };
      }
    } else yield { ids: arrangement, initiators: placed ? checkNodes(initiators, n) : everybody };
  }
}

function checkNodes(nodes: readonly number[], n: number): readonly number[] {
  const outside = nodes.find((node) => node >= n);
  if (outside !== undefined) throw new InputError(`initiator ${outside} is not a node: nodes are 0 to ${n - 1}`);
  if (new Set(nodes).size < nodes.length) throw new InputError(`initiators ${nodes.join()}: name each node once`);
  return nodes;
}

/**
 * Every arrangement of 1..n around a ring. Unless initiators are `placed`, a rotation changes nothing and the largest id
 * stays at node 0.
 */
function arrangements(n: number, ids: "all" | readonly Id[], placed: boolean): (readonly Id[])[] {
  if (ids !== "all") {
    if (ids.length !== n) throw new InputError(`${ids.length} ids were given for ${n} nodes: give one for each`);
    if (new Set(ids).size !== n) throw new InputError("ids must be unique");
    return [ids];
  }
  const below = (end: number) => Array.from({ length: end - 1 }, (_, i) => i + 1);
  return placed ? permutations(below(n + 1)) : permutations(below(n)).map((others) => [n, ...others]);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]));
}
