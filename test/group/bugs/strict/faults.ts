/** Faults that bring a mistake to light quickly, in groups of one or two members: what a mix would draw once in many runs. */
import type { Chance, Command, Spike } from "../../../../src/host/faults/faults.ts";

type Link = readonly [number, number];

/** Requests of these members are lost for so long, from each of these moments on. */
export const deaf = (engine: number, members: readonly number[], moments: readonly number[], ms: number): Chance[] =>
  moments.flatMap((from) =>
    members.map((member) => ({ rate: 1, kind: "both", link: [member, engine], from, to: from + ms })),
  );

/** In the first act, so many messages of these links take so much longer. */
export const late = (links: readonly Link[], rate: number, delay: number): Spike[] =>
  links.map((link) => ({ rate, delay, link, from: 5000, to: 29_000 }));

export const answersTo = (engine: number, members: readonly number[]): Link[] =>
  members.map((member) => [engine, member]);

export const requestsOf = (engine: number, members: readonly number[]): Link[] =>
  members.map((member) => [member, engine]);

/** Whoever holds the office gives it up at each of these moments. */
export const resigning = (office: string, members: readonly number[], moments: readonly number[]): Command[] =>
  moments.flatMap((at) => members.map((node) => ({ node, at, message: { kind: "resign", office } })));
