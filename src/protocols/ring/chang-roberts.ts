/**
 * Chang and Roberts: the largest id of the initiators goes once around, every smaller one is swallowed on its way.
 *
 * E. Chang, R. Roberts, "An improved algorithm for decentralized extrema-finding in circular configurations of
 * processes", CACM 22(5), 1979; lecture T9, "Chang and Roberts Algorithm".
 *
 * Model: unidirectional ring, asynchronous, ids, n unknown.
 * Cost: n(n+1)/2 messages at worst (ids decreasing in the direction of travel), 2n-1 at best, n H_n on average; then n
 * for the announcement. 2n steps when all start together.
 */
import type { Context, Id, Protocol } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { bitLength } from "../bits.ts";
import {
  type Announcement,
  announce,
  asynchronousRing,
  type Contender,
  type Decision,
  hearAnnouncement,
  joinsElection,
  type RingParams,
  ringParameters,
  ringVerdict,
  startWithin,
} from "./common.ts";

export interface ChangRobertsParams extends RingParams {
  readonly reading: "repaired" | "printed";
}

interface Elect {
  readonly kind: "elect";
  readonly id: Id;
}

/** reading=printed: goes all the way around to `origin` and collects the largest id. */
interface Collect {
  readonly kind: "collect";
  readonly id: Id;
  readonly origin: Id;
}

export type ChangRobertsMessage = Elect | Collect | Announcement;

export interface ChangRobertsState extends Contender, Decision {
  readonly params: ChangRobertsParams;
}

type Ctx = Context<ChangRobertsMessage, "start">;

export const changRoberts: Protocol<ChangRobertsParams, ChangRobertsState, ChangRobertsMessage, "start"> = {
  name: "chang-roberts",
  title: "Chang-Roberts: larger ids swallow smaller ones",
  citation: "Chang and Roberts, CACM 22(5), 1979; lecture T9",
  cost: "n(n+1)/2 messages at worst, 2n-1 at best, n·H_n on average; plus n to announce",
  assumes: asynchronousRing,
  parameters: [
    ...ringParameters,
    {
      name: "reading",
      about: 'repaired: swallow smaller ids; printed: the slide\'s "send max(own, received)", n² messages always',
      type: ["repaired", "printed"],
      default: "repaired",
    },
  ],
  measures: { announcements: "sum" },

  init(params, self, _saved, ctx) {
    const state: ChangRobertsState = { id: self.id!, params, role: "idle", status: "undecided", leader: null };
    if (self.initiator) startWithin(params.spread, () => contend(state, ctx), ctx);
    return state;
  },

  expire(state, _timer, ctx) {
    if (state.role === "idle") contend(state, ctx);
  },

  receive(state, _port, message, ctx) {
    if (message.kind === "announce") hearAnnouncement(state, message, ctx);
    else if (message.kind === "elect") receiveElect(state, message, ctx);
    else receiveCollect(state, message, ctx);
  },

  verdict: ringVerdict,

  bits(message) {
    return 2 + bitLength(message.id) + (message.kind === "collect" ? bitLength(message.origin) : 0);
  },
};

function contend(state: ChangRobertsState, ctx: Ctx): void {
  const { id } = state;
  state.role = "contends";
  ctx.send(NEXT, state.params.reading === "printed" ? { kind: "collect", id, origin: id } : { kind: "elect", id });
}

function receiveElect(state: ChangRobertsState, message: Elect, ctx: Ctx): void {
  if (message.id === state.id) announce(state, state.id, ctx);
  else if (!standsAgainst(state, message.id, ctx)) ctx.send(NEXT, message);
}

function receiveCollect(state: ChangRobertsState, message: Collect, ctx: Ctx): void {
  if (message.origin === state.id) {
    if (message.id === state.id) announce(state, state.id, ctx);
  } else if (standsAgainst(state, message.id, ctx)) {
    ctx.send(NEXT, { kind: "collect", id: state.id, origin: message.origin });
  } else ctx.send(NEXT, message);
}

/** Whether this node contends with a larger id than the one that has arrived; a passive node may join just now. */
function standsAgainst(state: ChangRobertsState, arrived: Id, ctx: Ctx): boolean {
  if (state.role === "idle" && joinsElection(state, arrived)) contend(state, ctx);
  return state.role === "contends" && state.id > arrived;
}
