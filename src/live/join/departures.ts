/**
 * Resigning and handing over, as promises: each resolves when it is done, or rejects with the reason. A second call during the first gets
 * the same promise. A later call begins anew, and resolves at once if there is nothing left to do.
 */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { MemberEvent } from "../../events/events.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { LeaderCause } from "../group/history.ts";
import type { RunningMember } from "../group/member.ts";
import { type HeldLeadership, heldIn, isSame } from "../leading/scope.ts";
import type { World } from "../world.ts";
import { ELECTION_WITHIN, type SeatRequest, SeatRequests } from "./elections.ts";
import { GroupError, meant } from "./errors.ts";

/** How a resignation ended. */
export interface Resigned {
  /** The office, or one of its seats. */
  readonly office: string;
  /** `given up`: others can lead, and a lease was given back. `ran out`: the lease ran out before it was given back. `not held`: the member did not lead. */
  readonly how: "given up" | "ran out" | "not held";
}

/** A successful hand-over: the named member leads. */
export interface Transferred {
  readonly office: string;
  readonly to: string;
  /** The term in which it leads. */
  readonly term: number;
  /** Null without leases. */
  readonly token: bigint | null;
  /** Whether it led already, so that no hand-over was needed. */
  readonly already: boolean;
}

interface DeparturesSetup {
  readonly world: Pick<World, "set">;
  readonly member: Pick<RunningMember, "report" | "members" | "giveUp">;
  /** Null without leases. */
  readonly lease: LeaseTimes | null;
  readonly settleWithin: number;
}

export class Departures {
  private readonly setup: DeparturesSetup;
  private readonly resigning: SeatRequests<Resigned>;
  private readonly handing: SeatRequests<Transferred>;
  /** The members to which seats are being handed over, by seat. */
  private readonly heirs = new Map<string, string>();
  /** By seat: the token of a lease that has run out since this member began to give it up. */
  private readonly lapsed = new Map<string, bigint | null>();

  constructor(setup: DeparturesSetup) {
    this.setup = setup;
    this.resigning = new SeatRequests(setup.world);
    this.handing = new SeatRequests(setup.world);
  }

  resign(seat: string): Promise<Resigned> {
    const known = this.resigning.of(seat);
    if (known !== undefined) return known;
    const { member } = this.setup;
    const office = this.office(seat);
    const { self } = member.report();
    if (!office.mine && !office.settling) return Promise.resolve({ office: seat, how: "not held" });
    const held = heldIn(seat, office);
    this.lapsed.delete(seat);
    const promise = this.begin<Resigned>(this.resigning, seat, (now) => {
      if (isHeld(seat, now, held) || now.settling) return null;
      // Until the lease store has answered, the lease and this member's claim still stand.
      if (held.token !== null && now.leader === self && now.token === held.token) return null;
      const hasRunOut = held.token !== null && this.lapsed.get(seat) === BigInt(held.token);
      const isUnheard = held.token !== null && member.report().engine.state === "silent";
      return { office: seat, how: hasRunOut || isUnheard ? "ran out" : "given up" };
    });
    if (office.mine) member.giveUp(seat, { kind: "resign", office: seat }, "resigned");
    return promise;
  }

  transfer(seat: string, to: string, why: LeaderCause = "handed over"): Promise<Transferred> {
    const known = this.handing.of(seat);
    const heir = this.heirs.get(seat);
    if (known !== undefined) return heir === to ? known : Promise.reject(busy(seat, heir!));
    const { member } = this.setup;
    const office = this.office(seat);
    const { self } = member.report();
    if (office.leader === to && (to !== self || office.mine) && !office.unreachable) {
      return Promise.resolve(transferred(seat, office, true));
    }
    const refusal = this.refusal(seat, to, office);
    if (refusal !== null) return Promise.reject(refusal);
    const held = heldIn(seat, office);
    const promise = this.begin<Transferred>(this.handing, seat, (now) => {
      if (isHeld(seat, now, held) || now.leader === null || now.unreachable) return null;
      // This member's own former claim may stand for a moment.
      if (now.leader === self && !now.mine) return null;
      return now.leader === to ? transferred(seat, now, false) : notTaken(seat, to, now.leader);
    });
    this.heirs.set(seat, to);
    member.giveUp(seat, { kind: "transfer", office: seat, to }, why);
    return promise;
  }

  /** Called after each report, and after its events. */
  look(report: GroupReport): void {
    this.resigning.look(report);
    this.handing.look(report);
  }

  told(event: MemberEvent): void {
    if (event.event === "lapsed") this.lapsed.set(event.office, event.token);
    if (event.event !== "unsettled") return;
    const error = this.unsettled(event.office);
    this.resigning.fail(event.office, error);
    this.handing.fail(event.office, error);
  }

  /** The member has gone. */
  close(error: GroupError): void {
    this.resigning.close(error);
    this.handing.close(error);
  }

  private office(seat: string): OfficeReport {
    return this.setup.member.report().offices[seat];
  }

  private refusal(seat: string, to: string, { mine, leader }: OfficeReport): GroupError | null {
    const names = this.setup.member.members().map(({ name }) => name);
    if (!mine) {
      const advice = leader === null ? "wait until a member leads it" : `${leader} leads it, and can hand it over`;
      return new GroupError("NOT_HELD", `this member does not lead "${seat}"`, advice);
    }
    if (names.includes(to)) return null;
    return new GroupError(
      "NO_SUCH_MEMBER",
      `"${seat}" cannot be handed over to "${to}", who is not in the group`,
      meant(to, names, `name a member, such as ${names.slice(0, 5).join(", ")}`),
    );
  }

  private begin<T>(requests: SeatRequests<T>, seat: string, outcome: SeatRequest<T>["outcome"]): Promise<T> {
    const { lease, settleWithin } = this.setup;
    const within = settleWithin + (lease === null ? ELECTION_WITHIN : 2 * lease.ttl);
    return requests.begin(seat, {
      within,
      outcome,
      late: () => (this.office(seat).settling ? this.unsettled(seat) : late(seat, within)),
    });
  }

  private unsettled(seat: string): GroupError {
    const { settleWithin } = this.setup;
    return new GroupError(
      "UNSETTLED",
      `the work that leads "${seat}" has not ended within ${settleWithin} ms of being told to`,
      "let it end soon after its signal has fired; the office is led by others once that is safe",
    );
  }
}

function isHeld(seat: string, now: OfficeReport, held: HeldLeadership): boolean {
  return now.mine && isSame(heldIn(seat, now), held);
}

const transferred = (office: string, now: OfficeReport, already: boolean): Transferred => ({
  office,
  to: now.leader!,
  term: now.term,
  already,
  token: now.token === null ? null : BigInt(now.token),
});

const busy = (seat: string, to: string) =>
  new GroupError("BUSY", `"${seat}" is being handed over to ${to}`, "wait for that, then ask again");

const notTaken = (seat: string, to: string, leader: string) =>
  new GroupError(
    "NOT_TAKEN",
    `${to} has not taken "${seat}", and ${leader} leads it`,
    `see whether ${to} is well and stands for the office, then ask ${leader} to hand it over`,
  );

const late = (seat: string, ms: number) =>
  new GroupError("TIMED_OUT", `nothing has come of giving up "${seat}" within ${ms} ms`, "ask again");
