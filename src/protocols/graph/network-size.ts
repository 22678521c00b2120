/**
 * How many are we? A walk takes random processes one after another, and counts how often it comes to one that it has taken
 * before: among n processes, the d that were taken make the next a repeat with probability d/n.
 *
 * M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski, "Randomized leader election", Distributed
 * Computing 19, 2007, section 6, asks for such an estimate, for walks that sample uniformly (Metropolis-Hastings), and for
 * the reuse of successive steps of one walk (Gkantsidis, Mihail, Saberi). The rule of when to stop and the estimate are ours.
 *
 * Model: any connected graph, asynchronous, ids, n unknown; tau, the steps after which a walk has forgotten where it was, is known
 * (a bound is enough). One process asks; several may, each for itself.
 * Estimate: the walk ends at the `repeats`-th repeat, and the sum over all samples of how many were taken before, divided by
 * `repeats`, is the estimate. With uniform samples its mean is n exactly, and its relative error at most 1/sqrt(repeats).
 * Cost: about sqrt(2 n repeats) samples of `gap` steps each; gap = tau is a fresh walk for every sample, gap = 1 takes every
 * step of one walk, which costs tau times less and sees repeats too often: the estimate is too low.
 * Faults: none are tolerated but pauses. With the token lost there is no estimate.
 */
import { type Context, type Id, type Port, type Protocol, SELF } from "../../protocol.ts";
import { bitLength } from "../bits.ts";

interface NetworkSizeParams {
  readonly repeats: number;
  readonly walk: "metropolis" | "simple";
  readonly tau: number | null;
  readonly gap: number | null;
  readonly lazy: "auto" | "false" | "true";
}

/** What a walk carries: whose it is, steps to its next sample, and what it has seen. */
export interface Walker {
  readonly origin: Id;
  readonly left: number;
  readonly distinct: number;
  readonly repeats: number;
  readonly exposure: number;
  readonly samples: number;
}

export type NetworkSizeMessage =
  /** A step, from a node of that degree; `back`: it was not accepted. */
  | { readonly kind: "step"; readonly walker: Walker; readonly degree: number }
  | { readonly kind: "back"; readonly walker: Walker }
  | { readonly kind: "estimate"; readonly origin: Id; readonly n: number };

export interface NetworkSizeState {
  readonly id: Id;
  readonly params: NetworkSizeParams;
  /** By origin: where its walk first came from, and whether this node is one of its samples. */
  home: Record<string, Port>;
  taken: Record<string, boolean>;
  asks: boolean;
  estimate: number | null;
}

type Ctx = Context<NetworkSizeMessage>;

