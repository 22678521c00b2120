/**
 * The contract between an election algorithm and the world that runs it.
 *
 * A protocol is one node's algorithm: plain-data state and handlers. It never touches a clock, a socket, a random
 * generator, a promise or a global address; whatever it may ask of the world comes through a `Context`. Hosts (lock-step,
 * events, explorer, live) implement the context and call the handlers. Same state, input and draws give the same state
 * and effects, so hosts can clone, compare, fingerprint, record and replay.
 *
 * It has two halves: the `Machine`, which every host needs, and the `Experiment`, which only studies need.
 *
 * After each handler a host does three things, in this order: it saves what must survive a crash, it reports (`verdict`
 * and `report`), and only then the handler's effects leave.
 */
import type { Scene, Seen, Telling } from "./narrator.ts";

/**
 * A link label, local to a node: 0 .. degree-1 on a given network, or `SELF`. An answer goes back through the port a message
 * came in on. Where links come and go (`topology: "open"`), labels are never renumbered or reused.
 */
export type Port = number;

/** The port that leads to the node itself, on every topology. */
export const SELF: Port = -1;

/** A process identifier: a non-negative safe integer, unique in the group. Anonymous models have none. */
export type Id = number;

/** Where a process can be reached, as text that only the host understands: "3" in a simulator, "10.0.0.7:7001" on a network. */
export type Address = string;

/** What a node does to the world, and what it may ask of it, during one handler call. */
export interface Context<M, T extends string = never> {
  /** How many links this node has; where they come and go, how many it has now. */
  readonly degree: number;
  /** The labels of those links, ascending; 0 .. degree-1 on a given network. */
  ports(): readonly Port[];
  /** Whether a label is one of those now, or SELF. */
  linked(port: Port): boolean;
  /** A message is immutable once sent: a node that passes it on may send the very same object. */
  send(port: Port, message: M): void;
  /** To every neighbour, each of which may miss it; only where the protocol assumes `multicast`. */
  multicast(message: M): void;
  /**
   * Ask for `expire(timer)` after a delay that the host draws from [min, max]; arming again replaces the earlier request.
   * The unit is the host's: rounds in lock-step, virtual time in events. Messages of an instant come before its timers.
   */
  arm(timer: T, min: number, max?: number): void;
  /** As `arm`, but for safety: once it is due it comes before any message or timer, also after a pause. */
  deadline(timer: T, after: number): void;
  disarm(timer: T): void;
  /**
   * Uniform in 0 .. n-1, n <= 2^53: drawn by a simulator, enumerated by the explorer. `order` declares that the value is only
   * compared with others drawn under the same label: for exact probabilities the explorer then draws the order alone.
   */
  choose(n: number, order?: string): number;
  /** True with probability p: drawn, or both branches explored. */
  coin(p: number): boolean;
  /** k distinct neighbours, uniformly, by Floyd's algorithm (see random/subsets.ts); `including` adds SELF to the urn. */
  sample(k: number, including?: typeof SELF): Port[];
  /** As `sample`, of 0 .. of-1: for hosts in which it is more than draws of `choose`, as every set has its turn in the explorer. */
  subset?(k: number, of: number): number[];
  /** The id behind a port; null where the model has no ids. */
  peer(port: Port): Id | null;
  /**
   * A link to an address, and the port that leads to it; the one that is there already, where there is one. Only with
   * `topology: "open"`, and so are `unlink` and `address`. A message from an address without a link comes in on a new port.
   */
  link(address: Address): Port;
  /** Ends a link: nothing can be sent there, and what still comes from that address comes in on a new port. */
  unlink(port: Port): void;
  /** The address behind a port (of this process itself, for SELF). */
  address(port: Port): Address;
  /**
   * Takes the group into a round of the protocol's own, which begins after some time, and says whether this node is the
   * first to do so. The answer is an oracle's: only idealised variants may act on it. A host without one (the explorer,
   * the live host) says true to everybody: such a variant then does too much rather than nothing at all. Where the
   * protocol's `crash` is `round`, processes fail when the round begins.
   */
  enter(round: number, after: number): boolean;
  /** Observations for statistics, never read back: `value` is summed or maximised as the protocol's `measures` declare. */
  measure(name: string, value: number): void;
  /** As `measure`, summed per round: contenders entering round 1, 2, ... */
  series(name: string, round: number, value: number): void;
}

