/**
 * Membership: who is in the group now, by probing, suspicion and gossip.
 *
 * A. Das, I. Gupta, A. Motivala, "SWIM: scalable weakly-consistent infection-style process group membership protocol", DSN
 * 2002; A. Dadgar, J. Phillips, J. Currey, "Lifeguard: local health awareness for more accurate failure detection", DSN-W
 * 2018. It keeps the view that I. Gupta, R. van Renesse, K. Birman, "A probabilistically correct leader election protocol for
 * large groups", DISC 2000, assumes.
 *
 * Model: open links by address, asynchronous, processes that crash, restart, pause and join under names of their own.
 * Cost: two messages a member and period, and fewer among more than 256 members; news are told O(log n) times by each member.
 *
 * All times are counted in ticks of the member's own timer, so that a process does not take its own pause for the silence of others. A
 * parent embeds this machine and calls the functions of parent.ts.
 */
import { InputError } from "../../errors.ts";
import { type Address, type Port, type Protocol, SELF } from "../../protocol.ts";
import { utf8Length } from "../../wire/bytes.ts";
import { encodedSize } from "../../wire/codec.ts";
import {
  answerDigest,
  caughtUp,
  claimsOn,
  compareOn,
  compareWith,
  hearAnswer,
  knowsMany,
  proofGiven,
  seekOn,
} from "./compare.ts";
import { hearAll, hearRecord, settleSuspicions } from "./hear.ts";
import { askRival, enter, nameLookedUp, rivalAnswered } from "./join.ts";
import { isMembershipMessage, LARGEST_META, LONGEST_NAME, type MembershipMessage } from "./messages.ts";
import { answerPing } from "./pings.ts";
import { probeAnswered, probeDeclined, probeOn, runErrand } from "./probe.ts";
import type { Profile } from "./profile.ts";
import { type Meta, toEntry } from "./records.ts";
import { gossip, isThronged } from "./rumours.ts";
import { hasRival, ownRecord } from "./self.ts";
import type { MembershipContext, MembershipState, Phase } from "./state.ts";
import { noParts } from "./sums.ts";
import { forget, sampleLive } from "./view.ts";

export interface MembershipParams {
  readonly profile: Profile;
  /** The member's name; where missing, `names` has it by address, or it is "m" and the address. */
  readonly name?: string;
  readonly names?: Readonly<Record<Address, string>>;
  readonly meta?: Meta;
}

interface MembershipReport {
  readonly name: string;
  readonly phase: Phase;
  /** Live members, this one included. */
  readonly members: number;
  /** Why this process is not a member, in words. */
  readonly refusal: string | null;
  /** Counts changes of who is live. */
  readonly version: number;
}

export const membership: Protocol<
  MembershipParams,
  MembershipState,
  MembershipMessage,
  "tick",
  null,
  MembershipReport
