/**
 * The lumped kernel of the referees: processes that are no candidates are alike, so a candidate draws how many of its
 * requests go to those that somebody better has reached, to those that nobody has, and to those that have crashed. Candidates
 * come in the order of their ranks, and the best gets all that it reaches. Time and memory do not depend on n.
 */
import type { Result } from "../../host/setup.ts";
import { believed, candidacy } from "../../protocols/complete/believed.ts";
import { type RefereesParams, referees } from "../../protocols/complete/referees.ts";
import { compareLotRanks, drawLotRank } from "../../protocols/ranks.ts";
import { binomial } from "../../random/binomial.ts";
import { hypergeometric } from "../../random/hypergeometric.ts";
import type { Source } from "../../random/source.ts";
import { NodeStream } from "../../random/streams.ts";
import type { Kernel, KernelSettings } from "../kernel.ts";
import { refereesSummary, refusesReferees } from "./summary.ts";

/** Numbers of processes stay exact under the arithmetic of the draws. */
const LARGEST_N = 2 ** 48;
/** Each pair of candidates costs a draw. */
const MOST_CANDIDATES = 10_000;

export const refereesLumpedKernel: Kernel = {
  name: `${referees.name}, lumped`,
  protocol: referees,
  lumped: true,

  refuses(settings) {
    const { n } = settings;
    const refusal = refusesReferees(settings);
    if (refusal !== null) return refusal;
    if (n > LARGEST_N) return `the lumped referees kernel knows n up to ${LARGEST_N}`;
    const candidates = candidacy(settings.params as unknown as RefereesParams, n) * n;
    return candidates > MOST_CANDIDATES ? "that many candidates are too many for the referees kernel" : null;
  },

  run: (settings, trial) => new Election(settings, trial).run(),
};

class Election {
  private readonly settings: KernelSettings;
  private readonly params: RefereesParams;
  private readonly source: Source;
  private readonly candidates: number;
  private readonly alive: number;
  /** Live processes that are no candidates: those that a request has reached, and the others. */
  private held = 0;
  private free: number;
  /** Whether somebody has reached a candidate, as a referee. */
  private readonly reached: Uint8Array;
  private arrived = 0;

  constructor(settings: KernelSettings, trial: number) {
    const { n, seed, faults } = settings;
    this.settings = settings;
    this.params = settings.params as unknown as RefereesParams;
    this.source = new NodeStream(seed, trial, 0);
    const there = n - new Set(faults.crashes.map(({ node }) => node)).size;
    const drawn = binomial(this.source, there, candidacy(this.params, n));
    this.candidates = binomial(this.source, drawn, 1 - faults.crash);
    this.free = binomial(this.source, there - drawn, 1 - faults.crash);
    this.alive = this.candidates + this.free;
    this.reached = new Uint8Array(this.candidates);
  }

  run(): Result {
    const { source, candidates, params, alive } = this;
    const { n } = this.settings;
    const size = believed(n, params.estimate);
    const ranks = Array.from({ length: candidates }, () => drawLotRank(size, source)).sort((a, b) =>
      compareLotRanks(b, a),
    );
    const asked = Math.min(params.referees, n - 1);
    const won = new Uint32Array(candidates);
    const refused = new Uint32Array(candidates);
    let wins = 0;
    let refusals = 0;
    for (let i = 0; i < candidates; i++) {
      const { mine, others } = this.ask(i, asked);
      wins += mine;
      won[i] = this.arriving(mine);
      if (params.answers === "winner") continue;
      refusals += others;
      refused[i] = this.arriving(others);
    }
    const heard = won.some((count) => count > 0) || refused.some((count) => count > 0);
    const time = heard ? 2 : this.arrived > 0 ? 1 : 0;
    const listeners = (leaders: readonly number[]) => leaders.length * (alive - 1);
    return refereesSummary(params, n, alive, { ranks, asked }, { won, refused, wins, refusals, time }, (leaders) =>
      source.coin(1 - this.settings.faults.loss ** listeners(leaders)),
    );
  }

  /** Of the requests of a candidate that arrive: those to referees that no better candidate has reached, and the others. */
  private ask(candidate: number, asked: number): { readonly mine: number; readonly others: number } {
    const { source, reached } = this;
    let left = asked;
    let urn = this.settings.n - 1;
    let mine = 0;
    let others = 0;
    for (let other = 0; other < reached.length; other++) {
      if (other === candidate) continue;
      const isAsked = source.coin(left / urn--);
      if (!isAsked) continue;
      left--;
      if (this.arriving(1) === 0) continue;
      if (reached[other] === 1) others++;
      else mine++;
      reached[other] = 1;
    }
    const toHeld = hypergeometric(source, this.held, urn - this.held, left);
    const toFree = hypergeometric(source, this.free, urn - this.held - this.free, left - toHeld);
    const taken = this.arriving(toFree);
    others += this.arriving(toHeld);
    this.held += taken;
    this.free -= taken;
    this.arrived += mine + taken + others;
    return { mine: mine + taken, others };
  }

  private arriving(messages: number): number {
    return binomial(this.source, messages, 1 - this.settings.faults.loss);
  }
}
