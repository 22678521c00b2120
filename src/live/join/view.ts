/** The views that programs get of a member's knowledge, made from its reports on request. */
import { attributesIn, keysIn } from "../../elector/election/choice.ts";
import type { EngineReport, OfficeReport } from "../../elector/report.ts";
import type { Departed } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import type { LeaderChange } from "../group/history.ts";
import { jsonable } from "../jsonable.ts";
import { keyIdText } from "../net/keyring.ts";

/** The leader of an office, as far as this member knows. */
export interface Leader {
  readonly name: string;
  /** The office, or one of its seats. */
  readonly office: string;
  /** Names the election; fences nothing. */
  readonly term: number;
  /** Larger than the token of any leader before; null without leases. */
  readonly token: bigint | null;
  /** Whether the leader is this member. */
  readonly mine: boolean;
  /**
   * `live`: as far as this member knows. `unreachable`: the lease store says that this leader has the lease, but no member reaches it.
   * `stale`: the value may be old, because this member has heard no other for a while, has left, or its own lease has just run out.
   */
  readonly state: "live" | "unreachable" | "stale";
}

/** An office, or one of its seats. */
export interface OfficeView {
  readonly office: string;
  /** The highest term seen. */
  readonly term: number;
  /** Null while no member leads, as far as this member knows. */
  readonly leader: Leader | null;
  /** The members of its council ("audit:3..5"), the holder first; null without one. Of more than about thirty only the holder knows all. */
  readonly council: readonly string[] | null;
  /** Whether this member is in the council. */
  readonly seated: boolean;
  /** With leases: the member that has won the term and asks the lease store. */
  readonly asker: string | null;
  /** The chance of two leaders in one election, given complete views and independent loss; partitions and false suspicion are excluded. */
  readonly epsilon: number | null;
  /** The protocol of its elections; null before the first one. */
  readonly protocol: string | null;
}

/** One member of the group. */
export interface MemberView {
  readonly name: string;
  /** The address at which others reach it. */
  readonly address: string;
  /** `suspected`: it does not answer, and unless it answers soon it is taken for dead. */
  readonly state: "alive" | "suspected";
  readonly self: boolean;
  readonly priority: number;
  readonly weight: number;
  /** Empty if it has none. */
  readonly zone: string;
  /** Its keys, as it tells them; null if it does not (an earlier version). */
  readonly keys: MemberKeys | null;
}

/** Ids of a member's keys, eight hexadecimal digits each. */
export interface MemberKeys {
  /** The key that it seals with. */
  readonly seals: string;
  /** The keys that it opens with: that one, and others. */
  readonly opens: readonly string[];
}

/** A member that has failed or left, as it was last known. */
export interface RecentMember {
  readonly name: string;
  readonly address: string;
  /** `left`: gracefully. */
  readonly state: "failed" | "left";
  /** Milliseconds since this member learned of it. */
  readonly agoMs: number;
  /** As in `MemberView`, when this member last heard of it. */
  readonly keys: MemberKeys | null;
}

/** A member's set-up, and what it has sent. */
export interface MemberFacts {
  /** The offices as they were given, such as "shards:3". */
  readonly offices: readonly string[];
  readonly profile: "local" | "lan" | "wan";
  /** Whether it runs: it has neither left nor stopped. */
  readonly isHere: boolean;
  /** Null without leases. */
  readonly leaseTtl: number | null;
  readonly traffic: {
    readonly datagramsSent: number;
    readonly bytesSent: number;
    readonly datagramsReceived: number;
    readonly datagramsDropped: number;
    /** Of the elections themselves, without probes, beats, rumours and repetitions. */
    readonly electionMessages: number;
  };
}

/** All that a member knows at one moment. */
export interface GroupStatus {
  /** The leader of the first office. */
  readonly leader: Leader | null;
  /** By name: each office, or each of its seats. */
  readonly offices: Readonly<Record<string, OfficeView>>;
  readonly members: readonly MemberView[];
  /** With leases: whether the engine answers this member. */
  readonly engine: EngineReport;
  /** Under the policy `majority`: whether this side sees more than half. Best effort. */
  readonly quorate: boolean;
  /** The latest fifty changes of leaders, the oldest first. */
  readonly history: readonly LeaderChange[];
}

/** What a view of an office depends on besides the report. */
interface Standpoint {
  /** The member has left, stopped, or heard nobody for long. */
  readonly isStale: boolean;
  /** Milliseconds until a timer of the machine is due. */
  left(timer: string): number | null;
}

export function officeView(name: string, report: OfficeReport, from: Standpoint): OfficeView {
  const { term, council, seat, asker, epsilon, protocol } = report;
  return {
    office: name,
    term,
    leader: leaderIn(name, report, from),
    asker,
    epsilon,
    protocol,
    council: council ?? null,
    seated: seat ?? false,
  };
}

function leaderIn(office: string, report: OfficeReport, { isStale, left }: Standpoint): Leader | null {
  const { leader, term, token, mine, lapse, unreachable } = report;
  if (leader === null) return null;
  // The clocks may show that the lease is over before a timer has run.
  const isOver = mine && token !== null && (lapse === null || (left(lapse) ?? 0) <= 0);
  const state = isStale || isOver ? "stale" : unreachable ? "unreachable" : "live";
  return jsonable<Leader>({
    name: leader,
    office,
    term,
    token: token === null ? null : BigInt(token),
    mine: mine && state === "live",
    state,
  });
}

/** The fields are in the order of the API's answer. */
export function memberView({ name, address, status, meta }: KnownMember, self: string): MemberView {
  const { zone, priority, weight } = attributesIn(meta);
  return {
    name,
    address: String(address),
    state: status === "suspect" ? "suspected" : "alive",
    zone,
    priority,
    weight,
    self: name === self,
    keys: keysOf(keysIn(meta)),
  };
}

export function keysOf(ids: readonly number[] | null): MemberKeys | null {
  if (ids === null) return null;
  const opens = ids.map(keyIdText);
  return { seals: opens[0], opens };
}

/** `tick`: milliseconds. */
export function recentMember({ member, ticks }: Departed, tick: number): RecentMember {
  const { name, address, status, meta } = member;
  return {
    name,
    address: String(address),
    state: status === "left" ? "left" : "failed",
    agoMs: Math.max(0, Math.round(ticks * tick)),
    keys: keysOf(keysIn(meta)),
  };
}
