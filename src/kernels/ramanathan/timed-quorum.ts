/**
 * The timed second phase of Ramanathan et al. as numbers: contenders and mediators of protocols/complete/contender.ts and
 * mediator.ts, rule by rule, where all messages take the same time and all contenders start at once. Then messages arrive in the
 * order of sending and timers, which are multiples of that time, in the order of arming; and what a contender tells all its
 * mediators is one entry of the queue.
 */
import { crashedBefore, initiatorsOf, nodeIdsOf } from "../../host/beginning.ts";
import type { Result } from "../../host/setup.ts";
import { inUnits } from "../../host/stage.ts";
import type { Id } from "../../protocol.ts";
import type { QuorumParams, TimedParams } from "../../protocols/complete/parameters.ts";
import { READINGS, type Reading } from "../../protocols/complete/second-phase.ts";
import { beats, drawIdRank, type IdRank, idRankBits } from "../../protocols/ranks.ts";
import { believedSize } from "../../theory/ramanathan/sigma.ts";
import { delayOf, type KernelSettings } from "../kernel.ts";
import { Letters, type Post } from "./letters.ts";
import { Requests } from "./requests.ts";

const REQ = 0;
const POTW = 1;
const DEC = 2;
const ACK = 3;
export const NAK = 4;

/** What a contender is doing. */
const NONE = 0;
const S1 = 1;
const S2 = 2;
export const LOST = 3;
const LEADS = 4;
export const FIRST_PHASE = 5;

const IDLE = 0;
const SAFE = 1;
const POST_SAFE = 2;
const CLOSE_SAFE = 3;
const FINAL = 4;

const NOBODY = -1;
export const ANSWERS = 0;
const HOLD = 1;

export class TimedQuorum {
  protected readonly params: QuorumParams & TimedParams;
  private readonly reading: Reading;
  protected readonly requests: Requests;
  private readonly asked: number;
  protected readonly contenders: readonly number[];
  private readonly alive: Uint8Array;
  protected readonly delay: number;
  protected readonly letters: Letters;
  private readonly ranks: (IdRank | undefined)[];
  /** By node: where its requests begin, what it does as a contender, and who has agreed. */
  private readonly firsts: Int32Array;
  protected readonly claims: Uint8Array;
  private readonly acked = new Map<number, number[]>();
  /** By node, as a mediator: its state, who holds its answer and who waits. */
  private readonly states: Uint8Array;
  private readonly holders: Int32Array;
  private readonly waiters: Int32Array;
  /** By time, timers in the order in which they were armed; by kind and node, the one that counts. */
  private readonly due = new Map<number, number[]>();
  private readonly armed: readonly Int32Array[];
  private arms = 0;
  private readonly believed: number;
  private readonly ids: ArrayLike<Id>;
  private readonly series: number[] = [];
  protected now = 0;
  protected bits = 0;
  private lastDelivery = 0;
  protected readonly measures = { firstPhase: 0, secondPhase: 0, survivors: 0, refused: 0, unanswered: 0, hops: 0 };

  constructor(settings: KernelSettings, trial: number) {
    const { n, seed, faults } = settings;
    this.params = settings.params as unknown as QuorumParams & TimedParams;
    this.reading = READINGS[this.params.reading];
    const crashed = crashedBefore(settings, trial);
    this.alive = new Uint8Array(n).fill(1);
    for (const node of crashed) this.alive[node] = 0;
    const starting = initiatorsOf(settings, trial) ?? Array.from({ length: n }, (_, node) => node);
    this.contenders = starting.filter((node) => this.alive[node] === 1);
    this.asked = Math.min(this.params.ask, n);
    this.requests = new Requests(n, seed, trial, faults.loss, this.params.gamma, crashed);
    this.delay = delayOf(settings);
    this.ranks = new Array(n);
    this.firsts = new Int32Array(n);
    this.claims = new Uint8Array(n);
    this.states = new Uint8Array(n);
    this.holders = new Int32Array(n).fill(NOBODY);
    this.waiters = new Int32Array(n).fill(NOBODY);
    this.armed = [new Int32Array(n), new Int32Array(n)];
    this.letters = new Letters(this.requests, (contender) => this.firsts[contender], this.asked);
    this.believed = believedSize(n, this.params.estimate);
    this.ids = nodeIdsOf(settings, trial);
  }

  /** A contender begins: here with its request for a quorum. */
  protected begin(node: number): void {
    this.request(node, 1);
  }

