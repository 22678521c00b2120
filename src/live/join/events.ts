/** What a member tells its program: the events of `sortition group`, each with the fields that it has. */
import type { MemberEvent } from "../group/events.ts";

interface OfMember {
  readonly member: string;
}
interface Counted extends OfMember {
  /** How many there are now. */
  readonly members: number;
}
interface OfOffice {
  /** The office, or which of its seats. */
  readonly office: string;
  readonly term: number;
}
interface Tokened extends OfOffice {
  /** Null without an engine. */
  readonly token: bigint | null;
}
interface Led extends Tokened {
  readonly leader: string;
}
interface Said {
  /** In words. */
  readonly why: string;
}
interface SaidOfOffice extends Said {
  readonly office: string;
}

/** Every event by its name, and what comes with it (docs/live.md has the table). */
export interface GroupEventFields {
  started: OfMember & { readonly address: string; readonly why?: string };
  new: OfMember & Said;
  joined: Counted;
  suspected: OfMember;
  refuted: OfMember;
  failed: Counted;
  left: Counted;
  view: { readonly members: number };
  refused: Said;
  term: OfOffice;
  leader: Led & { readonly leaseMs?: number; readonly odds?: NonNullable<MemberEvent["odds"]> };
  none: OfOffice;
  leads: Led & { readonly leaseMs?: number; readonly fence: string | null };
  resigned: Tokened;
  conflict: OfOffice;
  faulty: OfOffice & Said;
  seated: OfOffice;
  unseated: OfOffice;
  awaits: OfOffice;
  denied: OfOffice & Said;
  unreachable: Led;
  settling: OfOffice & { readonly leaseMs?: number };
  lapsed: Tokened & Said;
  engine: { readonly engine: "answers" | "silent"; readonly why?: string };
  alone: Said;
  unresolved: Said & { readonly address: string };
  dropped: Said;
  threw: SaidOfOffice;
  unsettled: SaidOfOffice;
  stalled: Said & { readonly ms: number };
}

/** The names of what a member tells. */
export type GroupEventName = keyof GroupEventFields;

/** One kind of event, with its name. */
export type GroupEventOf<K extends GroupEventName> = { readonly event: K } & GroupEventFields[K];

/** Anything that a member tells: `event` says what it is. */
export type GroupEvent = { [K in GroupEventName]: GroupEventOf<K> }[GroupEventName];

const NAMES: Readonly<Record<GroupEventName, true>> = {
  ...{ started: true, new: true, joined: true, suspected: true, refuted: true, failed: true, left: true, view: true },
  ...{ refused: true, term: true, leader: true, none: true, leads: true, resigned: true, conflict: true, faulty: true },
  ...{ seated: true, unseated: true, awaits: true, denied: true, unreachable: true, settling: true, lapsed: true },
  ...{ engine: true, alone: true, unresolved: true, dropped: true, threw: true, unsettled: true, stalled: true },
};

/** For whoever listens to all of them. */
export const EVENT_NAMES = Object.keys(NAMES) as readonly GroupEventName[];

/** Events of which a token is part, whether or not there is one. */
const TOKENED: ReadonlySet<GroupEventName> = new Set(["leader", "leads", "resigned", "unreachable", "lapsed"]);

/** Tokens are whole numbers of any size for programs. */
export function eventOf({ token, ...event }: MemberEvent): GroupEvent {
  const tokens = TOKENED.has(event.event) ? { token: token === undefined ? null : BigInt(token) } : {};
  const fence = event.event === "leads" ? { fence: event.fence ?? null } : {};
  return { ...event, ...tokens, ...fence } as GroupEvent;
}
