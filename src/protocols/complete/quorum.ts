/**
 * The probabilistic quorum alone, the baseline PQ of Ramanathan et al.: every contender asks s random mediators, and the
 * largest random rank wins. Asynchronous (the second phase of tournament-async) or synchronous (that of tournament).
 *
 * D. Malkhi, M. Reiter, A. Wool, R. Wright, "Probabilistic quorum systems", Information and Computation 170, 2001, as used in
 * Ramanathan et al., "Randomized leader election", Distributed Computing 19, 2007, sections 4.2 and 7.
 *
 * Model: complete graph, ids, n known; timing=async: messages take at most tau and keep their order on each channel.
 * Cost: O(n sqrt(n ln n)) messages when all contend; one exchange (sync) or at most 10 tau (async).
 * Faults: asks more than s mediators when gamma > 0; a contender with fewer than s positive answers gives up.
 */
import type { Context, Protocol } from "../../protocol.ts";
import { startWithin } from "../ring/common.ts";
import { request } from "./contender.ts";
import {
  type QuorumParams,
  quorumParameters,
  refuseQuorum,
  refuseTimed,
  type TimedParams,
  timedParameters,
} from "./parameters.ts";
import { measures, verdictOf } from "./process.ts";
import {
  answerAll,
  claim,
  concluded,
  decideFinal,
  type ExchangeMessage,
  exchangeBits,
  hear,
  type SynchronousProcess,
  synchronousProcess,
} from "./quorum-sync.ts";
import { type SecondPhaseMessage, type SecondPhaseTimer, secondPhaseBits } from "./second-phase.ts";
import { hearSecondPhase, secondPhaseTimer, type TimedProcess, timedProcess, timedVerdict } from "./timed-process.ts";

export interface QuorumProtocolParams extends QuorumParams, TimedParams {
  readonly timing: "async" | "sync";
}

export type QuorumMessage = ExchangeMessage | SecondPhaseMessage;

export type QuorumState = { readonly params: QuorumProtocolParams } & (
  | { readonly timing: "sync"; readonly process: SynchronousProcess }
  | { readonly timing: "async"; readonly process: TimedProcess }
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
      const process = synchronousProcess(self.id!, self.n!, params.estimate);
      if (self.initiator) {
        process.standing = "contends";
        claim(process, 0, 1, params, ctx);
      }
      return { params, timing, process };
    }
    const process = timedProcess(self.id!, self.n!, params.estimate);
    if (self.initiator) {
      process.standing = "contends";
      startWithin(params.spread * params.tau, () => request(process, 1, params, ctx), ctx);
    }
    return { params, timing, process };
  },

  receive(state, port, message, ctx: Context<QuorumMessage, Timer>) {
    if (state.timing === "sync") hear(state.process, port, message as ExchangeMessage, state.params.gamma, ctx);
    else hearSecondPhase(state.process, port, message as SecondPhaseMessage, state.params, ctx);
  },

  expire(state, timer, ctx) {
    // Synchronous contenders decide at the end of the round, which the timer brings about.
    if (state.timing === "sync") return;
    if (timer === "start") request(state.process, 1, state.params, ctx);
    else secondPhaseTimer(state.process, timer, state.params, ctx);
  },

  endRound(state, step, ctx) {
    if (state.timing === "async") return;
    answerAll(state.process, ctx);
    const exchange = concluded(state.process, step);
    if (exchange !== null) decideFinal(state.process, exchange, state.params.s, ctx);
  },

  verdict: (state) => (state.timing === "sync" ? verdictOf(state.process, null) : timedVerdict(state.process)),

  bits: (message) => ("round" in message ? exchangeBits(message) : secondPhaseBits(message)),
};
