/**
 * Flooding: every initiator floods its id, every node passes on only what is larger than all it has seen, and the
 * largest id of the initiators leads.
 *
 * stop=echo (default): a flood comes back. A node that passed an id on answers its first sender once it has heard that id
 * through every other link; a larger id extinguishes a smaller one, so only the largest comes back whole, and its owner
 * announces itself over the tree of first senders. N. Lynch, "Distributed Algorithms", 1996, section 15.5 (asynchronous
 * broadcast and convergecast); G. Tel, "Introduction to Distributed Algorithms", 2000, section 7.3 (extinction).
 * stop=diameter: rounds instead of answers. After as many rounds as the diameter everybody has seen the largest id, and
 * the node that still holds its own id leads. Lynch, section 4.1 (FloodMax, with its optimisation: only news are passed on).
 *
 * Model: any connected graph, ids; stop=echo: asynchronous, nothing else known; stop=diameter: synchronous, the diameter
 * (or a bound of it) known, all initiators start together.
 * Cost: with m links, stop=echo 2m + n - 1 messages for one initiator, at most 2mk + n - 1 for k; 3D or 3D + 1 steps.
 * stop=diameter: at most D rounds, no announcement; D times 2m messages at most.
 * Faults: none are tolerated but pauses. A message or node that is missing stops stop=echo before anybody leads; with
 * stop=diameter nodes that a lost message kept apart may both lead.
 */
import { type Context, type Id, type Port, type Protocol, SELF } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type Decision, ringVerdict } from "../ring/common.ts";

interface FloodMaxParams {
  readonly stop: "echo" | "diameter";
  readonly diameter: number | null;
}

/** wave: an id on its way out. echo: it has been everywhere behind the sender. leader: it has been everywhere. */
export interface FloodMaxMessage {
  readonly kind: "wave" | "echo" | "leader";
  readonly id: Id;
}

export interface FloodMaxState extends Decision {
  readonly id: Id;
  readonly params: FloodMaxParams;
  /** The largest id seen, and where it came from first; SELF: it is this node's own. */
  best: Id | null;
  parent: Port;
  /** stop=echo: links through which the best id has not come yet, and those that it came back through. */
  awaited: number;
  children: Port[];
  /** stop=diameter: the best id is news of this round. */
  news: boolean;
}

type Ctx = Context<FloodMaxMessage, "decide">;

export const floodMax: Protocol<FloodMaxParams, FloodMaxState, FloodMaxMessage, "decide"> = {
  name: "flood-max",
  title: "Flooding: the largest id extinguishes all others, and knows when it has been everywhere",
  citation: "Lynch, Distributed Algorithms, 1996, sections 4.1 and 15.5; Tel, 2000, section 7.3",
  cost: "2m + n - 1 messages with one initiator, at most 2mk + n - 1 with k; 3D + 1 steps",
  assumes: {
    topology: "connected",
    identity: "ids",
    timing: "asynchronous",
    start: "any",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: ["pause"],
  },
  parameters: [
    {
      name: "stop",
      about: "echo: floods come back, nothing need be known; diameter: stop after that many rounds, synchronous",
      type: ["echo", "diameter"],
      default: "echo",
    },
    {
      name: "diameter",
      about: "rounds of stop=diameter, by default the network's diameter; with fewer, several may lead",
      type: "integer",
      min: 0,
      default: null,
    },
  ],
  measures: { announcements: "sum" },

  timing: ({ stop }) => (stop === "echo" ? "asynchronous" : "synchronous"),

  adapt(params, network) {
    if (params.stop === "echo") return params;
    const diameter = params.diameter ?? network.diameter();
    if (diameter === null) return "the diameter of this network cannot be computed: give it with diameter=ROUNDS";
    return { ...params, diameter };
  },

  init(params, self, _saved, ctx) {
    const id = self.id!;
    const state: FloodMaxState = {
      id,
      params,
      best: null,
      parent: SELF,
      awaited: 0,
      children: [],
      news: false,
      status: "undecided",
      leader: null,
    };
    if (!self.initiator) return state;
    state.best = id;
    if (params.stop === "echo") flood(state, ctx);
    else {
      if (params.diameter! > 0) pass(state, ctx);
      decideAfter(params.diameter!, state, ctx);
    }
    return state;
  },

  receive(state, port, message, ctx) {
    if (message.kind === "leader") announce(state, message.id, ctx);
    else if (state.params.stop === "echo") hear(state, port, message, ctx);
    else if (state.best === null || message.id > state.best) {
      state.best = message.id;
      state.parent = port;
      state.news = true;
    }
  },

  endRound(state, round, ctx) {
    const left = state.params.diameter! - round;
    if (!state.news) return;
    state.news = false;
    if (left > 0) pass(state, ctx);
    decideAfter(left, state, ctx);
  },

  expire(state) {
    decide(state);
  },

  verdict: ringVerdict,

  bits: ({ id }) => 2 + bitLength(id),
};

function hear(state: FloodMaxState, port: Port, { kind, id }: FloodMaxMessage, ctx: Ctx): void {
  if (state.best === null || id > state.best) {
    state.best = id;
    state.parent = port;
    flood(state, ctx);
  } else if (id === state.best) {
    // From a neighbour that had it from elsewhere, or back from one that had it from here: either way it has been there.
    if (kind === "echo") state.children.push(port);
    state.awaited--;
    comeBack(state, ctx);
  }
}

/** The best id goes on, and is awaited through every link but the one it came from. */
function flood(state: FloodMaxState, ctx: Ctx): void {
  state.children = [];
  state.awaited = ctx.degree - (state.parent === SELF ? 0 : 1);
  pass(state, ctx);
  comeBack(state, ctx);
}

function pass(state: FloodMaxState, ctx: Ctx): void {
  for (const port of ctx.ports()) if (port !== state.parent) ctx.send(port, { kind: "wave", id: state.best! });
}

function comeBack(state: FloodMaxState, ctx: Ctx): void {
  if (state.awaited > 0) return;
  if (state.parent === SELF) announce(state, state.id, ctx);
  else ctx.send(state.parent, { kind: "echo", id: state.best! });
}

/** Over the tree that the winner's flood has left behind. */
function announce(state: FloodMaxState, leader: Id, ctx: Ctx): void {
  decide(state);
  for (const port of state.children) {
    ctx.measure("announcements", 1);
    ctx.send(port, { kind: "leader", id: leader });
  }
}

function decideAfter(rounds: number, state: FloodMaxState, ctx: Ctx): void {
  if (rounds > 0) ctx.arm("decide", rounds);
  else decide(state);
}

function decide(state: FloodMaxState): void {
  state.status = state.best === state.id ? "elected" : "not-elected";
  state.leader = state.best;
}
