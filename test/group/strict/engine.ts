/** The engine as it really is: its rows and its clock, and what would come of a request now. */

import type { LeaseAnswer, LeaseRequest } from "../../../src/protocols/lease/messages.ts";
import type { EngineCommand } from "../../../src/protocols/lease/model.ts";
import { carryOut } from "../../../src/protocols/lease/register.ts";
import { leaseLeft, type RegisterClock } from "../../../src/protocols/lease/register-clock.ts";
import { copyOfRows, type PlainRows, rowsOf } from "../../../src/protocols/lease/register-rows.ts";
import { History } from "./history.ts";

/** What a plan does to an engine; `missed`: its clock catches up with the time during which it stood still or did not run. */
export type EngineFault = EngineCommand & { readonly missed?: true };

/** What an engine keeps, and what its clock says. */
export interface EngineInside {
  readonly rows: PlainRows;
  readonly clock: RegisterClock;
}

const NOBODY = { id: 0, life: -1, session: "nobody's", name: "nobody", lease: "nobody's", preemptible: false } as const;

export class EngineTruth {
  readonly history = new History();
  rows: PlainRows | null = null;
  clock: RegisterClock | null = null;
  private restoring = false;

  isNow({ rows, clock }: EngineInside): void {
    this.rows = rows;
    this.clock = clock;
    if (!this.restoring) return;
    this.restoring = false;
    this.history.copied = new Map([...rows.seats].map(([seat, { token }]) => [seat, token]));
    // A copy that is older than the group cannot be told from a store that the group has never used.
    if (rows.group === null) this.history.rewoundAt = this.history.restoredAt;
  }

  told(fault: EngineFault, at: number): void {
    const { history } = this;
    if (fault.kind === "restore") {
      history.restoredAt = at;
      this.restoring = true;
      if (!fault.noticed) history.rewoundAt = at;
    } else if (fault.kind === "step" && fault.missed !== true) {
      if (fault.by > 0) history.forwardAt = at;
      else history.backAt = at;
    }
  }

  /** Whether that lease has the seat now. */
  isHeldBy(seat: string, lease: string): boolean {
    if (this.rows === null || this.clock === null) return false;
    const { seats, sessions } = this.rows;
    const row = seats.get(seat)?.lease ?? null;
    return row?.id === lease && leaseLeft(seat, row, { session: (id) => sessions.get(id) ?? null }, this.clock) > 0;
  }

  /** Whether the end of its lease stands, whatever is renewed. */
  isFrozen(seat: string): boolean {
    return this.rows?.seats.get(seat)?.lease?.until != null;
  }

  /** What the engine would answer to somebody else who asked for the seat now, knowing all there is to know. */
  wouldAnswer(seat: string, ttl: number): LeaseAnswer | null {
    if (this.rows === null || this.clock === null) return null;
    const { seats } = this.rows;
    const floor = this.history.highestOf(seat);
    // A reservation is for somebody.
    const name = seats.get(seat)?.reserved?.name ?? NOBODY.name;
    const asked: LeaseRequest = { kind: "acquire", ...NOBODY, name, seat, ttl, floor };
    return carryOut(rowsOf(copyOfRows(this.rows)), asked, this.clock);
  }
}
