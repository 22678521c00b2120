/**
 * The rule of every guard. A fence has been verified before (fence.ts); what is remembered is locked, or replaced by compare-and-set,
 * until the write has been committed. guards/sql.ts says the same in SQL; tests hold the two together.
 */
import type { Fence } from "./fence.ts";
import { FenceRefused } from "./refused.ts";

/** The newest lease that a guard has let in. */
export interface Newest {
  readonly token: bigint;
  readonly lease: string;
}

/** Throws `FenceRefused`; true where the guard has to remember something new before anything is written. */
export function isNews(newest: Newest | null, { token, lease, seat }: Fence): boolean {
  if (newest === null || newest.token < token) return true;
  if (newest.token === token && newest.lease === lease) return false;
  throw refusal(newest, { token, seat });
}

/** Why a fence was refused that is not the newest. */
export function refusal(newest: Newest, { token, seat }: Pick<Fence, "token" | "seat">): FenceRefused {
  return newest.token === token
    ? new FenceRefused("rival", `another lease of "${seat}" with token ${token} has been here`, newest.token)
    : new FenceRefused(
        "old",
        `"${seat}" with token ${newest.token} has been here, and ${token} is older`,
        newest.token,
      );
}
