/**
 * Random walks instead of random referees: each candidate sends 2 sqrt(n ln n) walks of the network's mixing time, every
 * node lets only the highest rank it has seen go on, and a candidate leads when all its walks have survived.
 *
 * S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, "Sublinear bounds for randomized leader election",
 * Theoretical Computer Science 561, 2015 (ICDCN 2013), Algorithm 2.
 *
 * Model: any connected graph, synchronous, anonymous, n and the mixing time tau known, CONGEST. Walks that leave a node
 * through the same link in the same round are one message that carries their number; so are notifications.
 * Cost: O(tau sqrt(n) log^(3/2) n) messages and 2 tau rounds with high probability; error at most 1/n.
 *
 * Readings: `repaired` counts the walks that end at a node; `printed` counts 1 per node where any end and `printed-visited`
 * 1 per node visited, as line 11 can be read. The first then elects nobody, the second several.
 * Under loss or crash walks vanish and the printed rule elects nobody. With `threshold` below 1 a candidate leads that was
 * never overtaken at home and got back that share of its walks; where tau is large, losers lose nearly all of theirs.
 */
import { type Context, type Port, type Protocol, SELF } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type BelievedParams, believed, believedParameters, candidacy, paperSample } from "../complete/believed.ts";
import { compareLotRanks, drawLotRank, type LotRank, lotRankBits } from "../ranks.ts";

interface RandomWalksParams extends BelievedParams {
  readonly walks: number;
  readonly tau: number | null;
  readonly lazy: "auto" | "false" | "true";
  readonly reading: "repaired" | "printed" | "printed-visited";
  readonly explicit: boolean;
  readonly threshold: number;
}

export type RandomWalksMessage =
  | { readonly kind: "walk" | "win"; readonly rank: LotRank; readonly count: number }
  /** explicit=true: flooded from the leader. */
  | { readonly kind: "leader"; readonly rank: LotRank };

export interface RandomWalksState {
  readonly params: RandomWalksParams;
  readonly rank: LotRank | null;
  status: "undecided" | "elected" | "not-elected";
  /** The highest rank seen, and where its first walk came from: notifications go back there. */
  winner: LotRank | null;
  origin: Port;
  /** Walks of the winner that are here now: arrived in this round, or resting (lazy walks). */
  here: number;
  /** Notifications of this round, to be passed on. */
  passing: number;
  /** A candidate's notifications so far. */
  won: number;
  leader: LotRank | null;
  /** Ports through which this round brought the announcement, until it has been passed on. */
  heard: Port[];
  flooded: boolean;
  /** reading=printed-visited: a timer will wake this node in round tau. */
  scheduled: boolean;
}

type Timer = "step" | "notify" | "decide";
type Ctx = Context<RandomWalksMessage, Timer>;

export const randomWalks: Protocol<RandomWalksParams, RandomWalksState, RandomWalksMessage, Timer> = {
  name: "random-walks",
  title: "Random walks: candidates' walks meet, and the higher rank goes on",
  citation: "Kutten, Pandurangan, Peleg, Robinson, Trehan, TCS 561, 2015, Algorithm 2",
  cost: "O(M sqrt(n) log^1.5 n) messages, 2 M rounds (M: mixing time)",
  assumes: {
    topology: "connected",
    identity: "anonymous",
    timing: "synchronous",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    congest: true,
    tolerates: [],
  },
  parameters: [
    ...believedParameters,
    {
      name: "walks",
      about: "walks of each candidate, 2 ceil(sqrt(n ln n)) in the paper; with far fewer, candidates no longer meet",
      type: "integer",
      min: 1,
      default: (n, before) => paperSample(believed(n, Number(before.estimate))),
    },
    {
      name: "tau",
      about: "steps of each walk; by default the network's mixing time, definition (1) of the paper",
      type: "integer",
      min: 1,
      default: null,
    },
    {
      name: "lazy",
      about: "whether a walk rests in every other step, on average; auto: on bipartite graphs, where it must",
      type: ["auto", "false", "true"],
      default: "auto",
    },
    {
      name: "reading",
      about: "what a node reports to the winner: its surviving walks (repaired), or 1 if any end or passed there",
      type: ["repaired", "printed", "printed-visited"],
      default: "repaired",
    },
    { name: "explicit", about: "the leader is announced by flooding", type: "boolean", default: false },
    {
      name: "threshold",
      about:
        "share of its walks that must survive; below 1 it tolerates loss where the mixing time is large, and errs where not",
      type: "share",
      default: 1,
    },
  ],
  measures: { candidates: "sum", tau: "max", tokens: "sum", wins: "sum", announcements: "sum" },

  refuse(_params, n) {
    return n < 2 ? "needs at least 2 processes" : null;
  },

  adapt(params, network) {
    const bipartite = network.bipartite();
    if (bipartite && params.lazy === "false") {
      return "the graph is bipartite, where a walk that never rests does not mix: use lazy=auto or lazy=true";
    }
    const lazy = params.lazy === "true" || bipartite;
    const tau = params.tau ?? network.mixingTime(lazy);
    if (tau === null) return "the mixing time of this network cannot be computed: give it with tau=STEPS";
    return { ...params, lazy: lazy ? "true" : "false", tau: Math.max(1, tau) };
  },

  candidacy,

  init(params, self, _saved, ctx) {
    const tau = params.tau!;
    const rank = self.candidate ? drawLotRank(believed(self.n!, params.estimate), ctx) : null;
    const state: RandomWalksState = {
      params,
      rank,
      status: self.candidate ? "undecided" : "not-elected",
      winner: rank,
      origin: SELF,
      here: 0,
      passing: 0,
      won: 0,
      leader: null,
      heard: [],
      flooded: false,
      scheduled: false,
    };
    if (!self.candidate) return state;
    ctx.measure("candidates", 1);
    schedule(state, tau, ctx);
    ctx.arm("decide", 2 * tau);
    state.here = params.walks;
    walk(state, ctx);
    return state;
  },

  receive(state, port, message) {
    if (message.kind === "leader") {
      state.leader ??= message.rank;
      if (!state.flooded) state.heard.push(port);
    } else if (message.kind === "walk") {
      const order = state.winner === null ? 1 : compareLotRanks(message.rank, state.winner);
      if (order > 0) {
        state.winner = message.rank;
        state.origin = port;
        state.here = 0;
      }
      if (order >= 0) state.here += message.count;
    } else if (state.winner !== null && compareLotRanks(message.rank, state.winner) === 0) {
      if (state.origin === SELF) state.won += message.count;
      else state.passing += message.count;
    }
  },

  expire(state, timer, ctx) {
    if (timer === "decide") decide(state, ctx);
  },

  endRound(state, round, ctx) {
    const tau = state.params.tau!;
    if (round < tau) {
      walk(state, ctx);
      schedule(state, tau - round, ctx);
    } else if (round === tau) report(state, ctx);
    else if (state.passing > 0) {
      notify(state, state.passing, ctx);
      state.passing = 0;
    }
    if (state.heard.length > 0) flood(state, ctx);
  },

  verdict(state) {
    return { status: state.status, leader: null, term: 0 };
  },

  /** A property of the network: also where nobody became a candidate. */
  summarise({ tau }) {
    return { tau: tau! };
  },

  bits(message) {
    return 2 + lotRankBits(message.rank) + (message.kind === "leader" ? 0 : bitLength(message.count));
  },
};

