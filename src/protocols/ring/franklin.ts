/**
 * Franklin: active processes compare their ids with those of the nearest active ones on both sides, and only local maxima
 * stay active.
 *
 * W. R. Franklin, "On an improved algorithm for decentralized extrema finding in circular configurations of processors",
 * CACM 25(5), 1982.
 *
 * Model: bidirectional ring, asynchronous, ids, n unknown. Messages carry the number of their round, so that links need not
 * keep the order; in the source they do, and no number is needed.
 * Cost: 2n messages a round, the last one included, at most floor(log2 n) + 1 rounds; then n for the announcement. Of the
 * same ring, Peterson's election keeps the same ids active in the same rounds and takes n messages less: its last round
 * goes around in one direction.
 */
import type { Narrate } from "../../narrator.ts";
import type { Context, Id, Port, Protocol } from "../../protocol.ts";
import { NEXT, opposite, PREVIOUS } from "../../topology/ring.ts";
import { bitLength } from "../bits.ts";
import {
  byLargestId,
  ringPart,
  tellAnnouncement,
  tellJoining,
  tellStart,
  tellWinner,
} from "../narration/ring-words.ts";
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

interface Candidate {
  readonly kind: "candidate";
  readonly id: Id;
  readonly round: number;
}

type FranklinMessage = Candidate | Announcement;

/** What an active node has heard and not compared yet. */
interface Heard {
  readonly port: Port;
  readonly message: Candidate;
}

/** `contends` means active. */
interface FranklinState extends Contender, Decision {
  round: number;
  heard: Heard[];
}

type Ctx = Context<FranklinMessage, "start">;

export const franklin: Protocol<RingParams, FranklinState, FranklinMessage, "start"> = {
  name: "franklin",
  title: "Franklin: active nodes compare with the active nodes on both sides",
  citation: "Franklin, CACM 25(5), 1982",
  cost: "O(n log n): 2n messages a round, at most ⌊log2 n⌋ + 1 rounds; plus n to announce",
  assumes: { ...asynchronousRing, direction: "bidirectional" },
  parameters: ringParameters,
  measures: { announcements: "sum", phases: "max" },

  init(params, self, _saved, ctx) {
    const state: FranklinState = {
      id: self.id!,
      params,
      role: "idle",
      round: 0,
      heard: [],
      status: "undecided",
      leader: null,
    };
    if (self.initiator) startWithin(params.spread, () => contend(state, ctx), ctx);
    return state;
  },

  expire(state, _timer, ctx) {
    if (state.role === "idle") contend(state, ctx);
  },

  receive(state, port, message, ctx) {
    if (message.kind === "announce") hearAnnouncement(state, message, ctx);
    else receiveCandidate(state, port, message, ctx);
  },

  verdict: ringVerdict,

  bits: (message) => 1 + bitLength(message.id) + (message.kind === "candidate" ? bitLength(message.round) : 0),

  narrate: (before, event, after, scene) => tell(before, event, after, scene),
};

function contend(state: FranklinState, ctx: Ctx): void {
  state.role = "contends";
  enterRound(state, ctx);
}

function enterRound(state: FranklinState, ctx: Ctx): void {
  ctx.measure("phases", ++state.round);
  const candidate: Candidate = { kind: "candidate", id: state.id, round: state.round };
  ctx.send(NEXT, candidate);
  ctx.send(PREVIOUS, candidate);
}

function receiveCandidate(state: FranklinState, port: Port, message: Candidate, ctx: Ctx): void {
  // Nobody can be in round 2 whose round 1 an idle node has not heard of: what wakes it is of round 1, and it can still join.
  if (state.role === "idle" && joinsElection(state, message.id)) contend(state, ctx);
  if (state.role === "relays") {
    ctx.send(opposite(port), message);
    return;
  }
  if (message.id === state.id) {
    // Both its messages have come around: nobody else is active.
    if (state.status === "undecided") announce(state, state.id, ctx);
    return;
  }
  // A neighbour may be a round ahead.
  state.heard.push({ port, message });
  compare(state, ctx);
}

function compare(state: FranklinState, ctx: Ctx): void {
  const next = heardFrom(state, NEXT);
  const previous = heardFrom(state, PREVIOUS);
  if (next === undefined || previous === undefined) return;
  state.heard = state.heard.filter(({ message }) => message.round > state.round);
  if (next < state.id && previous < state.id) {
    enterRound(state, ctx);
    compare(state, ctx);
    return;
  }
  state.role = "relays";
  for (const { port, message } of state.heard) ctx.send(opposite(port), message);
  state.heard = [];
}

const heardFrom = ({ heard, round }: FranklinState, side: Port): Id | undefined =>
  heard.find(({ port, message }) => port === side && message.round === round)?.message.id;

const telling: Narrate<FranklinState, FranklinMessage> = (before, event, after) => {
  if (event.do !== "deliver") return tellStart(before, after.id, after);
  const { message } = event;
  if (message.kind === "announce") return tellAnnouncement(before, message);
  const { id } = message;
  const part = ringPart(after);
  if (id === after.id) {
    if (before?.status === "elected") return { says: "gets its other message back", brief: null, part };
    return tellWinner("gets its own id back from around the ring, so no other node is active", "own id is back");
  }
  if (before?.role === "idle" && after.role === "contends") return tellJoining(after.id, id);
  if (before?.role !== "contends")
    return { says: `passes id ${id} on: it is not active`, brief: `passes ${id} on`, part };
  if (after.role === "relays") {
    const larger = [...before.heard.map((heard) => heard.message.id), id].filter((other) => other > after.id);
    return {
      says: `becomes passive: its own id, ${after.id}, is smaller than id ${Math.max(...larger)} beside it`,
      brief: "becomes passive",
      part,
    };
  }
  if (after.round > before.round) {
    return {
      says: `stays active in round ${after.round}: its own id, ${after.id}, is larger than those on both sides`,
      brief: `round ${after.round}`,
      part,
    };
  }
  if (message.round > after.round) {
    return { says: `keeps id ${id} of round ${message.round} for later`, brief: `keeps ${id}`, part };
  }
  return { says: `hears id ${id} from one side, and waits for the other`, brief: `hears ${id}`, part };
};

const tell = byLargestId(telling);
