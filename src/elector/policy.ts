/**
 * What a side of a partitioned group may do. Under `majority` it elects and keeps a leader only while it sees more than half of the
 * members. This is best effort: views lag behind the network, and members do not agree on who counts.
 */
import { hasJoined, refusal, size, ticks, trusted } from "../protocols/membership/parent.ts";
import type { GroupState, Turn } from "./state.ts";
import { DOUBTFUL } from "./times.ts";

/** Whether this side sees enough members to have leaders. */
export function isQuorate(state: GroupState): boolean {
  const { params, members, fewSince } = state;
  if (params.policy === "available") return true;
  return isEnough(state, size(members)) && (fewSince === null || ticks(members) - fewSince < DOUBTFUL);
}

const isEnough = ({ params, largest }: GroupState, count: number): boolean => 2 * count > (params.expected ?? largest);

/**
 * Whether this member, and those that it reaches, may lead: not on the smaller side of a partition, and not under a name that is
 * taken. If not, it gives up what it holds and asks no member to follow.
 */
export const mayHaveLeaders = (state: GroupState): boolean => isQuorate(state) && whyNone(state) === null;

/** Why this process is not a member: its name is taken, or it does not fit. Null if it is a member. */
export const whyNone = ({ members, misfit }: GroupState): string | null => refusal(members) ?? misfit;

/** After membership has acted: notes since when too few members are beyond doubt. */
export function countTrusted({ state }: Turn): void {
  const { members } = state;
  if (state.params.policy === "available") return;
  if (isEnough(state, trusted(members, DOUBTFUL))) state.fewSince = null;
  else state.fewSince ??= ticks(members);
}

/** The view has changed; `left`: how many members have left gracefully. */
export function countMembers({ state }: Turn, left: number): void {
  const now = size(state.members);
  state.largest = Math.max(now, state.largest - left);
}

/** Whether this member may lead at all. */
export const mayStand = (state: GroupState): boolean =>
  hasJoined(state.members) && !state.leaving && state.misfit === null && isQuorate(state);

/** Whether it stands for vacant offices unasked: not before it knows the group well enough. */
export const mayAct = (state: GroupState): boolean => state.settled && mayStand(state);
