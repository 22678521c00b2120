/**
 * Gated leases: the process that holds the work (`sortition run`) is told the deadline of each confirmation, and a lease is renewed only
 * after that process has acknowledged it.
 */

import type { GroupReport } from "../../elector/report.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";

export interface Confirmed {
  readonly seat: string;
  readonly token: number;
  /** Milliseconds until the lease is lost, by the clocks; below 0 if that has passed, null if the lease has ended. */
  left(): number | null;
}

export interface Gate {
  /** Calls `known` once the process that holds the work has the deadline; at once if there is no such process. */
  confirmed(confirmed: Confirmed, known: () => void): void;
}

interface GatekeeperSetup {
  readonly gate: Gate;
  left(timer: string): number | null;
  command(command: GroupCommand): void;
}

export class Gatekeeper {
  private readonly setup: GatekeeperSetup;
  /** By seat: the newest confirmation that was passed on. */
  private readonly told = new Map<string, number>();

  constructor(setup: GatekeeperSetup) {
    this.setup = setup;
  }

  /** Called after each report, once all messages have left. */
  follow({ offices }: GroupReport): void {
    const { gate, left, command } = this.setup;
    for (const [seat, { confirmation = null, token, lapse }] of Object.entries(offices)) {
      if (confirmation === null || token === null || lapse === null) this.told.delete(seat);
      else if (this.told.get(seat) !== confirmation) {
        this.told.set(seat, confirmation);
        const isNewest = () => this.told.get(seat) === confirmation;
        gate.confirmed({ seat, token, left: () => (isNewest() ? left(lapse) : null) }, () =>
          command({ kind: "acknowledged", office: seat, number: confirmation }),
        );
      }
    }
  }
}
