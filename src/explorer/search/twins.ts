/**
 * Arrangements of ids that a protocol cannot tell apart. On a complete network two of them differ only in which port leads to
 * whom, and most protocols do not care. That is not believed but checked: whatever nodes did in a case that was searched, they are
 * made to do again in the other one, state by state, with ports renamed; where all that leaves them is the same, every
 * configuration of the one case has its twin in the other (docs/decisions/reduction.md).
 */
import { nameNoPlace, type Property } from "../../properties/properties.ts";
import { SELF } from "../../protocol.ts";
import type { Problem } from "../problem.ts";
import { type NodeCall, type NodeOutcome, NodeSteps, UNTOUCHED } from "../space/node-steps.ts";
import { canonicalText } from "../space/plain.ts";
import { StateSpace } from "../space/state-space.ts";

/** A case that was searched to its end: its nodes, with all that they were asked. */
interface Searched {
  readonly problem: Problem;
  readonly nodes: NodeSteps;
}

/** The cases of a request, as far as they have been searched. */
export class Twins<Result> {
  found = 0;
  private readonly searched: (Searched & { readonly result: Result })[] = [];
  private wanted: boolean;

  /** Custom promises may ask for a node by its place, which twins do not share. */
  constructor(properties: readonly Property[], wanted = true) {
    this.wanted = wanted && nameNoPlace(properties);
  }

  /** Whether a case may have a twin among others: then it is searched here. */
  mayHave(problem: Problem): boolean {
    return this.wanted && mayHaveTwins(problem);
  }

  /** Where the search is to be made. */
  spaceOf(problem: Problem): StateSpace {
    const network = new StateSpace(problem);
    if (this.mayHave(problem)) network.nodes.asked = [];
    return network;
  }

  /** Nothing is wrong with this case. */
  keep(problem: Problem, { nodes }: StateSpace, result: Result): void {
    if (nodes.asked !== null) this.searched.push({ problem, nodes, result });
  }

  /** What came of a case that this one cannot be told from; null where it must be searched. */
  of(problem: Problem): Result | null {
    if (!this.mayHave(problem)) return null;
    const candidates = this.searched.filter(({ problem: other }) => placesOf(other, problem) !== null);
    const twin = candidates.find((candidate) => areTwins(candidate, problem));
    if (twin !== undefined) this.found++;
    // A protocol that can tell ports apart once will do so again.
    else if (candidates.length > 0) this.wanted = false;
    return twin?.result ?? null;
  }
}

/** Whether a case is one whose twins can be looked for. With time, nodes of one instant come in the order of their places. */
const mayHaveTwins = ({ topology, ids, roles, maxDelay, ties, exact }: Problem): boolean =>
  topology.name === "complete" &&
  ids !== null &&
  roles === undefined &&
  exact !== true &&
  (maxDelay === null || ties === true);

/** Whether nodes behave in this case as they did in the one that was searched, but for the names of ports. */
function areTwins(searched: Searched, other: Problem): boolean {
  const places = placesOf(searched.problem, other);
  return places !== null && new Twin(searched, other, places).agrees();
}

/** By node, where its id is in the other case; null where others start, or somebody else wakes first. */
function placesOf({ ids, initiators, wakesFirst, election }: Problem, other: Problem): readonly number[] | null {
  if (election !== other.election) return null;
  const places = ids!.map((id) => other.ids!.indexOf(id));
  const moved = initiators.map((node) => places[node]);
  const same = moved.length === other.initiators.length && moved.every((node) => other.initiators.includes(node));
  const first = wakesFirst === undefined ? undefined : places[wakesFirst];
  return same && first === other.wakesFirst && !places.includes(-1) ? places : null;
}

class Twin {
  private readonly one: Searched;
  private readonly nodes: NodeSteps;
  private readonly problem: Problem;
  private readonly places: readonly number[];
  /** By node, what it becomes in the other case: state by state. */
  private readonly states: Map<number, number>[];

  constructor(one: Searched, other: Problem, places: readonly number[]) {
    this.one = one;
    this.problem = other;
    this.nodes = new NodeSteps(other);
    this.places = places;
    this.states = places.map(() => new Map([[UNTOUCHED, UNTOUCHED]]));
  }

  agrees(): boolean {
    const { nodes } = this.one;
    // Asking what shows of a node may ask more of it: the list grows meanwhile.
    for (const asking of nodes.asked!) if (!this.doesTheSame(asking)) return false;
    return this.places.every((place, node) => this.shows(node, UNTOUCHED) === showing(this.nodes, place, UNTOUCHED));
  }

  private doesTheSame({ node, state, input }: NodeCall): boolean {
    const place = this.places[node];
    const twin = this.states[node].get(state);
    if (twin === undefined) return false;
    const renamed =
      input.kind !== "receive"
        ? input
        : { ...input, port: this.port(node, input.port), message: this.message(input.message) };
    const ours = this.one.nodes.outcomes(node, state, input);
    const theirs = this.nodes.outcomes(place, twin, renamed);
    if (ours.length !== theirs.length) return false;
    const open = new Map<string, number[]>();
    for (const outcome of theirs) {
      const sign = this.sign(this.nodes, place, outcome, (port) => port);
      const alike = open.get(sign);
      if (alike === undefined) open.set(sign, [outcome.state]);
      else alike.push(outcome.state);
    }
    return ours.every((outcome) => {
      const alike = open.get(this.sign(this.one.nodes, node, outcome, (port) => this.port(node, port)));
      return alike !== undefined && this.pair(node, outcome.state, alike);
    });
  }

  /** One of the states that came out alike is the twin of this one: always the same. */
  private pair(node: number, state: number, alike: number[]): boolean {
    const known = this.states[node].get(state);
    const at = known === undefined ? 0 : alike.indexOf(known);
    const [twin] = at < 0 ? [] : alike.splice(at, 1);
    if (twin === undefined) return false;
    this.states[node].set(state, twin);
    return true;
  }

  /** All that leaves a handler, and what shows afterwards. */
  private sign(nodes: NodeSteps, node: number, outcome: NodeOutcome, renamed: (port: number) => number): string {
    const orderly = (this.problem.budget.halfway ?? 0) > 0;
    const sends = outcome.sends.map(({ port, message, counted }) => [
      renamed(port),
      canonicalText(nodes.messages.value(message)),
      orderly && counted,
    ]);
    // The order of messages on different links, and which copy of a multicast counts, show only where a crash can come between.
    if (!orderly) sends.sort(([a], [b]) => Number(a) - Number(b));
    return canonicalText([
      sends,
      outcome.timers,
      outcome.messages,
      outcome.beyond,
      showing(nodes, node, outcome.state),
    ]);
  }

  private shows(node: number, state: number): string {
    return showing(this.one.nodes, node, state);
  }

  private port(node: number, port: number): number {
    const { topology } = this.problem;
    if (port === SELF) return SELF;
    const goal = this.places[this.one.problem.topology.neighbour(node, port)];
    const place = this.places[node];
    for (let other = 0; other < topology.degree(place); other++)
      if (topology.neighbour(place, other) === goal) return other;
    throw new Error("two nodes of a complete network are not linked");
  }

  private message(number: number): number {
    return this.nodes.messages.number(this.one.nodes.messages.value(number));
  }
}

const showing = (nodes: NodeSteps, node: number, state: number): string =>
  canonicalText([nodes.verdict(node, state), nodes.report(node, state) ?? null]);
