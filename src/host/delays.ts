/** How long messages travel in the events host. */
import type { Source } from "../random/source.ts";

/** How long a message travels, in virtual time. */
export type Delay =
  | { readonly kind: "fixed"; readonly value: number }
  | { readonly kind: "uniform"; readonly min: number; readonly max: number }
  | { readonly kind: "exponential"; readonly mean: number };

/** The unit of time that results are given in: the maximum delay, or the mean where there is no maximum. */
export function unit(delay: Delay): number {
  switch (delay.kind) {
    case "fixed":
      return delay.value;
    case "uniform":
      return delay.max;
    case "exponential":
      return delay.mean;
  }
}

/** The longest time a message can take; null if there is no bound. */
export const longest = (delay: Delay): number | null => (delay.kind === "exponential" ? null : unit(delay));

export function sampler(delay: Delay, source: Source): () => number {
  switch (delay.kind) {
    case "fixed":
      return () => delay.value;
    case "uniform":
      return () => delay.min + (delay.max - delay.min) * source.uniform();
    case "exponential":
      return () => delay.mean * source.exponential();
  }
}
