/** What happens in ring elections, in words. */
import { count, type Narrate, type Part } from "../../narrator.ts";
import type { ChangRobertsMessage, ChangRobertsState } from "../ring/chang-roberts.ts";
import type { Announcement, Decision } from "../ring/common.ts";
import type { HirschbergSinclairMessage, HirschbergSinclairState } from "../ring/hirschberg-sinclair.ts";
import type { ItaiRodehMessage, ItaiRodehState } from "../ring/itai-rodeh.ts";
import type { PetersonMessage, PetersonState } from "../ring/peterson.ts";
import type { TimeSliceState } from "../ring/time-slice.ts";
import { byLargestId, ringPart, tellAnnouncement, tellJoining, tellStart, tellWinner } from "./ring-words.ts";

const swallowing: Narrate<ChangRobertsState, ChangRobertsMessage> = (before, event, after) => {
  if (event.do !== "deliver") return tellStart(before, after.id, after);
  const { message } = event;
  const { id: own } = after;
  if (message.kind === "announce") return tellAnnouncement(before, message);
  const { id } = message;
  const printed = message.kind === "collect";
  if (id === own && (!printed || message.origin === own)) {
    if (before?.status === "elected")
      return { says: "gets its own id back once more: it leads already", brief: "leads already", part: "leads" };
    return tellWinner(`gets its own id, ${own}, back, so no larger id is on the ring`, "own id is back");
  }
  if (printed && message.origin === own) {
    return {
      says: `gets its own message back with id ${id}, which is larger than its own`,
      brief: `${id} is larger`,
      part: ringPart(after),
    };
  }
  if (before?.role !== "contends" && after.role === "contends") return tellJoining(own, id);
  if (after.role !== "contends") {
    return { says: `passes id ${id} on: it does not contend itself`, brief: `passes ${id} on`, part: ringPart(after) };
  }
  if (own > id) {
    return printed
      ? {
          says: `puts its own id, ${own}, in the place of id ${id}: it is larger`,
          brief: `${own} for ${id}`,
          part: ringPart(after),
        }
      : { says: `swallows id ${id}: its own id, ${own}, is larger`, brief: `swallows ${id}`, part: ringPart(after) };
  }
  return {
    says: `passes id ${id} on: its own id, ${own}, is smaller`,
    brief: `passes ${id} on`,
    part: ringPart(after),
  };
};

export const narrateChangRoberts = byLargestId(swallowing);

export const narratePeterson: Narrate<PetersonState, PetersonMessage> = (before, event, after) => {
  if (event.do !== "deliver") return tellStart(before, after.id, after);
  const { message } = event;
  if (message.kind === "announce") {
    if (before?.status === "undecided" && after.status === "elected") {
      return tellWinner(`hears that its id, ${after.id}, has survived`, "its id survived");
    }
    return tellAnnouncement(before, message);
  }
  const { id, kind } = message;
  if (before !== null && before.status === "undecided" && after.status !== "undecided") {
    const back = `gets id ${id}, for which it stands, back, so no other node is active`;
    if (after.status === "elected") return tellWinner(back, "the last active");
    return { says: `${back}, and announces id ${id}`, brief: `announces ${id}`, part: "informed" };
  }
  if (before?.role === "idle" && after.role === "contends") return tellJoining(after.id, id);
  if (before?.role !== "contends") {
    return { says: `passes id ${id} on: it is not active`, brief: `passes ${id} on`, part: ringPart(after) };
  }
  if (kind === "first" && after.before === id && event.sent.length > 0) {
    return {
      says: `now knows id ${id} of the active node before it, and sends it on as second`,
      brief: `before it: ${id}`,
      part: "contends",
    };
  }
  if (kind === "second" && after.phase > before.phase) {
    return {
      says: `stays active and now stands for id ${after.temporary}: it is larger than ${before.temporary} here and ${id} before it`,
      brief: `now stands for ${after.temporary}`,
      part: "contends",
    };
  }
  if (kind === "second" && after.role === "relays") {
    const largest = Math.max(before.temporary, id);
    return {
      says: `becomes passive: id ${before.before} before it is not a local maximum, since ${largest} is larger`,
      brief: "becomes passive",
      part: "out",
    };
  }
  return { says: `ignores id ${id}: it belongs to another phase`, brief: "ignores it", part: ringPart(after) };
};

