/**
 * What the processes of several flight records have exchanged. A message that was heard belongs to the latest sending of the same content
 * before it. The clocks of two processes differ by an unknown amount, which the messages between them bound: none arrives before
 * it was sent.
 */
import type { Address } from "../protocol.ts";
import type { Relived } from "./lives.ts";

/** The clock of one life against the clock that all are told by. */
export interface FlightClock {
  /** Milliseconds to add to its own clock. */
  readonly add: number;
  /** By this many milliseconds it may be wrong; null where only the clocks on the walls were compared. */
  readonly within: number | null;
  /** How many messages tell. */
  readonly messages: number;
}

/** A sending, by the places of its life, its step and itself among the step's. */
interface SendingPlace {
  readonly life: number;
  readonly step: number;
  readonly sending: number;
}

export interface FlightExchange {
  /** By the place of the life. */
  readonly clocks: readonly FlightClock[];
  /** For a step of a life that heard a message: where that was sent; undefined where nobody whose record is there has sent it. */
  heard(life: number, step: number): SendingPlace | undefined;
  /** Whether somebody whose record is there has heard it. */
  isHeard(place: SendingPlace): boolean;
}

interface Sent extends SendingPlace {
  readonly at: number;
}

/** Sendings of equal content from one life to one address, in order. */
interface Stream {
  readonly life: number;
  readonly to: Address;
  readonly sendings: Sent[];
}

interface Heard {
  readonly life: number;
  readonly step: number;
  readonly at: number;
}

/** Milliseconds by which a message may seem to arrive too early, beyond what the clocks may be wrong. */
const SLACK = 1;

export function exchangeOf(lives: readonly Relived[]): FlightExchange {
  const sent = sendingsOf(lives);
  const heard = hearingsOf(lives);
  const clocks = clocksOf(lives, sent, heard);
  const pairs = new Map<string, SendingPlace>();
  const matched = new Set<string>();
  for (const [content, all] of heard) {
    const streams = sent.get(content);
    if (streams === undefined) continue;
    for (const { life, step, at } of all) {
      const place = latestBefore(streams, life, at, clocks, lives);
      if (place === undefined) continue;
      pairs.set(`${life} ${step}`, place);
      matched.add(placeKey(place));
    }
  }
  return {
    clocks,
    heard: (life, step) => pairs.get(`${life} ${step}`),
    isHeard: (place) => matched.has(placeKey(place)),
  };
}

export const placeKey = ({ life, step, sending }: SendingPlace): string => `${life} ${step} ${sending}`;

function sendingsOf(lives: readonly Relived[]): Map<string, Stream[]> {
  const sent = new Map<string, Stream[]>();
  for (const [life, { steps }] of lives.entries()) {
    for (const [step, { at, sends }] of steps.entries()) {
      for (const [sending, { to, content }] of sends.entries()) {
        if (to === null) continue;
        const streams = sent.get(content) ?? [];
        if (streams.length === 0) sent.set(content, streams);
        let stream = streams.find((known) => known.life === life && known.to === to);
        if (stream === undefined) {
          stream = { life, to, sendings: [] };
          streams.push(stream);
        }
        stream.sendings.push({ life, step, sending, at });
      }
    }
  }
  return sent;
}

function hearingsOf(lives: readonly Relived[]): Map<string, Heard[]> {
  const heard = new Map<string, Heard[]>();
  for (const [life, { steps }] of lives.entries()) {
    for (const [step, { at, from, content }] of steps.entries()) {
      if (from === null) continue;
      const alike = heard.get(content);
      if (alike === undefined) heard.set(content, [{ life, step, at }]);
      else alike.push({ life, step, at });
    }
  }
  return heard;
}

