/**
 * Why anonymous rings need randomness (lecture T9, "Impossibility Proof"; D. Angluin, STOC 1980), shown by brute force:
 * every deterministic machine with three states (undecided, not elected, elected; decisions are final) and one kind of
 * message is run by all nodes of a ring. In lock-step, and asynchronously when every node takes a message each lap, all
 * configurations look the same from every node, so whenever one node is elected all are. And no other schedule helps: a
 * node of a unidirectional ring has one channel to read from, so what it does depends on no schedule at all (the ring is
 * a Kahn network); every schedule is searched here and confirms it.
 *
 * Each machine is one table for one n, so a machine that knows n is covered as well as one that does not.
 */
import type { Protocol } from "../protocol.ts";
import { NEXT, ring } from "../topology/ring.ts";
import type { Problem } from "./problem.ts";
import type { Step } from "./space/configurations.ts";
import { StateSpace } from "./space/state-space.ts";
import { isEqual, rearranged } from "./space/visited.ts";

const STATUS = ["undecided", "not-elected", "elected"] as const;

/** What to do next: the new state, and whether to send the message. */
interface Move {
  readonly state: number;
  readonly sends: boolean;
}

/** moves[state][heard]: after a round (or a message), heard is whether the message has come. */
interface Machine {
  readonly first: Move;
  readonly moves: readonly (readonly [Move, Move])[];
}

interface MachineState {
  state: number;
  heard: boolean;
}

export interface ImpossibilityRow {
  readonly timing: "synchronous" | "asynchronous";
  readonly n: number;
  readonly machines: number;
  /** Reachable configurations: all of the synchronous runs, or those at the end of each lap of the fair schedule. */
  readonly configurations: number;
  /** How many of them do not look the same from every node. */
  readonly asymmetric: number;
  /** How many of them have exactly one leader. */
  readonly oneLeader: number;
  /** Asynchronous: all configurations under all schedules. */
  readonly allSchedules: number | null;
  /** Asynchronous: how many of those where nothing is left to happen have exactly one leader. */
  readonly oneLeaderEnds: number | null;
}

/** The table of the result: what its columns are called, and what stands in them. */
export const IMPOSSIBILITY_COLUMNS: readonly (readonly [title: string, field: keyof ImpossibilityRow])[] = [
  ["timing", "timing"],
  ["n", "n"],
  ["machines", "machines"],
  ["configurations", "configurations"],
  ["asymmetric", "asymmetric"],
  ["one leader", "oneLeader"],
  ["all schedules", "allSchedules"],
  ["ends with one leader", "oneLeaderEnds"],
];

export function impossibility(timing: ImpossibilityRow["timing"], n: number): ImpossibilityRow {
  const row = { machines: 0, configurations: 0, asymmetric: 0, oneLeader: 0, allSchedules: 0, oneLeaderEnds: 0 };
  for (const machine of machines(timing)) {
    const network = new StateSpace(problemOf(timing, n, machine));
    const turn = network.rotations()[n > 1 ? 1 : 0];
    row.machines++;
    for (const vector of fairRun(network, timing, n)) {
      row.configurations++;
      if (!isEqual(rearranged(vector, turn), vector)) row.asymmetric++;
      if (leaders(network, vector, n) === 1) row.oneLeader++;
    }
    if (timing === "asynchronous") {
      const { states, ends } = everySchedule(network, n);
      row.allSchedules += states;
      row.oneLeaderEnds += ends.filter((leading) => leading === 1).length;
    }
  }
  const schedules = timing === "asynchronous" ? {} : { allSchedules: null, oneLeaderEnds: null };
  return { timing, n, ...row, ...schedules };
}

function* machines(timing: ImpossibilityRow["timing"]): Generator<Machine> {
  const free = [0, 1, 2].flatMap((state) => [false, true].map((sends) => ({ state, sends })));
  const final = (state: number) => free.filter((move) => move.state === state);
  // Without rounds nothing happens at a node that hears nothing, so its silent moves make no difference.
  const silent = (moves: readonly Move[]) => (timing === "synchronous" ? moves : moves.slice(0, 1));
  const pairs = (moves: readonly Move[]) => silent(moves).flatMap((a) => moves.map((b) => [a, b] as const));
  for (const first of free) {
    for (const undecided of pairs(free)) {
      for (const lost of pairs(final(1))) {
        for (const elected of pairs(final(2))) yield { first, moves: [undecided, lost, elected] };
      }
    }
  }
}

