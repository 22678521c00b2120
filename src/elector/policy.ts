/**
 * What a side of a parted group may do. Under `majority` it elects and keeps a leader only while it sees more than half. Best
 * effort, and called so: views lag behind the network, and who counts is not agreed upon.
 */
import { hasJoined, size } from "../protocols/membership/parent.ts";
import type { GroupState, Turn } from "./state.ts";

/** Whether this side sees enough members to have leaders. */
export function isQuorate({ params, members, largest }: GroupState): boolean {
  if (params.policy === "available") return true;
  return 2 * size(members) > (params.expected ?? largest);
}

/** The view has changed; `left`: so many have gone in good order. */
export function countMembers({ state }: Turn, left: number): void {
  const now = size(state.members);
  state.largest = Math.max(now, state.largest - left);
}

/** Whether this member may lead at all. */
export const mayStand = (state: GroupState): boolean => hasJoined(state.members) && !state.leaving && isQuorate(state);

/** Whether it sees to vacant offices of its own accord: not before it knows the group well enough. */
export const mayAct = (state: GroupState): boolean => state.settled && mayStand(state);
