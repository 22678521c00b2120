/** Who lets whom through, request by request: in the order of ranks where nothing is lost, and as the host does it where something may be. */
import { believed } from "../../protocols/complete/believed.ts";
import type { RefereesParams } from "../../protocols/complete/referees.ts";
import { compareLotRanks, drawLotRank, type LotRank } from "../../protocols/lot-rank.ts";
import type { Coins } from "../../random/coins.ts";
import { NodeStream } from "../../random/streams.ts";
import { BitSet } from "../bit-set.ts";
import { FewNumbers } from "../few-numbers.ts";
import { FlatTable } from "../flat-table.ts";
import type { KernelSettings } from "../kernel.ts";
import { Sampler } from "../sampler.ts";

export interface RefereesContest {
  readonly n: number;
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
    nodes,
    draws,
    ranks: draws.map((stream) => drawLotRank(believed(n, params.estimate), stream)),
    asked: Math.min(params.referees, n - 1),
    refuses: params.answers === "all",
    loss: faults.loss,
    crashed,
  };
}

/** The referees that a candidate asks, in the order of asking. */
class Asking {
  readonly referees: Uint32Array;
  private readonly contest: RefereesContest;
  private readonly sampler: Sampler;

  constructor(contest: RefereesContest) {
    this.contest = contest;
    this.referees = new Uint32Array(contest.asked);
    this.sampler = new Sampler(contest.n - 1);
  }

  ask(candidate: number): void {
    const { n, nodes, draws, asked } = this.contest;
    const { referees } = this;
    this.sampler.draw(draws[candidate], asked, referees);
    // Port p leads p+1 places further on, as in topology/complete.ts.
    const node = nodes[candidate] + 1;
    for (let i = 0; i < asked; i++) referees[i] = referees[i] + node < n ? referees[i] + node : referees[i] + node - n;
  }
}

/** Candidates in the order of their ranks; of equal ones, the first. */
const bestFirst = ({ nodes, ranks }: RefereesContest): number[] =>
  nodes.map((_, i) => i).sort((a, b) => compareLotRanks(ranks[b], ranks[a]) || a - b);

/** Nothing is lost: then the best candidate gets all that it asks, the next one what is left, and so on. */
export function answersToBest(contest: RefereesContest): Answers {
  const { n, nodes, asked, refuses, crashed } = contest;
  const won = new Uint32Array(nodes.length);
  const refused = new Uint32Array(nodes.length);
  const asking = new Asking(contest);
  const { referees } = asking;
  const taken = new BitSet(n);
  let wins = 0;
  let refusals = 0;
  let delivered = 0;
  for (const candidate of bestFirst(contest)) {
    asking.ask(candidate);
    let mine = 0;
    let silent = 0;
    for (let i = 0; i < asked; i++) {
      const referee = referees[i];
      if (crashed?.has(referee) === true) silent++;
      else if (!taken.has(referee)) {
        taken.add(referee);
        mine++;
      }
    }
    won[candidate] = mine;
    wins += mine;
    delivered += asked - silent;
    if (!refuses) continue;
    refused[candidate] = asked - silent - mine;
    refusals += refused[candidate];
  }
  return { won, refused, wins, refusals, time: wins > 0 ? 2 : delivered > 0 ? 1 : 0 };
}

/** In the place of a referee: the request is lost. */
const NOBODY = 2 ** 32 - 1;

/**
 * Requests and answers may be lost, and only winners are answered. Whose answers are lost follows from the order of first requests; then candidates
 * come in the order of their ranks, as where nothing is lost.
 */
export function answersToWinners(contest: RefereesContest, losses: Coins): Answers {
  const { n, nodes, asked, crashed } = contest;
  const asking = new Asking(contest);
  const requests = new Uint32Array(nodes.length * asked);
  for (let candidate = 0; candidate < nodes.length; candidate++) {
    asking.ask(candidate);
    requests.set(asking.referees, candidate * asked);
  }
  losses.each(requests.length, (request) => {
    requests[request] = NOBODY;
  });
  const unanswered = new FewNumbers(n);
  const reached = new BitSet(n);
  let arrived = 0;
  let wins = 0;
  for (let i = 0; i < requests.length; i++) {
    const referee = requests[i];
    if (referee === NOBODY || crashed?.has(referee) === true) continue;
    arrived++;
    if (reached.has(referee)) continue;
    reached.add(referee);
    wins++;
    if (losses.flip()) unanswered.add(referee);
  }
  const won = new Uint32Array(nodes.length);
  for (const candidate of bestFirst(contest)) {
    let mine = 0;
    for (let i = candidate * asked; i < (candidate + 1) * asked; i++) {
      const referee = requests[i];
      if (referee === NOBODY || !reached.has(referee)) continue;
      reached.delete(referee);
      if (!unanswered.has(referee)) mine++;
    }
    won[candidate] = mine;
  }
  const time = wins > unanswered.size ? 2 : arrived > 0 ? 1 : 0;
  return { won, refused: new Uint32Array(nodes.length), wins, refusals: 0, time };
}

/** As the host does it: each message that may be lost draws for that, in the order of sending, and all requests are answered. */
export function answersInOrder(contest: RefereesContest, losses: Coins): Answers {
  const { nodes, ranks, asked, crashed } = contest;
  const asking = new Asking(contest);
  const reached = new FlatTable(nodes.length * asked);
  // By referee in the order of their first requests, the best candidate so far.
  const best = new Uint16Array(nodes.length * asked);
  // By request that arrived: who asked, and which of those referees.
  const askers = new Uint16Array(nodes.length * asked);
  const places = new Uint32Array(askers.length);
  let arrived = 0;
  for (let candidate = 0; candidate < nodes.length; candidate++) {
    asking.ask(candidate);
    for (const referee of asking.referees) {
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
