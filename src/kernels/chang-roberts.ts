/**
 * Chang-Roberts with nothing but numbers: an exact kernel where every message takes the same time. Where nothing can happen
 * to a message, each id gets as far as the next larger one of an initiator, and one walk around the ring finds that for all
 * of them. Under loss or crashes, or where processes may join, all messages are followed, round by round.
 */
import { isFaultless } from "../host/faults/faults.ts";
import type { Result } from "../host/setup.ts";
import { inUnits } from "../host/stage.ts";
import { type ChangRobertsParams, changRoberts } from "../protocols/ring/chang-roberts.ts";
import { Coins } from "../random/coins.ts";
import { delayOf, type Kernel, type KernelSettings } from "./kernel.ts";
import { RankRing } from "./rank-ring.ts";

/** Places are added to rounds in 32 bits. */
const LARGEST_N = 2 ** 29;

export const changRobertsKernel: Kernel = {
  name: changRoberts.name,
  protocol: changRoberts,

  refuses({ n, host, delay, faults, params }) {
    const { reading, spread } = params as unknown as ChangRobertsParams;
    if (reading !== "repaired") return "the chang-roberts kernel knows reading=repaired only";
    if (spread > 0) return "the chang-roberts kernel lets all initiators start at once: spread=0";
    if (host === "events" && delay.kind !== "fixed") return "the chang-roberts kernel knows fixed delays only";
    const known = isFaultless(faults, ["loss", "multicastLoss", "crash", "crashes"]);
    if (!known || faults.crashes.some(({ sends }) => sends !== undefined)) {
      return "the chang-roberts kernel knows no faults but lost messages and crashes between handlers";
    }
    return n > LARGEST_N ? `the chang-roberts kernel knows n up to ${LARGEST_N}` : null;
  },

  memory: ({ n, faults }) => n * (faults.crashes.length > 0 ? 17 : faults.loss > 0 ? 13 : 8),

  run(settings, trial) {
    const { faults, initiators, params } = settings;
    const ring = new RankRing(settings, trial);
    const mayJoin = params.passive === "join" && initiators !== "all";
    const isSmooth = faults.loss === 0 && !mayJoin && faults.crashes.every(({ at }) => at <= 0);
    return isSmooth ? walk(ring, settings) : new ChangRobertsRounds(ring, settings, trial).run();
  },
};

function walk(ring: RankRing, settings: KernelSettings): Result {
  const { starting, size } = ring;
  const last = placeOfLargest(starting);
  const leader = last < 0 ? 0 : starting[last];
  let messages = 0;
  let bits = 0;
  const arrived = (rank: number, distance: number) => {
    messages += distance;
    bits += distance * (2 + ring.bits(rank));
  };
  // Ids on their way, larger ones first, and how far from the largest each started. It is the last to stop all others.
  const starts = new Int32Array(leader === 0 ? 0 : size);
  let waiting = 0;
  let place = last;
  for (let distance = 1; leader > 0 && distance <= size; distance++) {
    place = place + 1 === size ? 0 : place + 1;
    const rank = starting[place];
    if (rank === 0) continue;
    while (waiting > 0) {
      const start = starts[waiting - 1];
      const carried = starting[last + start < size ? last + start : last + start - size];
      if (carried > rank) break;
      arrived(carried, distance - start);
      waiting--;
    }
    starts[waiting++] = distance;
  }
  if (leader > 0) arrived(leader, 2 * size);
  const step = delayOf(settings);
  const known = leader > 0 ? size : 0;
  return {
    messages,
    bits,
    time: inUnits(leader > 0 ? after(2 * size, step) : 0, step),
    census: {
      alive: size,
      elected: leader > 0 ? 1 : 0,
      notElected: leader > 0 ? size - 1 : 0,
      undecided: size - known,
      beliefs: new Map(size === 0 ? [] : [[leader > 0 ? ring.id(leader) : null, size]]),
      leaders: leader > 0 ? [ring.id(leader)] : [],
    },
    measures: { announcements: known },
    series: {},
  };
}

/** Below 0 where nobody starts. */
function placeOfLargest(ranks: Int32Array): number {
  let found = -1;
  for (let place = 0; place < ranks.length; place++) if (ranks[place] > (found < 0 ? 0 : ranks[found])) found = place;
  return found;
}

/** So many delays one after the other, added up as the host does it: with the same rounding errors. */
function after(count: number, delay: number): number {
  if (Number.isInteger(delay)) return count * delay;
  let time = 0;
  for (let i = 0; i < count; i++) time += delay;
  return time;
}

