/** Kutten et al.: equations (2) to (4), and the reduction to unique ids, computed. */
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { item } = textsOf("kutten");

const SIZES = [...Array.from({ length: 998 }, (_, i) => i + 3), 10_000, 100_000, 1_000_000];
const N = 1000;
const rho = (n: number) => 2 * Math.ceil(Math.sqrt(n * Math.log(n)));
/** The nodes at which so many walks end, on average, where all are equally likely. */
const endpoints = (n: number) => n * -Math.expm1(rho(n) * Math.log1p(-1 / n));

export const steps = item("steps", {}, () => {
  const missed = (n: number) => (1 - Math.sqrt(Math.log(n) / n)) ** (2 * Math.sqrt(n * Math.log(n)));
  const printed = (2 * Math.sqrt(N * Math.log(N))) / (2 * N);
  const hit = endpoints(N) / (2 * N);
  const large = 10_000;
  const chain = Array.from({ length: 100 }, (_, i) => i + 1).every((f) => {
    const y = f / (large - f);
    return (1 - y) ** f >= Math.exp(-2 * f * y) && Math.exp(-2 * f * y) >= 1 - 2 * f * y;
  });
  // P[S | A] for the least P[S and A] that an error of p allows, against P[A] - p.
  const shares = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
  const conditioned = shares.every((a) => shares.every((p) => p > a || (a - p) / a >= a - p - 1e-12));
  const unequal = (n: number) => 1 - ((n - 1) * n) / 2 / n ** 4;
  return {
    values: { N, printed, uniform: 2 * hit, most: (1 - 100 / (large - 100)) ** 100 },
    claims: {
      "equation2-bound": [missed(N), SIZES.every((n) => missed(n) <= n ** -2 * (1 + 1e-9))],
      "equation2-hits": [hit, afterRepair(hit < printed && 2 * hit >= printed)],
      "equation3-chain": [1 - (2 * 100 ** 2) / (large - 100), chain],
      "equation4-condition": conditioned,
      "distinct-ids": [unequal(N), SIZES.every((n) => unequal(n) >= 1 - 1 / n)],
    },
  };
});