> = {
  name: "membership",
  title: "Membership by probing, suspicion and gossip",
  citation: "Das, Gupta, Motivala, DSN 2002; Dadgar, Phillips, Currey, DSN-W 2018",
  cost: "two messages a member and period; O(log n) of each member for every change",
  assumes: {
    topology: "open",
    identity: "anonymous",
    timing: "asynchronous",
    start: "common",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: ["loss", "crash", "pause", "partition"],
  },
  parameters: [],
  measures: {},

  init({ profile, name, names, meta = null }, { life, seeds }, _saved, ctx) {
    const address = ctx.address(SELF);
    const own = nameOf(name ?? names?.[address] ?? `m${address}`);
    const state = beginning({ profile, name: own, life, address, seeds, meta });
    checkMeta(meta);
    // Random, so that answers to a former life match no question of this one.
    state.seq = ctx.choose(2 ** 16);
    if (seeds.every((seed) => seed === address)) {
      enter(state, ctx);
      state.hasCaughtUp = true;
    } else askSeeds(state, ctx);
    // The first tick is random, so that members that start together do not tick together.
    ctx.arm("tick", 0, profile.tick);
    return state;
  },

  receive(state, port, message, ctx) {
    state.news = [];
    // A message from this member's own address was meant for another member. It is dropped, or it could go round for ever.
    if (port === SELF || state.phase === "refused" || state.phase === "gone") return;
    switch (message.kind) {
      case "ping":
        // The other process of this name asks about this joiner, which a seed has let in. If both answered, both would give way.
        if (state.phase === "checking" && rivalAnswered(state, message.from)) return;
        if (message.about !== undefined) hearRecord(state, message.about, ctx);
        else if (message.to === state.life) {
          state.metAt = state.now;
          state.isAdmitted = true;
        }
        hearAll(state, port, message.from, message, ctx);
        answerPing(state, port, message, ctx);
        break;
      case "ack":
        hearAck(state, port, message, ctx);
        break;
      case "ask":
        runErrand(state, port, message, ctx);
        break;
      case "nack":
        probeDeclined(state, message.seq);
        break;
      case "gossip":
        hearAll(state, port, message.from, message, ctx);
        break;
      case "digest":
        answerDigest(state, port, message, ctx);
        break;
      case "answer":
        hearAnswer(state, port, message, ctx);
    }
    if (state.isAdmitted) nameLookedUp(state, ctx);
  },

  expire(state, _timer, ctx) {
    state.news = [];
    if (state.phase === "refused" || state.phase === "gone") return;
    state.now++;
    state.answersLeft = state.profile.answers;
    state.welcomesLeft = state.profile.welcomes;
    if (state.now % state.profile.period === 0) fadeArrivals(state);
    dropUnanswered(state, ctx);
    if (hasRival(state) && state.now >= state.rivalAt && state.phase !== "joining") askRival(state, ctx);
    if (state.phase === "joining") joinOn(state, ctx);
    if (state.phase === "member") {
      if (state.now - state.joinedAt! >= state.profile.joinPatience) caughtUp(state);
      // Those who take it for dead go on looking for it (compare.ts), unless they have gone themselves.
      if (state.now - state.outcastAt > 2 * state.profile.seekEvery) state.isOutcast = false;
      settleSuspicions(state, ctx);
      claimsOn(state, ctx);
      probeOn(state, ctx);
      // Those who began together find each other at the seeds, which were joining too when they were first asked.
      if (!state.hasCaughtUp && !knowsMany(state) && state.now >= state.compareAt) askSeeds(state, ctx);
      compareOn(state, ctx);
      seekOn(state, ctx);
      forgetOldest(state, ctx);
      if (state.now >= state.gossipAt) {
        state.gossipAt = state.now + state.profile.gossipEvery;
        gossip(state, ctx);
      }
    }
    ctx.arm("tick", state.profile.tick);
  },

  leave(state, ctx) {
    if (state.phase === "member") {
      const farewell: MembershipMessage = {
        kind: "gossip",
        from: state.life,
        members: [toEntry({ ...ownRecord(state), status: "left" })],
      };
      for (const { address } of sampleLive(state, FAREWELLS, ctx)) ctx.send(ctx.link(address), farewell);
    }
    state.phase = "gone";
  },

  verdict: () => ({ status: "undecided", leader: null, term: 0 }),
  report: ({ name, phase, live, refusal, version }) => ({ name, phase, members: live.length, refusal, version }),
  accepts: isMembershipMessage,
  bits: (message) => 8 * encodedSize(message),
};

/** The number of members that a leaver tells itself, since it cannot gossip later. */
const FAREWELLS = 32;

/** The most dead members to remember, more than any group should have. Beyond it the oldest are forgotten, to bound memory. */
const MOST_BURIED = 8192;

function beginning(
  given: Pick<MembershipState, "profile" | "name" | "life" | "address" | "seeds" | "meta">,
): MembershipState {
  return {
    ...given,
    phase: "joining",
    refusal: null,
    now: 0,
    members: new Map(),
    lives: new Map(),
    live: [],
    version: 0,
    buried: new Map(),
    suspicions: new Map(),
    doubtDue: Infinity,
    refutedAt: -Infinity,
    claims: new Map(),
    notes: new Map(),
    parts: noParts(),
    rumours: new Map(),
    levels: [],
    order: [],
    ordered: new Set<string>(),
    turn: 0,
    probing: new Map(),
    probeAt: 0,
    isOutcast: false,
    health: 0,
    silent: new Set<string>(),
    metAt: 0,
    outcastAt: 0,
    seq: 0,
    asked: new Map(),
    askedDue: Infinity,
    gossipAt: 0,
    compareAt: 0,
    differed: false,
    arrivals: 0,
    newcomers: [],
    seekAt: 0,
    answersLeft: given.profile.answers,
    welcomesLeft: given.profile.welcomes,
    former: null,
    rivalTries: 0,
    rivalAt: 0,
    metJoiner: null,
    isAdmitted: false,
    lesson: 0,
    hasCaughtUp: false,
    joinedAt: null,
    accusations: 0,
    probes: 0,
    lost: 0,
    news: [],
  };
}

