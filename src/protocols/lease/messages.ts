/**
 * The requests of lease clients and the answers of an engine. All times are durations in milliseconds, counted by the side that receives
 * them: a client's clock is never compared with the engine's.
 *
 * A *session* belongs to one life of a member and covers all its seats: renewing it keeps them. A *seat* is an office, or one
 * of its seats ("leader", "shards#2"); it has at most one *lease*, and each lease a *token*, larger than all before it.
 */

/** Grows with each new lease of a seat. A safe integer in the machine, a `bigint` for users, a decimal string in JSON and HTTP. */
export type Token = number;

/** Identifies a lease: name, life and request, as text (see session.ts). Engines only compare it. */
export type LeaseId = string;

/** Identifies one opening of a session, as text. */
export type SessionId = string;

/**
 * For stores without a clock: what the row of a session shows until the next extension. The holder tells the members that may follow it.
 * While the row shows the same, the session was not extended since they heard it.
 */
export interface Extension {
  readonly session: SessionId;
  /** How often the session was extended. Repeats if the store goes back to an older state. */
  readonly count: number;
  /** When the session ends, by the holder's clock. Never repeats. */
  readonly at: number;
}

/** To the member's own engine, which does not pass it on to the store: another member has told this extension of its session. */
export interface HeardExtension extends Extension {
  readonly kind: "heard";
}

/** A lease that a client names. */
export interface NamedLease {
  readonly seat: string;
  readonly lease: LeaseId;
}

interface Asked {
  /** The answer repeats it. Each request of a life has a new number, also one that is sent again. */
  readonly id: number;
  /** The life that asks. */
  readonly life: number;
}

export type LeaseRequest =
  /**
   * Asks for a lease on a seat. Opens its session if that is new, extends it if it is alive, and is refused if it has ended. Asking again
   * for the same lease gives the same token while it is held.
   */
  | (Asked & {
      readonly kind: "acquire";
      readonly session: SessionId;
      /** The asking member's name, for others to see. */
      readonly name: string;
      readonly ttl: number;
      readonly seat: string;
      readonly lease: LeaseId;
      /** The highest token that the asker has seen of this seat; 0: none. */
      readonly floor: Token;
      /** Whether this lease, if it is granted, can be cut short. */
      readonly preemptible: boolean;
    })
  /** Extends the session. `keeps`: the leases that its member holds; `gives`: leases that it gives up, whose end is frozen. */
  | (Asked & {
      readonly kind: "renew";
      readonly session: SessionId;
      readonly ttl: number;
      readonly keeps: readonly NamedLease[];
      readonly gives: readonly NamedLease[];
    })
  /** Ends a lease of the sender; `reserve`: the member that alone gets the seat for a time. */
  | (Asked &
      NamedLease & {
        readonly kind: "release";
        readonly token: Token;
        readonly reserve: { readonly name: string; readonly ms: number } | null;
      })
  /** Pre-emption: the lease ends when its session would end now, however often that is renewed. */
  | (Asked & NamedLease & { readonly kind: "freeze"; readonly token: Token })
  /** Lists the seats, for people. */
  | (Asked & { readonly kind: "look" })
  /** Begins an attempt at a job, under a held lease. The same attempt gets the same answer again. */
  | (Asked &
      NamedLease & {
        readonly kind: "begin";
        readonly token: Token;
        readonly name: string;
        readonly key: string;
        /** Identifies the attempt. */
        readonly attempt: string;
        /** The scheduled time, in milliseconds since 1970; 0 for a job without a schedule. */
        readonly occurrence: number;
        /** Milliseconds from the job's last end to its next run; null: each occurrence is done once. */
        readonly repeat: number | null;
        /** The failures after which the occurrence is not tried again. */
        readonly attempts: number;
        /** For a new key: only notes the occurrence as not missed; no attempt begins. */
        readonly noted: boolean;
        /** Milliseconds for which the record is kept after its last change. */
        readonly keep: number;
      })
  /** An attempt has ended. It counts if no later attempt has begun. */
  | (Asked & {
      readonly kind: "finish";
      readonly token: Token;
      readonly name: string;
      readonly key: string;
      readonly attempt: string;
      readonly occurrence: number;
      readonly outcome: "done" | "failed";
      /** The exit status of a command; null for other work. */
      readonly status: number | null;
      readonly keep: number;
    })
  /** Asks for the record of a job. */
  | (Asked & { readonly kind: "recall"; readonly key: string });

