/** What a member knows, as programs see it: made from its reports when it is asked for. */
import { attributesIn } from "../../elector/choice.ts";
import type { EngineReport, OfficeReport } from "../../elector/report.ts";
import type { Member } from "../../protocols/membership/records.ts";

/** Who leads an office, as far as this member knows. */
export interface Leader {
  readonly name: string;
  /** The office, or which of its seats. */
  readonly office: string;
  /** Names the election; fences nothing. */
  readonly term: number;
  /** Larger than that of any leader before; null without an engine. */
  readonly token: bigint | null;
  /** Whether it is this member. */
  readonly mine: boolean;
  /**
   * `live`: as far as is known. `unreachable`: it holds the lease, by the engine's word, but nobody reaches it. `stale`: this is the
   * last that was known; this member has heard nobody for a while, has left, or its own lease has just run out.
   */
  readonly state: "live" | "unreachable" | "stale";
}

/** An office, or one of its seats. */
export interface OfficeView {
  readonly office: string;
  /** The highest term seen. */
  readonly term: number;
  /** Null while nobody leads, as far as this member knows. */
  readonly leader: Leader | null;
  /** Of offices with a council ("audit:3..5"): who is in it, the holder first. With more than some thirty only the holder knows all. */
  readonly council: readonly string[] | null;
  /** Whether this member is in it. */
  readonly seated: boolean;
  /** With leases: who has won the term and asks the engine. */
  readonly asker: string | null;
  /** The chance of two leaders in one election, given complete views and independent loss; partitions and false suspicion are excluded. */
  readonly epsilon: number | null;
}

/** One member of the group. */
export interface MemberView {
  readonly name: string;
  /** Where others reach it. */
  readonly address: string;
  /** `suspected`: it does not answer, and is taken for dead unless it does soon. */
  readonly state: "alive" | "suspected";
  readonly self: boolean;
  readonly priority: number;
  readonly weight: number;
  /** Empty where none is said. */
  readonly zone: string;
}

/** All that a member knows at one moment. */
export interface GroupStatus {
  /** Of the first office. */
  readonly leader: Leader | null;
  /** By name: each office, or each of its seats. */
  readonly offices: Readonly<Record<string, OfficeView>>;
  readonly members: readonly MemberView[];
  /** With leases: whether the engine answers this member. */
  readonly engine: EngineReport;
  /** Under the policy `majority`: whether this side sees more than half. Best effort. */
  readonly quorate: boolean;
}

/** What changes how an office looks from here. */
export interface Standpoint {
  /** The member has left, stopped, or heard nobody for long. */
  readonly isStale: boolean;
  /** Milliseconds until a timer of the machine is due. */
  left(timer: string): number | null;
}

export function officeView(name: string, report: OfficeReport, from: Standpoint): OfficeView {
  const { term, council, seat, asker, epsilon } = report;
  return {
    ...{ office: name, term, leader: leaderIn(name, report, from), asker, epsilon },
    ...{ council: council ?? null, seated: seat ?? false },
  };
}

function leaderIn(office: string, report: OfficeReport, { isStale, left }: Standpoint): Leader | null {
  const { leader, term, token, mine, lapse, unreachable } = report;
  if (leader === null) return null;
  // The clocks may know before anything else has run.
  const isOver = mine && token !== null && (lapse === null || (left(lapse) ?? 0) <= 0);
  const state = isStale || isOver ? "stale" : unreachable ? "unreachable" : "live";
  return {
    ...{ name: leader, office, term, token: token === null ? null : BigInt(token) },
    ...{ mine: mine && state === "live", state },
  };
}

export function memberView({ name, address, status, meta }: Member, self: string): MemberView {
  return {
    ...{ name, address: String(address), state: status === "suspect" ? "suspected" : "alive", self: name === self },
    ...attributesIn(meta),
  };
}
