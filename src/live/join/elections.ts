/**
 * What a program has asked of seats, as promises: each settles when a report shows how it has ended, or when time is up. Who asks again
 * while a request is under way waits for the same. Asking for a term is one such request.
 */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { RunningMember } from "../group/member.ts";
import type { Cancel, World } from "../world.ts";
import { GroupError } from "./errors.ts";

/** Milliseconds in which somebody should lead an office, without leases and once work has ended. */
export const ELECTION_WITHIN = 10_000;

export interface SeatRequest<T> {
  /** Milliseconds. */
  readonly within: number;
  /** Null while it is under way. */
  outcome(now: OfficeReport): T | GroupError | null;
  /** Why there was no outcome in time. */
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

  /** What is under way. */
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

/** Who leads, after a term was asked for. */
export interface Elected {
  /** The office, or which of its seats. */
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

  /** Those of the seats that nobody live leads. */
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
    // A dead holder's lease has to run out first.
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

/** A holder that no member reaches has the lease, and counts as not live. */
const leaderOf = ({ leader, unreachable }: OfficeReport): string | null => (unreachable ? null : leader);

const held = (seat: string, leader: string) =>
  new GroupError("HELD", `${leader} leads "${seat}"`, `ask ${leader} to resign or to hand it over`);

const late = (seat: string, ms: number) =>
  new GroupError(
    "TIMED_OUT",
    `nobody leads "${seat}" after ${ms} ms`,
    "see whether members stand for it, see enough of each other, and reach the lease store; then ask again",
  );
