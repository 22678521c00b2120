/**
 * How probably an epidemic multicast reaches a member: unreliable dissemination, then rounds of anti-entropy (the two steps
 * of Birman et al., "Bimodal multicast", ACM TOCS 17(2), 1999, for one message). Every member that holds the message
 * offers it to `fanout` others in each round; a member that lacks it asks for it and gets it, unless one of the three messages is
 * lost. What a member still misses at the end is the multicast loss that a protocol above it sees.
 */
import { cannotSay, type Prediction, type Question } from "../prediction.ts";

/** A multicast repaired by gossip. */
export interface EpidemicSetting {
  readonly n: number;
  /** That a receiver misses the dissemination. */
  readonly multicastLoss: number;
  /** That an offer, a request or a retransmission is lost. */
  readonly loss: number;
  readonly fanout: number;
  readonly rounds: number;
}

/** How surely gossip delivers a message. */
export interface EpidemicDelivery {
  /** exact: the Markov chain of the number of holders. approximation: its mean alone, as if it did not fluctuate. */
  readonly method: "exact" | "approximation";
  /** That a given member other than the sender holds the message at the end. */
  readonly delivery: number;
  /** That every member does; null where only the mean was followed. */
  readonly everybody: number | null;
}

/** Above this many members the chain takes too long (its cost grows with the cube of n). */
const LARGEST_EXACT = 400;

/** What is left out of a distribution. */
const NEGLIGIBLE = 1e-16;

/** How surely a message reaches a member, exactly in small groups and on average in large ones. */
export function epidemicDelivery(setting: EpidemicSetting): EpidemicDelivery {
  return setting.n <= LARGEST_EXACT ? exactDelivery(setting) : meanDelivery(setting);
}

/** The multicast loss that a gossip configuration amounts to. */
export const obtainedLoss = (setting: EpidemicSetting): number => 1 - epidemicDelivery(setting).delivery;

const exchange = ({ loss }: EpidemicSetting): number => (1 - loss) ** 3;

/** Follows the mean number of members without the message: given the holders, the mean of the next round is exact. */
export function meanDelivery(setting: EpidemicSetting): EpidemicDelivery {
  const { n, multicastLoss, rounds } = setting;
  const fanout = Math.min(setting.fanout, n - 1);
  const spared = n > 1 ? 1 - (fanout * exchange(setting)) / (n - 1) : 1;
  let missing = (n - 1) * multicastLoss;
  for (let round = 1; round <= rounds; round++) missing *= spared ** (n - missing);
  return { method: "approximation", delivery: n > 1 ? 1 - missing / (n - 1) : 1, everybody: null };
}

export function exactDelivery(setting: EpidemicSetting): EpidemicDelivery {
  const { n, multicastLoss, rounds } = setting;
  if (n === 1) return { method: "exact", delivery: 1, everybody: 1 };
  let missing = binomial(n - 1, multicastLoss);
  const hits = hitsOfOneHolder(setting);
  for (let round = 1; round <= rounds; round++) {
    const next = new Float64Array(n);
    for (let m = 0; m < n; m++) if (missing[m] > NEGLIGIBLE) addRound(next, m, missing[m], n, hits);
    missing = next;
  }
  let mean = 0;
  for (let m = 0; m < n; m++) mean += m * missing[m];
  return { method: "exact", delivery: 1 - mean / (n - 1), everybody: missing[0] };
}

/** Lets the n-m holders of a round gossip one after the other; adds where that leads, with weight p. */
function addRound(next: Float64Array, m: number, p: number, n: number, hits: readonly Float64Array[]): void {
  const left = new Float64Array(m + 1);
  left[m] = p;
  for (let holder = m; holder < n; holder++) {
    // Ascending: what this holder takes from `now` lands below it and has had its turn.
    for (let now = 0; now <= m; now++) {
      const mass = left[now];
      if (mass === 0) continue;
      left[now] = mass * hits[now][0];
      for (let taken = 1; taken < hits[now].length; taken++) left[now - taken] += mass * hits[now][taken];
    }
  }
  for (let now = 0; now <= m; now++) next[now] += left[now];
}

/** hits[m][j]: that one holder's offers reach exactly j of m members without the message and succeed. */
function hitsOfOneHolder(setting: EpidemicSetting): Float64Array[] {
  const { n } = setting;
  const fanout = Math.min(setting.fanout, n - 1);
  const q = exchange(setting);
  return Array.from({ length: n }, (_, m) => {
    const most = Math.min(fanout, m);
    // Offer by offer, without replacement: which members were offered it matters, whether it succeeded does not.
    let state = [[1]];
    for (let offer = 0; offer < fanout; offer++) {
      const after: number[][] = Array.from({ length: Math.min(offer + 1, m) + 1 }, (_, o) => new Array(o + 1).fill(0));
      for (const [offered, row] of state.entries()) {
        const onTarget = (m - offered) / (n - 1 - offer);
        for (const [succeeded, mass] of row.entries()) {
          if (onTarget < 1) after[offered][succeeded] += mass * (1 - onTarget);
          if (onTarget > 0) {
            after[offered + 1][succeeded] += mass * onTarget * (1 - q);
            after[offered + 1][succeeded + 1] += mass * onTarget * q;
          }
        }
      }
      state = after;
    }
    const totals = new Float64Array(most + 1);
    for (const row of state) for (const [succeeded, mass] of row.entries()) totals[succeeded] += mass;
    return totals;
  });
}

/** The distribution of the number of successes in k trials, trial by trial. */
function binomial(k: number, p: number): Float64Array {
  const distribution = new Float64Array(k + 1);
  distribution[0] = 1;
  for (let trial = 1; trial <= k; trial++) {
    for (let successes = trial; successes > 0; successes--) {
      distribution[successes] = distribution[successes] * (1 - p) + distribution[successes - 1] * p;
    }
    distribution[0] *= 1 - p;
  }
  return distribution;
}

export function predictEpidemic({ params, n, loss, multicastLoss, crash }: Question): Prediction {
  if (crash > 0) return cannotSay("how crashed members slow gossip has not been computed");
  const [fanout, rounds] = [Number(params.fanout), Number(params.rounds)];
  const { method, delivery, everybody } = epidemicDelivery({ n, loss, multicastLoss, fanout, rounds });
  return {
    method,
    success: everybody,
    pNone: everybody === null ? null : 1 - everybody,
    pMany: 0,
    messages: null,
    rounds: null,
    factors: { delivery },
    optimum: null,
  };
}
