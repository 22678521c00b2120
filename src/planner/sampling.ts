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
      ...(faulty ? { answers: "all", threshold: threshold(referees, trip, (budget * (1 - share)) / 2) } : {}),
    });
    const tryWith = (referees: number) => attempt(setting, "referees", params(referees));
    const largest = Math.min(n - 1, 24 * Math.ceil(Math.sqrt(n * Math.log(n))));
    const size = least(1, largest, (referees) => {
      const tried = tryWith(referees);
      return tried !== null && meets(setting, tried);
    });
    tries.add(tryWith(size ?? largest));
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

/** The largest share of positive answers that the best candidate misses with at most probability p. */
function threshold(referees: number, trip: number, p: number): number {
  let [low, high] = [0, referees];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (binomialBelow(referees, trip, middle) <= p) low = middle;
    else high = middle - 1;
  }
  return Math.floor((low / referees) * 1e4) / 1e4;
}

export function searchWalks(setting: Setting): Search {
  const tries = new Tries(setting);
  if (setting.n < 2) return tries.result();
  const budget = allowance(setting, "bound");
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    const tryWith = (walks: number) => attempt(setting, "random-walks", { candidates, walks });
    const most = 64 * Math.ceil(Math.sqrt(setting.n * Math.log(setting.n + 1)));
    const walks = least(1, most, (size) => {
      const tried = tryWith(size);
      return tried !== null && meets(setting, tried);
    });
    tries.add(tryWith(walks ?? most));
  }
  return tries.result();
}

/** How many more to ask than have to answer: gamma is the failure probability that the second phase allows for. */
const gammas = ({ loss, crash }: Setting): number[] =>
  loss > 0 || crash > 0 ? [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5] : [0];

export function searchQuorum(setting: Setting, timing: "sync" | "async"): Search {
  const tries = new Tries(setting);
  for (const gamma of gammas(setting)) {
    addQuorums(tries, setting, (s) => attempt(setting, "quorum", { timing, s, ...given(gamma) }));
  }
  return tries.result();
}

const given = (gamma: number): Params => (gamma > 0 ? { gamma } : {});

/** The smallest quorum whose chance of several leaders leaves room for the rest; in small groups every size. */
function addQuorums(tries: Tries, setting: Setting, tryWith: (s: number) => Attempt | null): void {
  const { n } = setting;
  if (n <= 24) {
    for (let s = 1; s <= n; s++) tries.add(tryWith(s));
    return;
  }
  const largest = 12 * Math.ceil(Math.sqrt(n * Math.log(n)));
  for (const share of [0.8, 0.2]) {
    const s = least(1, Math.min(n, largest), (size) => {
      const tried = tryWith(size);
      return tried !== null && tried.pMany <= share * allowance(setting, "approximation");
    });
    if (s !== null) tries.add(tryWith(s));
  }
}

export function searchTournament(setting: Setting, protocol: "tournament" | "tournament-async"): Search {
  const { n } = setting;
  const tries = new Tries(setting);
  const faulty = setting.loss > 0 || setting.crash > 0;
  for (const failures of faulty ? ["all-yes", "no-refusal"] : ["all-yes"]) {
    for (const gamma of faulty ? [0, 0.02, 0.1, 0.3] : [0]) {
      const most = mostRounds({ n, sigma: "design", alpha: 2, rounding: "ceil" });
      for (let J = most; J >= 0; J--) {
        const tryWith = (s: number) =>
          attempt(setting, protocol, { J, s, ...given(gamma), ...(faulty ? { failures } : {}) });
        // With everybody asked, what still fails is the first phase or missing answers: then fewer rounds are needed.
        const probe = tryWith(Math.max(1, Math.min(n, Math.ceil(4 * Math.sqrt(n)))));
        if (probe !== null && probe.pNone > 3 * allowance(setting, "approximation") && J > 0) {
          tries.add(probe);
          continue;
        }
        const before = tries.result().found;
        addQuorums(tries, setting, tryWith);
        // More rounds cost less: the first J from above that works is the cheapest, or nearly so.
        if (tries.result().found !== before) break;
      }
    }
  }
  return tries.result();
}
