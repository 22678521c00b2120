/** Sentences that the narrators of ring elections share. */
import type { Narrate, Part, Telling } from "../../narrator.ts";
import type { Announcement, Decision, Role } from "../ring/common.ts";

/** What a ring node's part is read from. */
interface Standing extends Decision {
  readonly role: Role;
}

/** The part of a node in a picture. */
export function ringPart({ role, status }: Standing): Part {
  if (status === "elected") return "leads";
  if (status === "not-elected") return "informed";
  return role === "contends" ? "contends" : role === "idle" ? "idle" : "out";
}

/** The node begins to contend, or not yet. */
export function tellStart(before: Standing | null, id: number, after: Standing): Telling {
  if (after.role === "contends" && before?.role !== "contends") {
    return { says: `starts and contends with its id, ${id}`, brief: `starts with ${id}`, part: "contends" };
  }
  if (before !== null)
    return { says: "has heard of the election and does not start any more", brief: "does not start" };
  return { says: "waits: it has not started", brief: null, part: "idle" };
}

/** The announcement reaches a node. */
export function tellAnnouncement(before: Decision | null, message: Announcement<number | null>): Telling {
  const who = message.id === null ? "somebody else" : `id ${message.id}`;
  if (before?.status === "elected") {
    const says = "takes the announcement off the ring: it has come all the way around";
    return { says, brief: "it has come around", part: "leads" };
  }
  if (before?.status === "not-elected") {
    return {
      says: "takes the announcement off the ring: it knows already who leads",
      brief: "knows it",
      part: "informed",
    };
  }
  const brief = message.id === null ? "another leads" : `${message.id} leads`;
  return { says: `learns that ${who} leads, and passes it on`, brief, part: "informed" };
}

/** The node is elected. */
export const tellWinner = (says: string, brief: string): Telling => ({
  says: `${says}: it leads`,
  brief,
  part: "leads",
});

/** A contender that hears of a smaller id before it has started enters with its own. */
export const tellJoining = (own: number, id: number): Telling => ({
  says: `joins with its own id, ${own}: it is larger than id ${id}`,
  brief: `joins with ${own}`,
  part: "contends",
});

/** Marks a node as beaten once a larger id has reached it: only the largest id comes all the way around. */
export function byLargestId<S extends { readonly id: number }, M extends { readonly id: number | null }>(
  narrate: Narrate<S, M>,
): Narrate<S, M> {
  return (before, event, after, scene) => {
    const telling = narrate(before, event, after, scene);
    const beaten = event.do === "deliver" && (event.message.id ?? 0) > after.id;
    return beaten && telling !== null ? { ...telling, beaten } : telling;
  };
}
