/**
 * How many of a sample without replacement are of one kind, drawn at once. Few are drawn one by one; more by ratio of uniforms
 * (E. Stadlober, "The ratio of uniforms approach for generating discrete random variates", J. Comput. Appl. Math. 31, 1990:
 * HRUA), with the ratio of probabilities as a product, which no large factorial makes inexact.
 */
import { ln } from "./ln.ts";
import type { Source } from "./source.ts";

/** 2 sqrt(2/e) and 3 - 2 sqrt(3/e). */
const D1 = 1.7155277699214135;
const D2 = 0.8989161620588988;
const ONE_BY_ONE = 10;

/** Of `sample` out of good + bad, how many are good. */
export function hypergeometric(source: Source, good: number, bad: number, sample: number): number {
  if (sample > good + bad) throw new RangeError(`${sample} cannot be drawn out of ${good + bad}`);
  if (good === 0 || sample === 0) return 0;
  if (bad === 0) return sample;
  // The four mirror images are the same distribution.
  if (sample > (good + bad) / 2) return good - hypergeometric(source, good, bad, good + bad - sample);
  if (good > bad) return sample - hypergeometric(source, bad, good, sample);
  return sample <= ONE_BY_ONE ? oneByOne(source, good, bad, sample) : byRatio(source, good, bad, sample);
}

function oneByOne(source: Source, good: number, bad: number, sample: number): number {
  let drawn = 0;
  for (let left = good + bad; left > good + bad - sample; left--) if (source.coin((good - drawn) / left)) drawn++;
  return drawn;
}

function byRatio(source: Source, good: number, bad: number, sample: number): number {
  const all = good + bad;
  const centre = (sample * good) / all + 0.5;
  const variance = (((all - sample) / (all - 1)) * sample * (good / all) * bad) / all;
  const spread = Math.sqrt(variance + 0.5);
  const height = D1 * spread + D2;
  const mode = Math.floor(((sample + 1) * (good + 1)) / (all + 2));
  const end = Math.min(Math.min(sample, good) + 1, Math.floor(centre + 16 * spread));
  for (;;) {
    const u = 1 - source.uniform();
    const x = centre + (height * (source.uniform() - 0.5)) / u;
    if (x < 0 || x >= end) continue;
    const drawn = Math.floor(x);
    const log = ln(oddsAgainst(mode, drawn, good, bad, sample));
    if (u * (4 - u) - 3 <= log) return drawn;
    if (u * (u - log) < 1 && 2 * ln(u) <= log) return drawn;
  }
}

/** P(drawn) / P(mode). */
function oddsAgainst(mode: number, drawn: number, good: number, bad: number, sample: number): number {
  let ratio = 1;
  for (let k = mode; k < drawn; k++) ratio *= ((good - k) / (k + 1)) * ((sample - k) / (bad - sample + k + 1));
  for (let k = mode; k > drawn; k--) ratio *= (k / (good - k + 1)) * ((bad - sample + k) / (sample - k + 1));
  // Beyond the smallest normal number it does not matter how improbable it is.
  return Math.max(ratio, 2 ** -1000);
}
