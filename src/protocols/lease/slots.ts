/**
 * Deadlines without a clock. Each request that can confirm a lease arms a deadline when it is sent; an answer makes it the
 * confirmation of the leases that it confirms, and when it fires, whatever still hangs on it is over. Names of deadlines
 * are used again, the smallest free one first, so that hosts keep few.
 */
import { worth } from "./params.ts";
import type { LeaseContext, LeaseState } from "./state.ts";

const PREFIX = "lapse#";

export const lapseTimerOf = (slot: number): string => `${PREFIX}${slot}`;

export function slotOf(timer: string): number | null {
  return timer.startsWith(PREFIX) ? Number(timer.slice(PREFIX.length)) : null;
}

/** For a request that is being sent. */
export function openSlot({ slots, params }: LeaseState, ctx: LeaseContext): number {
  const free = slots.indexOf(0);
  const slot = free < 0 ? slots.length : free;
  slots[slot] = 1;
  ctx.deadline(lapseTimerOf(slot), worth(params));
  return slot;
}

export function shareSlot({ slots }: LeaseState, slot: number): void {
  slots[slot]++;
}

export function leaveSlot({ slots }: LeaseState, slot: number, ctx: LeaseContext): void {
  slots[slot]--;
  if (slots[slot] === 0) ctx.disarm(lapseTimerOf(slot));
}