  /** Enters the second phase, as round `round` of the whole. */
  protected request(node: number, round: number): void {
    this.firsts[node] = this.requests.size;
    this.requests.reserve(this.asked);
    this.requests.ask(node, this.asked);
    const rank = drawIdRank(this.believed, this.ids[node], this.requests.draws);
    this.enters(round);
    this.ranks[node] = rank;
    this.claims[node] = S1;
    this.acked.set(node, []);
    this.measures.survivors++;
    this.bits += this.asked * idRankBits(rank);
    this.tellAll(node, REQ, NOBODY);
    this.arm(ANSWERS, node, this.reading.patience);
  }

  run(): Result {
    const { letters } = this;
    for (const node of this.contenders) this.begin(node);
    for (;;) {
      const timer = Math.min(...this.due.keys());
      const message = letters.waiting > 0 ? letters.at : Infinity;
      this.now = Math.min(timer, message);
      if (this.now === Infinity) return this.result();
      if (message === this.now) letters.deliver((post) => this.receive(post));
      if (timer !== this.now) continue;
      const expiring = this.due.get(timer)!;
      this.due.delete(timer);
      for (let i = 0; i < expiring.length; i += 3) this.expire(expiring[i], expiring[i + 1], expiring[i + 2]);
    }
  }

  private receive({ to, from, kind }: Post): void {
    if (this.alive[to] === 0) return;
    this.lastDelivery = this.now;
    if (kind === ACK || kind === NAK) this.answered(to, from, kind);
    else if (kind > NAK) this.hearFirstPhase(to, from, kind);
    else if (this.requests.fails(to)) return;
    else if (kind === REQ) this.onRequest(to, from);
    else if (kind === POTW) this.onPotentialWinner(to, from);
    else this.onDecline(to, from);
  }

  /** Kinds of messages above those of the second phase. */
  protected hearFirstPhase(_to: number, _from: number, _kind: number): void {}

  private answered(node: number, by: number, kind: number): void {
    if (this.claims[node] !== S1 && this.claims[node] !== S2) return;
    if (kind === NAK) {
      this.tellAll(node, DEC, this.reading.declineSpares ? by : NOBODY);
      this.disarm(ANSWERS, node);
      this.claims[node] = LOST;
      this.measures.refused++;
    } else if (this.claims[node] === S1) {
      const acked = this.acked.get(node)!;
      acked.push(by);
      if (acked.length === this.asked) this.potentialWinner(node);
    }
  }

  private potentialWinner(node: number): void {
    this.claims[node] = S2;
    for (const mediator of this.acked.get(node)!) this.tell(mediator, node, POTW);
    this.arm(ANSWERS, node, 2);
  }

  protected answersMissing(node: number): void {
    if (this.claims[node] === S2) this.claims[node] = LEADS;
    else if (this.claims[node] !== S1) return;
    else if (this.acked.get(node)!.length >= this.params.s) this.potentialWinner(node);
    else {
      this.tellAll(node, DEC, NOBODY);
      this.claims[node] = LOST;
      this.measures.unanswered++;
    }
  }

  private onRequest(mediator: number, asker: number): void {
    const state = this.states[mediator];
    const holder = this.holders[mediator];
    if (state === IDLE) this.grant(mediator, asker);
    else if (state === SAFE || state === CLOSE_SAFE) this.act(mediator, asker);
    else if (state === FINAL) {
      if (this.reading.lateRefused) this.tell(asker, mediator, NAK);
    } else if (this.beats(holder, asker)) this.tell(asker, mediator, NAK);
    else {
      this.tell(holder, mediator, NAK);
      this.grant(mediator, asker);
    }
  }

  private grant(mediator: number, asker: number): void {
    this.states[mediator] = SAFE;
    this.holders[mediator] = asker;
    this.waiters[mediator] = NOBODY;
    this.tell(asker, mediator, ACK);
    this.arm(HOLD, mediator, 3);
  }

  private act(mediator: number, asker: number): void {
    const waiter = this.waiters[mediator];
    if (this.beats(this.holders[mediator], asker) || (waiter !== NOBODY && this.beats(waiter, asker))) {
      this.tell(asker, mediator, NAK);
      return;
    }
    if (waiter !== NOBODY) this.tell(waiter, mediator, NAK);
    this.waiters[mediator] = asker;
  }