/** What a host tells a node at its start. Fields outside the protocol's assumptions are null. */
export interface Self {
  readonly id: Id | null;
  /** Starts on its own. Other nodes are created by the first message that reaches them. */
  readonly initiator: boolean;
  /** Won the candidacy coin (see `Protocol.candidacy`). */
  readonly candidate: boolean;
  /** The round in which the adversary wakes this node at the latest; missing where all wake together (see `wakes`). */
  readonly wake?: number;
  /** The number of processes, where the protocol assumes that it is known. */
  readonly n: number | null;
  /** The highest id of the group, where the protocol assumes that it is known. */
  readonly highest: Id | null;
  /** The number of this election, where the protocol assumes it: the same at all nodes, another in each run. */
  readonly election: number | null;
  /**
   * Tells this start of the process from its earlier ones: a number that no other start of it has, and on open networks
   * no other process either. No order is implied.
   */
  readonly life: number;
  /** One of the protocol's `roles`; "member" where it names none. */
  readonly role: string;
  /** With `topology: "open"`: where others may be found at the start. */
  readonly seeds: readonly Address[];
}

/** What one node believes; a projection of its state, so nobody can forget to announce. */
export interface Verdict {
  readonly status: "undecided" | "elected" | "not-elected";
  /** Who leads, as far as the node knows; null when it does not know or when nodes have no ids. */
  readonly leader: Id | null;
  /** Which election this is about; one-shot protocols say 0. */
  readonly term: number;
}

/** What a node believes before it has started. */
export const UNDECIDED: Verdict = { status: "undecided", leader: null, term: 0 };

/** What a protocol needs. A host that cannot grant it refuses to run. */
export interface Assumptions {
  /**
   * `star`: node 0 is the centre and starts alone; the n hosts are nodes 1 .. n. `open`: no links but those that nodes make
   * themselves, by address.
   */
  readonly topology: "ring" | "complete" | "connected" | "star" | "open";
  /** Rings: whether nodes may also send to their predecessor. */
  readonly direction?: "unidirectional" | "bidirectional";
  readonly identity: "ids" | "anonymous";
  /** `partial`: asynchronous, but messages arrive within a known bound. */
  readonly timing: "asynchronous" | "partial" | "synchronous";
  /** `common`: every node starts at time 0, initiator or not. `any`: initiators start, others wait for a message. */
  readonly start: "any" | "common";
  readonly knows: readonly ("n" | "highest" | "election")[];
  /** Messages of one link arrive in the order in which they were sent. */
  readonly fifo: boolean;
  readonly multicast: boolean;
  /** One message of O(log n) bits per link, direction and round; the lock-step host checks it. */
  readonly congest?: boolean;
  /** Faults under which the protocol's claims still hold; under others it may end without a leader, but it ends. */
  readonly tolerates: readonly ("loss" | "crash" | "pause" | "partition")[];
}

/** What can be known of a network before a run; each fact is computed when it is asked for. */
export interface GraphFacts {
  readonly size: number;
  bipartite(): boolean;
  /** The mixing time of definition (1) of Kutten et al.; null if there is none or it cannot be computed. */
  mixingTime(lazy: boolean): number | null;
  /** The walk that in the end is at every node with the same probability; metropolis where degrees differ. */
  uniformWalk(): "simple" | "lazy" | "metropolis";
  /** The mixing time of that walk; null where it cannot be computed. */
  uniformMixing(): number | null;
  /** How many pairs of nodes are linked. */
  links(): number;
  /** The largest distance between two nodes; null where it takes too long to compute. */
  diameter(): number | null;
  /** What each node sees around itself, nodes that see the same together; null where it takes too long to compute. */
  surroundings(): readonly Surroundings[] | null;
}

