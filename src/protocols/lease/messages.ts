/**
 * What lease clients ask of an engine, and what it answers. All times are durations in milliseconds, counted by whoever is
 * told them: no clock of a client is ever compared with one of the engine.
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
      /** Whether leases of this seat can be cut short; counts when the seat is first asked for, and stays. */
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
  | (Asked & { readonly kind: "look" });

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
  | (Answered & NamedLease & { readonly kind: "granted"; readonly token: Token })
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
    })
  /** The session is over: so is everything that the request named. */
  | (Answered & { readonly kind: "ended"; readonly lost: readonly NamedLease[] })
  /** `was`: whether the lease was there; false also where this was said before. */
  | (Answered & NamedLease & { readonly kind: "released"; readonly was: boolean })
  /** `left`: until the seat is free; null where this lease cannot be cut short, or is not there. */
  | (Answered & NamedLease & { readonly kind: "frozen"; readonly left: number | null })
  | (Answered & { readonly kind: "seen"; readonly seats: readonly SeatSeen[] })
  /** The engine could not be asked, or did not answer in time: the request may or may not have been carried out. */
  | (Answered & { readonly kind: "failed"; readonly why: string });

export interface SeatSeen {
  readonly seat: string;
  /** The highest ever given. */
  readonly token: Token;
  readonly preemptible: boolean;
  /** Null while it is free. */
  readonly holder: (Holder & { readonly left: number }) | null;
  readonly reserved: { readonly name: string; readonly left: number } | null;
}

export type LeaseMessage = LeaseRequest | LeaseAnswer;
