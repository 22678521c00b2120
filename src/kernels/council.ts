/**
 * The lumped kernel of the one-shot council elections: an exchange costs a few binomial draws instead of a message to
 * each of n hosts. Raz et al. average 10,000 runs at n = 100,000; this makes that a matter of a second.
 */
import type { Result } from "../host/setup.ts";
import type { AnyProtocol } from "../protocol.ts";
import { basicRules, councilBasic } from "../protocols/council/basic.ts";
import { type ChoiceParams, choiceRules, councilChoice } from "../protocols/council/choice.ts";
import type { Rules, Tally } from "../protocols/council/council.ts";
import { type Feedback, replyChance } from "../protocols/council/feedback.ts";
import { councilHistory, historyRules } from "../protocols/council/history.ts";
import { councilMasks, masksRules } from "../protocols/council/masks.ts";
import { councilNaive, naiveRules } from "../protocols/council/naive.ts";
import type { CouncilParams } from "../protocols/council/parameters.ts";
import { councilSkipReset, skipResetRules } from "../protocols/council/skip-reset.ts";
import { councilUnknown, unknownRules } from "../protocols/council/unknown.ts";
import { NodeStream } from "../random/streams.ts";
import { CENTRE } from "../topology/star.ts";
import { censusOf, hostsOf, refusesSchedules } from "./council-hosts.ts";
import { ChoiceCrowd, type Crowd, HistoryCrowd, MasksCrowd, Odds, OneBitCrowd, type OneBitRule } from "./crowds.ts";
import type { Kernel } from "./kernel.ts";

type Gather = (size: number, params: CouncilParams, odds: Odds) => Crowd<never>;

// biome-ignore lint/suspicious/noExplicitAny: each protocol has rules of its own types, which only its crowd has to know
type AnyRules = Rules<any, any, any, any>;

const resetting =
  (params: CouncilParams): OneBitRule =>
  ({ population, reset }) => {
    const poll = population < params.L;
    return { everybody: reset || poll, p: poll ? 1 : replyChance(population, params) };
  };

const polling = (params: CouncilParams): OneBitRule => resetting({ ...params, reading: "repaired" });

/** Fig. 12 as printed: hosts hear nothing but resets, and everybody takes part in each. */
const resetsOnly =
  (params: CouncilParams): OneBitRule =>
  (feedback) =>
    feedback.reset ? resetting(params)(feedback) : null;

const naively =
  ({ c }: CouncilParams): OneBitRule =>
  ({ population }: Feedback) => ({ everybody: true, p: Math.min(1, c / population) });

const resettingCrowd: Gather = (size, params, odds) => new OneBitCrowd(size, 0, resetting(params), odds);

interface Council {
  readonly protocol: AnyProtocol;
  readonly rules: AnyRules;
  readonly gather: Gather;
}

const councils: readonly Council[] = [
  {
    protocol: councilNaive,
    rules: naiveRules,
    gather: (size, params, odds) => new OneBitCrowd(size, 0, naively(params), odds),
  },
  {
    protocol: councilBasic,
    rules: basicRules,
    gather: (size, params, odds) => new OneBitCrowd(size, size, polling(params), odds),
  },
  {
    protocol: councilSkipReset,
    rules: skipResetRules,
    gather: resettingCrowd,
  },
  {
    protocol: councilUnknown,
    rules: unknownRules,
    gather: resettingCrowd,
  },
  {
    protocol: councilChoice,
    rules: choiceRules,
    gather: (size, params, odds) => new ChoiceCrowd(size, params as ChoiceParams, odds),
  },
  {
    protocol: councilHistory,
    rules: historyRules,
    gather: (size, params, odds) =>
      params.reading === "printed"
        ? new OneBitCrowd(size, 0, resetsOnly(params), odds)
        : new HistoryCrowd(size, params, odds),
  },
  {
    protocol: councilMasks,
    rules: masksRules,
    gather: (size, _params, odds) => new MasksCrowd(size, odds),
  },
];

export const councilKernels: readonly Kernel[] = councils.map(({ protocol, rules, gather }) => ({
  name: `${protocol.name}, lumped`,
  protocol,
  lumped: true,

  refuses: ({ faults }) => refusesSchedules(faults),

  run(settings, trial) {
    const { n, seed, faults, params } = settings;
    const source = new NodeStream(seed, trial, CENTRE);
    const odds = new Odds(source, faults.multicastLoss, faults.loss);
    const size = hostsOf(settings, source);
    const council = params as unknown as CouncilParams;
    return new Election(rules, council, gather(size, council, odds), odds, size).run(n);
  },
}));

class Election {
  private readonly rules: AnyRules;
  private readonly params: CouncilParams;
  private readonly crowd: Crowd<unknown>;
  private readonly odds: Odds;
  private readonly size: number;
  private rounds = 0;
  private messages = 0;
  private multicasts = 0;
  private bits = 0;
  private estimate: number | null = null;

  constructor(rules: AnyRules, params: CouncilParams, crowd: Crowd<never>, odds: Odds, size: number) {
    this.rules = rules;
    this.params = params;
    this.crowd = crowd as Crowd<unknown>;
    this.odds = odds;
    this.size = size;
  }

  run(n: number): Result {
    const { rules, params, crowd } = this;
    const { memory, feedback: first } = rules.open(params, n, this.odds.source);
    const poll = rules.knowsN && params.estimate === 1 ? n : 0;
    if (first === null) return this.result(this.everybody(), poll, 0);
    const perReply = (rules.taken === undefined ? 1 : 2) + (params.confirm ? 53 : 0);
    for (let feedback = first; ; ) {
      const { sent, tally } = crowd.hear(feedback);
      this.rounds++;
      this.multicasts++;
      this.messages += sent;
      this.bits += rules.bits(feedback) + sent * perReply;
      feedback = rules.next(memory, tally, params);
      if (feedback === null) this.estimate = rules.estimate?.(memory) ?? null;
      if (feedback === null) return this.result(this.close(rules.taken?.(memory) ?? 1, tally), poll, 0);
      if (this.rounds >= params.limit) return this.result(this.cut(), poll, 1);
    }
  }

  private everybody(): number {
    const { crowd, odds, size, params } = this;
    this.closing(0);
    const heard = odds.heard(size);
    return heard + (params.confirm || crowd.members() === 0 ? 0 : size - heard);
  }

  private close(draw: 1 | 2, tally: Tally): number {
    const { crowd, odds, params, rules } = this;
    if (params.confirm) {
      this.closing(tally[draw - 1], params.lists);
      return odds.heard(tally[draw - 1], params.lists);
    }
    if (rules.taken !== undefined) this.closing(0);
    return crowd.membersAfter(draw);
  }

  private cut(): number {
    const { crowd, odds, params } = this;
    this.closing(0);
    const members = crowd.members();
    return params.confirm ? 0 : members - odds.heard(members);
  }

  private closing(listed: number, repeats = 1): void {
    this.multicasts += repeats;
    this.bits += repeats * (2 + 53 * listed);
  }

  private result(elected: number, poll: number, cut: number): Result {
    const { rounds, messages, multicasts, bits, estimate } = this;
    return {
      messages,
      bits,
      // A close, however often it is sent, arrives one step after the last replies.
      time: 2 * rounds + (multicasts > rounds ? 1 : 0),
      census: censusOf(this.size + 1, elected),
      measures: { rounds, size: 0, poll, multicasts, cut, ...(estimate === null ? {} : { estimate }) },
      series: {},
    };
  }
}