/** The holder of a seat, as the engine sees it. */
export interface Holder {
  readonly name: string;
  readonly life: number;
  readonly token: Token;
  readonly lease: LeaseId;
  /** Whether its end is fixed: renewals no longer extend it. */
  readonly frozen: boolean;
}

/**
 * `held`: another member has the seat. `reserved`: it is reserved for another member. `barred`: the engine was restored or restarted, and
 * an older lease that it does not know may be alive. `floor`: the asker claims a token that is impossible. `over`: the session or this
 * lease has ended; ask with new ids.
 */
export type Denial = "held" | "reserved" | "barred" | "floor" | "over";

interface Answered {
  readonly id: number;
  /** The life that asked. */
  readonly to: number;
}

export type LeaseAnswer =
  | (Answered & NamedLease & { readonly kind: "granted"; readonly token: Token; readonly extended?: Extension })
  | (Answered &
      NamedLease & {
        readonly kind: "denied";
        readonly why: Denial;
        readonly holder: Holder | null;
        /** When to ask again: what is left of the lease, the reservation or the bar; 0 if waiting does not help. */
        readonly wait: number;
        /** The highest token of this seat that the engine knows of. */
        readonly token: Token;
      })
  /**
   * The session goes on. `leases`: all its leases in the engine, frozen ones marked; `lost`: the leases of the request that it no longer
   * has. The answer says nothing about leases that the request did not name.
   */
  | (Answered & {
      readonly kind: "renewed";
      readonly leases: readonly (NamedLease & { readonly token: Token; readonly frozen: boolean })[];
      readonly lost: readonly NamedLease[];
      readonly extended?: Extension;
    })
  /** The session is over, with all leases that the request named. */
  | (Answered & { readonly kind: "ended"; readonly lost: readonly NamedLease[] })
  /** `was`: whether there was such a lease; false also for a repeated request. */
  | (Answered & NamedLease & { readonly kind: "released"; readonly was: boolean })
  /** `left`: until the seat is free; null if this lease cannot be shortened, or does not exist. */
  | (Answered & NamedLease & { readonly kind: "frozen"; readonly left: number | null })
  | (Answered & { readonly kind: "seen"; readonly seats: readonly SeatSeen[] })
  /** `wait`: when to ask again. */
  | (Answered & {
      readonly kind: "record";
      readonly key: string;
      readonly verdict: RecordVerdict;
      readonly wait: number;
      readonly record: JobRecord | null;
    })
  /** The engine could not be asked, or did not answer in time: the request may or may not have been carried out. */
  | (Answered & { readonly kind: "failed"; readonly why: string });

/**
 * To `begin`: `begun`, `done` (this occurrence was done before), `failed` (too often), `later` (a later occurrence has begun), `wait`,
 * `noted`, or `refused` (the lease is not held). To `finish`: `recorded`, or `superseded` (a later attempt has begun). To `recall`: `seen`.
 */
export type RecordVerdict =
  | "begun"
  | "done"
  | "failed"
  | "later"
  | "wait"
  | "noted"
  | "refused"
  | "recorded"
  | "superseded"
  | "seen";

/** What a lease store remembers of a job. */
export interface JobRecord {
  readonly key: string;
  /** The scheduled time, in milliseconds since 1970; 0 for a job without a schedule. */
  readonly occurrence: number;
  /** `noted`: a schedule that has not run yet. `running`: an attempt has begun, and its end is not known. */
  readonly state: "noted" | "running" | "done" | "failed";
  /** Attempts at this occurrence that have begun, and those that have failed. */
  readonly attempts: number;
  readonly failures: number;
  /** The member of the newest attempt, and its token. */
  readonly name: string;
  readonly token: Token;
  /** The exit status of a command; null for other work. */
  readonly status: number | null;
  /** When the record last changed: in milliseconds since 1970, and how long ago, both by the engine's clock. */
  readonly at: number;
  readonly ago: number;
}

export interface SeatSeen {
  readonly seat: string;
  /** The highest token ever given. */
  readonly token: Token;
  readonly preemptible: boolean;
  /** Null while it is free. */
  readonly holder: (Holder & { readonly left: number }) | null;
  readonly reserved: { readonly name: string; readonly left: number } | null;
}

export type LeaseMessage = LeaseRequest | LeaseAnswer | HeardExtension;
