/**
 * What a member tells: the machine's news (`GroupEvent` of the elector) with what only its host knows, and what this process says of
 * itself. Each event has the fields that belong to it. Programs know this type as `GroupEvent`.
 */
import type { OfficeReport } from "../../elector/report.ts";

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
interface Leased {
  /** What is left of this member's own lease, by its own deadline, in milliseconds; missing where it has none. */
  readonly leaseMs?: number;
}
interface Said {
  /** In words. */
  readonly why: string;
}
interface SaidOfOffice extends Said {
  readonly office: string;
}

/** How sure an election is to have one leader, and by which loss (`EPSILON_CAVEAT` says what is left out). */
type Odds = Pick<OfficeReport, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;

/** Every event by its name, and what comes with it (docs/live.md has the table). */
export interface MemberEventFields {
  /** This process: it listens, and where others reach it. */
  started: OfMember & { readonly address: string; readonly why?: string };
  /** Nothing was saved, or what was saved is damaged: a new member, perhaps under an old name. */
  new: OfMember & Said;
  /** A member: was heard of for the first time (or again), does not answer, answers again, is taken for dead, has gone. */
  joined: Counted;
  suspected: OfMember;
  refuted: OfMember;
  failed: Counted;
  left: Counted;
  /** This member: the number of members has changed; it cannot be part of the group. */
  view: { readonly members: number };
  refused: Said;
  /** An office: its term is higher now; somebody leads; nobody does; this member leads; it does so no longer. */
  term: OfOffice;
  leader: Led & Leased & { readonly odds?: Odds };
  none: OfOffice;
  leads: Led & Leased & { readonly fence: string | null };
  resigned: Tokened;
  /** Two had won one term. The protocol of an election has thrown an error. */
  conflict: OfOffice;
  faulty: OfOffice & Said;
  /** An office with a council: this member has a seat; it has none any more. */
  seated: OfOffice;
  unseated: OfOffice;
  /**
   * With leases. This member has won an office and asks the engine; the engine has denied it; the office's holder has the lease but
   * cannot be reached; this member's work should stop, and the lease is kept until it has; its lease has run out.
   */
  awaits: OfOffice;
  denied: OfOffice & Said;
  unreachable: Led;
  settling: OfOffice & Leased;
  lapsed: Tokened & Said;
  /** The engine does not answer this member; it answers again. */
  engine: { readonly engine: "answers" | "silent"; readonly why?: string };
  /** Nobody has answered yet. */
  alone: Said;
  /** A name of which no address is known. */
  unresolved: Said & { readonly address: string };
  /** Datagrams that were not acted on: of another key, group or version; or members that do not have this one's key. */
  dropped: Said;
  /** Work that leads an office has thrown an error; was told to stop and has not. */
  threw: SaidOfOffice;
  unsettled: SaidOfOffice;
  /** This process stood still, or its event loop was busy, for `ms`: deadlines that have passed meanwhile have come first. */
  stalled: Said & { readonly ms: number };
}

/** The names of what a member tells. */
export type MemberEventName = keyof MemberEventFields;

/** One kind of event, with its name. */
export type MemberEventOf<K extends MemberEventName> = { readonly event: K } & MemberEventFields[K];

/** Anything that a member tells: `event` says what it is. */
export type MemberEvent = { [K in MemberEventName]: MemberEventOf<K> }[MemberEventName];

type FieldOf<K extends MemberEventName> = keyof MemberEventFields[K];
type Fields = {
  readonly [F in { [K in MemberEventName]: FieldOf<K> }[MemberEventName]]?: {
    [K in MemberEventName]: F extends FieldOf<K> ? MemberEventFields[K][F] : never;
  }[MemberEventName];
};

/** An event of which it does not matter which it is: fields that it has not are missing. */
export type AnyMemberEvent = { readonly event: MemberEventName } & Fields;
