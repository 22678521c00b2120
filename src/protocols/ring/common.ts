/** What the ring protocols share: how a node comes to take part, and the announcement that ends an election. */
import type { Assumptions, Context, Id, Parameter, Verdict } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";

/** What most elections on rings assume. Each protocol says where it differs. */
export const asynchronousRing: Assumptions = {
  topology: "ring",
  direction: "unidirectional",
  identity: "ids",
  timing: "asynchronous",
  start: "any",
  knows: [],
  fifo: false,
  multicast: false,
  tolerates: ["pause"],
};

/** relay: a node that has not initiated only passes messages on. join: it contends when its own id is the better one. */
type Passive = "relay" | "join";

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

/** idle: has neither started nor heard of the election. A node that has relayed cannot start any more. */
export type Role = "idle" | "contends" | "relays";

/** A node that may come to contend with its id. */
export interface Contender {
  readonly id: Id;
  readonly params: RingParams;
  role: Role;
}

/** An idle node hears of the election: does it join, because its own id is the larger one? Else it relays for good. */
export function joinsElection(state: Contender, arrived: Id): boolean {
  if (state.params.passive === "join" && state.id > arrived) return true;
  state.role = "relays";
  return false;
}

/** The part of every ring node's state that its verdict is read from. */
export interface Decision {
  status: Verdict["status"];
  leader: Id | null;
}

export const ringVerdict = (state: Decision): Verdict => ({ status: state.status, leader: state.leader, term: 0 });

/** The last message of an election: it goes around once, so it costs n messages. Anonymous rings name nobody. */
export interface Announcement<I extends Id | null = Id> {
  readonly kind: "announce";
  readonly id: I;
}

/** The new leader tells everybody. */
export function announce<I extends Id | null>(state: Decision, id: I, ctx: Context<Announcement<I>, never>): void {
  adoptAnnounced(state, "elected", { kind: "announce", id }, ctx);
}

/** All other nodes learn the leader; the sender of the announcement has decided, and takes it off the ring. */
export function hearAnnouncement<I extends Id | null>(
  state: Decision,
  message: Announcement<I>,
  ctx: Context<Announcement<I>, never>,
): void {
  if (state.status === "undecided") adoptAnnounced(state, "not-elected", message, ctx);
}

/** Takes the announced outcome for this node's own and sends the announcement on. */
export function adoptAnnounced<I extends Id | null>(
  state: Decision,
  status: "elected" | "not-elected",
  message: Announcement<I>,
  ctx: Context<Announcement<I>, never>,
): void {
  state.status = status;
  state.leader = message.id;
  passOn(message, ctx);
}

export function passOn<I extends Id | null>(message: Announcement<I>, ctx: Context<Announcement<I>, never>): void {
  ctx.measure("announcements", 1);
  ctx.send(NEXT, message);
}

/** Starts now, or at a random time within the spread. */
export function startWithin(spread: number, start: () => void, ctx: Context<never, "start">): void {
  if (spread > 0) ctx.arm("start", 0, spread);
  else start();
}
