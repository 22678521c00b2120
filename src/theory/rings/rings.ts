/**
 * What elections on rings cost: closed forms and exact sums, in messages of the election alone unless a name says
 * otherwise. The announcement adds `announcement(n)`. Means are over uniformly random arrangements of the ids.
 */

/** Above this, the asymptotic series of the harmonic numbers is exact to the last bits. */
const SUMMED = 256;

const EULER = 0.5772156649015329;

/** H_n = 1 + 1/2 + ... + 1/n. */
export function harmonic(n: number): number {
  if (n > SUMMED) return Math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n ** 2) + 1 / (120 * n ** 4);
  let sum = 0;
  // From the smallest term up, which loses least.
  for (let k = n; k >= 1; k--) sum += 1 / k;
  return sum;
}

/** Hops, sent ones, of a message that is to make n of them unless it is lost on its way. */
export const around = (n: number, loss: number): number => (loss === 0 ? n : -Math.expm1(n * Math.log1p(-loss)) / loss);

/** Once around the ring. */
export const announcement = (n: number): number => n;

/** Ids decreasing in the direction of travel: 1 + 2 + ... + n. */
export const changRobertsWorst = (n: number): number => (n * (n + 1)) / 2;

/** Ids increasing in the direction of travel: n for the largest, 1 for each other. */
export const changRobertsBest = (n: number): number => 2 * n - 1;

/**
 * n H_K for K initiators drawn uniformly, the others relaying (n H_n when all start). An initiator's id passes h other
 * initiators if it is the largest of h+1, with probability 1/(h+1); the way from one initiator to the next is n/K on
 * average and independent of the ids. Summed over K initiators and h < K.
 */
export const changRobertsMean = (n: number, initiators = n): number => n * harmonic(initiators);

/** reading=printed: every initiator's message goes all the way around. */
export const changRobertsPrinted = (n: number, initiators = n): number => n * initiators;

/** When Hirschberg and Sinclair's probes stop growing: at home, or where n is known. */
export type Stop = "home" | "known-n";

/** home: the first reach 2^i that comes around, 2^i >= n. known-n: 2^i >= n/2. All start together. */
export function hirschbergSinclairPhases(n: number, stop: Stop = "home"): number {
  let phases = 1;
  for (let reach = 1; reach < (stop === "home" ? n : n / 2); reach *= 2) phases++;
  return phases;
}

/** The textbook bound. */
export const hirschbergSinclairBound = (n: number): number => 8 * n * (1 + Math.ceil(Math.log2(n)));

/**
 * Counted phase by phase: 4n in phase 0; then at most n/(2^(i-1) + 1) nodes have won their neighbourhood and send two
 * probes to distance 2^i and back; in the phase in which a probe comes home only one is left, with two ways around.
 */
export function hirschbergSinclairSharpBound(n: number): number {
  let bound = n === 1 ? 2 : 4 * n;
  for (let reach = 2; reach < n; reach *= 2) bound += 4 * reach * Math.floor(n / (reach / 2 + 1));
  return n === 1 ? bound : bound + 2 * n;
}

/**
 * The exact mean when all start. In the phase of reach D a node sends if it is the largest within d = D/2 on both sides
 * (phase 0: always); its probe makes hop h if it is also larger than the next h-1 nodes that way, which is a matter of
 * being the largest of w nodes: probability 1/w. A reply makes D hops. Two directions, n nodes.
 */
export function hirschbergSinclairMean(n: number, stop: Stop = "home"): number {
  const phases = hirschbergSinclairPhases(n, stop);
  let each = 0;
  for (let phase = 0; phase < phases; phase++) {
    const reach = 2 ** phase;
    const won = phase === 0 ? 0 : reach / 2;
    const largestOf = (ahead: number) => 1 / Math.min(n, won + 1 + Math.max(won, ahead));
    for (let hop = 1; hop <= Math.min(reach, n); hop++) each += largestOf(hop - 1);
    if (reach < n) each += reach * largestOf(reach);
  }
  return 2 * n * each;
}

/** Of the active nodes at most every second one stays active, and the phase with a single one ends the election. */
export const petersonPhasesBound = (n: number): number => Math.floor(Math.log2(n)) + 1;

/** 2n messages in each phase but the last, n in that one. */
export const petersonMessages = (n: number, phases: number): number => 2 * n * (phases - 1) + n;

/** The most messages that Peterson's election takes on a ring of n. */
export const petersonBound = (n: number): number => petersonMessages(n, petersonPhasesBound(n));

/** The announcement is all there is; `smallest` is the smallest id of the contenders. */
export const timeSliceCost = (n: number, smallest: number): { messages: number; rounds: number } => ({
  messages: n,
  rounds: n * smallest + n,
});
