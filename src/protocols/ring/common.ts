/** What the ring protocols share: how a node comes to take part, and the announcement that ends an election. */
import type { Context, Id, Parameter, Verdict } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";

/** relay: a node that has not initiated only passes messages on. join: it contends when its own id is the better one. */
export type Passive = "relay" | "join";

export interface RingParams {
  readonly passive: Passive;
  readonly spread: number;
}

export const ringParameters: readonly Parameter[] = [
  {
    name: "passive",
    about: "what a node that has not initiated does: relay (the best initiator wins) or join (the best id wins)",
    type: ["relay", "join"],
    default: "relay",
  },
  {
    name: "spread",
    about: "initiators start at random times within this span; one that hears of the election first does not start",
    type: "number",
    min: 0,
    default: 0,
  },
];

/** The part of every ring node's state that its verdict is read from. */
export interface Decision {
  status: Verdict["status"];
  leader: Id | null;
}

export const undecided = (): Decision => ({ status: "undecided", leader: null });

export const verdictOf = (state: Decision): Verdict => ({ status: state.status, leader: state.leader, term: 0 });

/** The last message of an election: it goes around once, so it costs n messages. */
export interface Announcement {
  readonly kind: "announce";
  readonly id: Id;
}

/** The new leader tells everybody. */
export function announce(state: Decision, id: Id, ctx: Context<Announcement, never>): void {
  state.status = "elected";
  state.leader = id;
  forwardAnnouncement({ kind: "announce", id }, ctx);
}

/** Everybody else learns who leads; the leader takes the announcement off the ring. */
export function hearAnnouncement(state: Decision, message: Announcement, ctx: Context<Announcement, never>): void {
  if (state.status === "elected") return;
  state.status = "not-elected";
  state.leader = message.id;
  forwardAnnouncement(message, ctx);
}

function forwardAnnouncement(message: Announcement, ctx: Context<Announcement, never>): void {
  ctx.measure("announcements", 1);
  ctx.send(NEXT, message);
}

/** Starts now, or at a random time within the spread. */
export function startWithin(spread: number, start: () => void, ctx: Context<never, "start">): void {
  if (spread > 0) ctx.arm("start", 0, spread);
  else start();
}

/** The length of a non-negative integer in binary. */
export function bitLength(value: number): number {
  return value < 0x80000000 ? 32 - Math.clz32(value) : 32 + bitLength(Math.floor(value / 0x100000000));
}
