/**
 * A program's requests about seats, as promises: each settles when a report shows its outcome, or at its timeout. A second call during the
 * first gets the same promise. `Elections` are the requests for a term.
 */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { RunningMember } from "../group/member.ts";
import type { Cancel, World } from "../world.ts";
import { GroupError } from "./errors.ts";

/** Milliseconds in which a member should lead an office, without leases and once former work has ended. */
export const ELECTION_WITHIN = 10_000;

export interface SeatRequest<T> {
  /** Milliseconds. */
  readonly within: number;
  /** The outcome that a report shows; null while there is none. */
  outcome(now: OfficeReport): T | GroupError | null;
  /** The error at the timeout. */
  late(): GroupError;
}

interface UnderWay<T> {
  readonly promise: Promise<T>;
  look(now: OfficeReport): void;
  settle(outcome: T | GroupError): void;
}

export class SeatRequests<T> {
  private readonly world: Pick<World, "set">;
  private readonly all = new Map<string, UnderWay<T>>();

  constructor(world: Pick<World, "set">) {
    this.world = world;
  }

  /** The request that is under way for a seat. */
  of(seat: string): Promise<T> | undefined {
    return this.all.get(seat)?.promise;
  }

  begin(seat: string, { within, outcome, late }: SeatRequest<T>): Promise<T> {
    let resolve!: (result: T) => void;
    let reject!: (error: GroupError) => void;
    const promise = new Promise<T>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    let cancel: Cancel = () => {};
    const settle = (result: T | GroupError) => {
      cancel();
      this.all.delete(seat);
      if (result instanceof GroupError) reject(result);
      else resolve(result);
    };
    const look = (now: OfficeReport) => {
      const result = outcome(now);
      if (result !== null) settle(result);
    };
    this.all.set(seat, { promise, look, settle });
    cancel = this.world.set(within, () => settle(late()));
    return promise;
  }

  /** After each report. */
  look({ offices }: GroupReport): void {
    for (const [seat, { look }] of this.all) look(offices[seat]);
  }

  fail(seat: string, error: GroupError): void {
    this.all.get(seat)?.settle(error);
  }

  /** The member has gone. */
  close(error: GroupError): void {
    for (const seat of [...this.all.keys()]) this.fail(seat, error);
  }
}

/** The leader of a seat after a term was asked for. */
export interface Elected {
  /** The office, or one of its seats. */
  readonly office: string;
  readonly leader: string;
  readonly term: number;
  /** Null without an engine. */
  readonly token: bigint | null;
}

interface ElectionsSetup {
  readonly world: Pick<World, "set">;
  readonly member: Pick<RunningMember, "report" | "command">;
  /** Null without an engine. */
  readonly lease: LeaseTimes | null;
}

export class Elections {
  private readonly setup: ElectionsSetup;
  private readonly requests: SeatRequests<Elected>;

  constructor(setup: ElectionsSetup) {
    this.setup = setup;
    this.requests = new SeatRequests(setup.world);
  }

  /** Asks for a term of those seats that no live member leads. */
  elect(seats: readonly string[]): Promise<readonly Elected[]> {
    const { member } = this.setup;
    const { offices } = member.report();
    const vacant = seats.filter((seat) => leaderOf(offices[seat]) === null);
    if (vacant.length === 0) return Promise.reject(held(seats[0], leaderOf(offices[seats[0]])!));
    const all = vacant.map((seat) => this.requests.of(seat) ?? this.await(seat));
    for (const office of vacant) member.command({ kind: "elect", office });
    return Promise.all(all);
  }

  /** After each report. */
  look(report: GroupReport): void {
    this.requests.look(report);
  }

  /** The member has gone. */
  close(error: GroupError): void {
    this.requests.close(error);
  }

  private await(office: string): Promise<Elected> {
    const { lease } = this.setup;
    // The lease of a dead holder has to run out first.
    const within = ELECTION_WITHIN + (lease === null ? 0 : 2 * lease.ttl);
    return this.requests.begin(office, {
      within,
      outcome(now) {
        const leader = leaderOf(now);
        if (leader === null) return null;
        return { office, leader, term: now.term, token: now.token === null ? null : BigInt(now.token) };
      },
      late: () => late(office, within),
    });
  }
}

/** The live leader. A lease holder that no member reaches does not count. */
const leaderOf = ({ leader, unreachable }: OfficeReport): string | null => (unreachable ? null : leader);

const held = (seat: string, leader: string) =>
  new GroupError("HELD", `${leader} leads "${seat}"`, `ask ${leader} to resign or to hand it over`);

const late = (seat: string, ms: number) =>
  new GroupError(
    "TIMED_OUT",
    `nobody leads "${seat}" after ${ms} ms`,
    "see whether members stand for it, see enough of each other, and reach the lease store; then ask again",
  );
