/** Asking for a term, as a promise: it comes true when somebody leads, or says why not. */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { RunningMember } from "../group/member.ts";
import type { World } from "../world.ts";
import { ELECTION } from "./departures.ts";
import { GroupError } from "./errors.ts";

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

interface Awaited {
  readonly promise: Promise<Elected>;
  look(now: OfficeReport): void;
  fail(error: GroupError): void;
}

export class Elections {
  private readonly setup: ElectionsSetup;
  private readonly awaited = new Map<string, Awaited>();

  constructor(setup: ElectionsSetup) {
    this.setup = setup;
  }

  /** Those of the seats that nobody live leads. */
  elect(seats: readonly string[]): Promise<readonly Elected[]> {
    const { offices } = this.setup.member.report();
    const vacant = seats.filter((seat) => leaderOf(offices[seat]) === null);
    if (vacant.length === 0) return Promise.reject(held(seats[0], leaderOf(offices[seats[0]])!));
    const all = vacant.map((seat) => this.await(seat).promise);
    for (const office of vacant) this.setup.member.command({ kind: "elect", office });
    return Promise.all(all);
  }

  /** After each report. */
  look({ offices }: GroupReport): void {
    for (const [seat, one] of this.awaited) one.look(offices[seat]);
  }

  /** The member has gone. */
  close(error: GroupError): void {
    for (const one of [...this.awaited.values()]) one.fail(error);
  }

  /** Who asks again while one is under way waits for the same. */
  private await(office: string): Awaited {
    const known = this.awaited.get(office);
    if (known !== undefined) return known;
    const { world, lease } = this.setup;
    // A dead holder's lease has to run out first.
    const patience = ELECTION + (lease === null ? 0 : 2 * lease.ttl);
    let settle!: (outcome: Elected | GroupError) => void;
    const promise = new Promise<Elected>((resolve, reject) => {
      settle = (outcome) => {
        if (!this.awaited.delete(office)) return;
        cancel();
        if (outcome instanceof GroupError) reject(outcome);
        else resolve(outcome);
      };
    });
    const cancel = world.set(patience, () => settle(late(office, patience)));
    const one: Awaited = {
      promise,
      look(now) {
        const leader = leaderOf(now);
        if (leader === null) return;
        settle({ office, leader, term: now.term, token: now.token === null ? null : BigInt(now.token) });
      },
      fail: settle,
    };
    this.awaited.set(office, one);
    return one;
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