  private onPotentialWinner(mediator: number, from: number): void {
    const state = this.states[mediator];
    if (this.holders[mediator] !== from) {
      if (state === SAFE || this.reading.strangersRefused) this.tell(from, mediator, NAK);
    } else if (state === SAFE || state === POST_SAFE) {
      this.states[mediator] = CLOSE_SAFE;
      if (!this.reading.waiterStays) this.dismiss(mediator);
      this.arm(HOLD, mediator, 3);
    }
  }

  private onDecline(mediator: number, from: number): void {
    const state = this.states[mediator];
    if (state === IDLE || state === FINAL) return;
    const { declineFrom } = this.reading;
    const waiter = this.waiters[mediator];
    if (declineFrom === "holder or waiter" && waiter === from) this.waiters[mediator] = NOBODY;
    else if (this.holders[mediator] === from || (declineFrom === "anybody" && state !== POST_SAFE)) {
      if (waiter === NOBODY) this.release(mediator);
      else this.grant(mediator, waiter);
    }
  }

  private onHoldEnd(mediator: number): void {
    const state = this.states[mediator];
    const waiter = this.waiters[mediator];
    if (state === SAFE && waiter !== NOBODY) {
      this.tell(this.holders[mediator], mediator, NAK);
      this.grant(mediator, waiter);
    } else if (state === SAFE) {
      this.states[mediator] = POST_SAFE;
      const { silence, expiresAlways } = this.reading;
      const { gamma, ask, s } = this.params;
      if (expiresAlways || gamma > 0 || ask > s) this.arm(HOLD, mediator, silence - 3);
    } else if (state === POST_SAFE) this.release(mediator);
    else {
      this.states[mediator] = FINAL;
      this.dismiss(mediator);
    }
  }

  /** The waiter, if there is one, waits no more. */
  private dismiss(mediator: number): void {
    const waiter = this.waiters[mediator];
    if (waiter !== NOBODY) this.tell(waiter, mediator, NAK);
    this.waiters[mediator] = NOBODY;
  }

  private release(mediator: number): void {
    this.states[mediator] = IDLE;
    this.holders[mediator] = NOBODY;
    this.disarm(HOLD, mediator);
  }

  private beats(a: number, b: number): boolean {
    return beats(this.ranks[a]!, this.ranks[b]!);
  }

  /** One contender more enters a round. */
  protected enters(round: number): void {
    while (this.series.length < round) this.series.push(0);
    this.series[round - 1]++;
  }

  private tell(to: number, from: number, kind: number): void {
    this.measures.secondPhase++;
    this.letters.send(to, from, kind, this.now + this.delay);
  }

  private tellAll(from: number, kind: number, except: number): void {
    this.measures.secondPhase += this.letters.sendAll(from, kind, except, this.now + this.delay);
  }

  protected arm(kind: number, node: number, taus: number): void {
    const time = this.now + taus * this.params.tau;
    const timers = this.due.get(time) ?? [];
    this.due.set(time, timers);
    this.armed[kind][node] = ++this.arms;
    timers.push(kind, node, this.arms);
  }

  protected disarm(kind: number, node: number): void {
    this.armed[kind][node] = 0;
  }

  private expire(kind: number, node: number, arm: number): void {
    if (this.armed[kind][node] !== arm) return;
    this.armed[kind][node] = 0;
    if (kind === ANSWERS) this.answersMissing(node);
    else this.onHoldEnd(node);
  }

  private result(): Result {
    const { measures, claims, states, holders, alive } = this;
    const count = { alive: 0, elected: 0, notElected: 0, undecided: 0 };
    const beliefs = new Map<Id | null, number>();
    const leaders: Id[] = [];
    for (let node = 0; node < alive.length; node++) {
      if (alive[node] === 0) continue;
      count.alive++;
      const leads = claims[node] === LEADS;
      if (leads) leaders.push(this.ranks[node]!.id);
      if (leads) count.elected++;
      else if (claims[node] === NONE || claims[node] === LOST) count.notElected++;
      else count.undecided++;
      const known = leads ? node : states[node] === FINAL ? holders[node] : NOBODY;
      const belief = known === NOBODY ? null : this.ranks[known]!.id;
      beliefs.set(belief, (beliefs.get(belief) ?? 0) + 1);
    }
    return {
      messages: measures.firstPhase + measures.secondPhase,
      bits: this.bits + 3 * measures.secondPhase,
      time: inUnits(this.lastDelivery, this.delay),
      census: { ...count, beliefs, leaders },
      measures: { ...measures },
      series: this.series.length === 0 ? {} : { contenders: this.series },
    };
  }
}
