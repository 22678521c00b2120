/**
 * Guards over a place of the user's that can compare and set. Best is where the value that is written and the newest fence lie in one
 * place and are replaced as one (`guardedUpdate`: an object with an ETag, an item with a condition). Where what is guarded cannot be written
 * together with the newest token, only admission is fenced (`admit`): who was admitted may still be at work when a newer one is.
 */
import type { Fence } from "./fence.ts";
import { type Guarding, isNews, type Newest, verifyFence } from "./fence.ts";

/** Where a guard remembers the newest lease of each seat. It must survive a restart, and be one for all processes of the guard. */
export interface GuardStore {
  /** What is remembered; null: nothing yet. */
  read(seat: SeatOfGroup): Promise<Newest | null>;
  /** Stores `after` if `before` is still what is remembered, and says whether it was: in one step, on disk once it resolves. */
  replace(seat: SeatOfGroup, before: Newest | null, after: Newest): Promise<boolean>;
}

/** What a guard remembers by. */
export interface SeatOfGroup {
  readonly group: string;
  readonly seat: string;
}

/** A value and the newest lease that wrote it, in one place; and what else `replace` compares by, such as an ETag. */
export interface GuardedValue {
  /** Null: nobody with a lease has written yet. */
  readonly newest: Newest | null;
  readonly value: unknown;
}

/** A place for one value that can be replaced only where nobody else has done so meanwhile. */
export interface GuardedCell<Kept extends GuardedValue> {
  read(): Promise<Kept>;
  /** Replaces value and newest lease as one if nobody has since `before` was read, and says whether it did. */
  replace(
    before: NoInfer<Kept>,
    after: { readonly newest: Newest; readonly value: NoInfer<Kept>["value"] },
  ): Promise<boolean>;
}

/** Who loses this often does not lose to others, but to a store that never agrees. */
const TRIES = 1000;

/** Admits a leader and remembers it, by a store of yours. Fences admission only. Throws `FenceRefused`. */
export async function admit(
  { store, ...guarding }: Guarding & { readonly store: GuardStore },
  text: string | null | undefined,
): Promise<Fence> {
  const fence = verifyFence(guarding, text);
  await untilDone(async () => {
    const newest = await store.read(fence);
    return !isNews(newest, fence) || (await store.replace(fence, newest, { token: fence.token, lease: fence.lease }));
  });
  return fence;
}

/**
 * Changes a value that lies beside its newest fence, and gives the new one back. `change` runs again where somebody else was quicker.
 * Throws `FenceRefused`.
 */
export async function guardedUpdate<Kept extends GuardedValue>(
  { cell, ...guarding }: Guarding & { readonly cell: GuardedCell<Kept> },
  text: string | null | undefined,
  change: (value: Kept["value"], fence: Fence) => Kept["value"] | Promise<Kept["value"]>,
): Promise<Kept["value"]> {
  const fence = verifyFence(guarding, text);
  let value!: Kept["value"];
  await untilDone(async () => {
    const before = await cell.read();
    isNews(before.newest, fence);
    value = await change(before.value, fence);
    return cell.replace(before, { newest: { token: fence.token, lease: fence.lease }, value });
  });
  return value;
}

async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await attempt()) return;
  throw new Error(`the guard's store has refused ${TRIES} writes: is it one that compares and sets?`);
}
