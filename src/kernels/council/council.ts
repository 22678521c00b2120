/**
 * The lumped kernel of the one-shot council elections: an exchange costs a few binomial draws instead of a message to
 * each of n hosts. Raz et al. average 10,000 runs at n = 100,000; this makes that a matter of a second.
 */
import type { Result } from "../../host/setup.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { basicRules, councilBasic } from "../../protocols/council/basic.ts";
import { type ChoiceParams, choiceRules, councilChoice } from "../../protocols/council/choice.ts";
import { type Feedback, type ReplyCounts, type Rules, replyChance } from "../../protocols/council/council.ts";
import { councilHistory, historyRules } from "../../protocols/council/history.ts";
import { councilMasks, masksRules } from "../../protocols/council/masks.ts";
import { councilNaive, naiveRules } from "../../protocols/council/naive.ts";
import type { CouncilParams } from "../../protocols/council/parameters.ts";
import { councilSkipReset, skipResetRules } from "../../protocols/council/skip-reset.ts";
import { councilUnknown, unknownRules } from "../../protocols/council/unknown.ts";
import { NodeStream } from "../../random/streams.ts";
import { CENTRE } from "../../topology/lattices.ts";
import type { Kernel } from "../kernel.ts";
import { ChoiceCrowd, HistoryCrowd, type HostCrowd, MasksCrowd, Odds, OneBitCrowd, type OneBitRule } from "./crowds.ts";
import { censusOf, hostsOf, refusesSchedules } from "./hosts.ts";

type Gather = (size: number, params: CouncilParams, odds: Odds) => HostCrowd<never>;

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
  private readonly crowd: HostCrowd<unknown>;
  private readonly odds: Odds;
  private readonly size: number;
  private rounds = 0;
  private messages = 0;
  private multicasts = 0;
  private bits = 0;
  /** Null where the protocol makes none; 0 until a council is found. */
  private estimate: number | null;
  private lastDelivery = 0;

  constructor(rules: AnyRules, params: CouncilParams, crowd: HostCrowd<never>, odds: Odds, size: number) {
    this.rules = rules;
    this.params = params;
    this.crowd = crowd as HostCrowd<unknown>;
    this.odds = odds;
    this.size = size;
    this.estimate = rules.estimate === undefined ? null : 0;
  }

  run(n: number): Result {
    const { rules, params, crowd } = this;
    const { memory, feedback: first } = rules.open(params, n, this.odds.source);
    const poll = rules.knowsN && params.estimate === 1 ? n : 0;
    if (first === null) return this.result(this.everybody(), poll, 0);
    const perReply = (rules.taken === undefined ? 1 : 2) + (params.confirm ? 53 : 0);
    for (let feedback = first; ; ) {
      const { heard, sent, tally } = crowd.hear(feedback);
      this.rounds++;
      if (heard) this.lastDelivery = 2 * this.rounds - 1;
      if (tally[0] + tally[1] > 0) this.lastDelivery = 2 * this.rounds;
      this.multicasts++;
      this.messages += sent;
      this.bits += rules.bits(feedback) + sent * perReply;
      feedback = rules.next(memory, tally, params);
      if (feedback === null && rules.estimate !== undefined) this.estimate = rules.estimate(memory);
      if (feedback === null) return this.result(this.close(rules.taken?.(memory) ?? 1, tally), poll, 0);
      if (this.rounds >= params.limit) return this.result(this.cut(), poll, 1);
    }
  }

  private everybody(): number {
    const { crowd, odds, size, params } = this;
    const heard = odds.heard(size);
    this.closing(heard, size, 0);
    return heard + (params.confirm || crowd.members() === 0 ? 0 : size - heard);
  }

  private close(draw: 1 | 2, tally: ReplyCounts): number {
    const { crowd, odds, params, rules } = this;
    if (params.confirm) {
      const listed = tally[draw - 1];
      const heard = odds.heard(listed, params.lists);
      this.closing(heard, listed, listed, params.lists);
      return heard;
    }
    const { members, heard, concerned } = crowd.membersAfter(draw);
    if (rules.taken !== undefined) this.closing(heard, concerned, 0);
    return members;
  }

  private cut(): number {
    const { crowd, odds, params } = this;
    const members = crowd.members();
    const heard = odds.heard(members);
    this.closing(heard, members, 0);
    return params.confirm ? 0 : members - heard;
  }

  /** The end is told, to a list or not, perhaps several times: so many of those that it concerns hear it. */
  private closing(heard: number, concerned: number, listed: number, repeats = 1): void {
    this.multicasts += repeats;
    this.bits += repeats * (2 + 53 * listed);
    // However often it is sent, it arrives one step after the last replies.
    if (this.odds.anybody(heard, this.size - concerned, repeats)) this.lastDelivery = 2 * this.rounds + 1;
  }

  private result(elected: number, poll: number, cut: number): Result {
    const { rounds, messages, multicasts, bits, estimate } = this;
    return {
      messages,
      bits,
      time: this.lastDelivery,
      census: censusOf(this.size + 1, elected),
      measures: { rounds, size: 0, poll, multicasts, cut, ...(estimate === null ? {} : { estimate }) },
      series: {},
    };
  }
}
