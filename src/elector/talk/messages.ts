/**
 * The messages between members of a group, and the commands of a user to its member. Every message of watch and elector names the life of
 * its sender and, as the sender knows it, that of its receiver. A message to or from another life is dropped. So no message outlives a
 * restart, and a recorded datagram that is sent again has no effect.
 */
import type { Extension, HeardExtension, LeaseAnswer, LeaseRequest, Token } from "../../protocols/lease/messages.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { Invitation, SeatMessage, WatchMessage } from "../council/messages.ts";

/** How elections of an office are held: the protocol, its parameters, and what they were chosen for. */
export interface ElectionSetting {
  readonly protocol: string;
  readonly params: Params;
  /** Members who take part: the group without the holder. */
  readonly n: number;
  /** The share of messages that is lost. If it was measured: the upper end of an interval (used), and the lower one. */
  readonly loss: number;
  readonly lossLow: number;
  readonly lossFrom: "measured" | "configured";
  /**
   * The chance of two leaders, given complete views and independent loss; partitions and false suspicion are excluded. Null if no formula
   * for the protocol is known.
   */
  readonly epsilon: number | null;
  /** How many times as long everything in it takes; missing: 1 (see `paceAfter`). */
  readonly pace?: number;
}

/**
 * Who holds an office for a term. `number` counts what the holder has said about it since. Without a holder the term has
 * ended: its holder resigned, or two had won it.
 */
export interface Claim {
  readonly office: string;
  readonly term: number;
  readonly number: number;
  readonly holder: string | null;
  /** The life of the holder, or of the last holder if there is none. */
  readonly life: number;
  /** The setting of the next term; null if the claim does not carry it. */
  readonly setting: ElectionSetting | null;
  /** The member that resigned, and the heir it names; null without one. */
  readonly former: string | null;
  readonly heir: string | null;
  /** Invites the holder's watchers. */
  readonly invitation: Invitation | null;
  /** Strict mode only. 0: the holder has won the term and asks the lease store, but does not lead. */
  readonly token?: Token;
  /** With token 0: the unreachable holder that the lease store has named; missing if there is none. */
  readonly behind?: { readonly holder: string; readonly life: number; readonly token: Token };
}

interface Between {
  readonly from: number;
  readonly to: number;
}

/** Of the election of one term. `id` is the digest of (office, term, setting). */
interface OfElection extends Between {
  readonly office: string;
  readonly term: number;
  readonly id: number;
}

export type ElectorMessage =
  /**
   * "This office is vacant: stand for this term", to the first in line. `over`: the life of the last holder, as far as the sender knows.
   * A receiver that knows another, live holder does not stand, but tells the sender.
   */
  | ({
      readonly kind: "stand";
      readonly position: number;
      readonly setting: ElectionSetting;
      readonly over: number | null;
    } & Omit<OfElection, "id">)
  /** "This election has begun", to all members if they must begin together, or to a member that is in another election. */
  | ({ readonly kind: "open"; readonly setting: ElectionSetting } & OfElection)
  /** A message of the child. `port`: on rings, the port at which it arrives. */
  | ({
      readonly kind: "child";
      readonly setting: ElectionSetting;
      readonly message: unknown;
      readonly port?: number;
    } & OfElection)
  /** The list of a ring, by lives: the opener's proposal, or (`final`) the members that have acknowledged it. */
  | ({
      readonly kind: "list";
      readonly setting: ElectionSetting;
      readonly lives: readonly number[];
      readonly final: boolean;
    } & OfElection)
  /** "I have the list", to its opener; repeated until the final list comes. */
  | ({ readonly kind: "listed" } & OfElection)
  /** `passes`: how many more times to pass it on. */
  | ({ readonly kind: "claim"; readonly claim: Claim; readonly passes: number } & Between)
  /** "Who holds this office? I have seen this term", from a member that has never heard of a holder. */
  | ({ readonly kind: "who"; readonly office: string; readonly term: number } & Between)
  /** "I have seen this term", to a member that has seen only a lower one. */
  | ({ readonly kind: "term"; readonly office: string; readonly term: number } & Between)
  /** Strict mode, on a store without a clock: "my session was extended", to the first in line after this holder. */
  | ({ readonly kind: "extended" } & Extension & Between);

export type GroupMessage =
  | { readonly kind: "members"; readonly message: unknown }
  | WatchMessage
  /** A message of the council of an office. */
  | { readonly kind: "council"; readonly message: SeatMessage }
  | ElectorMessage
  /** Strict mode: to the engine, and its answers, which come through its port alone. */
  | LeaseRequest
  | LeaseAnswer
  | HeardExtension
  | GroupCommand;

/** Commands of a member's user; they come through SELF only. */
export type GroupCommand =
  /** Gives an office up (null: all that it holds), so that another member leads it. */
  | { readonly kind: "resign"; readonly office: string | null }
  /** As resign, and names the heir. */
  | { readonly kind: "transfer"; readonly office: string; readonly to: string }
  /**
   * Whether this member stands for offices at all: false before maintenance, true after it. With an office (or a seat): whether it stands
   * for that one.
   */
  | { readonly kind: "eligible"; readonly eligible: boolean; readonly office?: string }
  /** Opens a term of an office without a live holder: the first in line stands at once, without back-off. */
  | { readonly kind: "elect"; readonly office: string }
  /** Adds an office, as in `GroupParams.offices`. The user has to give this command to all members. */
  | { readonly kind: "office"; readonly office: string }
  /** Strict mode: this member's work under that token has ended. Until then, the member does not stand for the office. */
  | { readonly kind: "settled"; readonly office: string; readonly token: Token }
  /** Strict mode: shortens the lease of an unreachable holder, if this member has won and waits for the lease. */
  | { readonly kind: "preempt"; readonly office: string }
  /** Strict mode: a guard has seen this token. If this member leads under a lower one, it gives that up and asks for a new one. */
  | { readonly kind: "floor"; readonly office: string; readonly token: Token }
  /** Gated leases: the process that holds the work knows the deadline of this confirmation (`OfficeReport.confirmation`). */
  | { readonly kind: "acknowledged"; readonly office: string; readonly number: number }
  /** This member's keys have changed: their ids, the one that it seals with first. The member tells the others. */
  | { readonly kind: "keys"; readonly keys: readonly number[] };
