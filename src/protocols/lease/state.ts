/** All that a lease client remembers, as plain data. */
import type { Context } from "../../protocol.ts";
import type { Denial, Extension, Holder, LeaseId, LeaseMessage, NamedLease, SessionId, Token } from "./messages.ts";
import type { LeaseParams } from "./params.ts";

export type LeaseContext = Context<LeaseMessage, string>;

/** The deadline that a request's answer hangs on: its slot (see session.ts), and which request it was; larger is newer. */
export interface Confirmation {
  readonly slot: number;
  readonly number: number;
}

/** A lease that the engine has been asked for. */
export interface LeaseAttempt {
  readonly lease: LeaseId;
  readonly session: SessionId;
  /** Of its first try. */
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
  /** Who held the seat when it was last denied. */
  holder: Holder | null;
  /** The lease that is to be cut short. */
  preempts: LeaseId | null;
}

/** `settling`: the work is to end, and the lease is renewed. `giving`: it did not end in time; the lease runs out. */
export interface Holding {
  readonly status: "held" | "settling" | "giving";
  readonly preemptible: boolean;
  readonly lease: LeaseId;
  readonly token: Token;
  readonly confirmation: Confirmation;
  /** Gated: the newest confirmation that was acknowledged; 0 before the first. */
  readonly acknowledged: number;
  /** Its end stands in the engine, whatever is renewed. */
  readonly frozen: boolean;
  /** For whom the seat is reserved when it is released. */
  readonly heir: string | null;
}

interface Releasing {
  readonly status: "releasing";
  readonly preemptible: boolean;
  readonly lease: LeaseId;
  readonly token: Token;
  /** Ask for it again once it is free. */
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

/** A release that was not answered; also of leases that this member did not want, or no longer. */
export interface Release {
  readonly seat: string;
  readonly token: Token;
  readonly heir: string | null;
  tries: number;
}

/** `lapsed`: no answer came in time. `taken`: the lease store does not have it any more. `ended`: so is the whole session. */
export type LeaseLoss = "lapsed" | "taken" | "ended";

/** Something that changed for the parent. */
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
  /** The end of a lease that this member holds stands, by somebody's pre-emption: it does well to stop before. */
  | { readonly what: "frozen"; readonly seat: string; readonly token: Token }
  /** A lease that this member wanted to cut short was not: that cannot be, or it is over. */
  | { readonly what: "spared"; readonly seat: string; readonly lease: LeaseId }
  /** Released; `answered`: the engine said so, otherwise it was told so often that the lease has run out meanwhile. */
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
  /** The session, and how many attempts and leases it has: with the last of them it is forgotten. */
  session: SessionId | null;
  users: number;
  /** How many attempts there are, and the seats that wait for their turn (see asking.ts). */
  attempts: number;
  readonly line: Set<string>;
  readonly seats: Map<string, LeaseSeat>;
  /** By seat. */
  readonly unsettled: Map<string, Unsettled>;
  /** By slot, how many attempts, renewals and leases hang on its deadline. */
  readonly slots: number[];
  /** Those that were not answered, by request, oldest first: more than one only where one was sent again. */
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
  /** Why it is silent, in words. */
  silence: string | null;
  news: LeaseNews[];
}
