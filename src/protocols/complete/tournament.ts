/**
 * Ramanathan et al., synchronous: J rounds in which a contender goes on if it alone has reached each of its sigma_j random
 * mediators, then one probabilistic quorum in which the largest random rank wins.
 *
 * M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski, "Randomized leader election", Distributed
 * Computing 19, 2007, section 3; failures: section 5.
 *
 * Model: complete graph, synchronous, ids, n known. A process can be contender and mediator at once and may ask itself.
 * Cost: O(n) messages and J+1 exchanges of a request and its answer; a unique leader with high probability.
 * Faults: a missing answer ends a contender's first phase (failures=all-yes) or is overlooked (no-refusal); the second
 * phase can ask more mediators than it needs (ask). A run may end without a leader, with two only if quorums miss each other.
 */
import type { Protocol } from "../../protocol.ts";
import { drawMediators, drawSigma, lose, measures, reuseMediators, verdictOf } from "./member.ts";
import {
  type FirstPhaseParams,
  firstPhaseParameters,
  quorumParameters,
  refuseFirstPhase,
  refuseQuorum,
} from "./parameters.ts";
import {
  answerAll,
  claim,
  concluded,
  decideFinal,
  type Exchange,
  type ExchangeContext,
  type ExchangeMessage,
  exchangeBits,
  hear,
  question,
  type SynchronousMember,
  synchronousMember,
} from "./quorum-sync.ts";

export interface TournamentState extends SynchronousMember {
  readonly params: FirstPhaseParams;
}

export const tournament: Protocol<FirstPhaseParams, TournamentState, ExchangeMessage, "answers"> = {
  name: "tournament",
  title: "Tournament: random mediators halve the contenders, a probabilistic quorum decides",
  citation: "Ramanathan, Ferreira, Jagannathan, Grama and Szpankowski, Distributed Computing 19, 2007",
  cost: "O(n) messages, O(log n) exchanges, unique leader with high probability",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "synchronous",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: ["crash"],
  },
  parameters: [...quorumParameters, ...firstPhaseParameters],
  measures,
  rounds: "exchanges",

  refuse: (params, n) => refuseQuorum(params, n) ?? refuseFirstPhase(params, n),

  init(params, self, _saved, ctx) {
    const state = { ...synchronousMember(self.id!, self.n!, params.estimate), params };
    if (self.initiator) {
      state.standing = "contends";
      enter(state, 0, 1, [], ctx);
    }
    return state;
  },

  receive(state, port, message, ctx) {
    hear(state, port, message, state.params.gamma, ctx);
  },

  /** The timer only makes sure that the round ends here too. */
  expire() {},

  endRound(state, step, ctx) {
    answerAll(state, ctx);
    const exchange = concluded(state, step);
    if (exchange === null) return;
    if (exchange.final) decideFinal(state, exchange, state.params.s, ctx);
    else decideRound(state, exchange, step, ctx);
  },

  verdict: (state) => verdictOf(state, null),

  bits: exchangeBits,
};

function enter(state: TournamentState, step: number, round: number, old: Exchange["mediators"], ctx: ExchangeContext) {
  const { params } = state;
  if (round > params.J) {
    claim(state, step, round, params, ctx);
    return;
  }
  const k = drawSigma({ ...params, n: state.n }, round, ctx);
  const mediators = params.mediators === "reuse" ? reuseMediators(k, old, ctx) : drawMediators(k, ctx);
  question(state, step, round, mediators, null, ctx);
}

function decideRound(state: TournamentState, exchange: Exchange, step: number, ctx: ExchangeContext): void {
  const { round, mediators, yes, no } = exchange;
  if (no > 0) lose(state, "refused", ctx);
  else if (yes < mediators.length && state.params.failures === "all-yes") lose(state, "unanswered", ctx);
  else enter(state, step, round + 1, mediators, ctx);
}
