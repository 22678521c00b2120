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
import type { Port, Protocol } from "../../protocol.ts";
import {
  drawMediators,
  drawSigma,
  loseContest,
  measures,
  memberVerdict,
  reuseMediators,
  sigmaBefore,
} from "./member.ts";
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
  hearExchange,
  question,
  type StickyMediator,
  type SynchronousMember,
  synchronousMember,
} from "./quorum-sync.ts";

interface TournamentState extends SynchronousMember, StickyMediator {
  readonly params: FirstPhaseParams;
  /** The mediators of earlier rounds, where they are kept. */
  kept: readonly Port[];
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
    const member = synchronousMember(self.id!, self.n!, params.estimate);
    const state: TournamentState = { ...member, params, held: null, kept: [] };
    if (self.initiator) {
      state.standing = "contends";
      enter(state, 0, 1, ctx);
    }
    return state;
  },

  receive(state, port, message, ctx) {
    hearExchange(state, port, message, state.params.gamma, ctx);
  },

  /** The timer only makes sure that the round ends here too. */
  expire() {},

  endRound(state, step, ctx) {
    answerAll(state, ctx, asksNewOnly(state.params) ? state : null);
    const exchange = concluded(state, step);
    if (exchange === null) return;
    if (exchange.final) decideFinal(state, exchange, state.params.s, ctx);
    else decideRound(state, exchange, step, ctx);
  },

  verdict: (state) => memberVerdict(state, null),

  bits: exchangeBits,
};

const asksNewOnly = ({ mediators }: FirstPhaseParams) => mediators === "reuse" || mediators === "reuse-printed";

function enter(state: TournamentState, step: number, round: number, ctx: ExchangeContext): void {
  const { params, kept } = state;
  if (round > params.J) {
    claim(state, step, round, params, ctx);
    return;
  }
  const sizes = { ...params, n: state.n };
  const k = drawSigma(sizes, round, ctx);
  if (asksNewOnly(params)) {
    const before = params.mediators === "reuse" ? kept.length : sigmaBefore(sizes, round);
    const old = new Set(kept);
    state.kept = reuseMediators(kept.length + Math.max(0, k - before), kept, ctx);
    const fresh = state.kept.filter((port) => !old.has(port));
    question(state, step, round, fresh, null, ctx);
    return;
  }
  const mediators = params.mediators === "reuse-all" ? reuseMediators(k, kept, ctx) : drawMediators(k, ctx);
  if (params.mediators === "reuse-all") state.kept = mediators;
  question(state, step, round, mediators, null, ctx);
}

function decideRound(state: TournamentState, exchange: Exchange, step: number, ctx: ExchangeContext): void {
  const { round, mediators, yes, no } = exchange;
  if (no > 0) loseContest(state, "refused", ctx);
  else if (yes < mediators.length && state.params.failures === "all-yes") loseContest(state, "unanswered", ctx);
  else enter(state, step, round + 1, ctx);
}
