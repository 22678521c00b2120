/** What a request leaves open: arrangements of ids, sets of initiators, who wakes first. */
import { InputError } from "../../errors.ts";
import type { AnyProtocol, Id } from "../../protocol.ts";
import type { Source } from "../../random/source.ts";
import { permutation, sample } from "../../random/subsets.ts";
import type { Values } from "../../setting.ts";
import { CENTRE } from "../../topology/lattices.ts";
import type { Problem } from "../problem.ts";
import type { EXPLORATION } from "../settings.ts";

/** What is given, read; defaults included. */
export type ExplorationSettings = Values<typeof EXPLORATION>;

/** What a request leaves open. */
export type OneCase = Pick<Problem, "ids" | "initiators" | "wakesFirst" | "election">;

const FEW_ELECTIONS = 3;

/** How many numbers of an election are tried; null where the protocol does not know its number. */
export const electionsOf = ({ assumes }: AnyProtocol, { elections }: ExplorationSettings): number | null =>
  assumes.knows.includes("election") ? (elections ?? FEW_ELECTIONS) : null;

/** Every case of a request; each gets a search. `round`: the network looks the same from each node, so rotations of ids are left out. */
export function* casesOf(
  protocol: AnyProtocol,
  params: unknown,
  asked: ExplorationSettings,
  round: boolean,
): Generator<OneCase> {
  const first = protocol.wakes?.(params)?.kind === "one-then-rest" ? everybody(asked.n) : [undefined];
  const elections = electionsOf(protocol, asked);
  for (const open of arranged(protocol, asked, round)) {
    for (const wakesFirst of first) {
      if (elections === null) yield { ...open, wakesFirst };
      else for (let election = 1; election <= elections; election++) yield { ...open, wakesFirst, election };
    }
  }
}

/** The number of cases that `casesOf` yields; exact up to 2^53. */
export function countCases(protocol: AnyProtocol, params: unknown, asked: ExplorationSettings, round: boolean): number {
  const { n, ids } = asked;
  const starters = startersOf(protocol, asked);
  const first = protocol.wakes?.(params)?.kind === "one-then-rest" ? n : 1;
  const wakes = first * (electionsOf(protocol, asked) ?? 1);
  const sets = starters === "any" ? 2 ** n - 1 : typeof starters === "number" ? binomial(n, starters) : 1;
  if (protocol.assumes.identity === "anonymous" || ids !== "all") return wakes * sets;
  return wakes * sets * factorial(typeof starters === "object" || !round ? n : n - 1);
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k);

/** Who starts: as the user says, or else every set of as many nodes as the protocol says. */
export function startersOf(
  { name, assumes, initiators }: AnyProtocol,
  asked: ExplorationSettings,
): "all" | "any" | number | readonly number[] {
  if (assumes.topology === "star") {
    if (asked.initiators === undefined) return [CENTRE];
    throw new InputError((field) => `the centre of ${name} starts alone: leave ${field("initiators")} out`);
  }
  return asked.initiators ?? (initiators === undefined || initiators >= asked.n ? "all" : initiators);
}

function* arranged(protocol: AnyProtocol, asked: ExplorationSettings, round: boolean): Generator<OneCase> {
  const { n, ids } = asked;
  const initiators = startersOf(protocol, asked);
  const all = everybody(n);
  const placed = typeof initiators === "object";
  const anonymous = protocol.assumes.identity === "anonymous";
  if (anonymous && ids !== "all") {
    throw new InputError(
      (name) => `the nodes of ${protocol.name} have no ids, so their order means nothing: leave ${name("ids")} out`,
    );
  }
  for (const arrangement of anonymous ? [null] : arrangements(n, ids, placed || !round)) {
    for (const starters of placed ? [checkNodes(initiators, n)] : setsOf(all, initiators)) {
      yield { ids: arrangement, initiators: starters };
    }
  }
}

/** One random case: any arrangement of the ids, and any of the sets of initiators. */
export function drawCase(protocol: AnyProtocol, params: unknown, asked: ExplorationSettings, random: Source): OneCase {
  const { n, ids } = asked;
  const drawn = ids === "all" ? [...permutation(random, n)] : ids;
  return {
    ids: protocol.assumes.identity === "anonymous" ? null : drawn,
    initiators: drawStarters(startersOf(protocol, asked), n, random),
    wakesFirst: protocol.wakes?.(params)?.kind === "one-then-rest" ? random.choose(n) : undefined,
    election: electionsOf(protocol, asked) === null ? undefined : 1 + random.choose(ELECTIONS),
  };
}

/** Simulations draw the number of an election from as many. */
const ELECTIONS = 2 ** 52;

function drawStarters(which: ReturnType<typeof startersOf>, n: number, random: Source): readonly number[] {
  if (which === "all") return everybody(n);
  if (which === "any") {
    const drawn = everybody(n).filter(() => random.choose(2) === 1);
    return drawn.length > 0 ? drawn : [random.choose(n)];
  }
  return typeof which === "number" ? sample((m) => random.choose(m), which, n).sort((a, b) => a - b) : which;
}

function* setsOf(all: readonly number[], which: "all" | "any" | number): Generator<readonly number[]> {
  if (which === "all") yield all;
  else {
    // In the order of the numbers whose bits say who belongs to a set.
    for (const last of all) {
      if (which === "any" || which === 1) yield [last];
      if (which === 1) continue;
      const rest = which === "any" ? which : which - 1;
      for (const others of setsOf(all.slice(0, last), rest)) yield [...others, last];
    }
  }
}

const everybody = (n: number): readonly number[] => Array.from({ length: n }, (_, node) => node);

function checkNodes(nodes: readonly number[], n: number): readonly number[] {
  const outside = nodes.find((node) => node >= n);
  if (outside !== undefined) throw new InputError(`initiator ${outside} is not a node: nodes are 0 to ${n - 1}`);
  if (new Set(nodes).size < nodes.length) throw new InputError(`initiators ${nodes.join()}: name each node once`);
  return nodes;
}

/**
 * Every arrangement of 1..n. Unless places matter (`placed`), because initiators are given by them or the network looks different from
 * there, a rotation changes nothing and the largest id stays at node 0.
 */
function* arrangements(n: number, ids: "all" | readonly Id[], placed: boolean): Generator<readonly Id[]> {
  if (ids !== "all") {
    if (ids.length !== n) throw new InputError(`${ids.length} ids were given for ${n} nodes: give one for each`);
    if (new Set(ids).size !== n) throw new InputError("ids must be unique");
    yield ids;
    return;
  }
  const below = (end: number) => Array.from({ length: end - 1 }, (_, i) => i + 1);
  if (placed) yield* permutations(below(n + 1));
  else for (const others of permutations(below(n))) yield [n, ...others];
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries()) {
    for (const rest of permutations(items.filter((_, j) => j !== i))) yield [item, ...rest];
  }
}