/** One step of every walk that is here; those that rest stay until the next round. */
function walk(state: RandomWalksState, ctx: Ctx): void {
  if (state.here === 0) return;
  const { resting, leaving } = spreadWalks(state.here, state.params.lazy === "true", ctx);
  const rank = state.winner!;
  for (const [port, count] of leaving) ctx.send(port, { kind: "walk", rank, count });
  ctx.measure("tokens", leaving.size);
  state.here = resting;
  if (resting > 0) ctx.arm("step", 1);
}

/** A visited node must act in round tau, whether or not anything reaches it then. */
function schedule(state: RandomWalksState, rounds: number, ctx: Ctx): void {
  if (state.scheduled || state.params.reading !== "printed-visited") return;
  state.scheduled = true;
  ctx.arm("notify", rounds);
}

/** The walks are over: tells the winner what this node has to say. */
function report(state: RandomWalksState, ctx: Ctx): void {
  const { here } = state;
  const { reading } = state.params;
  state.here = 0;
  if (reading === "printed-visited") notify(state, 1, ctx);
  else if (here > 0) notify(state, reading === "printed" ? 1 : here, ctx);
}

function notify(state: RandomWalksState, count: number, ctx: Ctx): void {
  if (state.origin === SELF) state.won += count;
  else {
    ctx.measure("wins", 1);
    ctx.send(state.origin, { kind: "win", rank: state.winner!, count });
  }
}

function decide(state: RandomWalksState, ctx: Ctx): void {
  const { params, rank, winner, won } = state;
  const leads = compareLotRanks(winner!, rank!) === 0 && won >= Math.ceil(params.threshold * params.walks);
  state.status = leads ? "elected" : "not-elected";
  if (!leads || !params.explicit) return;
  state.leader = rank;
  flood(state, ctx);
}

/** Passes the first announcement on, through every link but those that brought it. */
function flood(state: RandomWalksState, ctx: Ctx): void {
  const from = new Set(state.heard);
  state.heard = [];
  state.flooded = true;
  for (let port = 0; port < ctx.degree; port++) {
    if (from.has(port)) continue;
    ctx.measure("announcements", 1);
    ctx.send(port, { kind: "leader", rank: state.leader! });
  }
}

interface Step {
  /** Walks that stay (lazy walks: each with probability 1/2). */
  readonly resting: number;
  /** How many leave through each port. */
  readonly leaving: ReadonlyMap<Port, number>;
}

/** Each walk chooses for itself; only the numbers travel, because a link carries one message per round. */
export function spreadWalks(walks: number, lazy: boolean, ctx: Pick<Context<never>, "choose" | "degree">): Step {
  const leaving = new Map<Port, number>();
  let resting = 0;
  const { degree } = ctx;
  for (let i = 0; i < walks; i++) {
    if (lazy && ctx.choose(2) === 0) resting++;
    else {
      const port = ctx.choose(degree);
      leaving.set(port, (leaving.get(port) ?? 0) + 1);
    }
  }
  return { resting, leaving };
}