/** A network as one node of it sees it, or several alike. */
export interface Surroundings {
  /** How many nodes see this. */
  readonly nodes: number;
  readonly degree: number;
  /** How many nodes are 0, 1, 2, ... links away. */
  readonly spheres: readonly number[];
  /** Whether two of the farthest are linked with each other. */
  readonly outermostMeet: boolean;
  /** Whether none of the farthest has more than one link. */
  readonly deadEnds: boolean;
}

/** How the adversary wakes nodes: each in a round drawn from 1 .. rounds, or one in round 1 and the rest in the last. */
export interface WakeSchedule {
  readonly kind: "uniform" | "one-then-rest";
  readonly rounds: number;
}

/** What a finished run amounts to: no leader, exactly one, or several. */
export type Outcome = "none" | "one" | "many";

/** What the live nodes of a finished run believe. */
export interface Census {
  readonly alive: number;
  readonly elected: number;
  readonly notElected: number;
  readonly undecided: number;
  /** How many live nodes hold each id for the leader; null stands for "I do not know". */
  readonly beliefs: ReadonlyMap<Id | null, number>;
  /** The ids of the live elected nodes (null each where nodes have no ids). */
  readonly leaders: readonly (Id | null)[];
}

/** What a parameter of a protocol can be set to. */
export type ParameterValue = number | string | boolean | null;

/** What defaults may follow from, besides n. */
export interface NetworkFacts {
  /** The longest time a message can take, in the host's units; null where there is no bound. */
  readonly maxDelay: number | null;
}

/** One knob of a protocol, as data: the CLI, the catalogue, the planner and the docs are made from it. */
export interface Parameter {
  readonly name: string;
  readonly about: string;
  /** A share is a number from 0 to 1, and may be written 2%. A list names the allowed words; `refuse` checks text. */
  readonly type: "number" | "share" | "integer" | "boolean" | "text" | readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Words that may be given in place of a number, and the number each stands for: an optimum that follows from n. */
  readonly words?: Readonly<Record<string, (n: number, before: Readonly<Record<string, ParameterValue>>) => number>>;
  /** The default, or how it follows from n, the parameters before it and the network. */
  readonly default:
    | ParameterValue
    | ((n: number, before: Readonly<Record<string, ParameterValue>>, network: NetworkFacts) => ParameterValue);
}

/** The half that every host needs: how one node starts, acts and what it then believes. */
export interface Machine<P, S, M, T extends string = never, Saved = null, Report = unknown> {
  readonly name: string;
  readonly assumes: Assumptions;
  /** The timing model, where a parameter decides it; otherwise it is the one in `assumes`. */
  timing?(params: P): Assumptions["timing"];
  /** The parts that nodes of one run can play, such as member and engine; who plays which is up to the run. */
  readonly roles?: readonly string[];
  /**
   * Names of fields, in states and messages, of numbers that handlers only copy, compare with each other and with 0, and raise by
   * one: terms, phases, ballots. Without time the explorer then keeps their order and not their values. It checks the declaration.
   */
  readonly ordered?: readonly string[];
  /**
   * A message whose largest such number is below the largest of its receiver changes nothing, and the largest number of a node never
   * falls as long as it lives. The explorer then forgets such messages; it checks this too.
   */
  readonly ignoresOlder?: boolean;
  /** A node that is neither initiator nor candidate (with `start: "any"`) does nothing here but return its state. */
  init(params: P, self: Self, saved: Saved | null, ctx: Context<M, T>): S;
  /** Through SELF come a node's own messages and its user's commands (resign, hand over, the work has settled). */
  receive(state: S, port: Port, message: M, ctx: Context<M, T>): void;
  /** Synchronous protocols: after all messages and timers of a round, at each node that had one. */
  endRound?(state: S, round: number, ctx: Context<M, T>): void;
  expire?(state: S, timer: T, ctx: Context<M, T>): void;
  /** The process leaves gracefully: the last handler that runs in it. Where missing, it just goes. */
  leave?(state: S, ctx: Context<M, T>): void;
  /** What one node believes: a projection of its state. */
  verdict(state: S): Verdict;
  /** What its user is told, where a verdict is too narrow: offices with term, token and status. Plain data, a projection too. */
  report?(state: S): Report;
  /** What must survive a crash; a host stores it before it releases the effects of the handler. */
  saved?(state: S): Saved;
  /**
   * Whether something that a stranger sent has the shape of a message that strangers may send; whatever has not is refused at
   * the door, so that a mixed version never throws inside a handler. Commands are not for strangers: they come through SELF.
   */
  accepts?(message: unknown): boolean;
  /** The size of a message, for CONGEST checks and honest byte counts. (Encoded bytes, for packing: `encodedSize`.) */
  bits(message: M): number;
}

