/**
 * Between the leases of a member and the guardian of its command: each confirmed deadline goes to the guardian, and the next renewal
 * waits until it is known there. Where no command runs nobody has to know.
 */
import type { Confirmed, Gate } from "../leading/gate.ts";
import type { Clocks, Deadline } from "./deadline.ts";
import { deadlineFrom, leftOf } from "./deadline.ts";
import type { HeldCommand } from "./held-command.ts";

interface Lease {
  readonly token: number;
  readonly deadline: Deadline;
}

export class LeaseKeeper implements Gate {
  private readonly clocks: Clocks;
  /** By seat, until when the lease was last confirmed. Stays when it has ended: what ran under it must end by then. */
  private readonly leases = new Map<string, Lease>();
  private held: { readonly seat: string; readonly token: number; readonly command: HeldCommand } | null = null;
  private readonly waiting = new Set<() => void>();

  constructor(clocks: Clocks) {
    this.clocks = clocks;
  }

  confirmed({ seat, token, left }: Confirmed, known: () => void): void {
    const deadline = deadlineFrom(left, this.clocks);
    if (deadline === null) return;
    this.leases.set(seat, { token, deadline });
    const { held } = this;
    if (held?.seat === seat && held.token === token) held.command.confirmed(deadline, known);
    else known();
    for (const look of [...this.waiting]) look();
  }

  deadlineOf(seat: string, token: number): Deadline | null {
    const lease = this.leases.get(seat);
    return lease?.token === token ? lease.deadline : null;
  }

  /** Comes true when at least so much is left of the lease, by a confirmation that may be yet to come; false if the signal fires before. */
  enough(seat: string, token: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        const deadline = this.deadlineOf(seat, token);
        const isEnough = deadline !== null && leftOf(deadline, this.clocks) >= ms;
        if (!isEnough && !signal.aborted) return;
        this.waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve(isEnough && !signal.aborted);
      };
      this.waiting.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  hold(seat: string, token: number, command: HeldCommand): void {
    this.held = { seat, token, command };
  }

  letGo(): void {
    this.held = null;
  }
}
