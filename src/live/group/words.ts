/** What happens in a group, in words. Events may also have come as JSON, from another version: what is missing there is left out. */
import type { AnyMemberEvent, MemberEventName, MemberEventOf } from "./events.ts";

type Words = { readonly [K in MemberEventName]: (event: MemberEventOf<K>) => string };

const plural = (members: number) => `${members} ${members === 1 ? "member" : "members"}`;
const count = ({ members }: { readonly members?: number }) => (members === undefined ? "" : `; ${plural(members)}`);
const under = ({ token }: { readonly token?: bigint | null }) => (token == null ? "" : `, token ${token}`);
const why = (event: { readonly why?: string }) => event.why ?? "";

const WORDS: Words = {
  started: ({ member, address, why }) =>
    `${member} listens; others reach it at ${address}${why === undefined ? "" : `; ${why}`}`,
  new: (event) => `a new member: ${why(event)}`,
  alone: why,
  unresolved: (event) => `${event.address}: ${why(event)}`,
  dropped: why,
  threw: ({ office, why }) => `${office}: the work of this member has thrown an error: ${why}`,
  unsettled: ({ office, why }) => `${office}: ${why}`,
  stalled: why,
  refused: why,
  joined: (event) => `${event.member} has joined${count(event)}`,
  suspected: ({ member }) => `${member} does not answer`,
  refuted: ({ member }) => `${member} answers again`,
  failed: (event) => `${event.member} is taken for dead${count(event)}`,
  left: (event) => `${event.member} has left${count(event)}`,
  view: ({ members = 0 }) => plural(members),
  term: ({ office, term }) => `${office}: term ${term}`,
  leader: (event) => `${event.office}: ${event.leader} leads in term ${event.term}${under(event)}`,
  none: ({ office, term }) => `${office}: nobody leads in term ${term}`,
  leads: (event) => `${event.office}: THIS MEMBER LEADS in term ${event.term}${under(event)}`,
  resigned: ({ office, term }) => `${office}: this member leads no longer (term ${term})`,
  seated: ({ office }) => `${office}: this member has a seat`,
  unseated: ({ office }) => `${office}: this member has no seat any more`,
  faulty: ({ office, term, why }) => `${office}: the election of term ${term} has ended: ${why}`,
  conflict: ({ office, term }) => `${office}: two had won term ${term}; the next one decides`,
  awaits: ({ office, term }) => `${office}: this member has won term ${term} and asks the engine for the lease`,
  denied: ({ office, why }) => `${office}: the engine has denied the lease: ${why}`,
  unreachable: ({ office, leader }) =>
    `${office}: ${leader} has the lease but cannot be reached; waiting until it runs out`,
  settling: ({ office, leaseMs }) =>
    leaseMs === undefined
      ? `${office}: this member does not stand for it before its work has ended`
      : `${office}: the lease is kept until the work of this member has ended`,
  lapsed: ({ office, why }) => `${office}: the lease of this member is over: ${why}`,
  engine: ({ engine, why }) =>
    engine === "silent"
      ? `the engine grants and renews nothing: ${why}; it is asked again`
      : "the engine answers again",
};

/** For whoever listens to all of them. */
export const EVENT_NAMES = Object.keys(WORDS) as readonly MemberEventName[];

/** An event as a line for people, without its time. */
export const inWords = (event: AnyMemberEvent): string =>
  (WORDS[event.event] as (event: AnyMemberEvent) => string)(event);