/** The half that only studies need: what the protocol is called, how it is set up, counted and judged. */
export interface Experiment<P, M> {
  readonly title: string;
  readonly citation: string;
  /** Messages and time as the source states them, for people. */
  readonly cost: string;
  readonly parameters: readonly Parameter[];
  /** Names given to `Context.measure`, and how values of one run combine. A measure nobody reported is 0. */
  readonly measures: Readonly<Record<string, "sum" | "max">>;
  /**
   * The unit of `rounds` in synchronous runs: message steps (the default), exchanges of a request and its answer, or
   * rounds that the protocol itself reports as the measure `rounds`.
   */
  readonly rounds?: "steps" | "exchanges" | "reported";
  /** When the crash probability strikes: before the run (the default), or at the start of each round that is entered. */
  readonly crash?: "start" | "round";
  /** How many nodes start on their own where the user does not say; all of them where this is missing. */
  readonly initiators?: number;
  /** Whether a message counts in `messages`; all do where this is missing. */
  counts?(message: M): boolean;
  /** What a finished run amounts to; where missing, the number of elected nodes decides. */
  judge?(params: P, census: Census): Outcome;
  /** Measures that only the finished run shows, such as the share of nodes that agree; added to those reported. */
  summarise?(params: P, census: Census): Readonly<Record<string, number>>;
  /** Why these parameters cannot work for n processes and what to change, or null. */
  refuse?(params: P, n: number): string | null;
  /** Parameters that follow from the network filled in, or why they cannot work there and what to change. */
  adapt?(params: P, graph: GraphFacts): P | string;
  /** The schedule of an adversarial wake-up; null where all nodes wake together. */
  wakes?(params: P): WakeSchedule | null;
  /**
   * The probability with which each starting node is a candidate, where candidacy is an independent coin: a host then
   * draws the set of candidates and never touches the rest, which is what makes a billion nodes possible.
   */
  candidacy?(params: P, n: number): number;
}

/** An election algorithm whole: the machine that hosts run, and the experiment around it. */
export interface Protocol<P, S, M, T extends string = never, Saved = null, Report = unknown>
  extends Machine<P, S, M, T, Saved, Report>,
    Experiment<P, M> {
  /** What an event means, in words, for traces and diagrams; where missing, it is told in general ones. */
  narrate?(before: S | null, event: Seen<M>, after: S, scene: Scene): Telling | null;
}

/** A protocol of which only the contract is known: what catalogues and hosts hold. */
// biome-ignore lint/suspicious/noExplicitAny: the existential type "some P, S, M, T" has no other spelling in TypeScript
export type AnyProtocol = Protocol<any, any, any, any, any, any>;
