/** What somebody sees who has asked for nothing yet: chosen by hand, like lessons. */
import type { Fields } from "../run/types.ts";

export const FIRST_RUN: Fields = { protocol: "chang-roberts", n: "12", seed: "3" };

/** The opening plays up to the moment when so many are left, within this many milliseconds. */
export const OPENING = { candidates: 2, within: 3_000 };

/** Three ways to go on from the opening. */
export const STORIES: readonly { readonly title: string; readonly text: string; readonly hash: string }[] = [
  {
    title: "Worst case",
    text: "The same ring, with ids in the worst order. How much dearer is it?",
    hash: "#/watch?protocol=chang-roberts&n=12&ids=decreasing&seed=3",
  },
  {
    title: "Break it",
    text: "The process that would win crashes half-way. Who leads then?",
    hash: "#/watch?protocol=chang-roberts&n=12&seed=3&fault=31:crash:4&e=32",
  },
  {
    title: "Nobody wins",
    text: "A published protocol, as its tables are printed: four stand, no fault, no leader.",
    hash: "#/watch?protocol=tournament-async&n=4&seed=16&delay=uniform:0.2..1&param.reading=tables",
  },
];

export const FIRST_SWEEP = {
  protocols: "chang-roberts,hirschberg-sinclair,peterson",
  vary: "n=8..512:log:7",
  trials: "60",
};
