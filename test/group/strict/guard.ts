/** The rule of guards as they ship, for the simulated resource. */
import { isNews } from "../../../src/live/guards/fence.ts";
import type { Admits } from "./counter.ts";

export const admits: Admits = (newest, { token, lease }) => {
  const fence = { group: "simulated", seat: "seat", token: BigInt(token), lease };
  try {
    isNews(newest === null ? null : { token: BigInt(newest.token), lease: newest.lease }, fence);
    return true;
  } catch {
    return false;
  }
};
