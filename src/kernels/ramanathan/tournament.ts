/** Exact kernels of the protocols of Ramanathan et al.: the tournament, and the quorum alone. */

import { bitLength } from "../../protocols/bits.ts";
import { drawSigma } from "../../protocols/complete/member.ts";
import type { FirstPhaseParams, QuorumParams, TimedParams } from "../../protocols/complete/parameters.ts";
import { type QuorumProtocolParams, quorum } from "../../protocols/complete/quorum.ts";
import { tournament } from "../../protocols/complete/tournament.ts";
import { type TournamentAsyncParams, tournamentAsync } from "../../protocols/complete/tournament-async.ts";
import { nodesKey } from "../../random/streams.ts";
import { believedSize, roundedSigma, type Sizes } from "../../theory/ramanathan/sigma.ts";
import { delayOf, type Kernel, type KernelSettings, refusesOtherFaults } from "../kernel.ts";
import { AssembledRounds } from "./assembled-rounds.ts";
import { Exchanges } from "./exchanges.ts";
import { LARGEST_NODE, receiver } from "./requests.ts";
import { ANSWERS, FIRST_PHASE, LOST, NAK, TimedQuorum } from "./timed-quorum.ts";

/** Half a gigabyte of requests. */
const MOST_REQUESTS = 2 ** 27;

export const tournamentKernel: Kernel = {
  name: tournament.name,
  protocol: tournament,

  refuses(settings) {
    const { mediators } = settings.params as unknown as FirstPhaseParams;
    if (mediators !== "fresh") return "the tournament kernel knows mediators=fresh only";
    if (asksNobody(settings)) return "the tournament kernel knows rounds in which every contender asks somebody";
    return refusesExchanges(settings);
  },

  memory(settings) {
    const { n } = settings;
    const params = settings.params as unknown as FirstPhaseParams;
    if (params.J === 0) return 7 * n + 8 * keptRequests(settings);
    const { least } = roundedSigma({ ...params, n: believedSize(n, params.estimate) }, 1);
    return 7 * n + 4 * Math.min(least, n) * startersOf(settings);
  },

  run(settings, trial) {
    const params = settings.params as unknown as FirstPhaseParams;
    const election = new Exchanges(settings, trial, roundsOf(settings, trial));
    election.firstPhase(params);
    election.quorum(params, params.J + 1);
    return election.result();
  },
};

/** What plays the first phase in WebAssembly, where there is any. */
function roundsOf(settings: KernelSettings, trial: number): AssembledRounds | null {
  const { n, seed, faults } = settings;
  const params = settings.params as unknown as FirstPhaseParams;
  if (params.J === 0) return null;
  const { least } = roundedSigma({ ...params, n: believedSize(n, params.estimate) }, 1);
  const requests = Math.min(least, n) * startersOf(settings);
  return AssembledRounds.open({ n, key: nodesKey(seed, trial), requests, loss: faults.loss });
}

export const tournamentAsyncKernel: Kernel = {
  name: tournamentAsync.name,
  protocol: tournamentAsync,

  refuses(settings) {
    const { mediators, J } = settings.params as unknown as FirstPhaseParams;
    if (mediators !== "fresh") return "the tournament-async kernel knows mediators=fresh only";
    if (asksNobody(settings)) return "the tournament-async kernel knows rounds in which every contender asks somebody";
    if (J > MOST_ROUNDS) return `the tournament-async kernel knows J up to ${MOST_ROUNDS}`;
    if (J === 0 && allRequests(settings) > MOST_REQUESTS / 8) return "that many requests do not fit into memory";
    return refusesTimed(settings) ?? refusesExchanges(settings);
  },

  memory: (settings) => 30 * settings.n + 80 * startersOf(settings),

  run: (settings, trial) => new TimedTournament(settings, trial).run(),
};

export const quorumAsyncKernel: Kernel = {
  name: `${quorum.name}, async`,
  protocol: quorum,

  refuses(settings) {
    const { timing } = settings.params as unknown as QuorumProtocolParams;
    if (timing !== "async") return "this quorum kernel knows timing=async only";
    const requests = allRequests(settings);
    if (requests > (settings.faults.loss > 0 ? MOST_REQUESTS / 8 : MOST_REQUESTS)) {
      return `the quorum kernel keeps all requests, and ${requests} do not fit into memory`;
    }
    return refusesTimed(settings) ?? refusesExchanges(settings);
  },

  memory: (settings) => 20 * settings.n + (settings.faults.loss > 0 ? 44 : 4) * allRequests(settings),

  run: (settings, trial) => new TimedQuorum(settings, trial).run(),
};

export const quorumKernel: Kernel = {
  name: `${quorum.name}, sync`,
  protocol: quorum,

  refuses(settings) {
    const params = settings.params as unknown as QuorumProtocolParams;
    if (params.timing !== "sync") return "the quorum kernel knows timing=sync only";
    if (keptRequests(settings) > MOST_REQUESTS) {
      return `under loss or gamma the quorum kernel keeps all requests, and ${keptRequests(settings)} do not fit into memory`;
    }
    return refusesExchanges(settings);
  },

  memory: (settings) => 14 * settings.n + 8 * keptRequests(settings),

  run(settings, trial) {
    const election = new Exchanges(settings, trial);
    election.quorum(settings.params as unknown as QuorumParams, 1);
    return election.result();
  },
};

/** A coin that rounds a number of mediators below 1 may say 0. */
function asksNobody({ n, params: all }: KernelSettings): boolean {
  const params = all as unknown as FirstPhaseParams;
  return params.J > 0 && roundedSigma({ ...params, n: believedSize(n, params.estimate) }, 1).least === 0;
}

/** All is on a grid of whole times, so that messages and timers of an instant meet there as they do in the host. */
function refusesTimed(settings: KernelSettings): string | null {
  const { host, delay, protocol } = settings;
  const { tau, spread } = settings.params as unknown as TimedParams;
  const kernel = `the ${protocol.name} kernel`;
  if (spread > 0) return `${kernel} lets all contenders start at once: spread=0`;
  if (host === "events" && delay.kind !== "fixed") return `${kernel} knows fixed delays only`;
  const whole = Number.isInteger(delayOf(settings)) && Number.isInteger(tau / delayOf(settings));
  return whole ? null : `${kernel} knows whole delays only, and a tau that is a multiple of them`;
}

/** Requests that have to be remembered until all are drawn. */
function keptRequests(settings: KernelSettings): number {
  const { gamma } = settings.params as unknown as QuorumParams;
  return settings.faults.loss === 0 && gamma === 0 ? 0 : allRequests(settings);
}

const allRequests = (settings: KernelSettings): number =>
  Math.min(Number(settings.params.ask), settings.n) * startersOf(settings);

const startersOf = ({ n, initiators }: KernelSettings): number => (initiators === "all" ? n : initiators);

function refusesExchanges({ n, topology, faults, protocol }: KernelSettings): string | null {
  if (topology !== "complete") return `the ${protocol.name} kernel knows complete graphs only`;
  const refusal = refusesOtherFaults(protocol.name, faults);
  if (refusal !== null) return refusal;
  return n > LARGEST_NODE ? `the ${protocol.name} kernel knows n up to ${LARGEST_NODE}` : null;
}

// The asynchronous tournament as numbers: its first phase, rule by rule as in protocols/complete/tournament-async.ts, before the timed quorum.

/** A mediator keeps a bit for each round. */
const MOST_ROUNDS = 31;

/** Kinds of messages of round r: `NAK` + 3 (r - 1) and these. */
const ASK = 1;
const YES = 2;
const NO = 3;

class TimedTournament extends TimedQuorum {
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
