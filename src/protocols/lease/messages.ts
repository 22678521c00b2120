/**
 * What lease clients ask of an engine, and what it answers. All times are durations in milliseconds, counted by the side
 * that is told them: no clock of a client is ever compared with one of the engine.
 *
 * A *session* belongs to one life of a member and covers all its seats: renewing it keeps them. A *seat* is an office, or one
 * of its seats ("leader", "shards#2"); it has at most one *lease*, and each lease a *token*, larger than all before it.
 */

/** Larger for each new lease of a seat. A safe integer in here; a `bigint` for users, a decimal string in JSON and HTTP. */
export type Token = number;

/** Tells one lease from every other one: name, life and request, as text (see session.ts). Engines only compare it. */
export type LeaseId = string;

/** Tells one opening of a session from every other one, as text. */
export type SessionId = string;

/**
 * Of a store without a clock of its own: what the row of a session shows until the session is extended again. The holder tells those
 * who may follow it: while the row shows this, nothing was extended since they heard it.
 */
export interface Extension {
  readonly session: SessionId;
  /** How often the session was extended. Comes back if the store goes back to an older state. */
  readonly count: number;
  /** When the session ends, by the holder's clock. Never comes back. */
  readonly at: number;
}

/** To the member's own engine, which sends nothing to the store: another member has said this of its session. */
export interface HeardExtension extends Extension {
  readonly kind: "heard";
}

/** A lease that a client names. */
export interface NamedLease {
  readonly seat: string;
  readonly lease: LeaseId;
}

interface Asked {
  /** Echoed by the answer; each request of a life has another number, and one that is sent again has a new one. */
  readonly id: number;
  /** The life that asks. */
  readonly life: number;
}

export type LeaseRequest =
  /**
   * A lease on a seat. Opens its session where that is new, extends it where it is alive, and is refused where it has ended.
   * The same lease asked for again gives the same token while it is held.
   */
  | (Asked & {
      readonly kind: "acquire";
      readonly session: SessionId;
      /** Who asks, for others to see. */
      readonly name: string;
      readonly ttl: number;
      readonly seat: string;
      readonly lease: LeaseId;
      /** The highest token that the asker has seen of this seat; 0: none. */
      readonly floor: Token;
      /** Whether this lease, if it is granted, can be cut short. */
      readonly preemptible: boolean;
    })
  /** Extends the session. `keeps`: what its member holds; `gives`: what it will not defend, whose end is frozen. */
  | (Asked & {
      readonly kind: "renew";
      readonly session: SessionId;
      readonly ttl: number;
      readonly keeps: readonly NamedLease[];
      readonly gives: readonly NamedLease[];
    })
  /** The lease is over, by its holder's word; `reserve`: for that long nobody but this member gets the seat. */
  | (Asked &
      NamedLease & {
        readonly kind: "release";
        readonly token: Token;
        readonly reserve: { readonly name: string; readonly ms: number } | null;
      })
  /** Pre-emption: the lease ends when its session would end now, however often that is renewed. */
  | (Asked & NamedLease & { readonly kind: "freeze"; readonly token: Token })
  /** For people: what there is. */
  | (Asked & { readonly kind: "look" })
  /** An attempt at a job is to begin, under a lease that is held. Asked again with the same attempt, the answer is the same. */
  | (Asked &
      NamedLease & {
        readonly kind: "begin";
        readonly token: Token;
        readonly name: string;
        readonly key: string;
        /** Tells this attempt from every other one. */
        readonly attempt: string;
        /** The scheduled time, in milliseconds since 1970; 0 for a job without a schedule. */
        readonly occurrence: number;
        /** Begins anew so many milliseconds after the job's last end; null: each occurrence is done once. */
        readonly repeat: number | null;
        /** After so many failures the occurrence is not tried again. */
        readonly attempts: number;
        /** If nothing is known of the key: nothing begins, and the occurrence is noted as one that was not missed. */
        readonly noted: boolean;
        /** Milliseconds for which the record is kept after its last change. */
        readonly keep: number;
      })
  /** An attempt has ended. Counts while no later one has begun. */
  | (Asked & {
      readonly kind: "finish";
      readonly token: Token;
      readonly name: string;
      readonly key: string;
      readonly attempt: string;
      readonly occurrence: number;
      readonly outcome: "done" | "failed";
      /** Of a command that has ended; null for any other work. */
      readonly status: number | null;
      readonly keep: number;
    })
  /** What is known of a job. */
  | (Asked & { readonly kind: "recall"; readonly key: string });

/** Who has a seat, as the engine sees it. */
export interface Holder {
  readonly name: string;
  readonly life: number;
  readonly token: Token;
  readonly lease: LeaseId;
  /** Whether its end stands already, whatever is renewed. */
  readonly frozen: boolean;
}

/**
 * `held`: somebody has it. `reserved`: for somebody else. `barred`: the engine was restored or restarted, and an older lease may
 * be alive of which it does not know. `floor`: the asker claims a token that cannot be. `over`: the session or this very lease has
 * ended; ask with new ones.
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
        /** When asking again may help: what is left of the lease, the reservation or the bar; 0 where waiting does not. */
        readonly wait: number;
        /** The highest token of this seat that the engine knows of. */
        readonly token: Token;
      })
  /**
   * The session goes on. `leases`: all that it has in the engine, frozen ones marked; `lost`: of those that the request named, the
   * ones it has no longer. What was not named says nothing about later requests.
   */
  | (Answered & {
      readonly kind: "renewed";
      readonly leases: readonly (NamedLease & { readonly token: Token; readonly frozen: boolean })[];
      readonly lost: readonly NamedLease[];
      readonly extended?: Extension;
    })
  /** The session is over: so is everything that the request named. */
  | (Answered & { readonly kind: "ended"; readonly lost: readonly NamedLease[] })
  /** `was`: whether the lease was there; false also where this was said before. */
  | (Answered & NamedLease & { readonly kind: "released"; readonly was: boolean })
  /** `left`: until the seat is free; null where this lease cannot be cut short, or is not there. */
  | (Answered & NamedLease & { readonly kind: "frozen"; readonly left: number | null })
  | (Answered & { readonly kind: "seen"; readonly seats: readonly SeatSeen[] })
  /** `wait`: when asking again may help. */
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
  /** Of a command that has ended; null for any other work. */
  readonly status: number | null;
  /** When the record last changed: in milliseconds since 1970, and how long ago, both by the engine's clock. */
  readonly at: number;
  readonly ago: number;
}

export interface SeatSeen {
  readonly seat: string;
  /** The highest ever given. */
  readonly token: Token;
  readonly preemptible: boolean;
  /** Null while it is free. */
  readonly holder: (Holder & { readonly left: number }) | null;
  readonly reserved: { readonly name: string; readonly left: number } | null;
}

export type LeaseMessage = LeaseRequest | LeaseAnswer | HeardExtension;
