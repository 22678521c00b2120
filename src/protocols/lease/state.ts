/** The state of a lease client, as plain data. */
import type { Context } from "../../protocol.ts";
import type { Denial, Extension, Holder, LeaseId, LeaseMessage, NamedLease, SessionId, Token } from "./messages.ts";
import type { LeaseParams } from "./params.ts";

export type LeaseContext = Context<LeaseMessage, string>;

/** The deadline of a request: its slot (see session.ts), and the number of the request; a larger one is newer. */
export interface Confirmation {
  readonly slot: number;
  readonly number: number;
}

/** A lease that the engine has been asked for. */
export interface LeaseAttempt {
  readonly lease: LeaseId;
  readonly session: SessionId;
  /** The deadline of its first try. */
  readonly confirmation: Confirmation;
  /** The request of its newest try. */
  id: number;
}

export interface Asking {
  readonly status: "asking";
  readonly preemptible: boolean;
  /** Null while it waits before it asks again. */
  attempt: LeaseAttempt | null;
  /** Requests in a row that were not answered, or whose denial did not say how long to wait. */
  tries: number;
  /** The holder that the last denial named. */
  holder: Holder | null;
  /** The lease that is to be pre-empted. */
  preempts: LeaseId | null;
}

/** `settling`: the work has to end, and the lease is renewed. `giving`: the work did not end in time; the lease runs out. */
export interface Holding {
  readonly status: "held" | "settling" | "giving";
  readonly preemptible: boolean;
  readonly lease: LeaseId;
  readonly token: Token;
  readonly confirmation: Confirmation;
  /** Gated: the newest confirmation that was acknowledged; 0 before the first. */
  readonly acknowledged: number;
  /** Whether its end is fixed in the engine: renewals no longer extend it. */
  readonly frozen: boolean;
  /** The member for which the seat is reserved at its release. */
  readonly heir: string | null;
}

interface Releasing {
  readonly status: "releasing";
  readonly preemptible: boolean;
  readonly lease: LeaseId;
  readonly token: Token;
  /** Whether to ask for the seat again once it is free. */
  again: boolean;
}

export type LeaseSeat = Asking | Holding | Releasing;

/** Work that began under a lease that is over, and has not ended. */
interface Unsettled {
  readonly token: Token;
  readonly lease: LeaseId;
  readonly session: SessionId;
  /** Whether the engine may still have the lease. */
  readonly mayBeHeld: boolean;
}

export interface Renewal {
  readonly slot: number;
  readonly keeps: readonly NamedLease[];
  readonly gives: readonly NamedLease[];
}

/** An unanswered release; also of a lease that this member does not want, or no longer wants. */
export interface Release {
  readonly seat: string;
  readonly token: Token;
  readonly heir: string | null;
  tries: number;
}

/** `lapsed`: no answer came in time. `taken`: the lease store no longer has the lease. `ended`: the whole session is over. */
export type LeaseLoss = "lapsed" | "taken" | "ended";

/** A change that the parent has to know. */
export type LeaseNews =
  | { readonly what: "granted"; readonly seat: string; readonly token: Token }
  | { readonly what: "lost"; readonly seat: string; readonly token: Token; readonly why: LeaseLoss }
  | {
      readonly what: "denied";
      readonly seat: string;
      readonly why: Denial;
      readonly holder: Holder | null;
      readonly wait: number;
    }
  /** Another member has pre-empted a lease of this member, which should stop before the fixed end. */
  | { readonly what: "frozen"; readonly seat: string; readonly token: Token }
  /** A lease that this member wanted to pre-empt cannot be, or is over. */
  | { readonly what: "spared"; readonly seat: string; readonly lease: LeaseId }
  /** A lease is free: the engine has confirmed its release (`answered`), or it has run out without an answer. */
  | { readonly what: "freed"; readonly seat: string; readonly token: Token; readonly answered: boolean }
  /** The session was extended, in a store without a clock of its own. */
  | { readonly what: "extended"; readonly extension: Extension }
  | { readonly what: "silent"; readonly why: string }
  | { readonly what: "answering" };

export interface LeaseState {
  readonly params: LeaseParams;
  readonly life: number;
  /** The newest request, lease and session of this life. */
  requests: number;
  leases: number;
  openings: number;
  /** The session, and the number of its attempts and leases; it is forgotten with the last of them. */
  session: SessionId | null;
  users: number;
  /** The number of attempts, and the seats that wait for their turn (see asking.ts). */
  attempts: number;
  readonly line: Set<string>;
  readonly seats: Map<string, LeaseSeat>;
  /** By seat. */
  readonly unsettled: Map<string, Unsettled>;
  /** By slot: how many attempts, renewals and leases depend on its deadline. */
  readonly slots: number[];
  /** Unanswered renewals by request, the oldest first; several only if one was repeated. */
  readonly renewals: Map<number, Renewal>;
  /** By lease. */
  readonly releases: Map<LeaseId, Release>;
  /** Whether the timer of renewals is armed. */
  renewing: boolean;
  /** Gated: a renewal is due, and waits for acknowledgements. */
  renewalWaits: boolean;
  halted: boolean;
  /** The highest token seen, by seat. */
  readonly floors: Map<string, Token>;
  /** `none`: nothing has been asked yet. */
  engine: "none" | "answers" | "silent";
  /** Why the engine is silent, in words. */
  silence: string | null;
  news: LeaseNews[];
}
