/**
 * Gupta, van Renesse and Birman: a multicast starts a round, a hash admits about K members as relays, the relays agree by
 * unicasts on the best leader they know of and multicast it, and a member that sees none or several starts another round.
 *
 * I. Gupta, R. van Renesse, K. P. Birman, "A probabilistically correct leader election protocol for large groups",
 * DISC 2000.
 *
 * Model: complete network with ids and an unreliable multicast, messages in time within tau or lost, N approximately
 * known, partial views, processes that fail with a probability per round.
 * Cost: per round O(K^3) unicasts and O(K) multicasts, whatever N is.
 *
 * What is printed cannot all work; the repairs are:
 * - One common N in the filter. With view sizes (reading=printed), K/view relays are admitted.
 * - Equal choices do not answer each other. As printed they do, until the time-out.
 * - Any member that sees none or several leaders re-initiates (section 3.1). Fig. 3 lets only those do it whom a hash
 *   admits (reinitiate=filtered), so the one member that noticed is nearly always silent.
 * - Re-initiations are drawn into slots, and name the slots left: all members begin the next round together, however
 *   many re-initiations there were.
 * - A member waits for final choices one delivery longer than Time_Out_3, since members begin up to one delivery apart.
 *
 * Under loss and crash: that is what the rounds are for. A leader's crash is not noticed in the round.
 */
import type { Census, Outcome, Port, Protocol } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { type FilterRelayParams, filterRelayParameters, refuseFilterRelay } from "./filter-relay-parameters.ts";
import {
  type Begin,
  beginRound,
  declare,
  detect,
  type FilterRelayMessage,
  type FilterRelayState,
  type FilterRelayTimer,
  hearFinal,
  hearInitiation,
  hearPreference,
  jumpTo,
  newMember,
  type RoundContext,
  reinitiate,
  sendFinal,
  start,
} from "./filter-relay-round.ts";

/** What a member does on a message and on a timer; a kernel that knows who relays begins rounds in its own way. */
export const handlersFor = (begin: Begin) => ({
  receive(state: FilterRelayState, port: Port, message: FilterRelayMessage, ctx: RoundContext): void {
    if (message.kind === "initiate") {
      hearInitiation(state, message, ctx, begin);
      return;
    }
    const { round, leader } = message;
    if (round < state.round) return;
    if (message.kind === "final") {
      if (round > state.round) jumpTo(state, round, message.from, 0, ctx);
      hearFinal(state, message.from, leader, ctx);
    } else if (round > state.round) jumpTo(state, round, ctx.peer(port)!, message.step, ctx);
    else hearPreference(state, port, leader, message.step, ctx);
  },

  expire(state: FilterRelayState, timer: FilterRelayTimer, ctx: RoundContext): void {
    if (timer === "reinitiate") reinitiate(state, ctx);
    else if (state.phase === "waiting") begin(state, ctx);
    else if (state.phase === "relaying") sendFinal(state, ctx);
    else if (state.phase === "deciding") declare(state);
    else detect(state, ctx);
  },
});

export const filterRelay: Protocol<FilterRelayParams, FilterRelayState, FilterRelayMessage, FilterRelayTimer> = {
  name: "filter-relay",
  title: "Gupta et al.: about K relays, chosen by a hash, agree and tell the group",
  citation: "Gupta, van Renesse and Birman, DISC 2000",
  cost: "O(K³) unicasts and O(K) multicasts in a round, whatever N is",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "partial",
    start: "common",
    knows: ["n", "election"],
    fifo: false,
    multicast: true,
    tolerates: ["loss", "crash"],
  },
  parameters: filterRelayParameters,
  measures: { rounds: "max", unicasts: "sum", multicasts: "sum", relays: "sum" },
  rounds: "reported",
  crash: "round",
  initiators: 1,

  judge: (_params, census) => outcome(census),

  summarise: (_params, census) => ({ strong: strong(census) ? 1 : 0, weak: weak(census) }),

  refuse: refuseFilterRelay,

  init(params, self, _saved, ctx) {
    const state = newMember(params, self.id!, self.n!, self.election!);
    start(state, self.initiator, ctx);
    return state;
  },

  ...handlersFor(beginRound),

  verdict({ leader, id }) {
    const status = leader === null ? "undecided" : leader === id ? "elected" : "not-elected";
    return { status, leader, term: 0 };
  },

  bits(message) {
    const head = 2 + bitLength(message.round);
    if (message.kind === "initiate") return head + bitLength(message.from) + bitLength(message.wait);
    return head + bitLength(message.leader) + bitLength(message.kind === "final" ? message.from : message.step);
  },
};

/** Exactly one live process considers itself the leader, and every live process knows it. */
export function strong({ leaders, beliefs, alive }: Census): boolean {
  return leaders.length === 1 && beliefs.get(leaders[0]) === alive;
}

/** The share of the live processes that hold the most common leader; a process that knows none counts against it. */
export function weak({ beliefs, alive }: Census): number {
  let most = 0;
  for (const [leader, believers] of beliefs) if (leader !== null && believers > most) most = believers;
  return alive === 0 ? 0 : most / alive;
}

/** one: strong success. many: live processes follow different leaders. none: anything else. */
export function outcome(census: Census): Outcome {
  if (strong(census)) return "one";
  return census.beliefs.size - (census.beliefs.has(null) ? 1 : 0) > 1 ? "many" : "none";
}
