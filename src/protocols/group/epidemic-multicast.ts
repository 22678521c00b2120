/**
 * An epidemic multicast: the sender disseminates its message unreliably, then everybody who holds it offers it to a few
 * random others, round after round; who lacks it asks for it and gets it.
 *
 * K. P. Birman, M. Hayden, O. Ozkasap, Z. Xiao, M. Budiu, Y. Minsky, "Bimodal multicast", ACM TOCS 17(2), 1999, reduced to
 * one message; it is what Gupta et al. (2000) assume beneath their election.
 *
 * Model: complete network with an unreliable multicast, messages in time within tau.
 * Cost: one multicast; in each of the rounds at most n times fanout offers, and two messages for each member that lacked it.
 *
 * The verdict of a member names the sender if it holds the message. A round takes three message steps; a member that gets
 * the message in one round offers it in the next. Under loss and crash the rounds go on as if nothing had happened, and
 * the share of members that the message has reached is what is measured (src/theory/gupta/epidemic.ts predicts it).
 */
import type { Context, Id, Protocol } from "../../protocol.ts";
import { bitLength } from "../bits.ts";

interface EpidemicParams {
  readonly fanout: number;
  readonly rounds: number;
  readonly tau: number;
}

export type EpidemicMessage =
  /** The message itself, from the sender (round 0) or in answer to a request of a round. */
  | { readonly kind: "data"; readonly origin: Id; readonly round: number }
  | { readonly kind: "offer"; readonly round: number }
  | { readonly kind: "request"; readonly round: number };

export interface EpidemicState {
  readonly id: Id;
  readonly params: EpidemicParams;
  /** Whose message this member holds. */
  origin: Id | null;
  /** The gossip round that comes next. */
  round: number;
}

type Ctx = Context<EpidemicMessage, "gossip">;

/** Offer, request, data. */
const STEPS = 3;

export const epidemicMulticast: Protocol<EpidemicParams, EpidemicState, EpidemicMessage, "gossip"> = {
  name: "epidemic-multicast",
  title: "Bimodal multicast: unreliable dissemination, then anti-entropy gossip",
  citation: "Birman et al., ACM TOCS 17(2), 1999; Gupta et al., DISC 2000, section 2.1",
  cost: "one multicast, then at most n·fanout offers in a round and two messages per member that lacked it",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "partial",
    start: "any",
    knows: [],
    fifo: false,
    multicast: true,
    tolerates: ["loss", "crash"],
  },
  parameters: [
    {
      name: "fanout",
      about: "members that a holder offers the message to in a round",
      type: "integer",
      min: 1,
      default: 1,
    },
    { name: "rounds", about: "rounds of gossip", type: "integer", min: 0, default: (n) => 2 * bitLength(n) },
    {
      name: "tau",
      about: "longest delay of a message in time; default: the longest delay of the network",
      type: "number",
      default: (_n, _before, { maxDelay }) => maxDelay,
    },
  ],
  measures: { multicasts: "sum", offers: "sum", requests: "sum", retransmissions: "sum" },
  initiators: 1,

  /** one: the message has reached every live member. */
  judge: (_params, { alive, undecided }) => (undecided === 0 && alive > 0 ? "one" : "none"),

  /** Of the live members other than the sender, the share that holds the message. */
  summarise: (_params, { alive, elected, notElected }) => ({
    delivered: alive > elected ? notElected / (alive - elected) : 1,
  }),

  refuse({ tau }) {
    if (tau === null) return "delays have no bound here, so say after what time a message counts as lost: tau=10";
    return tau > 0 ? null : `tau must be above 0, not ${tau}: it is the longest delay of a message`;
  },

  init(params, self, _saved, ctx) {
    const state: EpidemicState = { id: self.id!, params, origin: null, round: 1 };
    if (self.initiator) {
      state.origin = state.id;
      ctx.measure("multicasts", 1);
      ctx.multicast({ kind: "data", origin: state.id, round: 0 });
      if (params.rounds > 0) ctx.arm("gossip", params.tau);
    }
    return state;
  },

  receive(state, port, message, ctx) {
    const { round } = message;
    if (message.kind === "data") {
      if (state.origin !== null) return;
      state.origin = message.origin;
      state.round = round + 1;
      gossip(state, ctx);
    } else if (message.kind === "offer") {
      if (state.origin !== null) return;
      ctx.measure("requests", 1);
      ctx.send(port, { kind: "request", round });
    } else {
      ctx.measure("retransmissions", 1);
      ctx.send(port, { kind: "data", origin: state.origin!, round });
    }
  },

  expire(state, _timer, ctx) {
    gossip(state, ctx);
  },

  verdict({ origin, id }) {
    const status = origin === null ? "undecided" : origin === id ? "elected" : "not-elected";
    return { status, leader: origin, term: 0 };
  },

  bits: (message) => 2 + bitLength(message.round) + (message.kind === "data" ? bitLength(message.origin) : 0),
};

function gossip(state: EpidemicState, ctx: Ctx): void {
  const { round, params } = state;
  if (round > params.rounds) return;
  const offer: EpidemicMessage = { kind: "offer", round };
  const targets = ctx.sample(Math.min(params.fanout, ctx.degree));
  for (const port of targets) ctx.send(port, offer);
  ctx.measure("offers", targets.length);
  state.round++;
  if (state.round <= params.rounds) ctx.arm("gossip", STEPS * params.tau);
}
