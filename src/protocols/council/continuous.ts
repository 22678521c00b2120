/**
 * A council that lasts: the centre keeps between L and U members while hosts join, leave and crash, and partitions come
 * and heal.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004,
 * section VIII: the algorithms run on, and below L an election restarts (policy=restart). Its open question is an
 * algorithm that enlarges the group when it comes close to L; policy=refill is our answer.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges of `period` seconds.
 * Cost: one reply of each member per exchange; beyond that about U replies for each restart, or about two for each refill.
 *
 * Refill: while no more than `low` members are left, each feedback invites the other hosts to offer themselves. An offer
 * is not yet a seat: the next feedback seats the whole batch if it fits below U, and lets it go otherwise. Members keep
 * their seats, a batch too large or empty costs an exchange but no availability, and the council falls below L only when
 * several members vanish within a few seconds. A member that hears nothing for `lease` exchanges resigns, so a
 * council that a partition cut off does not come back on top of the new one.
 */
import type { Protocol, Verdict } from "../../protocol.ts";
import { TO_CENTRE } from "../../topology/lattices.ts";
import { assess, type CentreState, centreOf, nextFeedback } from "./continuous-centre.ts";
import {
  type ContinuousContext,
  type ContinuousMessage,
  type ContinuousParams,
  type ContinuousTimer,
  continuousParameters,
  refuseContinuous,
} from "./continuous-parameters.ts";
import { answerFeedback, expireHostTimer, newProcess, type ProcessState, startLife } from "./continuous-processes.ts";
import { councilAssumptions, councilSize, judgeCouncil } from "./parameters.ts";

export type ContinuousState = CentreState | ProcessState;

export const councilContinuous: Protocol<ContinuousParams, ContinuousState, ContinuousMessage, ContinuousTimer> = {
  name: "council-continuous",
  title: "Lasting council: stays within [L, U] as hosts come and go",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section VIII",
  cost: "a reply of each member per exchange; about U replies per restart, or about two per refill",
  assumes: { ...councilAssumptions, knows: [], tolerates: ["loss", "crash", "partition"] },
  parameters: continuousParameters,
  measures: {
    rounds: "sum",
    availability: "sum",
    hourly: "sum",
    overhead: "sum",
    elections: "sum",
    invitations: "sum",
    seats: "sum",
    size: "sum",
    multicasts: "sum",
  },
  rounds: "reported",
  judge: judgeCouncil,
  summarise: councilSize,
  refuse: refuseContinuous,
  counts: (message) => message.kind !== "feedback",

  init(params, self, _saved, ctx) {
    if (!self.initiator) return newProcess(params);
    const state = centreOf(params, ctx.degree);
    exchange(state, ctx);
    return state;
  },

  receive(state, _port, message, ctx) {
    if (state.role === "centre") {
      state.received++;
      if (message.kind === "leave") state.left++;
      else if (message.kind === "reply" && message.offer) state.offers++;
      else state.heard++;
    } else if (message.kind === "feedback") {
      startLife(state, ctx);
      const reply = answerFeedback(state, message, ctx);
      if (reply !== null) ctx.send(TO_CENTRE, { kind: "reply", offer: reply === "offer" });
    }
  },

  expire(state, timer, ctx) {
    if (state.role === "host") {
      if (expireHostTimer(state, timer, ctx)) ctx.send(TO_CENTRE, { kind: "leave" });
      return;
    }
    assess(state, ctx);
    if (state.exchanges < state.horizon) exchange(state, ctx);
  },

  verdict(state): Verdict {
    const elected = state.role === "host" && state.member;
    return { status: elected ? "elected" : "not-elected", leader: null, term: 0 };
  },

  bits: (message) => (message.kind === "feedback" ? 34 : 2),
};

function exchange(state: CentreState, ctx: ContinuousContext): void {
  ctx.measure("multicasts", 1);
  ctx.multicast({ kind: "feedback", ...nextFeedback(state) });
  ctx.arm("exchange", 2);
}
