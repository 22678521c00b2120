/** Sizes for the protocols that ask random samples: referees, random walks, quorum and tournaments. */
import type { Params } from "../protocols/parameters.ts";
import { binomialBelow } from "../theory/chance.ts";
import { mostRounds } from "../theory/sigma.ts";
import { type Attempt, allowance, attempt, fails, least, meets, type Setting } from "./setting.ts";

/** The cheapest that meets target and latency; one that meets the target but takes longer; the most successful of all. */
export interface Search {
  readonly found: Attempt | null;
  readonly slow: Attempt | null;
  readonly best: Attempt | null;
}

export class Tries {
  private found: Attempt | null = null;
  private slow: Attempt | null = null;
  private best: Attempt | null = null;
  private readonly setting: Setting;

  constructor(setting: Setting) {
    this.setting = setting;
  }

  add(tried: Attempt | null): void {
    if (tried === null) return;
    if (this.best === null || fails(tried) < fails(this.best)) this.best = tried;
    if (!meets(this.setting, tried)) return;
    if (tried.delays > this.setting.latency) {
      if (this.slow === null || tried.delays < this.slow.delays) this.slow = tried;
    } else if (this.found === null || tried.messages < this.found.messages) this.found = tried;
  }

  /** The smallest size that meets the target, as if all larger ones did; the largest where none does. */
  addSmallest(largest: number, tryWith: (size: number) => Attempt | null): void {
    const size = least(1, largest, (tried) => {
      const found = tryWith(tried);
      return found !== null && meets(this.setting, found);
    });
    this.add(tryWith(size ?? largest));
  }

  result(): Search {
    return { found: this.found, slow: this.slow, best: this.best };
  }
}

/** What part of the allowance goes to having no candidate at all; the rest to misses and losses. */
const SHARES = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9];

/** Expected candidates so that none stands with at most probability p; all of n where that is not enough. */
function candidatesFor({ n, initiators, crash }: Setting, p: number): number {
  const each = -Math.expm1(Math.log(p) / initiators) / (1 - crash);
  return each >= 1 ? n : Math.ceil(each * n * 1000) / 1000;
}

export function searchReferees(setting: Setting): Search {
  const { n, loss, crash } = setting;
  const tries = new Tries(setting);
  if (n < 2) return tries.result();
  const budget = allowance(setting, "approximation");
  const faulty = loss > 0 || crash > 0;
  const trip = (1 - crash) * (1 - loss) ** 2;
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    const params = (referees: number): Params => ({
      candidates,
      referees,
      ...(faulty
        ? { answers: "all", threshold: shareOf(enough(referees, trip, (budget * (1 - share)) / 2), referees) }
        : {}),
    });
    const tryWith = (referees: number) => attempt(setting, "referees", params(referees));
    const largest = Math.min(n - 1, 24 * Math.ceil(Math.sqrt(n * Math.log(n))));
    tries.addSmallest(largest, tryWith);
    // Small groups: the threshold jumps, so all sizes and shares are worth a look.
    if (n <= 12 && faulty) {
      for (let referees = Math.ceil(n / 2); referees < n; referees++) {
        for (let t = 1; t <= referees; t++) {
          tries.add(attempt(setting, "referees", { candidates, referees, answers: "all", threshold: t / referees }));
        }
      }
    }
  }
  return tries.result();
}

/** Of so many asked, the largest number of positive answers that the best contender misses with at most probability p. */
function enough(asked: number, trip: number, p: number): number {
  let [low, high] = [0, asked];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (binomialBelow(asked, trip, middle) <= p) low = middle;
    else high = middle - 1;
  }
  return low;
}

const shareOf = (part: number, whole: number): number => Math.floor((part / whole) * 1e4) / 1e4;

export function searchWalks(setting: Setting): Search {
  const tries = new Tries(setting);
  if (setting.n < 2) return tries.result();
  const budget = allowance(setting, "bound");
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    const tryWith = (walks: number) => attempt(setting, "random-walks", { candidates, walks });
    const most = 64 * Math.ceil(Math.sqrt(setting.n * Math.log(setting.n + 1)));
    tries.addSmallest(most, tryWith);
  }
  return tries.result();
}

export function searchQuorum(setting: Setting, timing: "sync" | "async"): Search {
  const tries = new Tries(setting);
  addQuorums(tries, setting, (sizes) => attempt(setting, "quorum", { timing, ...sizes }));
  return tries.result();
}

interface QuorumSizes {
  readonly s: number;
  readonly ask?: number;
}

/**
 * The smallest quorums that meet the target: as many are asked as it takes for two sets to meet, and of these so many must
 * agree as do agree but for a share of the allowance.
 */
function addQuorums(tries: Tries, setting: Setting, tryWith: (sizes: QuorumSizes) => Attempt | null): void {
  const { n, loss, crash } = setting;
  const trip = (1 - crash) * (1 - loss) ** 2;
  const largest = n <= EVERY_SIZE ? n : Math.min(n, 12 * Math.ceil(Math.sqrt(n * Math.log(n))));
  for (const share of trip < 1 ? SHARES : [0]) {
    const sizes = (ask: number): QuorumSizes => {
      if (trip === 1) return { s: ask };
      const agree = enough(ask, trip, share * allowance(setting, "approximation"));
      return { s: Math.max(1, agree), ask };
    };
    if (n <= EVERY_SIZE) {
      for (let ask = 1; ask <= largest; ask++) tries.add(tryWith(sizes(ask)));
    } else tries.addSmallest(largest, (ask) => tryWith(sizes(ask)));
  }
}

/** In groups up to this size the chances jump from one size to the next, so each is tried. */
const EVERY_SIZE = 24;

export function searchTournament(setting: Setting, protocol: "tournament" | "tournament-async"): Search {
  const { n } = setting;
  const tries = new Tries(setting);
  const faulty = setting.loss > 0 || setting.crash > 0;
  const most = mostRounds({ n, sigma: "design", alpha: 2, rounding: "ceil" });
  for (const failures of faulty ? ["all-yes", "no-refusal"] : ["all-yes"]) {
    for (let J = most; J >= 0; J--) {
      const tryWith = (sizes: QuorumSizes) =>
        attempt(setting, protocol, { J, ...sizes, ...(faulty ? { failures } : {}) });
      // With everybody asked, what still fails is the first phase: then fewer rounds are needed.
      const probe = tryWith(faulty ? { s: 1, ask: n } : { s: n });
      if (probe !== null && probe.pNone > allowance(setting, "approximation") && J > 0) {
        tries.add(probe);
        continue;
      }
      const before = tries.result().found;
      addQuorums(tries, setting, tryWith);
      // More rounds cost less: the first J from above that works is the cheapest, or nearly so.
      if (tries.result().found !== before) break;
    }
  }
  return tries.result();
}