function nameOf(name: string): string {
  const length = utf8Length(name);
  if (length >= 1 && length <= LONGEST_NAME) return name;
  throw new InputError(`a member's name takes 1 to ${LONGEST_NAME} bytes, not ${length}: choose another`);
}

export function checkMeta(meta: Meta): void {
  const size = encodedSize(meta);
  if (size <= LARGEST_META) return;
  throw new InputError(`what a member tells of itself takes ${size} bytes; it may take ${LARGEST_META}: tell less`);
}

/** Asks up to three of the seeds what they know. */
function askSeeds(state: MembershipState, ctx: MembershipContext): void {
  const { seeds, address, profile } = state;
  const others = seeds.filter((seed) => seed !== address);
  for (let i = 0; i < Math.min(3, others.length); i++) {
    const j = i + ctx.choose(others.length - i);
    [others[i], others[j]] = [others[j], others[i]];
    compareWith(state, ctx.link(others[i]), ctx);
  }
  state.compareAt = state.now + profile.timeout + ctx.choose(profile.period);
}

function joinOn(state: MembershipState, ctx: MembershipContext): void {
  const { profile, now, metJoiner } = state;
  // Nobody who could know the name has answered: others who join are a group, and so is one who is alone.
  if (now >= profile.joinPatience || (metJoiner !== null && now >= metJoiner + 2 * profile.timeout)) {
    if (metJoiner === null) state.hasCaughtUp = true;
    enter(state, ctx);
  } else if (now >= state.compareAt) askSeeds(state, ctx);
}

/** A throng lasts until this member knows what the others know. */
function fadeArrivals(state: MembershipState): void {
  const { arrivals, differed } = state;
  state.arrivals = differed && isThronged(state) ? arrivals - (arrivals >> 2) : arrivals >> 1;
}

function hearAck(
  state: MembershipState,
  port: Port,
  ack: Extract<MembershipMessage, { kind: "ack" }>,
  ctx: MembershipContext,
): void {
  const { seq, from, me, about, via } = ack;
  const asked = state.asked.get(seq);
  const isDirect = via === undefined && (asked !== undefined || state.probing.has(seq));
  if (isDirect) {
    state.isOutcast = false;
    state.metAt = state.now;
  }
  probeAnswered(state, seq, from);
  if (via === undefined) hearAll(state, port, from, ack, ctx);
  if (about !== undefined) hearRecord(state, about, ctx);
  if (me !== undefined) hearRecord(state, me, ctx, isDirect && me[1] === from ? "proof" : "rumour");
  if (ack.who === true && state.phase === "member") introduce(state, port, ctx);
  if (asked === undefined) return;
  state.asked.delete(seq);
  if (asked.why === "errand") {
    if (from === asked.life && ctx.linked(asked.port))
      ctx.send(asked.port, { kind: "ack", seq: asked.seq, from, via: true });
  } else if (via === true) return;
  else if (asked.why === "rival") rivalAnswered(state, from);
  else {
    proofGiven(state, asked.name, from, ctx);
    if (asked.why === "seek") compareWith(state, port, ctx);
  }
}

/** Tells this member's record to a member that does not know it. */
function introduce(state: MembershipState, port: Port, ctx: MembershipContext): void {
  ctx.send(port, { kind: "gossip", from: state.life, members: [toEntry(ownRecord(state))] });
}

/** Ends pings without an answer; the askers of errands are told that theirs have failed. */
function dropUnanswered(state: MembershipState, ctx: MembershipContext): void {
  if (state.now < state.askedDue) return;
  state.askedDue = Infinity;
  for (const [seq, asked] of state.asked) {
    if (asked.due > state.now) state.askedDue = Math.min(state.askedDue, asked.due);
    else {
      state.asked.delete(seq);
      if (asked.why === "errand" && ctx.linked(asked.port)) ctx.send(asked.port, { kind: "nack", seq: asked.seq });
    }
  }
}

/** Forgets tombstones after a day, and the oldest if there are too many. */
function forgetOldest(state: MembershipState, ctx: MembershipContext): void {
  if (state.buried.size === 0) return;
  for (const [name, at] of state.buried) {
    if (state.buried.size <= MOST_BURIED && state.now - at < state.profile.tombstone) return;
    forget(state, name, ctx);
  }
}
