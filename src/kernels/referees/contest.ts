/** Which referee lets which candidate through, request by request: in the order of ranks where nothing is lost, and as the host does it where something may be. */
import { believed } from "../../protocols/complete/believed.ts";
import type { RefereesParams } from "../../protocols/complete/referees.ts";
import { compareLotRanks, drawLotRank, type LotRank } from "../../protocols/ranks.ts";
import type { StreamKey } from "../../random/bulk.ts";
import type { Coins } from "../../random/coins.ts";
import { NodeStream, nodesKey } from "../../random/streams.ts";
import { type AskingMarks, LOST_REQUEST, openAsking } from "../asking.ts";
import type { BitSet } from "../bit-set.ts";
import type { KernelSettings } from "../kernel.ts";

export interface RefereesContest {
  readonly n: number;
  /** Of the nodes' draws. */
  readonly key: StreamKey;
  /** The candidates, ascending, and their draws after the rank. */
  readonly nodes: readonly number[];
  readonly draws: readonly NodeStream[];
  readonly ranks: readonly LotRank[];
  /** How many each of them asks. */
  readonly asked: number;
  /** Whether a referee also refuses. */
  readonly refuses: boolean;
  readonly loss: number;
  readonly crashed: BitSet | null;
}

/** What came back, by candidate, and what was sent. */
export interface Answers {
  readonly won: Uint32Array;
  readonly refused: Uint32Array;
  readonly wins: number;
  readonly refusals: number;
  /** The step of the last delivery. */
  readonly time: 0 | 1 | 2;
}

export function contestOf(
  { n, seed, faults, ...settings }: KernelSettings,
  trial: number,
  nodes: readonly number[],
  crashed: BitSet | null,
): RefereesContest {
  const params = settings.params as unknown as RefereesParams;
  const draws = nodes.map((node) => new NodeStream(seed, trial, node));
  return {
    n,
    key: nodesKey(seed, trial),
    nodes,
    draws,
    ranks: draws.map((stream) => drawLotRank(believed(n, params.estimate), stream)),
    asked: Math.min(params.referees, n - 1),
    refuses: params.answers === "all",
    loss: faults.loss,
    crashed,
  };
}

/** Where candidates ask, with room for this many lists. */
const askingOf = ({ n, key, asked }: RefereesContest, lists: number): AskingMarks =>
  openAsking({ n, key, urn: n - 1, k: asked, lists });

/** Candidates in the order of their ranks; of equal ones, the first. */
const bestFirst = ({ nodes, ranks }: RefereesContest): number[] =>
  nodes.map((_, i) => i).sort((a, b) => compareLotRanks(ranks[b], ranks[a]) || a - b);

/** Nothing is lost: then the best candidate gets all that it asks, the next one what is left, and so on. */
export function answersToBest(contest: RefereesContest): Answers {
  const { nodes, draws, asked, refuses, crashed } = contest;
  const won = new Uint32Array(nodes.length);
  const refused = new Uint32Array(nodes.length);
  const asking = askingOf(contest, 1);
  // Nobody gets one that has crashed.
  if (crashed !== null) asking.markAll(crashed);
  let wins = 0;
  let refusals = 0;
  for (const candidate of bestFirst(contest)) {
    const mine = asking.askAndMark(0, nodes[candidate], draws[candidate]);
    won[candidate] = mine;
    wins += mine;
    if (!refuses) continue;
    refused[candidate] = asked - mine - (crashed === null ? 0 : countIn(crashed, asking.asked));
    refusals += refused[candidate];
  }
  // The first request that reaches a live referee wins it.
  return { won, refused, wins, refusals, time: wins > 0 ? 2 : 0 };
}

const countIn = (set: BitSet, numbers: Uint32Array): number =>
  numbers.reduce((count, number) => count + (set.has(number) ? 1 : 0), 0);

/**
 * Requests and answers may be lost, and only winners are answered. Whose answers are lost follows from the order of first requests; then candidates
 * come in the order of their ranks, as where nothing is lost.
 */
export function answersToWinners(contest: RefereesContest, losses: Coins): Answers {
  const { nodes, draws, crashed } = contest;
  const asking = askingOf(contest, nodes.length);
  const { asked, firsts } = asking;
  for (const [candidate, node] of nodes.entries()) asking.ask(candidate, node, draws[candidate]);
  losses.each(asked.length, (request) => {
    asked[request] = LOST_REQUEST;
  });
  if (crashed !== null) asking.markAll(crashed);
  const unanswered: number[] = [];
  let wins = 0;
  for (const candidate of nodes.keys()) {
    const first = asking.markFirst(candidate);
    wins += first;
    losses.each(first, (answer) => unanswered.push(firsts[answer]));
  }
  // Marks are left on those whose answer arrives.
  if (crashed !== null) asking.unmarkAll(crashed);
  for (const referee of unanswered) asking.unmark(referee);
  const won = new Uint32Array(nodes.length);
  for (const candidate of bestFirst(contest)) won[candidate] = asking.takeMarks(candidate);
  const time = wins > unanswered.length ? 2 : wins > 0 ? 1 : 0;
  return { won, refused: new Uint32Array(nodes.length), wins, refusals: 0, time };
}

