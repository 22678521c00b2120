/**
 * Power-law networks as in the simulations of Ramanathan et al. (section 7): degrees first, then links at random.
 *
 * Their exponent 0.8 is read as a rank exponent: the node of rank r has degree (n/r)^0.8, at most `cutoff`, so the last
 * one has degree 1 and the mean is about 1/(1-0.8) = 5. Read as P(degree = k) ~ k^-0.8 it would mean a mean degree of
 * thousands at n = 50,000, which no peer-to-peer network has.
 */
import { InputError } from "../../errors.ts";
import { ln } from "../../random/ln.ts";
import type { Source } from "../../random/source.ts";
import { type Graph, graphOf } from "../csr.ts";
import { exchangePartners, pairHalfLinks } from "./configuration.ts";
import { joined } from "./joining.ts";

export function powerLaw(source: Source, n: number, exponent: number, cutoff: number = n - 1): Graph {
  if (n < 2) throw new InputError(`a power-law network needs at least 2 nodes, not ${n}`);
  if (!(exponent >= 0 && Number.isFinite(exponent))) {
    throw new InputError(`power-law:EXPONENT needs a number of at least 0, not ${exponent}`);
  }
  if (!Number.isInteger(cutoff) || cutoff < 1) {
    throw new InputError(
      `the cutoff of a power law is its largest degree, a whole number of at least 1, not ${cutoff}`,
    );
  }
  const degrees = rankDegrees(n, exponent, Math.min(cutoff, n - 1));
  const pairing = pairHalfLinks(source, degrees);
  exchangePartners(source, pairing, n);
  return joined(source, graphOf("power-law", n, pairing.edges));
}

/** round((n/r)^exponent) for the ranks r = 1 .. n, capped, with one more at the end where the sum would be odd. */
export function rankDegrees(n: number, exponent: number, cutoff: number): Uint32Array {
  const degrees = new Uint32Array(n);
  let degree = 1;
  let sum = 0;
  for (let rank = n; rank >= 1; rank--) {
    // (n/r)^a >= k + 1/2 asked in logarithms, which are ours and the same on every engine.
    while (degree < cutoff && exponent * ln(n / rank) >= ln(degree + 0.5)) degree++;
    degrees[rank - 1] = degree;
    sum += degree;
  }
  if (sum % 2 === 1) degrees[n - 1]++;
  return degrees;
}
