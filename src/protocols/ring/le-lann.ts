/**
 * Le Lann: every id goes once around the ring, so every process that starts sees all of them and the largest leads.
 *
 * G. Le Lann, "Distributed systems: towards a formal approach", Information Processing 77 (IFIP), 1977.
 *
 * Model: unidirectional ring with channels that keep the order of messages, asynchronous, ids, n unknown.
 * Cost: n messages for each process that starts, n² where all do, in every arrangement of the ids; n steps. A process
 * that has started needs no announcement. One (n messages) is sent only if the winner's id has passed a process that relays.
 * An id collects that on its way in `relayed`, which is not in the source.
 * Faults: after a loss some nodes may follow another id than the others; after a restart two may lead.
 */
import type { Narrate } from "../../narrator.ts";
import type { Context, Id, Protocol } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { bitLength } from "../bits.ts";
import { ringPart, tellAnnouncement, tellJoining, tellStart, tellWinner } from "../narration/ring-words.ts";
import {
  type Announcement,
  announce,
  asynchronousRing,
  type Contender,
  type Decision,
  joinsElection,
  passOn,
  type RingParams,
  ringParameters,
  ringVerdict,
  startWithin,
} from "./common.ts";

interface Token {
  readonly kind: "token";
  readonly id: Id;
  /** Whether it has passed a process that has not started, and so will not know who leads. */
  readonly relayed: boolean;
}

type LeLannMessage = Token | Announcement;

interface LeLannState extends Contender, Decision {
  /** The largest id seen so far, its own included where it contends. */
  best: Id;
}

type Ctx = Context<LeLannMessage, "start">;

export const leLann: Protocol<RingParams, LeLannState, LeLannMessage, "start"> = {
  name: "le-lann",
  title: "Le Lann: every id goes all the way around",
  citation: "Le Lann, IFIP 1977",
  cost: "n² messages always, n for each process that starts; plus n to announce where some have not started",
  assumes: { ...asynchronousRing, fifo: true },
  parameters: ringParameters,
  measures: { announcements: "sum" },

  init(params, self, _saved, ctx) {
    const id = self.id!;
    const state: LeLannState = { id, params, role: "idle", best: id, status: "undecided", leader: null };
    if (self.initiator) startWithin(params.spread, () => contend(state, ctx), ctx);
    return state;
  },

  expire(state, _timer, ctx) {
    if (state.role === "idle") contend(state, ctx);
  },

  receive(state, _port, message, ctx) {
    if (message.kind === "announce") receiveAnnouncement(state, message, ctx);
    else receiveToken(state, message, ctx);
  },

  verdict: ringVerdict,

  bits: ({ kind, id }) => (kind === "token" ? 3 : 2) + bitLength(id),

  narrate: (before, event, after, scene) => tell(before, event, after, scene),
};

function contend(state: LeLannState, ctx: Ctx): void {
  state.role = "contends";
  ctx.send(NEXT, { kind: "token", id: state.id, relayed: false });
}

function receiveToken(state: LeLannState, message: Token, ctx: Ctx): void {
  const { id } = message;
  // In order: who joins sends its own id before it passes the other one on, whose owner so hears of it in time.
  if (state.role === "idle" && joinsElection(state, id)) contend(state, ctx);
  if (id === state.id) {
    decide(state, message, ctx);
    return;
  }
  state.best = Math.max(state.best, id);
  ctx.send(NEXT, state.role === "relays" && !message.relayed ? { ...message, relayed: true } : message);
}

/** Its own id is back, and all others have come before it. */
function decide(state: LeLannState, { relayed }: Token, ctx: Ctx): void {
  if (state.status !== "undecided") return;
  if (state.best === state.id && relayed) announce(state, state.id, ctx);
  else {
    state.status = state.best === state.id ? "elected" : "not-elected";
    state.leader = state.best;
  }
}

/** Those who have decided pass it on too; the leader takes it off the ring. */
function receiveAnnouncement(state: LeLannState, message: Announcement, ctx: Ctx): void {
  if (message.id === state.id) return;
  if (state.status === "undecided") {
    state.status = "not-elected";
    state.leader = message.id;
  }
  passOn(message, ctx);
}

const tell: Narrate<LeLannState, LeLannMessage> = (before, event, after) => {
  if (event.do !== "deliver") return tellStart(before, after.id, after);
  const { message } = event;
  const part = ringPart(after);
  const { id: own, best } = after;
  if (message.kind === "announce") {
    if (before?.status !== "not-elected") return tellAnnouncement(before, message);
    return { says: `passes the announcement of id ${message.id} on`, brief: `passes ${message.id} on`, part };
  }
  const { id } = message;
  if (id === own) {
    if (before?.status !== "undecided") return { says: "gets its own id back once more", brief: null, part };
    if (after.status === "elected") {
      return tellWinner(`gets its own id, ${own}, back and has seen no larger one`, "own id is back");
    }
    return {
      says: `gets its own id, ${own}, back and follows id ${best}, the largest`,
      brief: `follows ${best}`,
      part,
    };
  }
  if (before?.role !== "contends" && after.role === "contends") return tellJoining(own, id);
  return { says: `passes id ${id} on`, brief: `passes ${id} on`, part, beaten: id > own };
};
