/**
 * Peterson, and independently Dolev, Klawe and Rodeh: active nodes see the ids of the two active nodes before them, and
 * only those behind a local maximum stay active, in its stead.
 *
 * G. L. Peterson, "An O(n log n) unidirectional algorithm for the circular extrema problem", ACM TOPLAS 4(4), 1982;
 * D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3(3), 1982; named in lecture T9.
 *
 * Model: unidirectional ring with channels that keep the order of messages, asynchronous, ids, n unknown.
 * Cost: 2n messages a phase, n in the last one, at most floor(log2 n) + 1 phases; then n for the announcement.
 */
import type { Context, Id, Protocol } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { bitLength } from "../bits.ts";
import {
  type Announcement,
  adoptAnnounced,
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

interface PetersonParams extends RingParams {
  readonly winner: "last-active" | "owner";
}

/**
 * `first` carries the sender's temporary id, `second` the one that it has received. In order and without loss the phase
 * is redundant; after a loss it keeps a node from mixing two phases, so that somebody stays active and the run ends.
 */
interface Candidate {
  readonly kind: "first" | "second";
  readonly id: Id;
  readonly phase: number;
}

export type PetersonMessage = Candidate | Announcement;

/** `contends` means active. */
export interface PetersonState extends Contender, Decision {
  readonly params: PetersonParams;
  phase: number;
  /** The id this node stands for in the present phase. */
  temporary: Id;
  /** The temporary id of the nearest active node before this one, once it has arrived. */
  before: Id | null;
}

type Ctx = Context<PetersonMessage, "start">;

export const peterson: Protocol<PetersonParams, PetersonState, PetersonMessage, "start"> = {
  name: "peterson",
  title: "Peterson: active nodes compare with two active predecessors",
  citation: "Peterson, ACM TOPLAS 4(4), 1982; Dolev, Klawe and Rodeh, J. Algorithms 3(3), 1982; lecture T9",
  cost: "O(n log n): at most 2n⌊log2 n⌋ + n messages in ⌊log2 n⌋ + 1 phases; plus n to announce",
  assumes: { ...asynchronousRing, fifo: true },
  parameters: [
    ...ringParameters,
    {
      name: "winner",
      about: "last-active: the node that stays active leads; owner: the node whose id has survived, the largest, leads",
      type: ["last-active", "owner"],
      default: "last-active",
    },
  ],
  measures: { announcements: "sum", phases: "max" },

  init(params, self, _saved, ctx) {
    const id = self.id!;
    const state: PetersonState = {
      id,
      params,
      role: "idle",
      phase: 0,
      temporary: id,
      before: null,
      status: "undecided",
      leader: null,
    };
    if (self.initiator) startWithin(params.spread, () => contend(state, ctx), ctx);
    return state;
  },

  expire(state, _timer, ctx) {
    if (state.role === "idle") contend(state, ctx);
  },

  receive(state, _port, message, ctx) {
    if (message.kind === "announce") receiveAnnouncement(state, message, ctx);
    else receiveCandidate(state, message, ctx);
  },

  verdict: ringVerdict,

  bits(message) {
    return 2 + bitLength(message.id) + (message.kind === "announce" ? 0 : bitLength(message.phase));
  },
};

function contend(state: PetersonState, ctx: Ctx): void {
  state.role = "contends";
  enterPhase(state, ctx);
}

function enterPhase(state: PetersonState, ctx: Ctx): void {
  state.before = null;
  ctx.measure("phases", ++state.phase);
  ctx.send(NEXT, { kind: "first", id: state.temporary, phase: state.phase });
}

function receiveCandidate(state: PetersonState, message: Candidate, ctx: Ctx): void {
  // In order, the first message that reaches an idle node is the `first` of phase 1: it can still join that phase.
  if (state.role === "idle" && joinsElection(state, message.id)) contend(state, ctx);
  if (state.role === "relays") {
    ctx.send(NEXT, message);
    return;
  }
  const { id, kind, phase } = message;
  const expected = state.before === null ? "first" : "second";
  if (phase !== state.phase || kind !== expected) return;
  if (kind === "second") compare(state, id, ctx);
  else if (id === state.temporary) win(state, ctx);
  else {
    state.before = id;
    ctx.send(NEXT, { kind: "second", id, phase });
  }
}

/** Stays active in the stead of the predecessor if that one is a local maximum among the active nodes. */
function compare(state: PetersonState, beforeThat: Id, ctx: Ctx): void {
  const before = state.before!;
  if (before > state.temporary && before > beforeThat) {
    state.temporary = before;
    enterPhase(state, ctx);
  } else state.role = "relays";
}

/** Its own temporary id has come around: no other node is active. */
function win(state: PetersonState, ctx: Ctx): void {
  if (state.params.winner === "last-active") announce(state, state.id, ctx);
  else receiveAnnouncement(state, { kind: "announce", id: state.temporary }, ctx);
}

function receiveAnnouncement(state: PetersonState, message: Announcement, ctx: Ctx): void {
  if (message.id === state.id && state.status === "undecided") adoptAnnounced(state, "elected", message, ctx);
  else hearAnnouncement(state, message, ctx);
}