/** As the host does it: each message that may be lost draws for that, in the order of sending, and all requests are answered. */
export function answersInOrder(contest: RefereesContest, losses: Coins): Answers {
  const { nodes, draws, ranks, asked, crashed } = contest;
  const asking = askingOf(contest, 1);
  const reached = new FlatTable(nodes.length * asked);
  // By referee in the order of their first requests, the best candidate so far.
  const best = new Uint16Array(nodes.length * asked);
  // By request that arrived: who asked, and which of those referees.
  const askers = new Uint16Array(nodes.length * asked);
  const places = new Uint32Array(askers.length);
  let arrived = 0;
  for (let candidate = 0; candidate < nodes.length; candidate++) {
    asking.ask(0, nodes[candidate], draws[candidate]);
    for (const referee of asking.asked) {
      if (losses.flip() || crashed?.has(referee) === true) continue;
      const slot = reached.find(referee);
      let place = reached.value(slot);
      if (!reached.has(slot)) {
        place = reached.size;
        reached.put(slot, referee, place);
        best[place] = candidate;
      } else if (compareLotRanks(ranks[candidate], ranks[best[place]]) > 0) best[place] = candidate;
      askers[arrived] = candidate;
      places[arrived++] = place;
    }
  }
  const won = new Uint32Array(nodes.length);
  const refused = new Uint32Array(nodes.length);
  let answered = false;
  const answer = (candidate: number, wins: boolean) => {
    if (losses.flip()) return;
    answered = true;
    if (wins) won[candidate]++;
    else refused[candidate]++;
  };
  eachByPlace(askers, places, arrived, reached.size, (asker, place) => answer(asker, asker === best[place]));
  return {
    won,
    refused,
    wins: reached.size,
    refusals: arrived - reached.size,
    time: answered ? 2 : arrived > 0 ? 1 : 0,
  };
}

/** Askers by the places where they asked, in the order in which they came to each: a counting sort. */
function eachByPlace(
  askers: Uint16Array,
  places: Uint32Array,
  count: number,
  size: number,
  act: (asker: number, place: number) => void,
): void {
  const next = new Uint32Array(size + 1);
  for (let i = 0; i < count; i++) next[places[i] + 1]++;
  for (let place = 0; place < size; place++) next[place + 1] += next[place];
  const sorted = new Uint16Array(count);
  for (let i = 0; i < count; i++) sorted[next[places[i]]++] = askers[i];
  for (let place = 0, i = 0; place < size; place++) for (; i < next[place]; i++) act(sorted[i], place);
}

/**
 * A hash table from 32-bit keys to 32-bit numbers over typed arrays: eight bytes an entry, where a `Map` takes some forty and
 * ends at 2^24 entries. Open addressing with linear probing; never grows, so the caller says how many keys may come.
 */
export class FlatTable {
  size = 0;
  /** Keys plus one, so that 0 marks a free slot. */
  private readonly keys: Uint32Array;
  private readonly values: Uint32Array;
  private readonly slots: number;
  private readonly scale: number;

  constructor(capacity: number) {
    this.slots = 16 + Math.ceil(1.4 * capacity);
    this.scale = this.slots / 2 ** 32;
    this.keys = new Uint32Array(this.slots);
    this.values = new Uint32Array(this.slots);
  }

  /** The slot of a key, or the free slot where it belongs. */
  find(key: number): number {
    const { keys, slots } = this;
    // Fibonacci hashing: neighbouring keys end up far apart. Scaled and not masked, so the table may have any size.
    let slot = Math.floor((Math.imul(key, 0x9e3779b1) >>> 0) * this.scale);
    while (keys[slot] !== 0 && keys[slot] !== key + 1) if (++slot === slots) slot = 0;
    return slot;
  }

  has(slot: number): boolean {
    return this.keys[slot] !== 0;
  }

  value(slot: number): number {
    return this.values[slot];
  }

  put(slot: number, key: number, value: number): void {
    this.keys[slot] = key + 1;
    this.values[slot] = value;
    this.size++;
  }
}
