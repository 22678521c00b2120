/**
 * Probing. Each period one member is pinged, in an order that is shuffled when all had their turn. If it does not answer in time, helpers
 * are asked to ping it. If no answer comes by the end of the period, it is suspected. Health stretches both times: a member that finds
 * others silent may be slow itself (Lifeguard, section IV-A). Unlike there, the next probe does not wait for that, and a prompt answer to
 * it shows that this member is not slow: if most members die at once, the few that are left must not find the dead one by one.
 */
import type { Port } from "../../protocol.ts";
import { accuse } from "./hear.ts";
import type { MembershipMessage } from "./messages.ts";
import { expectAnswer, sendPing } from "./pings.ts";
import { probeEvery } from "./profile.ts";
import { isLiveStatus, type KnownMember } from "./records.ts";
import { isCrowded } from "./rumours.ts";
import { recover, worsen } from "./self.ts";
import type { MembershipContext, MembershipState, Probe } from "./state.ts";
import { isConfirmed, ofLife, sampleLive } from "./view.ts";

/** The counts of probes are halved at this many, so that they describe the recent past. */
const LATELY = 2048;

/** The most extra draws when some members are suspected. */
const MOST_SILENT = 32;

/** The most probes under way at a time, besides the one of each period. */
const MOST_AT_ONCE = 32;

const MOST_FALSE = 0.05;

/** While many members join, processes are short of CPU and answers are late: a member is at least as patient as with this health. */
const CROWDED = 4;

/** The most errands under way at a time. */
const MOST_ASKED = 512;

export function probeOn(state: MembershipState, ctx: MembershipContext): void {
  for (const probe of state.probing.values()) if (probe.answered) conclude(state, probe, ctx);
  for (const probe of state.probing.values()) {
    if (state.now >= probe.helpAt && probe.asked === 0) askHelpers(state, probe, ctx);
    if (state.now >= probe.overAt) conclude(state, probe, ctx);
  }
  if (state.now >= state.probeAt) begin(state, ctx);
}

function begin(state: MembershipState, ctx: MembershipContext): void {
  const { period } = state.profile;
  const every = probeEvery(state.profile, state.live.length);
  // In large groups the wait is random. Otherwise members that joined together would probe together, and a crash in between would wait.
  state.probeAt = state.now + (every === period ? period : 1 + ctx.choose(2 * every - 1));
  const target = next(state, ctx);
  if (target !== null) probe(state, target, ctx);
}

/**
 * If one member is silent, others may have died with it, so more are probed at once. Members that this one, or enough others, have found
 * silent already are left out.
 */
function widen(state: MembershipState, extra: number, ctx: MembershipContext): void {
  const under = new Set(Array.from(state.probing.values(), ({ name }) => name));
  const most = Math.min(MOST_AT_ONCE, under.size + extra);
  for (let tries = state.order.length; tries > 0 && under.size < most; tries--) {
    const target = next(state, ctx);
    if (target === null) return;
    if (under.has(target.name) || state.silent.has(target.name) || isConfirmed(state, target.name)) continue;
    under.add(target.name);
    probe(state, target, ctx);
  }
}

/** How many extra probes of live members give, by the recent loss, at most 1/20 false alarm, so that alarms do not cause more alarms. */
function harmless({ probes, lost, profile: { helpers } }: MembershipState): number {
  const missed = (lost + 1) / (probes + 2);
  let alarm = missed;
  for (let i = 0; i < helpers; i++) alarm *= 1 - (1 - missed) ** 2;
  return Math.floor(MOST_FALSE / alarm);
}

/** How many probes may follow one whose direct answer is late: by the recent loss, that happens so seldom that they add at most a tenth. */
const cheap = ({ probes, lost }: MembershipState): number => Math.floor(probes / (10 * lost + 4));

function probe(state: MembershipState, target: KnownMember, ctx: MembershipContext): void {
  const { profile, now } = state;
  const patience = patienceWith(state, state.health);
  const seq = sendPing(state, target, ctx);
  state.probing.set(seq, {
    name: target.name,
    life: target.life,
    seq,
    begunAt: now,
    helpAt: now + profile.timeout * patience,
    overAt: now + profile.period * patience,
    asked: 0,
    nacks: 0,
    late: false,
    answered: false,
  });
}

const patienceWith = (state: MembershipState, health: number): number =>
  1 + Math.max(health, isCrowded(state) ? CROWDED : 0);

