/**
 * Itai and Rodeh: nodes without ids draw some; the largest goes around as in Chang-Roberts, and those who share it draw
 * again. A hop counter tells a node its own message, and a bit whether somebody else has the same id.
 *
 * A. Itai, M. Rodeh, "Symmetry breaking in distributed networks", Information and Computation 88(1), 1990, as stated by
 * W. Fokkink, J. Pang, "Variations on Itai-Rodeh leader election for anonymous rings", JUCS 12(8), 2006.
 *
 * Model: unidirectional ring, asynchronous, anonymous, n known, randomised: it always ends in exactly one leader, after
 * a number of phases that has no bound but a mean of at most e n/(n-1) for range=n.
 * Cost: O(n log n) messages on average; then n for the announcement, which names nobody.
 */
import type { Context, Protocol } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { bitLength } from "../bits.ts";
import { type Announcement, announce, type Decision, hearAnnouncement, ringVerdict } from "./common.ts";

interface ItaiRodehParams {
  readonly range: number;
}

interface Lot {
  readonly kind: "lot";
  readonly phase: number;
  readonly id: number;
  /** Links travelled, the one under way included: n means that the message is home. */
  readonly hop: number;
  /** Nobody met so far has drawn the same id in the same phase. */
  readonly unique: boolean;
}

export type ItaiRodehMessage = Lot | Announcement<null>;

export interface ItaiRodehState extends Decision {
  readonly n: number;
  readonly range: number;
  active: boolean;
  phase: number;
  id: number;
}

type Ctx = Context<ItaiRodehMessage, never>;

export const itaiRodeh: Protocol<ItaiRodehParams, ItaiRodehState, ItaiRodehMessage> = {
  name: "itai-rodeh",
  title: "Itai-Rodeh: random ids break the symmetry of an anonymous ring",
  citation: "Itai and Rodeh, Information and Computation 88(1), 1990; Fokkink and Pang, JUCS 12(8), 2006",
  cost: "O(n log n) messages on average, at most e·n/(n-1) phases on average; plus n to announce",
  assumes: {
    topology: "ring",
    direction: "unidirectional",
    identity: "anonymous",
    timing: "asynchronous",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: ["pause"],
  },
  parameters: [
    {
      name: "range",
      about: "ids are drawn from 1..range; more of them make ties rarer and messages longer",
      type: "integer",
      min: 1,
      default: (n) => n,
    },
  ],
  measures: { announcements: "sum", phases: "max" },
  ordered: ["phase"],

  refuse({ range }, n) {
    if (n === 1 || range > 1) return null;
    return "with range=1 all draw the same id in every phase and it never ends: use range=2 or more";
  },

  init({ range }, self, _saved, ctx) {
    const state: ItaiRodehState = {
      n: self.n!,
      range,
      active: self.initiator,
      phase: 0,
      id: 0,
      status: "undecided",
      leader: null,
    };
    if (self.initiator) draw(state, ctx);
    return state;
  },

  receive(state, _port, message, ctx) {
    if (message.kind === "announce") hearAnnouncement(state, message, ctx);
    // The leader takes what is left of the election off the ring.
    else if (state.status !== "elected") receiveLot(state, message, ctx);
  },

  verdict: ringVerdict,

  bits(message) {
    if (message.kind === "announce") return 1;
    return 2 + bitLength(message.phase) + bitLength(message.id) + bitLength(message.hop);
  },
};

function draw(state: ItaiRodehState, ctx: Ctx): void {
  state.id = 1 + ctx.choose(state.range);
  ctx.measure("phases", ++state.phase);
  ctx.send(NEXT, { kind: "lot", phase: state.phase, id: state.id, hop: 1, unique: true });
}

function receiveLot(state: ItaiRodehState, message: Lot, ctx: Ctx): void {
  if (message.hop === state.n) {
    // A passive node's own message comes home only where others were lost.
    if (state.active) receiveOwn(state, message.unique, ctx);
    return;
  }
  const order = state.active ? message.phase - state.phase || message.id - state.id : 1;
  if (order < 0) return;
  if (order > 0) state.active = false;
  ctx.send(NEXT, { ...message, hop: message.hop + 1, unique: message.unique && order !== 0 });
}

function receiveOwn(state: ItaiRodehState, unique: boolean, ctx: Ctx): void {
  if (unique) announce(state, null, ctx);
  else draw(state, ctx);
}
