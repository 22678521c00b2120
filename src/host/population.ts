/** Which processes start on their own, and the facts that each gets at its start. */
import type { Id, Self, WakeSchedule } from "../protocol.ts";
import { checkRoles, firstRole } from "../protocols/told.ts";
import type { Source } from "../random/source.ts";
import { HostStream } from "../random/streams.ts";
import { bernoulliSubset } from "../random/subsets.ts";
import type { Setup } from "./setup.ts";

/** The number of a trial's election, if the protocol knows it. */
export const electionOf = (seed: number, trial: number): number =>
  new HostStream(seed, trial, "election").choose(2 ** 53);

export class Population {
  /** The nodes that start on their own, in the order of their starts; null: all. */
  readonly starters: readonly number[] | null;
  private readonly setup: Setup;
  private readonly initiators: ReadonlySet<number> | null;
  private readonly candidates: ReadonlySet<number> | null;
  private readonly wakes: ((node: number) => number) | null;
  private readonly n: number | null;
  private readonly highest: Id | null;
  private readonly election: number | null;
  private readonly role: string;

  constructor(setup: Setup) {
    const { protocol, params, topology, ids, initiators, crashed, seed, trial } = setup;
    const { knows, start } = protocol.assumes;
    this.setup = setup;
    this.initiators = initiators === null ? null : new Set(initiators);
    // The overlay ring closes over processes that had crashed, so its size is what a ring protocol may know.
    const size = topology.name === "ring" ? topology.size - crashed.length : topology.size;
    this.n = knows.includes("n") ? size : null;
    this.highest =
      ids !== null && knows.includes("highest") ? (ids as Float64Array).reduce((a, b) => Math.max(a, b)) : null;
    this.election = knows.includes("election") ? electionOf(seed, trial) : null;
    this.candidates = this.drawCandidates();
    const schedule = protocol.wakes?.(params) ?? null;
    const draws = new HostStream(seed, trial, "wakes");
    this.wakes = schedule === null ? null : drawWakes(schedule, this.candidates, topology.size, draws);
    this.starters = start === "common" ? null : this.candidates !== null ? [...this.candidates] : initiators;
    checkRoles(protocol, topology.size, setup.roles);
    this.role = firstRole(protocol);
  }

  startsAlone(node: number): boolean {
    return this.starters === null || (this.candidates ?? this.initiators)?.has(node) === true;
  }

  /** `ended`: how many lives of the process have ended. */
  self(node: number, ended: number): Self {
    const { ids, roles, seeds, protocol, topology } = this.setup;
    // On open networks every life is unique, as the random lives of live processes are.
    const life = protocol.assumes.topology === "open" ? ended * topology.size + node : ended;
    const told: Self = {
      id: ids === null ? null : small(ids[node]),
      initiator: this.initiators === null || this.initiators.has(node),
      candidate: this.candidates?.has(node) ?? false,
      n: this.n,
      highest: this.highest,
      election: this.election,
      life,
      role: roles?.[node] ?? this.role,
      seeds: seeds ?? NO_SEEDS,
    };
    return this.wakes === null ? told : { ...told, wake: this.wakes(node) };
  }

  private drawCandidates(): Set<number> | null {
    const { protocol, params, topology, seed, trial } = this.setup;
    if (protocol.candidacy === undefined) return null;
    const p = protocol.candidacy(params, topology.size);
    const drawn = bernoulliSubset(new HostStream(seed, trial, "candidates"), topology.size, p);
    return new Set(drawn.filter((node) => this.initiators === null || this.initiators.has(node)));
  }
}

const NO_SEEDS: readonly string[] = [];

/** The same number, as a small integer of V8 if possible: a boxed double would cost one more cache miss a message. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}

// The adversary's schedule, drawn: when each node wakes on its own. Only candidates act then, so only theirs are drawn.

export function drawWakes(
  { kind, rounds }: WakeSchedule,
  candidates: Iterable<number> | null,
  n: number,
  source: Source,
): (node: number) => number {
  if (kind === "one-then-rest") {
    const first = source.choose(n);
    return (node) => (node === first ? 1 : rounds);
  }
  const drawn = new Map<number, number>();
  for (const node of candidates ?? Array(n).keys()) drawn.set(node, 1 + source.choose(rounds));
  return (node) => drawn.get(node) ?? rounds;
}
