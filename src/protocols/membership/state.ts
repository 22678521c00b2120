/** The state of one member, as plain data. */
import type { Address, Context } from "../../protocol.ts";
import type { MembershipMessage } from "./messages.ts";
import type { Profile } from "./profile.ts";
import type { KnownMember, Meta, Note } from "./records.ts";
import type { SubjectBucket } from "./sums.ts";

export type MembershipContext = Context<MembershipMessage, "tick">;

/** `checking`: another process has the name, and is asked whether it lives. `refused`: it lives, so this process is not a member. */
export type Phase = "joining" | "checking" | "member" | "refused" | "gone";

/** A change by a handler of membership. `life`: of the member that it is about. */
export type MembershipNews =
  | {
      readonly what: "joined" | "suspected" | "refuted" | "failed" | "left";
      readonly name: string;
      readonly life: number;
    }
  /** A newer note has come; or (`rival`) a note of the same order with another value, which was not taken. */
  | {
      readonly what: "note";
      readonly key: string;
      readonly order: Note["order"];
      readonly value: unknown;
      readonly rival?: true;
    };

export interface Suspicion {
  /** When the ping left that was not answered, as far as this member can tell. */
  readonly since: number;
  /** The lives of its accusers, at most one more than the confirmations that count. */
  readonly by: number[];
  due: number;
  /** When it is told again: those who know better, or have declared it failed, then answer. */
  againAt: number;
  /** Whether it was sent once more before its end. */
  hasCalled: boolean;
}

/** The probe of this period. */
export interface Probe {
  readonly name: string;
  readonly life: number;
  readonly seq: number;
  readonly begunAt: number;
  /** When helpers are asked, and when it is over. */
  helpAt: number;
  overAt: number;
  /** How many helpers were asked, and how many answered, with success or not. */
  asked: number;
  nacks: number;
  /** No direct answer came in time. */
  late: boolean;
  answered: boolean;
}

/** The purpose of a ping that is not this member's probe. */
export type PingPurpose =
  /** A probe for another member, with that member's number. */
  | { readonly why: "errand"; readonly life: number; readonly due: number; readonly port: number; readonly seq: number }
  | { readonly why: "proof" | "rival" | "seek"; readonly name: string; readonly life: number; readonly due: number };

/** A dead member that others say is alive. It counts once it has answered. */
export interface UnprovenMember {
  readonly member: KnownMember;
  /** The lives of its accusers, as far as this member has heard. */
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
  /** Why this process is not a member, in words; null if it is one, or may become one. */
  refusal: string | null;
  /** Ticks since the start: the member's own clock. */
  now: number;
  /** Records by name, this member and the dead included. */
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
  /** The earliest end of a suspicion. */
  doubtDue: number;
  /** When a suspect last refuted a suspicion. */
  refutedAt: number;
  readonly claims: Map<string, UnprovenMember>;
  readonly notes: Map<string, Note>;
  readonly parts: SubjectBucket[];
  /** How often each rumour was told; and the rumours by that count, to tell the least told first. */
  readonly rumours: Map<string, number>;
  readonly levels: Set<string>[];
  /** Names in the order of probes, and the next turn. */
  readonly order: string[];
  readonly ordered: Set<string>;
  turn: number;
  /** The probes under way, by number, the oldest first. There are several only if this member has become patient. */
  readonly probing: Map<number, Probe>;
  probeAt: number;
  /** The others take this member for dead, and none has answered since. It may be cut off, so it does not accuse others. */
  isOutcast: boolean;
  /** When it last heard that. */
  outcastAt: number;
  /** Names of members that have not answered this member's latest probe. */
  readonly silent: Set<string>;
  /** When another member last answered this one, or sent it a question that treats it as live. */
  metAt: number;
  /** Lifeguard's local health multiplier; 0: healthy. */
  health: number;
  seq: number;
  readonly asked: Map<number, PingPurpose>;
  /** The earliest end of a ping that is not this member's probe. */
  askedDue: number;
  gossipAt: number;
  compareAt: number;
  /** Whether the latest comparison that was answered found a difference. */
  differed: boolean;
  /** The number of members that this one has met lately. */
  arrivals: number;
  /** Names of newcomers with which this member has to compare. */
  newcomers: string[];
  seekAt: number;
  /** Packets that may still answer comparisons in this tick. */
  answersLeft: number;
  /** Joiners that may still be answered in it. */
  welcomesLeft: number;
  /** The newest record of this member's name in another life. */
  former: KnownMember | null;
  /** How often `former` was asked without an answer whether it lives, and when it is asked again. */
  rivalTries: number;
  rivalAt: number;
  /** When another joiner first answered. */
  metJoiner: number | null;
  /** Whether a member has let this joiner in, but its answer has not come yet: others then take the joiner for a member. */
  isAdmitted: boolean;
  /** While this member catches up: the part with which the next answer begins. */
  lesson: number;
  /** Whether another member has told this one everything that it knows. */
  hasCaughtUp: boolean;
  joinedAt: number | null;
  /** How often this member found another one silent. */
  accusations: number;
  /** Recent direct probes of members that turned out to live; and how many of them were not answered directly in time. */
  probes: number;
  lost: number;
  news: MembershipNews[];
}
