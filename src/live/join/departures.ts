/**
 * Resigning and handing over, as promises: each comes true when it is done, or says why not. Who asks again while one is under way gets
 * the same promise; who asks again afterwards begins anew, and where there is nothing left to do is told so at once.
 */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { LeaseTimes } from "../../protocols/lease/params.ts";
import type { MemberEvent } from "../group/events.ts";
import type { RunningMember } from "../group/member.ts";
import { type Held, heldIn, isSame } from "../leading/scope.ts";
import type { Cancel, World } from "../world.ts";
import { GroupError, meant } from "./errors.ts";

/** How a resignation ended. */
export interface Resigned {
  /** The office, or which of its seats. */
  readonly office: string;
  /** `given up`: others can lead, and a lease was given back. `ran out`: so did the lease, before it was given back. `not held`: nothing was to be done. */
  readonly how: "given up" | "ran out" | "not held";
}

/** How a hand-over ended: the one named leads. */
export interface HandedOver {
  readonly office: string;
  readonly to: string;
  /** In which it leads. */
  readonly term: number;
  /** Null without an engine. */
  readonly token: bigint | null;
  /** Whether it led already, so that nothing was to be done. */
  readonly already: boolean;
}

export interface DeparturesSetup {
  readonly world: Pick<World, "set">;
  readonly member: Pick<RunningMember, "report" | "members" | "giveUp">;
  /** Null without an engine. */
  readonly lease: LeaseTimes | null;
  readonly settleWithin: number;
}

/** Milliseconds in which somebody else should lead, without leases and once work has ended. */
export const ELECTION = 10_000;

interface Pending<T> {
  readonly promise: Promise<T>;
  readonly held: Held;
  /** Whom it is handed over to. */
  readonly to: string | null;
  hasLapsed: boolean;
  /** Looks whether it has ended; `why` where it has failed. */
  look(office: OfficeReport): void;
  fail(error: GroupError): void;
}

export class Departures {
  private readonly setup: DeparturesSetup;
  private readonly resigning = new Map<string, Pending<Resigned>>();
  private readonly handing = new Map<string, Pending<HandedOver>>();

  constructor(setup: DeparturesSetup) {
    this.setup = setup;
  }

  resign(seat: string): Promise<Resigned> {
    const known = this.resigning.get(seat);
    if (known !== undefined) return known.promise;
    const office = this.office(seat);
    const { self } = this.setup.member.report();
    if (!office.mine && !office.settling) return Promise.resolve({ office: seat, how: "not held" });
    const pending = this.begin<Resigned>(this.resigning, seat, null, ({ held, hasLapsed }, now) => {
      if (isHeld(seat, now, held) || now.settling) return null;
      // Until the engine has heard of it the lease stands, and so does this member's claim.
      if (held.token !== null && now.leader === self && now.token === held.token) return null;
      const isUnheard = held.token !== null && this.setup.member.report().engine.state === "silent";
      return { office: seat, how: hasLapsed || isUnheard ? "ran out" : "given up" };
    });
    if (office.mine) this.setup.member.giveUp(seat, { kind: "resign", office: seat });
    return pending;
  }

  handOver(seat: string, to: string): Promise<HandedOver> {
    const known = this.handing.get(seat);
    if (known !== undefined) return known.to === to ? known.promise : Promise.reject(busy(seat, known.to!));
    const office = this.office(seat);
    const { self } = this.setup.member.report();
    if (office.leader === to && (to !== self || office.mine) && !office.unreachable) {
      return Promise.resolve(handedOver(seat, office, true));
    }
    const refusal = this.refusal(seat, to, office);
    if (refusal !== null) return Promise.reject(refusal);
    const pending = this.begin<HandedOver>(this.handing, seat, to, ({ held }, now) => {
      if (isHeld(seat, now, held) || now.leader === null || now.unreachable) return null;
      // The former leader's word may still stand here for a moment.
      if (now.leader === self && !now.mine) return null;
      return now.leader === to ? handedOver(seat, now, false) : notTaken(seat, to, now.leader);
    });
    this.setup.member.giveUp(seat, { kind: "hand-over", office: seat, to });
    return pending;
  }

  /** After each report. */
  look({ offices, news }: GroupReport): void {
    for (const pending of [this.resigning, this.handing]) {
      for (const [seat, one] of pending) {
        one.hasLapsed ||= news.some(({ event, office, token }) => {
          return event === "lapsed" && office === seat && token === one.held.token;
        });
        one.look(offices[seat]);
      }
    }
  }

  told({ event, office }: MemberEvent): void {
    if (event !== "unsettled") return;
    for (const pending of [this.resigning, this.handing]) pending.get(office!)?.fail(this.unsettled(office!));
  }

  /** The member has gone. */
  close(error: GroupError): void {
    for (const pending of [...this.resigning.values(), ...this.handing.values()]) pending.fail(error);
  }

  private office(seat: string): OfficeReport {
    return this.setup.member.report().offices[seat];
  }

  private refusal(seat: string, to: string, { mine, leader }: OfficeReport): GroupError | null {
    const names = this.setup.member.members().map(({ name }) => name);
    if (!mine) {
      const whom = leader === null ? "wait until somebody leads it" : `${leader} leads it, and can hand it over`;
      return new GroupError("NOT_HELD", `this member does not lead "${seat}"`, whom);
    }
    if (names.includes(to)) return null;
    return new GroupError(
      "NO_SUCH_MEMBER",
      `"${seat}" cannot be handed over to "${to}", who is not in the group`,
      meant(to, names, `name a member, such as ${names.slice(0, 5).join(", ")}`),
    );
  }

  /** `outcome`: null while it is under way. */
  private begin<T>(
    all: Map<string, Pending<T>>,
    seat: string,
    to: string | null,
    outcome: (pending: Pending<T>, now: OfficeReport) => T | GroupError | null,
  ): Promise<T> {
    const { world, lease, settleWithin } = this.setup;
    let cancel: Cancel = () => {};
    let settle!: (outcome: T | GroupError) => void;
    const promise = new Promise<T>((resolve, reject) => {
      settle = (result) => {
        if (all.get(seat) !== pending) return;
        all.delete(seat);
        cancel();
        if (result instanceof GroupError) reject(result);
        else resolve(result);
      };
    });
    const pending: Pending<T> = {
      ...{ promise, to, held: heldIn(seat, this.office(seat)), hasLapsed: false },
      look(now) {
        const result = outcome(pending, now);
        if (result !== null) settle(result);
      },
      fail: settle,
    };
    all.set(seat, pending);
    const patience = settleWithin + (lease === null ? ELECTION : 2 * lease.ttl);
    cancel = world.set(patience, () =>
      settle(this.office(seat).settling ? this.unsettled(seat) : late(seat, patience)),
    );
    return promise;
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

function isHeld(seat: string, now: OfficeReport, held: Held): boolean {
  return now.mine && isSame(heldIn(seat, now), held);
}

const handedOver = (office: string, now: OfficeReport, already: boolean): HandedOver => ({
  ...{ office, to: now.leader!, term: now.term, token: now.token === null ? null : BigInt(now.token), already },
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
