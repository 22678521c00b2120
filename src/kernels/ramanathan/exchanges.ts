/**
 * Exact kernels of the synchronous exchanges of Ramanathan et al.: the first phase of the tournament, in which a contender
 * goes on that is alone at each of its mediators, and the quorum, in which each mediator says yes to the largest rank.
 */
import { crashedBefore, initiatorsOf, nodeIdsOf } from "../../host/beginning.ts";
import type { Result } from "../../host/setup.ts";
import type { Id } from "../../protocol.ts";
import { bitLength } from "../../protocols/bits.ts";
import { drawSigma } from "../../protocols/complete/member.ts";
import type { FirstPhaseParams, QuorumParams } from "../../protocols/complete/parameters.ts";
import { beats, drawIdRank, type IdRank, idRankBits } from "../../protocols/ranks.ts";
import { PURPOSE, streamKey } from "../../random/streams.ts";
import { believedSize, roundedSigma, type Sizes } from "../../theory/ramanathan/sigma.ts";
import { BitSet } from "../bit-set.ts";
import type { KernelSettings } from "../kernel.ts";
import { Leftover } from "../leftover.ts";
import { answerWithLoss, type Heard, LAST, MISSING, REFUSED, ReachMarks } from "./answers.ts";
import type { AssembledRounds } from "./assembled-rounds.ts";
import { LossyMarks } from "./lossy-marks.ts";
import { isGone, Requests, receiver } from "./requests.ts";

const contendersLeft = new Leftover((n) => new Int32Array(n));

export class Exchanges {
  private readonly settings: KernelSettings;
  private readonly trial: number;
  private readonly believed: number;
  private readonly requests: Requests;
  private readonly rounds: AssembledRounds | null;
  private readonly alive: number;
  /** In the order in which they ask; those beyond `contending` have lost. */
  private contenders: Int32Array<ArrayBuffer>;
  private contending: number;
  private readonly leaders: { readonly node: number; readonly id: Id }[] = [];
  private bits = 0;
  private lastDelivery = 0;
  private readonly series: number[] = [];
  private readonly measures = { firstPhase: 0, secondPhase: 0, survivors: 0, refused: 0, unanswered: 0, hops: 0 };

  constructor(settings: KernelSettings, trial: number, rounds: AssembledRounds | null = null) {
    const { n, seed, faults } = settings;
    const { estimate, gamma } = settings.params as unknown as QuorumParams;
    const crashed = crashedBefore(settings, trial);
    this.settings = settings;
    this.trial = trial;
    this.believed = believedSize(n, estimate);
    this.rounds = rounds;
    this.requests = new Requests(n, seed, trial, faults.loss, gamma, crashed, rounds);
    this.alive = n - crashed.length;
    const initiators = initiatorsOf(settings, trial);
    if (rounds !== null && initiators === null && crashed.length === 0) {
      this.contenders = rounds.contenders;
      this.contending = n;
    } else {
      const starters = startersOf(initiators, crashed, n);
      rounds?.start(starters);
      this.contenders = rounds?.contenders ?? starters;
      this.contending = starters.length;
    }
  }

  /** J rounds that about halve the contenders. */
  firstPhase(params: FirstPhaseParams): void {
    const { requests, rounds } = this;
    const sizes = { ...params, n: this.believed };
    const lossy = requests.loss > 0 ? new LossyMarks(requests.n, rounds) : null;
    const marks = lossy ?? new ReachMarks();
    for (let round = 1; round <= params.J && this.contending > 0; round++) {
      this.askAll(sizes, round);
      requests.arrive();
      const sent = this.count(round, requests.size, requests.size * (2 + bitLength(round)));
      this.measures.firstPhase += sent;
      marks.judge(requests);
      if (marks.delivered) this.lastDelivery = 2 * round;
      this.decide(params.failures);
    }
    rounds?.writeOut();
    lossy?.end();
  }

  private askAll(sizes: Sizes, round: number): void {
    const { requests, contending } = this;
    const { least, fraction } = roundedSigma(sizes, round);
    if (fraction === 0 && requests.askAssembled(contending, least)) return;
    this.rounds?.writeOut();
    requests.open(contending * Math.min(requests.n, least + (fraction > 0 ? 1 : 0)));
    const size = fraction > 0 ? () => drawSigma(sizes, round, requests.draws) : null;
    requests.askAll(this.contenders, contending, least, size);
  }

  /** The second phase, as round `round` of the whole. */
  quorum(params: QuorumParams, round: number): void {
    const { requests, contending } = this;
    if (contending === 0) {
      requests.leave();
      this.leaveContenders(this.contenders);
      return;
    }
    const ids = this.idsOfContenders();
    const asked = Math.min(params.ask, requests.n);
    // All draws come before a mediator's coin; without one, each contender's requests can be forgotten at once.
    const streams = requests.loss === 0 && params.gamma === 0;
    const ranks: IdRank[] = [];
    const heard = streams ? this.answerOneByOne(ids, asked, ranks) : this.answerTogether(ids, asked, ranks);
    this.measures.survivors += contending;
    const request = asked * (2 + bitLength(round));
    const bits = ranks.reduce((sum, rank) => sum + request + asked * idRankBits(rank), 0);
    this.measures.secondPhase += this.count(round, contending * asked, bits);
    if (heard.delivered) this.lastDelivery = 2 * round;
    for (const i of heard.order) {
      if (heard.no[i] > 0) this.measures.refused++;
      else if (heard.yes[i] < params.s) this.measures.unanswered++;
      else this.leaders.push({ node: this.contenders[i], id: ids[i] });
    }
  }

