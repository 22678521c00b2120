/**
 * A probabilistic quorum of a network whose size nobody knows: every contender first estimates n, by asking random processes
 * until it has met some of them again, then asks as many mediators as that estimate demands.
 *
 * After M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski, "Randomized leader election", Distributed
 * Computing 19, 2007, sections 4.2 and 6; the estimate is that of network-size.
 *
 * Model: complete graph, or random processes found by walks over any network; ids, n unknown; messages take at most tau and
 * keep their order on each channel. Contenders estimate apart, so each believes in an n of its own.
 * Cost: about 2 sqrt(2 n repeats) messages of each contender beyond those of a quorum, and 2 tau for each doubling of the samples.
 * Faults: those who do not answer are not counted, so the estimate is of the living; the quorum then needs all of its mediators.
 * An estimate that is too low makes quorums that miss each other, so several may lead: `estimate` is a factor of safety.
 */
import type { Context, Port, Protocol } from "../../protocol.ts";
import { SELF } from "../../protocol.ts";
import { believedSize, quorumSize } from "../../theory/ramanathan/sigma.ts";
import { requestMediators } from "./contender.ts";
import { loseContest, measures } from "./member.ts";
import { refuseTimed, timedParameters } from "./parameters.ts";
import {
  type SecondPhaseMessage,
  type SecondPhaseParams,
  type SecondPhaseTimer,
  secondPhaseBits,
  waitFor,
} from "./second-phase.ts";
import { hearSecondPhase, secondPhaseTimer, type TimedMember, timedMember, timedVerdict } from "./timed-member.ts";

interface QuorumEstimatedParams {
  readonly repeats: number;
  readonly estimate: number;
  readonly tau: number;
}

export type QuorumEstimatedMessage = SecondPhaseMessage | { readonly kind: "probe" | "here"; readonly batch: number };

/** What a contender knows of n so far. */
interface Survey {
  /** The processes asked in this batch, in the order in which they were drawn, and who has answered. */
  batch: number;
  asked: Port[];
  readonly answered: Set<Port>;
  readonly seen: Set<Port>;
  repeats: number;
  exposure: number;
}

export interface QuorumEstimatedState {
  readonly params: QuorumEstimatedParams;
  member: TimedMember;
  survey: Survey | null;
  /** The sizes that follow from the estimate, or would from a network of one: a mediator needs none of them. */
  quorum: SecondPhaseParams;
}

type Timer = SecondPhaseTimer | "survey";
type Ctx = Context<QuorumEstimatedMessage, Timer>;

/** The first batch of samples; each further one doubles them. */
const FIRST = 8;

export const quorumEstimated: Protocol<QuorumEstimatedParams, QuorumEstimatedState, QuorumEstimatedMessage, Timer> = {
  name: "quorum-estimated",
  title: "Probabilistic quorum without n: contenders first estimate how many there are",
  citation: "after Ramanathan et al., Distributed Computing 19, 2007, sections 4.2 and 6",
  cost: "about 2 sqrt(2 n repeats) messages of each contender beyond those of a quorum",
  assumes: {
    topology: "complete",
    identity: "ids",
    timing: "partial",
    start: "any",
    knows: [],
    fifo: true,
    multicast: false,
    tolerates: [],
  },
  parameters: [
    {
      name: "repeats",
      about: "a contender samples until so many repeats; the relative error of its n is at most 1/sqrt(repeats)",
      type: "integer",
      min: 1,
      default: 16,
    },
    {
      name: "estimate",
      about: "factor on the estimate: above 1 it makes up for estimates that are too low, at the cost of messages",
      type: "number",
      min: 1e-6,
      max: 1e6,
      default: 1,
    },
    timedParameters.find(({ name }) => name === "tau")!,
  ],
  measures: { ...measures, samples: "sum", believed: "sum" },
  rounds: "exchanges",

  refuse: refuseTimed,

  init(params, self, _saved, ctx) {
    const state: QuorumEstimatedState = {
      params,
      member: timedMember(self.id!, 1, 1),
      survey: null,
      quorum: quorumFor(1, params, 1),
    };
    if (!self.initiator) return state;
    state.member.standing = "contends";
    state.survey = { batch: 0, asked: [], answered: new Set(), seen: new Set(), repeats: 0, exposure: 0 };
    ask(state, state.survey, FIRST, ctx);
    return state;
  },

  receive(state, port, message, ctx) {
    if (!("batch" in message)) hearSecondPhase(state.member, port, message, state.quorum, ctx);
    else if (message.kind === "probe") ctx.send(port, { kind: "here", batch: message.batch });
    else if (state.survey?.batch === message.batch) state.survey.answered.add(port);
  },

  expire(state, timer, ctx) {
    if (timer !== "survey") secondPhaseTimer(state.member, timer, state.quorum, ctx);
    else if (state.survey !== null) count(state, state.survey, ctx);
  },

  verdict: (state) => timedVerdict(state.member),

  bits: (message) => ("batch" in message ? 8 : secondPhaseBits(message)),
};

function quorumFor(n: number, { tau }: QuorumEstimatedParams, most: number): SecondPhaseParams {
  const s = Math.min(most, quorumSize(n));
  return { estimate: 1, gamma: 0, s, ask: s, tau, reading: "repaired", spread: 0 };
}

/** Random processes, each drawn anew; a process that is drawn twice is asked twice. */
function ask(state: QuorumEstimatedState, survey: Survey, samples: number, ctx: Ctx): void {
  survey.batch++;
  survey.answered.clear();
  survey.asked = Array.from({ length: samples }, () => ctx.sample(1, SELF)[0]);
  for (const port of survey.asked) ctx.send(port, { kind: "probe", batch: survey.batch });
  ctx.measure("samples", samples);
  ctx.arm("survey", waitFor(2, { tau: state.params.tau, spread: 0 }));
}

/** In the order of drawing, so that who answers sooner does not count for more. */
function count(state: QuorumEstimatedState, survey: Survey, ctx: Ctx): void {
  const { repeats } = state.params;
  for (const port of survey.asked) {
    if (!survey.answered.has(port)) continue;
    survey.exposure += survey.seen.size;
    if (!survey.seen.has(port)) survey.seen.add(port);
    else if (++survey.repeats === repeats) {
      stand(state, survey.exposure / repeats, ctx);
      return;
    }
  }
  if (survey.answered.size > 0) ask(state, survey, FIRST * 2 ** (survey.batch - 1), ctx);
  else {
    state.survey = null;
    loseContest(state.member, "unanswered", ctx);
  }
}

function stand(state: QuorumEstimatedState, estimate: number, ctx: Ctx): void {
  const n = believedSize(estimate, state.params.estimate);
  state.survey = null;
  state.member = { ...state.member, n };
  state.quorum = quorumFor(n, state.params, ctx.degree + 1);
  ctx.measure("believed", n);
  requestMediators(state.member, 1, state.quorum, ctx);
}
