/**
 * The probabilistic quorum alone, the baseline PQ of Ramanathan et al.: every contender asks s random mediators, and the
 * largest random rank wins. Asynchronous (the second phase of tournament-async) or synchronous (that of tournament).
 *
 * D. Malkhi, M. Reiter, A. Wool, R. Wright, "Probabilistic quorum systems", Information and Computation 170, 2001, as used in
 * Ramanathan et al., "Randomized leader election", Distributed Computing 19, 2007, sections 4.2 and 7.
 *
 * Model: complete graph, ids, n known; timing=async: messages take at most tau and keep their order on each channel.
 * Cost: O(n sqrt(n ln n)) messages when all contend; one exchange (sync) or at most 10 tau (async).
 * Faults: asks more than the s mediators that have to agree (ask); a contender with fewer than s positive answers gives up.
 */
import type { Context, Protocol } from "../../protocol.ts";
import { startWithin } from "../ring/common.ts";
import { requestMediators } from "./contender.ts";
import { measures, memberVerdict } from "./member.ts";
import {
  type QuorumParams,
  quorumParameters,
  refuseQuorum,
  refuseTimed,
  type TimedParams,
  timedParameters,
} from "./parameters.ts";
import {
  answerAll,
  claim,
  concluded,
  decideFinal,
  type ExchangeMessage,
  exchangeBits,
  hearExchange,
  type SynchronousMember,
  synchronousMember,
} from "./quorum-sync.ts";
import { type SecondPhaseMessage, type SecondPhaseTimer, secondPhaseBits } from "./second-phase.ts";
import { hearSecondPhase, secondPhaseTimer, type TimedMember, timedMember, timedVerdict } from "./timed-member.ts";

export interface QuorumProtocolParams extends QuorumParams, TimedParams {
  readonly timing: "async" | "sync";
}

export type QuorumMessage = ExchangeMessage | SecondPhaseMessage;

export type QuorumState = { readonly params: QuorumProtocolParams } & (
  | { readonly timing: "sync"; readonly member: SynchronousMember }
  | { readonly timing: "async"; readonly member: TimedMember }
);

type Timer = SecondPhaseTimer | "start";

export const quorum: Protocol<QuorumProtocolParams, QuorumState, QuorumMessage, Timer> = {
  name: "quorum",
  title: "Probabilistic quorum: the largest rank among intersecting sets of mediators",
  citation: "Malkhi, Reiter, Wool and Wright, 2001; Ramanathan et al., Distributed Computing 19, 2007",
  cost: "O(n sqrt(n ln n)) messages, one exchange, unique leader with high probability",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "partial",
    start: "any",
    knows: ["n"],
    fifo: true,
    multicast: false,
    tolerates: ["crash"],
  },
  parameters: [
    {
      name: "timing",
      about: "async: contenders and mediators with timers, as in section 7; sync: one exchange",
      type: ["async", "sync"],
      default: "async",
    },
    ...quorumParameters,
    ...timedParameters,
  ],
  measures,
  rounds: "exchanges",

  timing: ({ timing }) => (timing === "sync" ? "synchronous" : "partial"),

  refuse: (params, n) => refuseQuorum(params, n) ?? refuseTimed(params),

  init(params, self, _saved, ctx) {
    const { timing } = params;
    if (timing === "sync") {
      const member = synchronousMember(self.id!, self.n!, params.estimate);
      if (self.initiator) {
        member.standing = "contends";
        claim(member, 0, 1, params, ctx);
      }
      return { params, timing, member };
    }
    const member = timedMember(self.id!, self.n!, params.estimate);
    if (self.initiator) {
      member.standing = "contends";
      startWithin(params.spread * params.tau, () => requestMediators(member, 1, params, ctx), ctx);
    }
    return { params, timing, member };
  },

  receive(state, port, message, ctx: Context<QuorumMessage, Timer>) {
    if (state.timing === "sync") hearExchange(state.member, port, message as ExchangeMessage, state.params.gamma, ctx);
    else hearSecondPhase(state.member, port, message as SecondPhaseMessage, state.params, ctx);
  },

  expire(state, timer, ctx) {
    // Synchronous contenders decide at the end of the round, which the timer brings about.
    if (state.timing === "sync") return;
    if (timer === "start") requestMediators(state.member, 1, state.params, ctx);
    else secondPhaseTimer(state.member, timer, state.params, ctx);
  },

  endRound(state, step, ctx) {
    if (state.timing === "async") return;
    answerAll(state.member, ctx);
    const exchange = concluded(state.member, step);
    if (exchange !== null) decideFinal(state.member, exchange, state.params.s, ctx);
  },

  verdict: (state) => (state.timing === "sync" ? memberVerdict(state.member, null) : timedVerdict(state.member)),

  bits: (message) => ("round" in message ? exchangeBits(message) : secondPhaseBits(message)),
};
