/**
 * The rule of every guard: a fence that its key has not signed counts as none; an older token than the newest is refused, and so is
 * the newest one with another lease; what was accepted is remembered with the resource, and locked or compared until the write has
 * been committed. guards/sql.ts says the same in SQL; tests hold the two together.
 */
import { type Fence, readFence } from "./fence.ts";
import type { GuardKeys } from "./keys.ts";
import { FenceRefused } from "./refused.ts";

/** Whom a guard lets in: the holder of one seat. */
export interface Guarding {
  /** A function where keys are replaced while the guard runs. */
  readonly keys: GuardKeys | (() => GuardKeys);
  /** The office, or one seat of it: "leader", "shards#2". */
  readonly seat: string;
}

/** The newest lease that a guard has let in. */
export interface Newest {
  readonly token: bigint;
  readonly lease: string;
}

/** Who shows this fence; throws `FenceRefused`. */
export const verifyFence = ({ keys, seat }: Guarding, text: string | null | undefined): Fence =>
  readFence(typeof keys === "function" ? keys() : keys, seat, text);

/** Throws `FenceRefused`; true where the guard has to remember this fence before anything is written. */
export function isNews(newest: Newest | null, fence: Fence): boolean {
  if (newest === null || newest.token < fence.token) return true;
  if (newest.token === fence.token && newest.lease === fence.lease) return false;
  throw fenceRefusal(newest, fence);
}

/** Why a fence is refused that is not the newest. */
export function fenceRefusal(newest: Newest, { token, seat }: Fence): FenceRefused {
  return newest.token === token
    ? new FenceRefused("rival", `another lease of "${seat}" with token ${token} has been here`, newest.token)
    : new FenceRefused(
        "old",
        `"${seat}" with token ${newest.token} has been here, and ${token} is older`,
        newest.token,
      );
}