function askHelpers(state: MembershipState, probe: Probe, ctx: MembershipContext): void {
  const target = state.members.get(probe.name);
  // Once others are known to be silent, further probes follow in vain ones alone.
  if (!probe.late && state.suspicions.size === 0) widen(state, cheap(state), ctx);
  probe.late = true;
  if (target === undefined || target.life !== probe.life || isConfirmed(state, probe.name)) return;
  // Silent members are no helpers: they would not answer, and their silence would not show that this member is slow.
  const { helpers: wanted } = state.profile;
  const helpers = sampleLive(state, wanted + 1 + Math.min(state.suspicions.size, MOST_SILENT), ctx).filter(
    ({ name, status }) => name !== probe.name && status === "alive",
  );
  for (const helper of helpers.slice(0, wanted)) {
    probe.asked++;
    const { life, address } = target;
    ctx.send(ctx.link(helper.address), { kind: "ask", seq: probe.seq, life, address });
  }
}

function conclude(state: MembershipState, probe: Probe, ctx: MembershipContext): void {
  state.probing.delete(probe.seq);
  if (probe.answered) {
    state.silent.delete(probe.name);
    if (++state.probes >= LATELY) {
      state.probes >>= 1;
      state.lost >>= 1;
    }
    if (probe.late) state.lost++;
    recover(state);
    if (state.now <= probe.begunAt + state.profile.timeout) hasten(state, probe.begunAt);
    return;
  }
  const missing = probe.asked - probe.nacks;
  // If helpers do not answer at all, this member is rather the slow one than the probed member.
  for (let i = 0; i < (probe.asked > 0 ? missing : 1); i++) worsen(state);
  const target = state.members.get(probe.name);
  if (target?.life !== probe.life || !isLiveStatus(target.status)) return;
  state.silent.add(probe.name);
  if (state.isOutcast) return;
  state.accusations++;
  accuse(state, probe.name, ctx);
  widen(state, harmless(state), ctx);
}

/**
 * A probe that began then was answered in time, so this member is not slow, and probes that began no later end as if it were healthy.
 * If many members die at once, their silence as helpers worsens the health of all others.
 */
function hasten(state: MembershipState, begunAt: number): void {
  const { probing, now, profile } = state;
  const { timeout, period } = profile;
  const patience = patienceWith(state, 0);
  for (const probe of probing.values()) {
    if (probe.begunAt > begunAt) continue;
    probe.helpAt = Math.min(probe.helpAt, Math.max(now, probe.begunAt + timeout * patience));
    probe.overAt = Math.min(probe.overAt, Math.max(now, probe.helpAt + (period - timeout) * patience));
  }
}

/** The member whose turn it is. */
function next(state: MembershipState, ctx: MembershipContext): KnownMember | null {
  const { order, ordered, members } = state;
  for (let tries = order.length; tries > 0; tries--) {
    if (state.turn >= order.length) shuffle(state, ctx);
    const name = order[state.turn];
    const member = members.get(name);
    if (member !== undefined && isLiveStatus(member.status)) {
      state.turn++;
      return member;
    }
    ordered.delete(name);
    order[state.turn] = order[order.length - 1];
    order.pop();
  }
  return null;
}

function shuffle(state: MembershipState, ctx: MembershipContext): void {
  const { order } = state;
  for (let i = order.length - 1; i > 0; i--) {
    const j = ctx.choose(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  state.turn = 0;
}

/** Another member asks this one to ping a third one. */
export function runErrand(
  state: MembershipState,
  port: Port,
  { seq, life, address }: Extract<MembershipMessage, { kind: "ask" }>,
  ctx: MembershipContext,
): void {
  if (state.asked.size >= MOST_ASKED) return;
  const name = ofLife(state, life)?.name ?? "";
  const due = state.now + state.profile.timeout;
  expectAnswer(state, sendPing(state, { name, life, address }, ctx), { why: "errand", life, due, port, seq });
}

/** An answer to the probe, direct or through a helper. */
export function probeAnswered({ probing }: MembershipState, seq: number, life: number): void {
  const probe = probing.get(seq);
  if (probe !== undefined && probe.life === life) probe.answered = true;
}

export function probeDeclined({ probing }: MembershipState, seq: number): void {
  const probe = probing.get(seq);
  if (probe !== undefined && probe.nacks < probe.asked) probe.nacks++;
}
