/** All that one member remembers, as plain data. */
import type { Address, Context } from "../../protocol.ts";
import type { MembershipMessage } from "./messages.ts";
import type { Profile } from "./profile.ts";
import type { KnownMember, Meta, Note } from "./records.ts";
import type { SubjectBucket } from "./sums.ts";

export type MembershipContext = Context<MembershipMessage, "tick">;

/** `checking`: the name is taken, and who took it is asked whether it lives. `refused`: it does, and this process is no member. */
export type Phase = "joining" | "checking" | "member" | "refused" | "gone";

/** Something that a handler of membership changed. `life` is the one that it happened to. */
export type MembershipNews =
  | {
      readonly what: "joined" | "suspected" | "refuted" | "failed" | "left";
      readonly name: string;
      readonly life: number;
    }
  /** A newer note is here; or (`rival`) one of the same order and another value was heard, and was not taken. */
  | {
      readonly what: "note";
      readonly key: string;
      readonly order: Note["order"];
      readonly value: unknown;
      readonly rival?: true;
    };

export interface Suspicion {
  readonly since: number;
  /** Lives of those who suspect it, at most one more than the confirmations that count. */
  readonly by: number[];
  due: number;
  /** Whether it was said once more before its end. */
  hasCalled: boolean;
}

/** The probe of this period. */
export interface Probe {
  readonly name: string;
  readonly life: number;
  readonly seq: number;
  /** When helpers are asked, and when it is over. */
  readonly helpAt: number;
  readonly overAt: number;
  /** How many were asked, and how many of them answered, in vain or not. */
  asked: number;
  nacks: number;
  /** Nothing came straight back in time. */
  late: boolean;
  answered: boolean;
}

/** A ping other than this member's probe, and what its answer is for. */
export type PingPurpose =
  /** Done for another member, which counts it under a number of its own. */
  | { readonly why: "errand"; readonly life: number; readonly due: number; readonly port: number; readonly seq: number }
  | { readonly why: "proof" | "rival" | "seek"; readonly name: string; readonly life: number; readonly due: number };

/** A member that was dead here is said to live: it counts once it has answered. */
export interface UnprovenMember {
  readonly member: KnownMember;
  /** Lives of those who find it silent, as far as this member has heard. */
  by: readonly number[];
  tries: number;
  due: number;
}

export interface MembershipState {
  readonly profile: Profile;
  readonly name: string;
  readonly life: number;
  readonly address: Address;
  readonly seeds: readonly Address[];
  meta: Meta;
  phase: Phase;
  /** Why this process is no member, in words; null where it is, or may become one. */
  refusal: string | null;
  /** Ticks since the start: the member's own clock. */
  now: number;
  /** By name, this member and the dead included. */
  readonly members: Map<string, KnownMember>;
  /** Names by life, of the live and the dead. */
  readonly lives: Map<number, string>;
  /** Live members by name, ascending; this one among them once it has joined. */
  readonly live: KnownMember[];
  /** Counts changes of who is live. */
  version: number;
  /** When the dead were buried, oldest first. */
  readonly buried: Map<string, number>;
  readonly suspicions: Map<string, Suspicion>;
  /** No suspicion ends before. */
  doubtDue: number;
  readonly claims: Map<string, UnprovenMember>;
  readonly notes: Map<string, Note>;
  readonly parts: SubjectBucket[];
  /** How often each rumour was told, and the rumours by that: what to tell first. */
  readonly rumours: Map<string, number>;
  readonly levels: Set<string>[];
  /** Names in the order in which they are probed, and whose turn is next. */
  readonly order: string[];
  readonly ordered: Set<string>;
  turn: number;
  /** Probes that are not over, by number, oldest first: more than one only where this member has become patient. */
  readonly probing: Map<number, Probe>;
  probeAt: number;
  /**
   * The others take this member for dead, and none has answered it since: it may be cut off, and says nothing against others.
   */
  isOutcast: boolean;
  /** When it last heard that. */
  outcastAt: number;
  /** Whose latest probe by this member came to nothing, by name. */
  readonly silent: Set<string>;
  /** When somebody last answered this member, or asked it as one asks a member that lives. */
  metAt: number;
  /** Lifeguard's local health multiplier: 0 is well. */
  health: number;
  seq: number;
  readonly asked: Map<number, PingPurpose>;
  /** No ping that was sent for other reasons than this member's probe ends before. */
  askedDue: number;
  gossipAt: number;
  compareAt: number;
  /** Whether the latest comparison that was answered found a difference. */
  differed: boolean;
  /** How many members this one has come to know lately. */
  arrivals: number;
  /** Names of those who have just come, with whom this member is to compare. */
  newcomers: string[];
  seekAt: number;
  /** Packets that may still answer comparisons in this tick. */
  answersLeft: number;
  /** Joiners that may still be answered in it. */
  welcomesLeft: number;
  /** The newest record of this member's name in another life. */
  former: KnownMember | null;
  /** How often `former` was asked in vain whether it lives, and when it is asked again. */
  rivalTries: number;
  rivalAt: number;
  /** When the first of others who join answered. */
  metJoiner: number | null;
  /** Whether others take this joiner for a member: one who knows the names has let it in, and the answer has not come. */
  isAdmitted: boolean;
  /** While this member is being told all: the part with which the member that is asked next goes on. */
  lesson: number;
  /** Whether somebody has told this member all that it knows. */
  hasCaughtUp: boolean;
  joinedAt: number | null;
  /** How often this member found another one silent. */
  accusations: number;
  /** Direct probes of members that turned out to live, and how many of them were not answered directly in time. */
  probes: number;
  lost: number;
  news: MembershipNews[];
}
