/**
 * Hosts of a council as counts: hosts in the same state are alike, so an exchange draws how many of them hear, reply and
 * are heard instead of asking each. One crowd per kind of host; the centre's rules are the protocol's own.
 */

import type { ChoiceParams } from "../../protocols/council/choice.ts";
import { type Feedback, type ReplyCounts, replyChance } from "../../protocols/council/council.ts";
import type { Mask } from "../../protocols/council/masks.ts";
import type { CouncilParams } from "../../protocols/council/parameters.ts";
import { binomial } from "../../random/binomial.ts";
import type { Source } from "../../random/source.ts";

/** What chance does to a crowd: each host apart hears a multicast, and each reply apart arrives. */
export class Odds {
  readonly source: Source;
  private readonly hearing: number;
  private readonly arriving: number;

  constructor(source: Source, multicastLoss: number, loss: number) {
    this.source = source;
    this.hearing = 1 - multicastLoss;
    this.arriving = 1 - loss;
  }

  heads(n: number, p: number): number {
    return binomial(this.source, n, p);
  }

  /** Of n hosts, those that hear at least one of some multicasts. */
  heard(n: number, multicasts = 1): number {
    let missing = n;
    for (let i = 0; i < multicasts; i++) missing -= binomial(this.source, missing, this.hearing);
    return n - missing;
  }

  /** Whether anybody hears, where so many do and nobody has asked about the rest. */
  anybody(heard: number, rest: number, multicasts = 1): boolean {
    return heard > 0 || this.source.coin(1 - (1 - this.hearing) ** (rest * multicasts));
  }

  arrived(n: number): number {
    return binomial(this.source, n, this.arriving);
  }
}

/** What comes of a feedback: whether anybody hears it, how many reply, and what reaches the centre. */
interface Replies {
  readonly heard: boolean;
  readonly sent: number;
  readonly tally: ReplyCounts;
}

export interface HostCrowd<F> {
  /** All hosts that can hear it hear the feedback. */
  hear(feedback: F): Replies;
  /** Hosts that take themselves for members when the first draw counts. */
  members(): number;
  /** The same after a close that names the draw, which some hosts miss; and how many of those that it concerns hear it. */
  membersAfter(draw: 1 | 2): { readonly members: number; readonly heard: number; readonly concerned: number };
}

/** A close that names no draw concerns nobody. */
const NOBODY = { heard: 0, concerned: 0 };

/** Who draws at a feedback, active hosts only or all, and with what chance; null where nobody does. */
export type OneBitRule = (feedback: Feedback) => { readonly everybody: boolean; readonly p: number } | null;

export class OneBitCrowd implements HostCrowd<Feedback> {
  private active: number;
  private readonly size: number;
  private readonly rule: OneBitRule;
  private readonly odds: Odds;

  constructor(size: number, active: number, rule: OneBitRule, odds: Odds) {
    this.size = size;
    this.active = active;
    this.rule = rule;
    this.odds = odds;
  }

  hear(feedback: Feedback) {
    const { odds, size, active } = this;
    const rule = this.rule(feedback);
    if (rule === null) return { heard: odds.anybody(0, size), sent: 0, tally: [0, 0] as const };
    const actives = odds.heard(active);
    const drawing = actives + (rule.everybody ? odds.heard(size - active) : 0);
    const sent = odds.heads(drawing, rule.p);
    this.active += sent - actives;
    const tally = [odds.arrived(sent), 0] as const;
    return { heard: odds.anybody(drawing, rule.everybody ? 0 : size - active), sent, tally };
  }

  members(): number {
    return this.active;
  }

  membersAfter() {
    return { members: this.active, ...NOBODY };
  }
}

/** Hosts that are active, that were before the last draw, and the rest, who play no part any more. */
export class HistoryCrowd implements HostCrowd<Feedback> {
  private active = 0;
  private before: number;
  private readonly size: number;
  private readonly params: CouncilParams;
  private readonly odds: Odds;

  constructor(size: number, params: CouncilParams, odds: Odds) {
    this.before = size;
    this.size = size;
    this.params = params;
    this.odds = odds;
  }

  hear({ population, reset }: Feedback) {
    const { odds } = this;
    const actives = odds.heard(this.active);
    const others = odds.heard(this.before);
    const rest = this.size - this.active - this.before;
    const drawing = actives + (reset ? others : 0);
    const sent = odds.heads(drawing, replyChance(population, this.params));
    this.active += sent - actives;
    this.before += drawing - sent - others;
    const tally = [odds.arrived(sent), 0] as const;
    return { heard: odds.anybody(actives + others, rest), sent, tally };
  }

  members(): number {
    return this.active;
  }

  membersAfter() {
    return { members: this.active, ...NOBODY };
  }
}

/** Hosts by the draws in which they stayed active: none (0), the first (1), the second (2) or both (3). */
export class ChoiceCrowd implements HostCrowd<Feedback> {
  private readonly by: [number, number, number, number];
  private readonly params: ChoiceParams;
  private readonly odds: Odds;

  constructor(size: number, params: ChoiceParams, odds: Odds) {
    this.by = params.base === "basic" ? [0, 0, 0, size] : [size, 0, 0, 0];
    this.params = params;
    this.odds = odds;
  }

  hear({ population, reset, draw }: Feedback) {
    const { by, odds, params } = this;
    const everybody = population < params.L;
    let drawing = 0;
    let listeners = 0;
    for (const draws of [0, 1, 2, 3] as const) {
      const heard = odds.heard(by[draws]);
      by[draws] -= heard;
      listeners += heard;
      if (everybody || reset || (draws & draw) !== 0) drawing += heard;
      else by[0] += heard;
    }
    const p = everybody ? 1 : replyChance(population, params);
    const both = odds.heads(drawing, p * p);
    const first = odds.heads(drawing - both, p / (1 + p));
    const second = odds.heads(drawing - both - first, p);
    by[3] += both;
    by[1] += first;
    by[2] += second;
    by[0] += drawing - both - first - second;
    const heardBoth = odds.arrived(both);
    const tally = [heardBoth + odds.arrived(first), heardBoth + odds.arrived(second)] as const;
    return { heard: listeners > 0, sent: both + first + second, tally };
  }

  members(): number {
    return this.by[1] + this.by[3];
  }

  membersAfter(draw: 1 | 2) {
    const { by, odds } = this;
    if (draw === 1) return { members: this.members(), ...NOBODY };
    const joining = odds.heard(by[2]);
    const leaving = odds.heard(by[1]);
    return { members: by[3] + joining + by[1] - leaving, heard: joining + leaving, concerned: by[1] + by[2] };
  }
}

/** Hosts whose vector matches the mask, and those of them that know it. */
export class MasksCrowd implements HostCrowd<Mask> {
  private matching = 0;
  private active = 0;
  private bits: number | null = null;
  private readonly size: number;
  private readonly odds: Odds;

  constructor(size: number, odds: Odds) {
    this.size = size;
    this.odds = odds;
  }

  hear({ bits }: Mask) {
    const { odds, size } = this;
    const matched = this.bits === null ? 0 : 2 ** -this.bits;
    this.matching += odds.heads(size - this.matching, (2 ** -bits - matched) / (1 - matched));
    this.bits = bits;
    const again = odds.heard(this.active);
    const newly = odds.heard(this.matching - this.active);
    this.active += newly;
    const sent = again + newly;
    const tally = [odds.arrived(sent), 0] as const;
    return { heard: odds.anybody(sent, size - this.matching), sent, tally };
  }

  members(): number {
    return this.active;
  }

  membersAfter() {
    return { members: this.active, ...NOBODY };
  }
}