function problemOf(timing: ImpossibilityRow["timing"], n: number, machine: Machine): Problem {
  return {
    protocol: protocolOf(timing, machine),
    params: null,
    topology: ring(n),
    ids: null,
    initiators: Array.from({ length: n }, (_, node) => node),
    fifo: true,
    maxDelay: timing === "synchronous" ? 1 : null,
    budget: { drops: 0, crashes: 0, restarts: 0 },
    choices: 1,
    limits: {},
  };
}

function protocolOf(
  timing: ImpossibilityRow["timing"],
  { first, moves }: Machine,
): Protocol<null, MachineState, "m", "round"> {
  const synchronous = timing === "synchronous";
  return {
    name: "anonymous-ring",
    title: "A deterministic machine on an anonymous ring",
    citation: "",
    cost: "",
    assumes: {
      topology: "ring",
      direction: "unidirectional",
      identity: "anonymous",
      timing: synchronous ? "synchronous" : "asynchronous",
      start: "common",
      knows: [],
      fifo: true,
      multicast: false,
      tolerates: [],
    },
    parameters: [],
    measures: {},
    init(_params, _self, _saved, ctx) {
      if (first.sends) ctx.send(NEXT, "m");
      if (synchronous) ctx.arm("round", 1);
      return { state: first.state, heard: false };
    },
    receive(node, _port, _message, ctx) {
      if (synchronous) node.heard = true;
      else act(node, moves[node.state][1], ctx);
    },
    expire(node, _timer, ctx) {
      act(node, moves[node.state][node.heard ? 1 : 0], ctx);
      node.heard = false;
      ctx.arm("round", 1);
    },
    verdict: ({ state }) => ({ status: STATUS[state], leader: null, term: 0 }),
    bits: () => 1,
  };
}

function act(node: MachineState, move: Move, ctx: { send(port: number, message: "m"): void }): void {
  node.state = move.state;
  if (move.sends) ctx.send(NEXT, "m");
}

function started(network: StateSpace, n: number): Int32Array {
  let vector = network.blank();
  for (let node = 0; node < n; node++) vector = network.start(vector, node)[0].after;
  return vector;
}

/** The configurations between laps (between rounds) until one comes again or nothing is left to happen. */
function fairRun(network: StateSpace, timing: ImpossibilityRow["timing"], n: number): Int32Array[] {
  const seen: Int32Array[] = [];
  let vector = started(network, n);
  while (!seen.some((earlier) => isEqual(earlier, vector))) {
    seen.push(vector);
    const after = timing === "synchronous" ? round(network, vector) : lap(network, vector, n);
    if (after === null) break;
    vector = after;
  }
  return seen;
}

/** One synchronous round: every step but the last is forced, and the last is the tick. */
function round(network: StateSpace, vector: Int32Array): Int32Array | null {
  for (let at = vector; ; ) {
    const step: Step | undefined = network.steps(at)[0];
    if (step === undefined) return null;
    at = step.after;
    if (step.action.do === "tick") return at;
  }
}

/** Every node takes one message that was on its way when the lap began. */
function lap(network: StateSpace, vector: Int32Array, n: number): Int32Array | null {
  let at = vector;
  let moved = false;
  for (let node = 0; node < n; node++) {
    const waiting = network.links.findIndex((link, i) => link.to === node && network.onLink(vector, i).length > 0);
    if (waiting < 0) continue;
    moved = true;
    at = network.steps(at).find(({ action }) => action.do === "deliver" && action.link === waiting)!.after;
  }
  return moved ? at : null;
}

/** Every reachable configuration, and the number of leaders in those where nothing is left to happen. */
function everySchedule(network: StateSpace, n: number): { states: number; ends: number[] } {
  const first = started(network, n);
  const seen = new Map([[first.join(), first]]);
  const ends: number[] = [];
  // A Map gives its entries in the order in which they came, those added meanwhile too.
  for (const vector of seen.values()) {
    const steps = network.steps(vector);
    if (steps.length === 0) ends.push(leaders(network, vector, n));
    for (const { after } of steps) {
      const key = after.join();
      if (!seen.has(key)) seen.set(key, after);
    }
  }
  return { states: seen.size, ends };
}

function leaders(network: StateSpace, vector: Int32Array, n: number): number {
  let count = 0;
  for (let node = 0; node < n; node++) {
    if (network.nodes.verdict(node, network.state(vector, node)).status === "elected") count++;
  }
  return count;
}
