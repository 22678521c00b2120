/**
 * Ramanathan et al., asynchronous: a mediator says yes to the first request of each round; the survivors of J rounds then
 * meet in a probabilistic quorum whose mediators can change their minds, which needs a bound tau on delays.
 *
 * M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski, "Randomized leader election", Distributed
 * Computing 19, 2007, section 4; failures: section 5.
 *
 * Model: complete graph, ids, n known; first phase asynchronous, second phase partially synchronous: messages take at
 * most tau. Channels keep the order of messages, so a DEC never overtakes its REQ.
 * Cost: O(n) messages, J rounds of 2 tau and at most 10 tau for the second phase (7 tau as printed).
 * Faults: what is later than tau counts as lost. A missing answer ends a contender's first phase (failures=all-yes) or is
 * overlooked (no-refusal); the second phase can ask more mediators than it needs (ask), and then forgets silent holders.
 */
import type { Context, Port, Protocol } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import { startWithin } from "../ring/common.ts";
import { requestMediators } from "./contender.ts";
import { drawMediators, drawSigma, loseContest, measures, mediates, reuseMediators } from "./member.ts";
import {
  type FirstPhaseParams,
  firstPhaseParameters,
  quorumParameters,
  refuseFirstPhase,
  refuseQuorum,
  refuseTimed,
  type TimedParams,
  timedParameters,
} from "./parameters.ts";
import { type SecondPhaseMessage, type SecondPhaseTimer, secondPhaseBits, waitFor } from "./second-phase.ts";
import { hearSecondPhase, secondPhaseTimer, type TimedMember, timedMember, timedVerdict } from "./timed-member.ts";

export interface TournamentAsyncParams extends FirstPhaseParams, TimedParams {
  readonly mediator: "first" | "eager";
}

export type TournamentAsyncMessage =
  | { readonly kind: "ask" | "yes" | "no"; readonly round: number }
  | SecondPhaseMessage;

export interface TournamentAsyncState extends TimedMember {
  readonly params: TournamentAsyncParams;
  /** As a contender of the first phase: its round, its mediators and how many answers are missing. */
  run: { readonly round: number; readonly mediators: readonly Port[]; missing: number } | null;
  /** As a mediator: the vector V of Fig. 2, who was first in each round. One election per state, so V needs no other key. */
  winners: (Port | null)[] | null;
}

type Timer = SecondPhaseTimer | "start";
type Ctx = Context<TournamentAsyncMessage, Timer>;

export const tournamentAsync: Protocol<TournamentAsyncParams, TournamentAsyncState, TournamentAsyncMessage, Timer> = {
  name: "tournament-async",
  title: "Asynchronous tournament: the first request wins a mediator, a timed quorum decides",
  citation: "Ramanathan, Ferreira, Jagannathan, Grama and Szpankowski, Distributed Computing 19, 2007",
  cost: "O(n) messages, O(tau log n) time, unique leader with high probability",
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
    ...quorumParameters,
    ...firstPhaseParameters,
    {
      name: "mediator",
      about: "first phase: first request of each round wins; eager also refuses rounds below the highest one seen",
      type: ["first", "eager"],
      default: "first",
    },
    ...timedParameters,
  ],
  measures,

  refuse: (params, n) => refuseQuorum(params, n) ?? refuseFirstPhase(params, n) ?? refuseTimed(params),

  init(params, self, _saved, ctx) {
    const state = { ...timedMember(self.id!, self.n!, params.estimate), params, run: null, winners: null };
    if (self.initiator) {
      state.standing = "contends";
      startWithin(params.spread * params.tau, () => enter(state, 1, [], ctx), ctx);
    }
    return state;
  },

  receive(state, port, message, ctx) {
    switch (message.kind) {
      case "ask":
        if (mediates(state, state.params.gamma, ctx)) mediate(state, port, message.round, ctx);
        break;
      case "yes":
      case "no":
        hearAnswer(state, message.kind, message.round, ctx);
        break;
      default:
        hearSecondPhase(state, port, message, state.params, ctx);
    }
  },

  expire(state, timer, ctx) {
    if (timer === "start") enter(state, 1, [], ctx);
    else if (timer === "answers" && state.run !== null) overdue(state, ctx);
    else secondPhaseTimer(state, timer, state.params, ctx);
  },

  verdict: timedVerdict,

  bits(message) {
    return "round" in message ? 3 + bitLength(message.round) : secondPhaseBits(message);
  },
};

function enter(state: TournamentAsyncState, round: number, old: readonly Port[], ctx: Ctx): void {
  const { params } = state;
  state.run = null;
  if (round > params.J) {
    requestMediators(state, round, params, ctx);
    return;
  }
  const k = drawSigma({ ...params, n: state.n }, round, ctx);
  const mediators = params.mediators === "reuse" ? reuseMediators(k, old, ctx) : drawMediators(k, ctx);
  state.run = { round, mediators, missing: mediators.length };
  ctx.series("contenders", round, 1);
  const message = { kind: "ask", round } as const;
  for (const port of mediators) ctx.send(port, message);
  ctx.measure("firstPhase", mediators.length);
  ctx.arm("answers", waitFor(2, params));
}

function mediate(state: TournamentAsyncState, port: Port, round: number, ctx: Ctx): void {
  state.winners ??= [];
  const { winners, params } = state;
  const free = params.mediator === "eager" ? winners.length < round : (winners[round - 1] ?? null) === null;
  if (free) {
    while (winners.length < round) winners.push(null);
    winners[round - 1] = port;
  }
  ctx.send(port, { kind: free ? "yes" : "no", round });
  ctx.measure("firstPhase", 1);
}

function hearAnswer(state: TournamentAsyncState, kind: "yes" | "no", round: number, ctx: Ctx): void {
  const { run } = state;
  if (run?.round !== round) return;
  if (kind === "no") drop(state, "refused", ctx);
  else if (--run.missing === 0) enter(state, round + 1, run.mediators, ctx);
}

function overdue(state: TournamentAsyncState, ctx: Ctx): void {
  const { round, mediators, missing } = state.run!;
  // A contender that the coin lets ask nobody waits for the end of its round and goes on.
  if (missing > 0 && state.params.failures === "all-yes") drop(state, "unanswered", ctx);
  else enter(state, round + 1, mediators, ctx);
}

function drop(state: TournamentAsyncState, why: "refused" | "unanswered", ctx: Ctx): void {
  state.run = null;
  ctx.disarm("answers");
  loseContest(state, why, ctx);
}
