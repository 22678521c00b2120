/** One case, an arrangement of ids and a set of initiators, with all its promises: those that need a search of their own come last. */
import type { Property } from "../../properties/properties.ts";
import { isRound } from "../networks.ts";
import type { Problem } from "../problem.ts";
import { searchingFor, standsAlone } from "./own-promises.ts";
import { searching } from "./search.ts";
import type { Paused, SearchOptions, SearchResult } from "./search-terms.ts";

export type CaseResult = Omit<SearchResult, "loops">;

export interface CaseOptions extends Omit<SearchOptions, "symmetry"> {
  /** Whether rotations of an anonymous network are one; by default where that is sound. */
  readonly symmetry?: boolean | undefined;
}

export function* searchingCase(problem: Problem, options: CaseOptions): Paused<CaseResult> {
  const { properties, symmetry = looksTheSameEverywhere(problem), ...rest } = options;
  const together = { ...rest, properties: properties.filter((property) => !standsAlone(property)) };
  const { loops: _, ...found } = yield* unfolding(problem, together, symmetry);
  return { ...found, ...(yield* alone(problem, properties.filter(standsAlone), together, found)) };
}

/** Those properties that need a search of their own, as long as nothing is broken. */
function* alone(
  problem: Problem,
  properties: readonly Property[],
  options: SearchOptions,
  { violation, complete }: CaseResult,
): Paused<Pick<SearchResult, "violation" | "complete">> {
  if (violation !== null || !complete) return { violation, complete };
  for (const property of properties) {
    const found = yield* searchingFor(problem, property, options);
    if (found.violation !== null || !found.complete) return { violation: found.violation, complete: found.complete };
  }
  return { violation, complete };
}

/** Who starves in a loop can be asked only where every node has a name of its own. */
function* unfolding(problem: Problem, options: SearchOptions, symmetry: boolean): Paused<SearchResult> {
  const found = yield* searching(problem, { ...options, symmetry });
  const asks = options.properties.some(({ when }) => when === "forever");
  return symmetry && found.loops && asks ? yield* searching(problem, options) : found;
}

/** Whether a rotation leads to the same problem: nothing but its place would tell one node from another. */
const looksTheSameEverywhere = (problem: Problem): boolean => {
  const { protocol, ids, initiators, wakesFirst, maxDelay, topology, roles, budget } = problem;
  return (
    [ids, maxDelay].every((given) => given === null) &&
    [roles, wakesFirst].every((given) => given === undefined) &&
    initiators.length === topology.size &&
    (budget.partitions ?? 0) === 0 &&
    isRound(protocol, topology)
  );
};
