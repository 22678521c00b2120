/** Puts together what happened in one event of a run that somebody steps through. */
import { keep, type Restore } from "./frames.ts";
import type { Missed, Observer, Start } from "./observer.ts";

/** A message that a handler sent. */
export interface Sent {
  /** The number of the message; null where it was lost at once. */
  readonly flight: number | null;
  /** Below 0 where an address leads to nobody. */
  readonly to: number;
  readonly message: unknown;
  readonly lost: Missed | null;
}

/** What an event is, besides its number, time and effects. */
export type Happening =
  | { readonly kind: Start | "crash" | "leave" | "resume" | "end-round"; readonly node: number }
  | { readonly kind: "pause"; readonly node: number; readonly to: number }
  | { readonly kind: "expire"; readonly node: number; readonly timer: string }
  | { readonly kind: "command"; readonly node: number; readonly message: unknown }
  | {
      readonly kind: "deliver";
      readonly node: number;
      readonly from: number;
      readonly flight: number;
      readonly message: unknown;
    }
  /** A message is gone: dropped by hand, or there was nobody to take it. */
  | {
      readonly kind: "lose";
      readonly node: number;
      readonly from: number;
      readonly flight: number;
      readonly message: unknown;
      readonly why: Missed;
    }
  | { readonly kind: "cut"; readonly node: null };

export class StepRecorder implements Observer {
  /** What happens in the present event; null before anything has. */
  happening: Happening | null = null;
  sends: Sent[] = [];
  /** A fault fell inside the handler. */
  struck: "crash" | "pause" | null = null;
  /** Who sent a message that is on its way, and when. */
  private origins = new Map<number, { from: number; sent: number }>();

  clear(): void {
    this.happening = null;
    this.sends = [];
    this.struck = null;
  }

  origin(flight: number): { readonly from: number; readonly sent: number } {
    return this.origins.get(flight)!;
  }

  started(node: number, _time: number, how: Start): void {
    this.happening = { kind: how, node };
  }

  sent(flight: number | null, from: number, to: number, message: unknown, time: number): void {
    this.sends.push({ flight, to, message, lost: null });
    if (flight !== null) this.origins.set(flight, { from, sent: time });
  }

  duplicated(flight: number, of: number, to: number): void {
    this.sends.push({ flight, to, message: this.sends[this.sends.length - 1].message, lost: null });
    this.origins.set(flight, this.origin(of));
  }

  /** How many messages are on their way. */
  get flying(): number {
    return this.origins.size;
  }

  lost(flight: number | null, node: number, _time: number, why: Missed, message: unknown): void {
    if (flight === null) {
      this.sends.push({ ...this.sends.pop()!, lost: why });
      return;
    }
    this.happening = { kind: "lose", node, from: this.origin(flight).from, flight, message, why };
    this.origins.delete(flight);
  }

  delivered(flight: number, node: number, message: unknown): void {
    this.happening = { kind: "deliver", node, from: this.origin(flight).from, flight, message };
    this.origins.delete(flight);
  }

  commanded(node: number, message: unknown): void {
    this.happening = { kind: "command", node, message };
  }

  expired(node: number, timer: string): void {
    this.happening = { kind: "expire", node, timer };
  }

  roundEnded(node: number): void {
    this.happening = { kind: "end-round", node };
  }

  left(node: number): void {
    this.happening = { kind: "leave", node };
  }

  resumed(node: number): void {
    this.happening = { kind: "resume", node };
  }

  crashed(node: number): void {
    if (this.happening === null) this.happening = { kind: "crash", node };
    else this.struck = "crash";
  }

  paused(node: number, _time: number, to: number): void {
    if (this.happening === null) this.happening = { kind: "pause", node, to };
    else this.struck = "pause";
  }

  save(): Restore {
    return keep(this, ["origins"]);
  }
}
