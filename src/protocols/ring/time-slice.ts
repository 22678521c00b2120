/**
 * The variable-time algorithm: time is cut into phases of n rounds, one for each possible id, and the process whose phase begins
 * in silence leads. It elects the smallest id of the contenders.
 *
 * N. A. Lynch, "Distributed Algorithms", 1996, section 3.5.1 (TimeSlice; first in Frederickson and Lynch, JACM 34(1),
 * 1987); lecture T9, "Variable Time Algorithm in a Synchronous Ring".
 *
 * Model: unidirectional ring, synchronous, ids, n known, common start. Phases are numbered from 0: id k speaks in round
 * k n. Cost: n messages, which are the announcement, and n (smallest id) + n rounds.
 *
 * The slide's node declares itself the leader when it speaks. Ours does so when its message has come around, at no cost:
 * where a crash or a loss cuts the ring, silence proves nothing, and several nodes would lead.
 */

import { InputError } from "../../errors.ts";
import type { Context, Id, Protocol } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import {
  type Announcement,
  type Decision,
  hearAnnouncement,
  passOn,
  type RingParams,
  ringParameters,
  ringVerdict,
} from "./common.ts";

export interface TimeSliceState extends Decision {
  readonly id: Id;
}

export const timeSlice: Protocol<RingParams, TimeSliceState, Announcement, "slot"> = {
  name: "time-slice",
  title: "Variable time: the smallest id speaks first",
  citation: "Frederickson and Lynch, JACM 34(1), 1987; Lynch, Distributed Algorithms, section 3.5.1; lecture T9",
  cost: "n messages, n·(smallest id) + n rounds",
  assumes: {
    topology: "ring",
    direction: "unidirectional",
    identity: "ids",
    timing: "synchronous",
    start: "common",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: [],
  },
  parameters: ringParameters,
  measures: { announcements: "sum" },

  init(params, self, _saved, ctx) {
    const id = self.id!;
    if (self.initiator || params.passive === "join") awaitSlot(params, id, self.n!, ctx);
    return { id, status: "undecided", leader: null };
  },

  expire(state, _timer, ctx) {
    if (state.status === "undecided") passOn({ kind: "announce", id: state.id }, ctx);
  },

  receive(state, _port, message, ctx) {
    if (message.id !== state.id) hearAnnouncement(state, message, ctx);
    else if (state.status === "undecided") {
      state.status = "elected";
      state.leader = state.id;
    }
  },

  verdict: ringVerdict,

  bits(message) {
    return bitLength(message.id);
  },
};

/** A contender that wakes after its slot lets it pass: speaking late could meet a later slot's announcement. */
function awaitSlot(params: RingParams, id: Id, n: number, ctx: Context<Announcement, "slot">): void {
  const slot = id * n;
  if (!Number.isSafeInteger(slot + n)) {
    throw new InputError(`time-slice: id ${id} would speak in round ${slot}, past 2^53: use smaller ids`);
  }
  const wakes = ctx.choose(Math.floor(params.spread) + 1);
  if (wakes <= slot) ctx.arm("slot", slot);
}
