/** What a request leaves open: arrangements of ids, sets of initiators, who wakes first. */
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import type { Values } from "../setting.ts";
import type { Problem } from "./problem.ts";
import type { EXPLORATION } from "./settings.ts";

/** What is given, read; defaults included. */
export type Asked = Values<typeof EXPLORATION>;

type Case = Pick<Problem, "ids" | "initiators" | "wakesFirst">;

/** One search each. */
export function* casesOf(protocol: AnyProtocol, params: unknown, asked: Asked): Generator<Case> {
  const first = protocol.wakes?.(params)?.kind === "one-then-rest" ? everybody(asked.n) : [undefined];
  for (const open of arranged(protocol, asked)) for (const wakesFirst of first) yield { ...open, wakesFirst };
}

/** Who starts: as the user says, or else as many as the protocol says, whoever they are. */
export const startersOf = ({ initiators }: AnyProtocol, asked: Asked): "all" | "any" | number | readonly number[] =>
  asked.initiators ?? (initiators === undefined || initiators >= asked.n ? "all" : initiators);

function* arranged(protocol: AnyProtocol, asked: Asked): Generator<Case> {
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
  const arranged = anonymous ? [null] : arrangements(n, ids, placed);
  for (const arrangement of arranged) {
    for (const starters of placed ? [checkNodes(initiators, n)] : setsOf(all, initiators)) {
      yield { ids: arrangement, initiators: starters };
    }
  }
}

function* setsOf(all: readonly number[], which: "all" | "any" | number): Generator<readonly number[]> {
  if (which === "all") yield all;
  else {
    for (let set = 1; set < 2 ** all.length; set++) {
      const nodes = all.filter((node) => (set >> node) & 1);
      if (which === "any" || nodes.length === which) yield nodes;
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
