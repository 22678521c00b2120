/** The live members: a list in the order of names and an index by life, updated with each change; and samples of the list. */
import { sample } from "../../random/subsets.ts";
import { isLiveStatus, type KnownMember } from "./records.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { sumMember } from "./sums.ts";

/** Replaces the record of a name, and updates every index. */
export function store(state: MembershipState, member: KnownMember, ctx: Pick<MembershipContext, "choose">): void {
  const { members, lives, live, parts, buried } = state;
  const before = members.get(member.name);
  members.set(member.name, member);
  sumMember(parts, before, member);
  const wasLive = before !== undefined && isLiveStatus(before.status);
  const isLive = isLiveStatus(member.status);
  if (before !== undefined && before.life !== member.life) lives.delete(before.life);
  lives.set(member.life, member.name);
  const at = indexOf(live, member.name);
  if (wasLive && isLive) live[at] = member;
  else if (isLive) {
    live.splice(at, 0, member);
    buried.delete(member.name);
    if (member.name !== state.name) enqueue(state, member.name, ctx);
  } else if (wasLive) live.splice(at, 1);
  if (!isLive) {
    state.silent.delete(member.name);
    buried.delete(member.name);
    buried.set(member.name, state.now);
  }
  if (wasLive !== isLive || before?.life !== member.life) state.version++;
}

/** Forgets a dead member for good. */
export function forget(state: MembershipState, name: string, ctx: MembershipContext): void {
  const member = state.members.get(name);
  if (member === undefined || isLiveStatus(member.status)) return;
  state.members.delete(name);
  state.lives.delete(member.life);
  state.buried.delete(name);
  sumMember(state.parts, member, undefined);
  const { address } = member;
  const isInUse = address === state.address || [...state.members.values()].some((other) => other.address === address);
  if (!isInUse) ctx.unlink(ctx.link(address));
}

/** The member that has this life, or had it last. */
export function ofLife({ lives, members }: MembershipState, life: number): KnownMember | undefined {
  const name = lives.get(life);
  return name === undefined ? undefined : members.get(name);
}

/** A newcomer gets a random place in the order of probes. */
function enqueue({ order, ordered }: MembershipState, name: string, ctx: Pick<MembershipContext, "choose">): void {
  if (ordered.has(name)) return;
  ordered.add(name);
  const place = ctx.choose(order.length + 1);
  if (place === order.length) order.push(name);
  else {
    order.push(order[place]);
    order[place] = name;
  }
}

/** The index of a name in the list, or where it belongs. */
function indexOf(live: readonly KnownMember[], name: string): number {
  let low = 0;
  let high = live.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (live[middle].name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Up to k distinct live members other than this one, every set of them equally likely. */
export function sampleLive(
  state: MembershipState,
  k: number,
  ctx: Pick<MembershipContext, "choose" | "subset">,
): KnownMember[] {
  const { live, name } = state;
  const own = indexOf(live, name);
  const amongThem = live[own]?.name === name;
  const others = live.length - (amongThem ? 1 : 0);
  const size = Math.min(k, others);
  const drawn = ctx.subset?.(size, others) ?? sample((n) => ctx.choose(n), size, others);
  return drawn.map((index) => live[amongThem && index >= own ? index + 1 : index]);
}

/** The most extra draws when some members are silent. */
const MOST_SILENT = 32;

/** Whether so many have found it silent that one more would change nothing. */
export const isConfirmed = ({ suspicions, profile }: MembershipState, name: string): boolean =>
  (suspicions.get(name)?.by.length ?? 0) > profile.confirmations;

/** As `sampleLive`, but members come last that this one, or enough others, have found silent: messages to the dead are lost. */
export function sampleHeard(
  state: MembershipState,
  k: number,
  ctx: Pick<MembershipContext, "choose" | "subset">,
): KnownMember[] {
  const { silent } = state;
  const gone = Math.max(silent.size, state.suspicions.size);
  const drawn = sampleLive(state, k + Math.min(gone, MOST_SILENT), ctx);
  if (gone === 0) return drawn;
  const isHeard = ({ name }: KnownMember) => !silent.has(name) && !isConfirmed(state, name);
  // Shuffled, since they come in the order of names.
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = ctx.choose(i + 1);
    [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
  }
  return [...drawn.filter(isHeard), ...drawn.filter((member) => !isHeard(member))].slice(0, k);
}