  /** By the places of the contenders. What has room for all processes is used again: there is no more of it than needed. */
  private idsOfContenders(): Id[] {
    const all = this.contenders;
    const { settings, trial, rounds } = this;
    const { n, seed } = settings;
    this.contenders = all.slice(0, this.contending);
    if (rounds !== null && settings.ids === "random" && this.contending < n / 64) {
      return rounds.permuted(streamKey(seed, trial, PURPOSE.ids), this.contenders);
    }
    const ids = nodeIdsOf(settings, trial, all.length === n ? all : undefined);
    this.leaveContenders(all);
    return Array.from(this.contenders, (node) => ids[node]);
  }

  private leaveContenders(all: Int32Array<ArrayBuffer>): void {
    if (this.rounds === null) contendersLeft.leave(all);
  }

  private draw(i: number, ids: readonly Id[], asked: number, ranks: IdRank[]): void {
    this.requests.ask(this.contenders[i], asked);
    ranks.push(drawIdRank(this.believed, ids[i], this.requests.draws));
  }

  private answerOneByOne(ids: readonly Id[], asked: number, ranks: IdRank[]): Heard {
    const { requests, contending } = this;
    const best = requests.spare().fill(-1);
    const yes = new Int32Array(contending);
    const no = new Int32Array(contending);
    let answered = 0;
    let delivered = false;
    for (let i = 0; i < contending; i++) {
      requests.open(asked);
      this.draw(i, ids, asked, ranks);
      requests.arrive();
      answered += requests.answered;
      delivered ||= requests.delivered;
      for (let r = 0; r < requests.size; r++) {
        if (isGone(requests.list[r])) continue;
        const to = receiver(requests.list[r]);
        const other = best[to];
        if (other >= 0 && beats(ranks[other], ranks[i])) {
          no[i]++;
          continue;
        }
        if (other >= 0) {
          yes[other]--;
          no[other]++;
        }
        yes[i]++;
        best[to] = i;
      }
    }
    requests.answered = answered;
    requests.delivered = delivered;
    requests.leave(best);
    return { yes, no, order: upTo(contending), delivered: answered > 0 };
  }

  private answerTogether(ids: readonly Id[], asked: number, ranks: IdRank[]): Heard {
    const groupOf = this.requests.spare();
    this.requests.open(this.contending * asked);
    for (let i = 0; i < this.contending; i++) this.draw(i, ids, asked, ranks);
    this.requests.arrive();
    const heard = answerWithLoss(this.requests, this.contending, groupOf, (a, b) => beats(ranks[a], ranks[b]));
    this.requests.leave(groupOf);
    return heard;
  }

  /** Counts an exchange: how many messages it took. */
  private count(round: number, asked: number, bits: number): number {
    const { answered, delivered } = this.requests;
    this.series.push(this.contending);
    this.bits += bits + answered * (2 + bitLength(round));
    if (delivered) this.lastDelivery = 2 * round - 1;
    return asked + answered;
  }

  /**
   * The contenders make up their minds. Nobody but one who is alone hears yes, so they do so in the order in which they asked; and after them those who hear
   * nothing, who are woken by their timers.
   */
  private decide(failures: string): void {
    const { measures, contending, contenders } = this;
    const { size, assembled } = this.requests;
    const ends = REFUSED | (failures === "all-yes" ? MISSING : 0);
    const { left, late, refused } = assembled?.decide(size, ends) ?? this.goOn(ends);
    contenders.set(late, left);
    this.contending = left + late.length;
    measures.refused += refused;
    measures.unanswered += contending - this.contending - refused;
  }

  /** Moves those up that go on: how many, and who of them has heard nothing. */
  private goOn(ends: number): { left: number; late: number[]; refused: number } {
    const { contenders } = this;
    const { list, size } = this.requests;
    const late: number[] = [];
    let contender = 0;
    let left = 0;
    let refused = 0;
    let seen = 0;
    for (let i = 0; i < size; i++) {
      seen |= list[i];
      if ((seen & LAST) === 0) continue;
      // Who goes on cannot be guessed either.
      const goesOn = ((seen & ends) - 1) >>> 31;
      if ((goesOn & ~(seen >>> 3)) === 1) late.push(contenders[contender++]);
      else {
        contenders[left] = contenders[contender++];
        left += goesOn;
      }
      refused += (seen >>> 2) & 1;
      seen = 0;
    }
    return { left, late, refused };
  }

  result(): Result {
    const { measures, alive, bits } = this;
    this.requests.end();
    const leaders = this.leaders.sort((a, b) => a.node - b.node).map(({ id }) => id);
    const beliefs = new Map<Id | null, number>(leaders.map((id) => [id, 1]));
    if (alive > leaders.length) beliefs.set(null, alive - leaders.length);
    return {
      messages: measures.firstPhase + measures.secondPhase,
      bits,
      time: this.lastDelivery,
      census: {
        alive,
        elected: leaders.length,
        notElected: alive - leaders.length,
        undecided: 0,
        beliefs,
        leaders,
      },
      measures: { ...measures },
      series: this.series.length === 0 ? {} : { contenders: this.series },
    };
  }
}

function startersOf(
  initiators: readonly number[] | null,
  crashed: readonly number[],
  n: number,
): Int32Array<ArrayBuffer> {
  const gone = new BitSet(crashed.length === 0 ? 0 : n);
  for (const node of crashed) gone.add(node);
  const stays = (node: number) => crashed.length === 0 || !gone.has(node);
  if (initiators !== null) return Int32Array.from(initiators.filter(stays));
  const all = upTo(n, contendersLeft.take(n));
  return crashed.length === 0 ? all : all.filter(stays);
}

function upTo(n: number, numbers = new Int32Array(n)): Int32Array<ArrayBuffer> {
  for (let i = 0; i < n; i++) numbers[i] = i;
  return numbers;
}
