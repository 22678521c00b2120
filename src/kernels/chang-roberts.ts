/**
 * Chang-Roberts with nothing but numbers: an exact kernel where every message takes the same time. Where nothing can happen
 * to a message, each id gets as far as the next larger one of an initiator, and one walk around the ring finds that for all
 * of them. Under loss or crashes, or where processes may join, all messages are followed (chang-roberts-rounds.ts).
 */
import { isFaultless } from "../host/faults/faults.ts";
import type { Result } from "../host/setup.ts";
import { inUnits } from "../host/stage.ts";
import { type ChangRobertsParams, changRoberts } from "../protocols/ring/chang-roberts.ts";
import { ChangRobertsRounds } from "./chang-roberts-rounds.ts";
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