const probing: Narrate<HirschbergSinclairState, HirschbergSinclairMessage> = (before, event, after) => {
  if (event.do !== "deliver") return tellStart(before, after.id, after);
  const { message, node } = event;
  const { id: own } = after;
  if (message.kind === "announce") return tellAnnouncement(before, message);
  const { id } = message;
  if (message.kind === "reply") {
    if (id !== own) return { says: `passes the reply for id ${id} on`, brief: null, part: ringPart(after) };
    if (after.status === "elected" && before?.status !== "elected") {
      return tellWinner(`has both replies from distance ${after.reach}, which is all of the ring`, "both replies");
    }
    if (after.replies === 1)
      return { says: "has the first of its two replies", brief: "1 of 2 replies", part: ringPart(after) };
    return {
      says: `is the largest within distance ${after.reach / 2} and probes to distance ${after.reach}`,
      brief: `probes to ${after.reach}`,
      part: ringPart(after),
    };
  }
  if (id === own) {
    if (before?.status === "elected") return { says: "gets its other probe back", brief: null, part: "leads" };
    return tellWinner(`gets its own probe back from around the ring`, "own probe is back");
  }
  if (before?.role !== "contends" && after.role === "contends") return tellJoining(own, id);
  if (after.role === "contends" && own > id) {
    return {
      says: `swallows the probe of id ${id}: its own id, ${own}, is larger`,
      brief: `swallows ${id}`,
      part: ringPart(after),
    };
  }
  const answers = event.sent.some(({ message: sent, to }) => sent.kind === "reply" && to !== node);
  if (answers)
    return {
      says: `answers the probe of id ${id}: it has gone as far as it should`,
      brief: `replies to ${id}`,
      part: ringPart(after),
    };
  const left = count(message.hops - 1, "hop");
  return {
    says: `passes the probe of id ${id} on, with ${left} left`,
    brief: `passes ${id} on`,
    part: ringPart(after),
  };
};

export const narrateHirschbergSinclair = byLargestId(probing);

export const narrateItaiRodeh: Narrate<ItaiRodehState, ItaiRodehMessage> = (before, event, after) => {
  const where: Part =
    after.status === "elected"
      ? "leads"
      : after.active
        ? "contends"
        : after.status === "undecided"
          ? "out"
          : "informed";
  if (event.do !== "deliver") {
    if (!after.active) return { says: "waits: it has not started", brief: null, part: "idle" };
    return { says: `draws id ${after.id} in phase 1`, brief: `draws ${after.id}`, part: where };
  }
  const { message } = event;
  if (message.kind === "announce") return tellAnnouncement(before, message);
  const { id, phase } = message;
  if (before?.status === "elected")
    return { says: `takes id ${id} off the ring: it leads already`, brief: "takes it off", part: where };
  if (after.status === "elected") return tellWinner(`gets its id, ${id}, back, and nobody shares it`, "own id is back");
  if (before?.active === true && after.phase > before.phase) {
    return {
      says: `gets its id, ${id}, back, but others have drawn it too: it draws id ${after.id} in phase ${after.phase}`,
      brief: `a tie: draws ${after.id}`,
      part: where,
    };
  }
  if (before?.active === true && !after.active) {
    const why = phase > before.phase ? `it is of phase ${phase}` : `its own id, ${before.id}, is smaller`;
    return { says: `gives up and passes id ${id} on: ${why}`, brief: `gives up for ${id}`, part: where };
  }
  if (event.sent.length === 0) {
    if (before?.active !== true)
      return { says: "takes its old message off the ring", brief: "takes it off", part: where };
    const why = phase < before.phase ? `it is of phase ${phase}` : `its own id, ${before.id}, is larger`;
    return { says: `swallows id ${id}: ${why}`, brief: `swallows ${id}`, part: where };
  }
  if (after.active)
    return { says: `marks id ${id} as not unique: it has drawn the same`, brief: `a tie: ${id}`, part: where };
  return { says: `passes id ${id} on: it is not active`, brief: `passes ${id} on`, part: where };
};

export const narrateTimeSlice: Narrate<TimeSliceState, Announcement> = (before, event, after) => {
  const where: Part = after.status === "elected" ? "leads" : after.status === "undecided" ? "contends" : "informed";
  if (event.do === "timer") {
    if (event.sent.length === 0)
      return { says: "stays silent in its slot: it knows who leads", brief: "stays silent", part: where };
    return {
      says: `speaks: the slot of its id, ${after.id}, has come in silence`,
      brief: `${after.id} speaks`,
      part: where,
    };
  }
  if (event.do !== "deliver") return { says: `waits for the slot of its id, ${after.id}`, brief: null, part: where };
  if (event.message.id === after.id && before?.status === "undecided") {
    return tellWinner("gets its own id back, so all have heard it", "own id is back");
  }
  return tellAnnouncement(before, event.message);
};

export const narrateKnownHighest: Narrate<Decision, unknown> = (_before, event, { status, leader }, scene) => {
  if (status === "elected")
    return { says: "leads: it has the highest id, which everybody knows", brief: "leads", part: "leads" };
  return {
    says: `follows id ${leader}: it is the highest, not id ${scene.id(event.node)}`,
    brief: `follows ${leader}`,
    part: "informed",
  };
};
