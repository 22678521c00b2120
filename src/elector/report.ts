/** The report of a member for its user. It has no clock times: hosts add them. */
import type { GroupNews } from "../events/events.ts";
import type { LeaseId, Token } from "../protocols/lease/messages.ts";
import type { Policy } from "./params.ts";
import type { ElectionSetting } from "./talk/messages.ts";

/** A change (src/events has the table). Fields that do not apply are missing. */
export type GroupEvent = GroupNews;

export interface OfficeReport {
  /** The highest term seen. */
  readonly term: number;
  /** Who leads in that term; null while nobody does, as far as this member knows. */
  readonly leader: string | null;
  readonly mine: boolean;
  /** Of the present holder's election, and of the next one (see `EPSILON_CAVEAT`); null before the first. */
  readonly epsilon: number | null;
  readonly loss: number | null;
  readonly lossLow: number | null;
  readonly lossFrom: "measured" | "configured" | null;
  readonly protocol: string | null;
  /**
   * For offices with a council: its members, the holder first, and whether this member is one of them. With more than about thirty members
   * only the holder knows all of them.
   */
  readonly council?: readonly string[];
  readonly seat?: boolean;
  /** Strict mode: the leader's, as far as this member knows it; null elsewhere. */
  readonly token: Token | null;
  /** Strict mode: of this member's own lease, until it is over or was given back: its id, and the timer of the deadline that ends it. */
  readonly lease: LeaseId | null;
  readonly lapse: string | null;
  /** Gated leases: which request has confirmed it last; it is not renewed before the command `acknowledged` names that. */
  readonly confirmation?: number | null;
  /** Strict mode: the lease store says that `leader` has the lease, but this member cannot reach `leader`. */
  readonly unreachable: boolean;
  /** Strict mode: this member no longer leads, and its work must stop. The command `settled` says that it has stopped. */
  readonly settling: boolean;
  /** Strict mode: the member that has won the term and asks the lease store; null if there is none. */
  readonly asker: string | null;
}

/** Strict mode: whether the engine answers this member; `none` before it was asked, and without one. */
export interface EngineReport {
  readonly state: "none" | "answers" | "silent";
  /** In words, where it is silent. */
  readonly why: string | null;
}

export interface GroupReport {
  /** Grows when a field below has changed, and only then. */
  readonly version: number;
  /** What the latest handler changed, in order. Belongs to this version. */
  readonly news: readonly GroupEvent[];
  readonly self: string;
  /** Why this member cannot be part of the group, in words; null while it can. */
  readonly refused: string | null;
  readonly joined: boolean;
  /** How many members live, as far as this one knows, itself included. */
  readonly members: number;
  readonly policy: Policy;
  /** Under `majority`: whether this side sees more than half. Best effort; always true under `available`. */
  readonly quorate: boolean;
  readonly offices: Readonly<Record<string, OfficeReport>>;
  readonly engine: EngineReport;
}

/** Must be shown wherever epsilon is shown. */
export const EPSILON_CAVEAT =
  "the chance of two leaders in one election, given complete views and independent loss; partitions and false suspicion are excluded";

// An election's setting in words. Epsilon is never shown without its caveat (docs/decisions/groups.md).

type Shown = Pick<ElectionSetting, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))}%`;

/** "epsilon 3e-7: the chance of two leaders in one election, ...". */
export function epsilonInWords({ epsilon, protocol }: Pick<Shown, "epsilon" | "protocol">): string {
  if (epsilon === null) {
    return `epsilon unknown: no formula for the chance of two leaders under ${protocol} is known here; two are still noticed, and resolved by the next term`;
  }
  const value = epsilon === 0 ? "0" : epsilon.toExponential(1);
  return `epsilon ${value}: ${EPSILON_CAVEAT}`;
}

/** "1% of messages lost (configured)" or "0.1% to 1% of messages lost (measured by probes, 95% interval; 1% is used)". */
export function lossInWords({ loss, lossLow, lossFrom }: Pick<Shown, "loss" | "lossLow" | "lossFrom">): string {
  if (lossFrom === "configured") return `${percent(loss)} of messages lost (configured)`;
  return `${percent(lossLow)} to ${percent(loss)} of messages lost (measured by probes, 95% interval; ${percent(loss)} is used)`;
}