/** Of sendings of equal content to this life: the latest one that is not later, as far as the clocks say. */
function latestBefore(
  streams: readonly Stream[],
  life: number,
  at: number,
  clocks: readonly FlightClock[],
  lives: readonly Relived[],
): SendingPlace | undefined {
  const arrived = at + clocks[life].add;
  let best: Sent | undefined;
  let bestRank = -Infinity;
  for (const { life: sender, to, sendings } of streams) {
    if (sender === life || !mayBe(to, lives[life].head.address, lives)) continue;
    const { add, within } = clocks[sender];
    const slack = SLACK + (clocks[life].within ?? UNKNOWN) + (within ?? UNKNOWN);
    const place = countUntil(sendings, arrived - add);
    // Where none is early enough, one that is so only if the clocks are a little wrong.
    const sending = sendings[place - 1] ?? sendings[0];
    const left = sending.at + add;
    const rank = left <= arrived ? left : -left;
    if (left > arrived + slack || rank <= bestRank) continue;
    best = sending;
    bestRank = rank;
  }
  return best;
}

/** Milliseconds by which clocks on walls may be wrong. */
const UNKNOWN = 60_000;

/** How many of them, which are in order, were sent at a time or before. */
function countUntil(sendings: readonly Sent[], at: number): number {
  let [low, high] = [0, sendings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sendings[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An address may be a name, behind which anybody can be; one in numbers leads to a single process only. */
const mayBe = (to: Address, address: Address, lives: readonly Relived[]): boolean =>
  to === address || !lives.some(({ head }) => head.address === to);

/** The least time that a message seemed to take from one life to another, by the clocks of both, and how many there were. */
interface Seeming {
  least: number;
  count: number;
}

function clocksOf(
  lives: readonly Relived[],
  sent: ReadonlyMap<string, readonly Stream[]>,
  heard: ReadonlyMap<string, readonly Heard[]>,
): readonly FlightClock[] {
  const seeming = new Map<string, Seeming>();
  for (const [content, hearings] of heard) {
    const [stream, another] = sent.get(content) ?? [];
    const [{ life, at }] = hearings;
    // What was said twice could be matched wrongly, and one wrong match would set a clock.
    if (stream === undefined || another !== undefined || stream.sendings.length !== 1) continue;
    if (hearings.length !== 1 || stream.life === life) continue;
    const key = `${stream.life} ${life}`;
    const took = at - stream.sendings[0].at;
    const known = seeming.get(key);
    if (known === undefined) seeming.set(key, { least: took, count: 1 });
    else {
      known.least = Math.min(known.least, took);
      known.count++;
    }
  }
  return spread(lives, seeming);
}

/** From the longest record to the others, each time by the pair of clocks that is known best. */
function spread(lives: readonly Relived[], seeming: ReadonlyMap<string, Seeming>): readonly FlightClock[] {
  const first = lives.reduce((best, { steps }, life) => (steps.length > lives[best].steps.length ? life : best), 0);
  const wall = ({ head }: Relived) => head.wall - head.now;
  const clocks: (FlightClock | null)[] = lives.map(() => null);
  clocks[first] = { add: wall(lives[first]), within: 0, messages: 0 };
  for (;;) {
    let best: { readonly life: number; readonly clock: FlightClock } | null = null;
    for (const [from, known] of clocks.entries()) {
      if (known === null || known.within === null) continue;
      for (const [life, clock] of clocks.entries()) {
        if (clock !== null) continue;
        const next = against(known, seeming.get(`${from} ${life}`), seeming.get(`${life} ${from}`));
        if (next !== null && (best === null || next.within! < best.clock.within!)) best = { life, clock: next };
      }
    }
    if (best === null) break;
    clocks[best.life] = best.clock;
  }
  return clocks.map((clock, life) => clock ?? { add: wall(lives[life]), within: null, messages: 0 });
}

/** `there`: from the known clock to the other; `back`: the reverse. A message takes no less than no time. */
function against(known: FlightClock, there: Seeming | undefined, back: Seeming | undefined): FlightClock | null {
  if (there === undefined || back === undefined) return null;
  const within = known.within! + Math.abs(there.least + back.least) / 2;
  return { add: known.add - (there.least - back.least) / 2, within, messages: there.count + back.count };
}
