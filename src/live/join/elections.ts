/** Asking for a term, as a promise: it comes true when somebody leads, or says why not. */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { RunningMember } from "../group/member.ts";
import type { World } from "../world.ts";
import { GroupError } from "./errors.ts";
import { ELECTION_WITHIN, SeatRequests } from "./requests.ts";

/** Who leads, after a term was asked for. */
export interface Elected {
  /** The office, or which of its seats. */
  readonly office: string;
  readonly leader: string;
  readonly term: number;
  /** Null without an engine. */
  readonly token: bigint | null;
}

export interface ElectionsSetup {
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

/** A holder whom nobody reaches has the lease, and does not live as far as anybody knows. */
const leaderOf = ({ leader, unreachable }: OfficeReport): string | null => (unreachable ? null : leader);

const held = (seat: string, leader: string) =>
  new GroupError("HELD", `${leader} leads "${seat}"`, `ask ${leader} to resign or to hand it over`);

const late = (seat: string, ms: number) =>
  new GroupError(
    "TIMED_OUT",
    `nobody leads "${seat}" after ${ms} ms`,
    "see whether members stand for it, see enough of each other, and reach the engine of leases; then ask again",
  );
