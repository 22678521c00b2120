/**
 * What members of a group say to each other, and what a user tells its own member. Every message of watch and elector names
 * the life of its sender and that of its receiver, as the sender knows it: what was meant for, or comes from, another
 * life of a name is dropped, so that nothing outlives a restart and no recorded datagram is heard again.
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
  /** The share of messages that is lost: measured, the ends of an interval, of which the upper one is reckoned with. */
  readonly loss: number;
  readonly lossLow: number;
  readonly lossFrom: "measured" | "configured";
  /**
   * The chance of two leaders, given complete views and independent loss; partitions and false suspicion are excluded. Null
   * where no formula for the protocol is known.
   */
  readonly epsilon: number | null;
  /** Everything in it takes so many times as long, where that is not 1 (see `paceAfter`). */
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
  /** Of the holder; of the one who left, where there is none. */
  readonly life: number;
  /** For the next term; null where it is not said along with the claim. */
  readonly setting: ElectionSetting | null;
  /** The member that resigned, and the heir it names; null without one. */
  readonly former: string | null;
  readonly heir: string | null;
  /** The holder's first words to its watchers. */
  readonly invitation: Invitation | null;
  /** Strict mode only. 0: the holder has won the term and asks the lease store, but does not lead. */
  readonly token?: Token;
  /** With token 0: who has the lease now, by the lease store's word, and cannot be reached; missing while nobody is known to. */
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
   * "This office is vacant: stand for this term", to those who come first. `over`: the life that held it, as far as the sender
   * knows, so that who knows of another, live holder does not stand against it but says so.
   */
  | ({
      readonly kind: "stand";
      readonly position: number;
      readonly setting: ElectionSetting;
      readonly over: number | null;
    } & Omit<OfElection, "id">)
  /** "This election has begun", to all where they must begin together, or to somebody who is in another one. */
  | ({ readonly kind: "open"; readonly setting: ElectionSetting } & OfElection)
  /** A message of the child. `port`: on rings, the port at which it arrives. */
  | ({
      readonly kind: "child";
      readonly setting: ElectionSetting;
      readonly message: unknown;
      readonly port?: number;
    } & OfElection)
  /** The list of a ring, by lives: as its opener would have it, or (`final`) of those who have acknowledged it. */
  | ({
      readonly kind: "list";
      readonly setting: ElectionSetting;
      readonly lives: readonly number[];
      readonly final: boolean;
    } & OfElection)
  /** "I have the list", to its opener, until the final one comes. */
  | ({ readonly kind: "listed" } & OfElection)
  /** `passes`: how many more times it is to be passed on. */
  | ({ readonly kind: "claim"; readonly claim: Claim; readonly passes: number } & Between)
  /** "Who holds this office? I have seen this term", of somebody who has never heard of a holder. */
  | ({ readonly kind: "who"; readonly office: string; readonly term: number } & Between)
  /** "I have seen this term", to somebody who is behind. */
  | ({ readonly kind: "term"; readonly office: string; readonly term: number } & Between)
  /** Strict mode, on a store without a clock: "my session was extended", to those who come first after this holder. */
  | ({ readonly kind: "extended" } & Extension & Between);

export type GroupMessage =
  | { readonly kind: "members"; readonly message: unknown }
  | WatchMessage
  /** Of the council of an office. */
  | { readonly kind: "council"; readonly message: SeatMessage }
  | ElectorMessage
  /** Strict mode: to the engine, and its answers, which come through its port alone. */
  | LeaseRequest
  | LeaseAnswer
  | HeardExtension
  | GroupCommand;

/** What the user of a member tells it; comes through SELF only. */
export type GroupCommand =
  /** Gives an office up (all it holds, where none is named); somebody else follows. */
  | { readonly kind: "resign"; readonly office: string | null }
  /** As resign, and names who should follow. */
  | { readonly kind: "transfer"; readonly office: string; readonly to: string }
  /**
   * Whether this member stands for offices at all: false before maintenance, true after it. With an office (or a seat): for that
   * one, whatever holds of the others.
   */
  | { readonly kind: "eligible"; readonly eligible: boolean; readonly office?: string }
  /** A term now, of an office without a live holder: the first in line stands, without waiting for its back-off. */
  | { readonly kind: "elect"; readonly office: string }
  /** One more office, as in `GroupParams.offices`; tell all members. */
  | { readonly kind: "office"; readonly office: string }
  /** Strict mode: the work of this member under that token has ended. Until then it does not stand for the office. */
  | { readonly kind: "settled"; readonly office: string; readonly token: Token }
  /** Strict mode: cuts the lease of an unreachable holder short, where this member has won and waits for it. */
  | { readonly kind: "preempt"; readonly office: string }
  /** Strict mode: a guard has seen this token. Who leads under a lower one gives it up and asks for a new one. */
  | { readonly kind: "floor"; readonly office: string; readonly token: Token }
  /** Gated leases: the process that holds the work knows until when this confirmation (`OfficeReport.confirmation`) makes the lease last. */
  | { readonly kind: "acknowledged"; readonly office: string; readonly number: number }
  /** Its keys have changed: their ids, the one that it seals with first. Others are told. */
  | { readonly kind: "keys"; readonly keys: readonly number[] };