// Chang-Roberts message by message. With one delay for all, the messages of an instant move on together and keep their order:
// the queue is one array that gets shorter as ids are swallowed. Where nothing but loss or a larger id can stop an id, an instant is one loop
// without branches that hang on ids, and what is lost is taken out of the queue by the next one.

/** In the place of a rank: no process lets it pass. */
const LOST = 0;
/** What an arriving id would have to beat at a process that has crashed. */
const DEAD = 2 ** 31 - 1;

class ChangRobertsRounds {
  private readonly ring: RankRing;
  private readonly settings: KernelSettings;
  /** By place, what an arriving id has to beat: the own one, or 0 where a process only relays; negative while it may join. */
  private readonly bars: Int32Array;
  /** Whether all that an id meets on its way are other ids and loss, until it is back. */
  private readonly isPlain: boolean;
  private readonly crashes: readonly { readonly place: number; readonly at: number }[];
  private readonly losses: Coins;
  /** Messages on their way in the order of sending: the place of the sender, and rank; an announcement's is negative, and LOST stands for none. */
  private readonly places: Int32Array;
  private readonly carried: Int32Array;
  private flying = 0;
  private lost = 0;
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
    const mayJoin = params.passive === "join" && ring.starting !== ring.ranks;
    this.bars = mayJoin
      ? ring.starting.map((rank, place) => (rank > 0 ? rank : -ring.ranks[place]))
      : faults.crashes.length > 0
        ? ring.starting.slice()
        : ring.starting;
    this.isPlain = !mayJoin && faults.crashes.length === 0 && ring.areIdsRanks;
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
    const step = delayOf(settings);
    this.start();
    this.lose();
    let struck = 0;
    let now = 0;
    for (let turn = 1; this.flying > this.lost; turn++) {
      // Added up as the host does it, with the same rounding errors.
      now += step;
      while (struck < crashes.length && crashes[struck].at <= now) this.crash(crashes[struck++].place);
      if (this.deliver(turn)) this.lastDelivery = now;
      this.lose();
    }
    return this.result(step);
  }

  private start(): void {
    const { places, carried, ring } = this;
    const { starting, size } = ring;
    let bits = 0;
    let sent = 0;
    for (let place = 0; place < size; place++) {
      const rank = starting[place];
      if (rank === 0) continue;
      places[sent] = place;
      carried[sent++] = rank;
      bits += 2 + ring.bits(rank);
    }
    this.flying = sent;
    this.messages = sent;
    this.bits = bits;
  }

  private send(place: number, rank: number): void {
    this.messages++;
    this.bits += 2 + this.ring.bits(Math.abs(rank));
    this.places[this.flying] = place;
    this.carried[this.flying++] = rank;
  }

  /** All that was sent in an instant is lost or not, one after the other. */
  private lose(): void {
    this.lost = 0;
    if (this.settings.faults.loss === 0) return;
    this.losses.each(this.flying, (message) => {
      this.carried[message] = LOST;
      this.lost++;
    });
  }

  /** Delivers the messages of an instant, and says whether anybody has got one. */
  private deliver(turn: number): boolean {
    const arriving = this.flying - this.lost;
    this.discarded = 0;
    // Before an id can be back at its process, all that it meets are other ids.
    if (this.isPlain && turn < this.ring.size) this.deliverIds();
    else this.deliverAny();
    return arriving > this.discarded;
  }

  private deliverIds(): void {
    const { places, carried, bars, flying } = this;
    const { size } = this.ring;
    let bits = 0;
    let kept = 0;
    for (let i = 0; i < flying; i++) {
      const place = places[i] + 1 === size ? 0 : places[i] + 1;
      const rank = carried[i];
      // 1 where it is larger than what it meets.
      const passes = (bars[place] - rank) >>> 31;
      bits += (34 - Math.clz32(rank)) & -passes;
      places[kept] = place;
      carried[kept] = rank;
      kept += passes;
    }
    this.flying = kept;
    this.messages += kept;
    this.bits += bits;
  }

  private deliverAny(): void {
    const { places, carried, bars, flying } = this;
    const { size } = this.ring;
    this.flying = 0;
    for (let i = 0; i < flying; i++) {
      const place = places[i] + 1 === size ? 0 : places[i] + 1;
      const rank = carried[i];
      if (rank === LOST) continue;
      const bar = bars[place];
      const passed = rank < 0 ? this.announced(place, rank) : bar >= 0 && bar < rank ? rank : this.stopped(place, rank);
      if (passed !== 0) this.send(place, passed);
    }
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
    for (let place = 0; announcements > 0 && place < ring.size; place++) {
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
