/** What somebody sees who has asked for nothing yet: chosen by hand, like lessons. */
import type { Fields } from "../run/types.ts";

export const FIRST_RUN: Fields = { protocol: "chang-roberts", n: "12", seed: "3" };

export const FIRST_SWEEP = {
  protocols: "chang-roberts,hirschberg-sinclair,peterson",
  vary: "n=8..512:log:7",
  trials: "60",
};
