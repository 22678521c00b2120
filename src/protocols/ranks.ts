/**
 * Random ranks from [1, n^4], as Kutten et al. and Ramanathan et al. use them, with ties broken by a lot or by an id. They pass 2^53 from n = 9742 on, so a rank
 * is drawn and compared in two halves of n^2 values each (at most 2^53: at a larger n the domain stays at 2^106).
 */
import type { Context, Id } from "../protocol.ts";
import { bitLength } from "./bits.ts";

export interface LotRank {
  readonly high: number;
  readonly low: number;
  /**
   * Decides between equal ranks. Anonymous processes have no id for that, so they draw one more number of 32 bits; at
   * n = 3 three candidates share their best of 81 ranks once in 80 elections.
   */
  readonly lot: number;
}

const LARGEST_HALF = 2 ** 53;

export function drawLotRank(n: number, ctx: Pick<Context<never>, "choose">): LotRank {
  const half = Math.min(LARGEST_HALF, Math.ceil(n) ** 2);
  // Each part is compared only where those before it are equal.
  const high = ctx.choose(half, "rank");
  const low = ctx.choose(half, `rank ${high}`);
  return { high, low, lot: ctx.choose(2 ** 32, `rank ${high} ${low}`) };
}

/** Positive when a beats b, 0 only when nothing tells them apart. */
export const compareLotRanks = (a: LotRank, b: LotRank): number => a.high - b.high || a.low - b.low || a.lot - b.lot;

export const lotRankBits = (rank: LotRank): number => bitLength(rank.high) + bitLength(rank.low) + 32;

/** A rank whose ties the process id breaks: rank = high * n^2 + low + 1. */
export interface IdRank {
  readonly high: number;
  readonly low: number;
  readonly id: Id;
}

/** The largest n for which the halves of a rank can still be drawn exactly. */
export const LARGEST_RANKED = Math.floor(Math.sqrt(Number.MAX_SAFE_INTEGER));

export function drawIdRank(n: number, id: Id, ctx: Pick<Context<never>, "choose">): IdRank {
  const high = ctx.choose(n * n, "rank");
  // Compared only where the first half is equal.
  return { high, low: ctx.choose(n * n, `rank ${high}`), id };
}

/** Whether a is larger than b: by rank, then by id, so two different contenders never tie. */
export function beats(a: IdRank, b: IdRank): boolean {
  if (a.high !== b.high) return a.high > b.high;
  if (a.low !== b.low) return a.low > b.low;
  return a.id > b.id;
}

export const idRankBits = ({ high, low, id }: IdRank): number => bitLength(high) + bitLength(low) + bitLength(id);
