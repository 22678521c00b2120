/** The asynchronous tournament as numbers: its first phase, rule by rule as in protocols/complete/tournament-async.ts, before the timed quorum. */
import { bitLength } from "../../protocols/bits.ts";
import { drawSigma } from "../../protocols/complete/member.ts";
import type { TournamentAsyncParams } from "../../protocols/complete/tournament-async.ts";
import { believedSize, type Sizes } from "../../theory/ramanathan/sigma.ts";
import type { KernelSettings } from "../kernel.ts";
import { receiver } from "./requests.ts";
import { ANSWERS, FIRST_PHASE, LOST, NAK, TimedQuorum } from "./timed-quorum.ts";

/** A mediator keeps a bit for each round. */
export const MOST_ROUNDS = 31;

/** Kinds of messages of round r: `NAK` + 3 (r - 1) and these. */
const ASK = 1;
const YES = 2;
const NO = 3;

export class TimedTournament extends TimedQuorum {
  private readonly first: TournamentAsyncParams;
  private readonly sizes: Sizes;
  /** By contender: its round, and how many answers are missing. */
  private readonly rounds: Uint8Array;
  private readonly missing: Int32Array;
  /** By mediator: the rounds in which somebody was first, as bits; the last of them where mediators are eager. */
  private readonly taken: Int32Array;

  constructor(settings: KernelSettings, trial: number) {
    super(settings, trial);
    const { n } = settings;
    this.first = settings.params as unknown as TournamentAsyncParams;
    this.sizes = { ...this.first, n: believedSize(n, this.first.estimate) };
    this.rounds = new Uint8Array(n);
    this.missing = new Int32Array(n);
    this.taken = new Int32Array(n);
  }

  protected override begin(node: number): void {
    this.enter(node, 1);
  }

  private enter(node: number, round: number): void {
    if (round > this.first.J) {
      this.request(node, round);
      return;
    }
    const { requests } = this;
    requests.draws.node = node;
    const k = drawSigma(this.sizes, round, requests.draws);
    // Nobody needs to know them later: the place is free again for the next contender.
    const start = requests.size;
    requests.reserve(k);
    requests.ask(node, k);
    const asked = requests.size - start;
    this.claims[node] = FIRST_PHASE;
    this.rounds[node] = round;
    this.missing[node] = asked;
    this.enters(round);
    for (let i = start; i < start + asked; i++) this.say(receiver(requests.list[i]), node, ASK, round);
    requests.size = start;
    this.arm(ANSWERS, node, 2);
  }

  protected override hearFirstPhase(to: number, from: number, kind: number): void {
    const round = Math.floor((kind - NAK - 1) / 3) + 1;
    const word = kind - NAK - 3 * (round - 1);
    if (word === ASK) this.mediate(to, from, round);
    else if (this.claims[to] !== FIRST_PHASE || this.rounds[to] !== round) return;
    else if (word === NO) this.drop(to, "refused");
    else if (--this.missing[to] === 0) this.enter(to, round + 1);
  }

  private mediate(mediator: number, asker: number, round: number): void {
    if (this.requests.fails(mediator)) return;
    const { taken } = this;
    const eager = this.first.mediator === "eager";
    const bit = 1 << (round - 1);
    const free = eager ? taken[mediator] < round : (taken[mediator] & bit) === 0;
    if (free) taken[mediator] = eager ? round : taken[mediator] | bit;
    this.say(asker, mediator, free ? YES : NO, round);
  }

  protected override answersMissing(node: number): void {
    if (this.claims[node] !== FIRST_PHASE) super.answersMissing(node);
    else if (this.first.failures === "all-yes") this.drop(node, "unanswered");
    else this.enter(node, this.rounds[node] + 1);
  }

  private drop(node: number, why: "refused" | "unanswered"): void {
    this.claims[node] = LOST;
    this.disarm(ANSWERS, node);
    this.measures[why]++;
  }

  private say(to: number, from: number, word: number, round: number): void {
    this.measures.firstPhase++;
    this.bits += 3 + bitLength(round);
    this.letters.send(to, from, NAK + 3 * (round - 1) + word, this.now + this.delay);
  }
}
