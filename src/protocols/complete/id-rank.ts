/**
 * Random ranks in [1, n^4] with ties broken by process id. n^4 passes 2^53 from n = 9742 on, so a rank is a pair of
 * numbers below n^2: rank = high * n^2 + low + 1.
 */
import type { Context, Id } from "../../protocol.ts";
import { bitLength } from "../bits.ts";

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