export const networkSize: Protocol<NetworkSizeParams, NetworkSizeState, NetworkSizeMessage> = {
  name: "network-size",
  title: "How many are we: a random walk counts how often it meets a process again",
  citation: "after Ramanathan et al., Distributed Computing 19, 2007, section 6",
  cost: "about M sqrt(2 n repeats) messages, one after another (M: mixing time); relative error at most 1/sqrt(repeats)",
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
      name: "repeats",
      about: "ends at so many repeats; the relative error is at most 1/sqrt(repeats)",
      type: "integer",
      min: 1,
      default: 16,
    },
    {
      name: "walk",
      about:
        "metropolis: every process is as likely; simple: those with more links more, which makes the estimate too low",
      type: ["metropolis", "simple"],
      default: "metropolis",
    },
    {
      name: "tau",
      about: "steps before the first sample; by default the network's mixing time for a walk that ends anywhere alike",
      type: "integer",
      min: 1,
      default: null,
    },
    {
      name: "gap",
      about:
        "steps between samples: the mixing time (the default) is a fresh walk for each, 1 reuses every step of one walk",
      type: "integer",
      min: 1,
      default: null,
    },
    {
      name: "lazy",
      about: "whether the walk rests in every other step, on average; auto: where it must",
      type: ["auto", "false", "true"],
      default: "auto",
    },
  ],
  measures: { estimate: "max", samples: "sum" },
  initiators: 1,

  /** one: the process that asked has an answer. */
  judge: (_params, { elected, undecided }) => (elected > 0 && undecided === 0 ? "one" : "none"),

  adapt(params, network) {
    const rests = network.uniformWalk() === "lazy" || (params.walk === "simple" && network.bipartite());
    if (rests && params.lazy === "false") {
      return "the graph is bipartite, where a walk that never rests does not mix: use lazy=auto or lazy=true";
    }
    const tau = params.tau ?? network.uniformMixing();
    if (tau === null) return "the mixing time of this network cannot be computed: give it with tau=STEPS";
    const lazy = rests || params.lazy === "true" ? "true" : "false";
    return { ...params, lazy, tau: Math.max(1, tau), gap: params.gap ?? Math.max(1, tau) };
  },

  init(params, self, _saved, ctx) {
    const state: NetworkSizeState = {
      id: self.id!,
      params,
      home: {},
      taken: {},
      asks: self.initiator,
      estimate: null,
    };
    if (!self.initiator) return state;
    state.home[state.id] = SELF;
    const nothing = { distinct: 0, repeats: 0, exposure: 0, samples: 0 };
    walk(state, { origin: state.id, left: params.tau!, ...nothing }, ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    if (message.kind === "estimate") bringHome(state, message, ctx);
    else if (message.kind === "back") walk(state, message.walker, ctx);
    else {
      const { walker, degree } = message;
      state.home[walker.origin] ??= port;
      // Accepted with probability min(1, degree / own), in whole numbers.
      const accepts = state.params.walk === "simple" || ctx.degree <= degree || ctx.choose(ctx.degree) < degree;
      if (accepts) walk(state, walker, ctx);
      else ctx.send(port, { kind: "back", walker });
    }
  },

  verdict({ asks, estimate }) {
    const status = !asks ? "not-elected" : estimate === null ? "undecided" : "elected";
    return { status, leader: null, term: 0 };
  },

  report: ({ estimate }) => ({ estimate }),

  bits(message) {
    if (message.kind === "estimate") return 2 + 53 + bitLength(message.origin);
    const { origin, left, distinct, repeats, exposure } = message.walker;
    const carried = [origin, left, distinct, repeats, exposure].reduce((sum, value) => sum + bitLength(value), 0);
    return 2 + carried + (message.kind === "step" ? bitLength(message.degree) : 0);
  },
};

/** The walk is here: it rests, is counted where its next sample is due, and goes on. */
function walk(state: NetworkSizeState, arrived: Walker, ctx: Ctx): void {
  const { lazy, repeats, gap } = state.params;
  let walker = arrived;
  for (;;) {
    if (walker.left === 0) {
      walker = sample(state, walker, gap!);
      if (walker.repeats === repeats) {
        const { origin, exposure, samples } = walker;
        ctx.measure("samples", samples);
        bringHome(state, { kind: "estimate", origin, n: exposure / repeats }, ctx);
        return;
      }
    }
    walker = { ...walker, left: walker.left - 1 };
    if (ctx.degree > 0 && (lazy !== "true" || ctx.choose(2) === 1)) {
      ctx.send(ctx.choose(ctx.degree), { kind: "step", walker, degree: ctx.degree });
      return;
    }
  }
}

function sample(state: NetworkSizeState, walker: Walker, gap: number): Walker {
  const { origin, distinct, repeats, exposure, samples } = walker;
  const again = state.taken[origin] === true;
  state.taken[origin] = true;
  return {
    origin,
    left: gap,
    distinct: distinct + (again ? 0 : 1),
    repeats: repeats + (again ? 1 : 0),
    exposure: exposure + distinct,
    samples: samples + 1,
  };
}

/** A neighbour of the asking process tells it; others send the answer where the walk first came from, because that node had the walk before. */
function bringHome(state: NetworkSizeState, message: NetworkSizeMessage & { kind: "estimate" }, ctx: Ctx): void {
  if (message.origin === state.id) {
    state.estimate = message.n;
    ctx.measure("estimate", message.n);
  } else {
    const neighbour = ctx.ports().find((port) => ctx.peer(port) === message.origin);
    ctx.send(neighbour ?? state.home[message.origin], message);
  }
}
