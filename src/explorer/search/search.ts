/**
 * From one case, an arrangement of ids and a set of initiators, to what is known of its promises: in full, or with commuting
 * steps in one order only where that tells the same. Promises that need a search of their own come last.
 */
import { nameNoPlace, type Property } from "../../properties/properties.ts";
import { isRound, type Problem } from "../problem.ts";
import { TellsPorts } from "../space/node-steps.ts";
import type { Keeping } from "../space/orders.ts";
import { StateSpace } from "../space/state-space.ts";
import { Judge } from "./judge.ts";
import { searchingFor } from "./own-promises.ts";
import { type Leaves, Pass, symmetriesOf } from "./pass.ts";
import { Reduction } from "./reduction.ts";
import { finished, type Paused, type SearchOptions, type SearchResult, type Violation } from "./search-terms.ts";
import { standsAlone } from "./verdicts.ts";

export interface CaseResult extends SearchResult {
  /** The promises whose own search a limit has cut. */
  readonly undecided: readonly string[];
}

export interface CaseOptions extends Omit<SearchOptions, "symmetry"> {
  /** Whether rotations of an anonymous network are one; by default where that is sound. */
  readonly symmetry?: boolean | undefined;
}

export function* searchingCase(problem: Problem, options: CaseOptions): Paused<CaseResult> {
  const {
    properties,
    symmetry = nameNoPlace(options.properties) && looksTheSameEverywhere(problem),
    ...rest
  } = options;
  const together = { ...rest, properties: properties.filter((property) => !standsAlone(property)) };
  const found = yield* searching(problem, { ...together, symmetry });
  let { violation, complete } = found;
  const undecided: string[] = [];
  for (const property of properties.filter(standsAlone)) {
    if (violation !== null || !complete) break;
    const own = yield* searchingFor(problem, property, together);
    if (own.cut) undecided.push(property.name);
    violation = own.violation === null ? null : unexpected(own.violation, options);
    complete = own.complete || (own.violation !== null && violation === null);
  }
  return { ...found, violation, complete, undecided };
}

const unexpected = (violation: Violation, options: Pick<SearchOptions, "unexpected">): Violation | null =>
  options.unexpected === undefined ? violation : options.unexpected(violation);

/** Whether a rotation leads to the same problem: nothing but its place would tell one node from another. */
export const looksTheSameEverywhere = (problem: Problem): boolean => {
  const { protocol, ids, initiators, wakesFirst, maxDelay, topology, roles, budget } = problem;
  return (
    [ids, maxDelay].every((given) => given === null) &&
    [roles, wakesFirst].every((given) => given === undefined) &&
    initiators.length === topology.size &&
    (budget.partitions ?? 0) === 0 &&
    isRound(protocol, topology)
  );
};

/** So many configurations are visited in full before reduction is tried, which finds longer ways. */
export const FEW_CONFIGURATIONS = 100_000;

export function search(problem: Problem, options: SearchOptions): SearchResult {
  return finished(searching(problem, options));
}

/** Who starves in a loop can be asked only where every node has a name of its own: then once more without symmetry. */
function* searching(problem: Problem, options: SearchOptions): Paused<SearchResult> {
  const found = yield* interchanging(problem, options);
  const asks = options.properties.some(({ when }) => when === "forever");
  const again = options.symmetry === true && found.violation === null && found.loops && asks;
  return again ? yield* folded(problem, { ...options, symmetry: false }) : found;
}

/** More nodes have too many permutations. */
const MOST_INTERCHANGEABLE = 5;

/** Whether nodes may be interchangeable, which handlers then have to show. What a crash leaves of a handler depends on the order of ports. */
const mayInterchange = (problem: Problem, properties: readonly Property[]): boolean =>
  problem.topology.name === "complete" &&
  problem.topology.size <= MOST_INTERCHANGEABLE &&
  (problem.budget.halfway ?? 0) === 0 &&
  looksTheSameEverywhere(problem) &&
  nameNoPlace(properties);

/** With all permutations of a complete network as one; where a handler tells ports apart, once more with rotations only. */
function* interchanging(problem: Problem, options: SearchOptions): Paused<SearchResult> {
  if (options.symmetry !== true || !mayInterchange(problem, options.properties)) return yield* folded(problem, options);
  const network = new StateSpace(problem);
  network.nodes.noPorts = true;
  try {
    return yield* folded(problem, { ...options, network, interchangeable: true });
  } catch (error) {
    if (!(error instanceof TellsPorts)) throw error;
  } finally {
    network.nodes.noPorts = false;
  }
  return yield* folded(problem, options);
}

function* folded(problem: Problem, options: SearchOptions): Paused<SearchResult> {
  const { maxStates = Infinity, maxBytes = Infinity, reduction: wanted = "never" } = options;
  const network = options.network ?? new StateSpace(problem);
  const judge = new Judge(network, options.properties);
  if (problem.ordered !== undefined) {
    const whole = yield* byOrder(network, options);
    return { ...whole, unreduced: wanted === "always" ? "numbers are kept by order" : null };
  }
  if (wanted === "never") return yield* new Pass(network, judge, options).run();
  if (problem.capacity !== undefined) {
    const whole = yield* new Pass(network, judge, options).run();
    return { ...whole, unreduced: wanted === "always" ? "what is sent to a full link is lost" : null };
  }
  if (network.timed) {
    const whole = yield* new Pass(network, judge, options).run();
    return {
      ...whole,
      unreduced: wanted === "always" ? "with time, nodes take their turns in one order already" : null,
    };
  }
  const reduction = new Reduction(network, judge, symmetriesOf(network, options));
  if (wanted === "auto") {
    const first = new Pass(
      network,
      judge,
      { ...options, maxStates: Math.min(FEW_CONFIGURATIONS, maxStates) },
      reduction,
    );
    const few = yield* first.run();
    if (first.stopped !== "limit" || maxStates <= FEW_CONFIGURATIONS || first.bytes > maxBytes) return few;
  }
  const reduced = yield* reducing(network, judge, options, reduction);
  if (reduced !== null) return reduced;
  const unreduced = judge.readsMessages ? "a promise reads how many messages were sent" : "runs can turn in circles";
  return { ...(yield* new Pass(network, judge, options).run()), unreduced };
}

/** With the order of numbers alone; where that leaves a promise open, also with which of them are next to each other. */
function* byOrder(network: StateSpace, options: SearchOptions): Paused<SearchResult> {
  const pass = (keeping: Keeping) => {
    const judge = new Judge(network, options.properties);
    return new Pass(network, judge, { ...options, keeping }).run();
  };
  const found = yield* pass("order");
  return found.violation === null && found.complete && found.doubtful.length > 0 ? yield* pass("neighbours") : found;
}

/** With commuting steps in one order only; null where that cannot tell. */
function* reducing(
  network: StateSpace,
  judge: Judge,
  options: SearchOptions,
  reduction: Reduction,
): Paused<SearchResult | null> {
  let leaves: Leaves = "commuting";
  while (!judge.readsMessages) {
    const pass: Pass = new Pass(network, judge, options, reduction, leaves);
    const result = yield* pass.run();
    if (result.violation !== null) return result;
    // Something new was learned. There is only so much of it: some time nothing is.
    if (reduction.outdated) reduction.again();
    else if (!pass.futile) {
      if (!result.loops || leaves !== "commuting") return result;
      // Runs that turn in circles: whether one of them is fair, only the full graph tells.
      if (options.properties.some(({ when }) => when === "forever")) return null;
      leaves = "commuting, in turn";
    }
  }
  return null;
}
