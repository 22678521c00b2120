/**
 * Hirschberg and Sinclair: who is the largest within distance 1, 2, 4, ... on both sides goes on, so that most ids
 * travel only a short way.
 *
 * D. S. Hirschberg, J. B. Sinclair, "Decentralized extrema-finding in circular configurations of processors", CACM
 * 23(11), 1980; lecture T9, "Hirschberg-Sinclair Algorithm".
 *
 * Model: bidirectional ring, asynchronous, ids, n unknown (stop=known-n: known).
 * Cost: at most 8n(1 + ceil(log2 n)) messages, in 1 + ceil(log2 n) phases; then n for the announcement. A contender goes
 * on with its phases whatever it has heard meanwhile, so the count does not depend on the schedule when all start.
 */
import type { Context, Id, Port, Protocol } from "../../protocol.ts";
import { NEXT, opposite, PREVIOUS } from "../../topology/ring.ts";
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

interface HirschbergSinclairParams extends RingParams {
  readonly stop: "home" | "known-n";
}

interface Probe {
  readonly kind: "probe";
  readonly id: Id;
  /** Hops that are left, the one under way included. */
  readonly hops: number;
}

interface Reply {
  readonly kind: "reply";
  readonly id: Id;
}

export type HirschbergSinclairMessage = Probe | Reply | Announcement;

export interface HirschbergSinclairState extends Contender, Decision {
  readonly params: HirschbergSinclairParams;
  readonly n: number;
  /** How far the probes of the present phase go: 2^phase. */
  reach: number;
  phases: number;
  replies: number;
}

/** Longer than any ring: where messages come twice, replies of old phases count, and there are many more phases. */
const LONGEST_REACH = 2 ** 31;

type Ctx = Context<HirschbergSinclairMessage, "start">;

export const hirschbergSinclair: Protocol<
  HirschbergSinclairParams,
  HirschbergSinclairState,
  HirschbergSinclairMessage,
  "start"
> = {
  name: "hirschberg-sinclair",
  title: "Hirschberg-Sinclair: probes of doubling reach, both ways",
  citation: "Hirschberg and Sinclair, CACM 23(11), 1980; lecture T9",
  cost: "O(n log n): at most 8n(1 + ⌈log2 n⌉) messages; plus n to announce",
  // Only stop=known-n looks at n; the algorithm proper is uniform.
  assumes: { ...asynchronousRing, direction: "bidirectional", knows: ["n"] },
  parameters: [
    ...ringParameters,
    {
      name: "stop",
      about: "home: elected when its own probe comes around; known-n: after both replies from 2^i >= n/2 away",
      type: ["home", "known-n"],
      default: "home",
    },
  ],
  measures: { announcements: "sum", phases: "max" },

  init(params, self, _saved, ctx) {
    const state: HirschbergSinclairState = {
      id: self.id!,
      params,
      role: "idle",
      n: self.n!,
      reach: 1,
      phases: 0,
      replies: 0,
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
    else if (message.kind === "probe") receiveProbe(state, port, message, ctx);
    else receiveReply(state, port, message, ctx);
  },

  verdict: ringVerdict,

  bits(message) {
    return 2 + bitLength(message.id) + (message.kind === "probe" ? bitLength(message.hops) : 0);
  },
};

function contend(state: HirschbergSinclairState, ctx: Ctx): void {
  state.role = "contends";
  sendProbes(state, ctx);
}

function sendProbes(state: HirschbergSinclairState, ctx: Ctx): void {
  state.replies = 0;
  ctx.measure("phases", ++state.phases);
  const probe: Probe = { kind: "probe", id: state.id, hops: state.reach };
  ctx.send(NEXT, probe);
  ctx.send(PREVIOUS, probe);
}

function receiveProbe(state: HirschbergSinclairState, port: Port, { id, hops }: Probe, ctx: Ctx): void {
  // Ids come before hops: a probe that is home after exactly its reach has won and is not to be answered.
  if (id === state.id) {
    // The other final probe comes home too.
    if (state.status !== "elected") announce(state, id, ctx);
    return;
  }
  if (state.role === "idle" && joinsElection(state, id)) contend(state, ctx);
  if (state.role === "contends" && state.id > id) return;
  if (hops > 1) ctx.send(opposite(port), { kind: "probe", id, hops: hops - 1 });
  else ctx.send(port, { kind: "reply", id });
}

function receiveReply(state: HirschbergSinclairState, port: Port, message: Reply, ctx: Ctx): void {
  if (message.id !== state.id) ctx.send(opposite(port), message);
  // Without duplicates the leader hears none any more.
  else if (state.status !== "elected" && ++state.replies === 2) {
    if (state.params.stop === "known-n" && 2 * state.reach >= state.n) announce(state, state.id, ctx);
    else {
      state.reach = Math.min(2 * state.reach, LONGEST_REACH);
      sendProbes(state, ctx);
    }
  }
}
