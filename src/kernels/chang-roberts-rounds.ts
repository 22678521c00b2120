/**
 * Chang-Roberts message by message. With one delay for all, the messages of an instant move on together and keep their order:
 * the queue is one array that gets shorter as ids are swallowed, and a message is the place where it would have started;
 * in round t it is t places further on.
 */
import type { Result } from "../host/setup.ts";
import { inUnits } from "../host/stage.ts";
import { Coins } from "../random/coins.ts";
import { delayOf, type KernelSettings } from "./kernel.ts";
import type { RankRing } from "./rank-ring.ts";

/** What an arriving id would have to beat at a process that has crashed. */
const DEAD = 2 ** 31 - 1;

export class ChangRobertsRounds {
  private readonly ring: RankRing;
  private readonly settings: KernelSettings;
  /** By place, what an arriving id has to beat: the own one, or 0 where a process only relays; negative while it may join. */
  private readonly bars: Int32Array;
  private readonly crashes: readonly { readonly place: number; readonly at: number }[];
  private readonly losses: Coins;
  /** Messages on their way in the order of sending: where they would have started, and rank; an announcement's is negative. */
  private readonly places: Int32Array;
  private readonly carried: Int32Array;
  private flying = 0;
  private readonly decided: Uint8Array;
  private leader = 0;
  private messages = 0;
  private bits = 0;
  private announcements = 0;
  private lastDelivery = 0;
  private crashed = 0;
  /** Messages of this instant that a crashed process did not get. */
  private discarded = 0;

  constructor(ring: RankRing, settings: KernelSettings, trial: number) {
    const { seed, faults, host, params } = settings;
    this.ring = ring;
    this.settings = settings;
    const idle = params.passive === "join" ? -1 : 0;
    this.bars = ring.starting.map((rank, place) => (rank > 0 ? rank : idle * ring.ranks[place]));
    this.crashes = faults.crashes
      .map(({ node, at }) => ({ place: ring.place(node), at: host === "lockstep" ? Math.ceil(at) : at }))
      .filter(({ place, at }) => place >= 0 && at > 0)
      .sort((a, b) => a.at - b.at);
    this.losses = new Coins(seed, trial, "losses", faults.loss);
    this.places = new Int32Array(ring.size);
    this.carried = new Int32Array(ring.size);
    this.decided = new Uint8Array(ring.size);
  }

  run(): Result {
    const { crashes, settings } = this;
    const { starting, size } = this.ring;
    const step = delayOf(settings);
    for (let place = 0; place < size; place++) if (starting[place] > 0) this.send(place, starting[place]);
    let struck = 0;
    let now = 0;
    for (let turn = 1; this.flying > 0; turn = turn === size ? 1 : turn + 1) {
      // Added up as the host does it, with the same rounding errors.
      now += step;
      while (struck < crashes.length && crashes[struck].at <= now) this.crash(crashes[struck++].place);
      if (this.deliver(turn === size ? 0 : turn)) this.lastDelivery = now;
    }
    return this.result(step);
  }

  private send(start: number, rank: number): void {
    this.messages++;
    this.bits += 2 + this.ring.bits(Math.abs(rank));
    const { loss } = this.settings.faults;
    if (loss > 0 && this.losses.flip()) return;
    this.places[this.flying] = start;
    this.carried[this.flying++] = rank;
  }

  /** Delivers the messages of an instant, and says whether anybody has got one. */
  private deliver(turn: number): boolean {
    const { places, carried, bars } = this;
    const { size } = this.ring;
    const arriving = this.flying;
    this.flying = 0;
    this.discarded = 0;
    for (let i = 0; i < arriving; i++) {
      const start = places[i];
      const rank = carried[i];
      const place = start + turn < size ? start + turn : start + turn - size;
      const bar = bars[place];
      const passed = rank < 0 ? this.announced(place, rank) : bar >= 0 && bar < rank ? rank : this.stopped(place, rank);
      if (passed !== 0) this.send(start, passed);
    }
    return arriving > this.discarded;
  }

  /** An announcement arrives: what is passed on, 0 for nothing. */
  private announced(place: number, rank: number): number {
    if (this.bars[place] === DEAD) this.discarded++;
    else if (this.decided[place] === 0) {
      this.decided[place] = 1;
      this.announcements++;
      return rank;
    }
    return 0;
  }

  /** An id arrives that is not just passed on: what is sent in its place, 0 for nothing. */
  private stopped(place: number, rank: number): number {
    const bar = this.bars[place];
    if (bar === DEAD) this.discarded++;
    if (bar > rank) return 0;
    if (bar === rank) {
      this.leader = rank;
      this.decided[place] = 1;
      this.announcements++;
      return -rank;
    }
    // It hears of the election now: it joins with its own id, or relays for good.
    this.bars[place] = -bar > rank ? -bar : 0;
    return Math.max(-bar, rank);
  }

  private crash(place: number): void {
    if (this.bars[place] === DEAD) return;
    this.bars[place] = DEAD;
    this.crashed++;
  }

  private result(unit: number): Result {
    const { bars, decided, leader, messages, bits, announcements, ring } = this;
    let known = 0;
    let leads = 0;
    for (let place = 0; place < ring.size; place++) {
      if (decided[place] === 0 || bars[place] === DEAD) continue;
      known++;
      if (ring.ranks[place] === leader) leads++;
    }
    const alive = ring.size - this.crashed;
    const id = ring.id(leader);
    const beliefs = [[null, alive - known] as const, [id, known] as const];
    return {
      messages,
      bits,
      time: inUnits(this.lastDelivery, unit),
      census: {
        alive,
        elected: leads,
        notElected: known - leads,
        undecided: alive - known,
        beliefs: new Map(beliefs.filter(([, count]) => count > 0)),
        leaders: leads === 0 ? [] : [id],
      },
      measures: { announcements },
      series: {},
    };
  }
}
