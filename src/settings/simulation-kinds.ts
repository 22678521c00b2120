/** Kinds of values that only simulations know: ids, initiators and delays. */
import type { Delay } from "../host/delays.ts";
import type { Id } from "../protocol.ts";
import { type Kind, number, numbers, probability, type Share, shareOf, whole } from "../values.ts";

/** The order of ids around the network, or the ids themselves by node. */
export type Ids = "random" | "increasing" | "decreasing" | readonly Id[];
/** Who starts unasked: all nodes, or so many drawn at random. */
export type Initiators = "all" | number;

export const ids: Kind<Ids> = {
  wanted: "random, increasing, decreasing or a list such as 7,3,12",
  read: (given) =>
    given === "random" || given === "increasing" || given === "decreasing" ? given : numbers.read(given),
};

/** A percentage stays one until the number of processes is known. */
export const initiators: Kind<Initiators | Share> = {
  wanted: "all, a number of nodes or a percentage such as 10%",
  isWhole: true,
  read(given) {
    if (given === "all") return given;
    if (typeof given === "string" && given.endsWith("%")) return probability.read(given) && (given as Share);
    return whole(0).read(given);
  },
};

/** Rounded, but somebody starts unless it is 0%. */
export function countOf(given: Initiators | Share, n: number): Initiators {
  if (given === "all" || typeof given === "number") return given;
  const share = shareOf(given);
  return share === 0 ? 0 : Math.max(1, Math.round(n * share));
}

/** In units of virtual time. */
export const delay: Kind<Delay, Delay | string> = {
  wanted: "positive and finite: fixed:1, uniform:0.5..1.5 or exp:1",
  read(given) {
    const value = typeof given === "string" ? delayIn(given) : (given as Delay);
    const [least, most] = boundsOf(value);
    return least >= 0 && most >= least && most > 0 && most < Infinity ? value : undefined;
  },
};

function delayIn(text: string): Delay | undefined {
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(0, colon));
  const values = text
    .slice(colon + 1)
    .split("..")
    .map((part) => number().read(part) ?? Number.NaN);
  if (kind === "uniform" && values.length === 2) return { kind, min: values[0], max: values[1] };
  if (values.length !== 1) return undefined;
  if (kind === "fixed") return { kind, value: values[0] };
  return kind === "exp" ? { kind: "exponential", mean: values[0] } : undefined;
}

function boundsOf(delay: Delay | undefined): readonly [number, number] {
  switch (delay?.kind) {
    case "fixed":
      return [delay.value, delay.value];
    case "uniform":
      return [delay.min, delay.max];
    case "exponential":
      return [delay.mean, delay.mean];
    default:
      return [Number.NaN, Number.NaN];
  }
}

export function delayText(delay: Delay): string {
  const [least, most] = boundsOf(delay);
  return delay.kind === "uniform" ? `uniform:${least}..${most}` : `${delay.kind === "fixed" ? "fixed" : "exp"}:${most}`;
}
