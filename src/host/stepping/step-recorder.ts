/** Puts together what happened in one event of a run that somebody steps through. */
import type { Handled, Seen } from "../../narrator.ts";
import type { Partition } from "../faults/faults.ts";
import type { LossReason, Missed, Observer, Start } from "../observer.ts";
import { keep, type Restore } from "./frames.ts";

/** A message that a handler sent. */
export interface Sent {
  /** The number of the message; null where it was lost at once. */
  readonly flight: number | null;
  /** Below 0 where an address leads to nobody. */
  readonly to: number;
  readonly message: unknown;
  readonly lost: Missed | null;
  /** One copy of a multicast, which counts once. */
  readonly multicast?: boolean;
}

/** What happens to one node: a handler of it runs, a fault strikes it, or a message to it is gone. */
type AtNode =
  | Handled<unknown>
  | { readonly do: "crash" | "resume" }
  /** Until when; a trace does not say it. */
  | { readonly do: "pause"; readonly to?: number }
  /** Dropped by hand, or there was nobody to take it. */
  | { readonly do: "lose"; readonly from: number; readonly message: unknown; readonly why: LossReason }
  /** It has arrived, and does not have the shape of a message (`accepts`). */
  | { readonly do: "refuse"; readonly from: number; readonly message: unknown };

/** What an event is, besides its number, time and effects. */
export type Happening =
  | (AtNode & { readonly node: number })
  /** By hand; null: the network is whole again. */
  | { readonly do: "cut"; readonly node: null; readonly partition: Partition | null };

/** One event of a run that is walked through. */
export type StepEvent = Happening & {
  /** From 1, in the order in which events happen. */
  readonly number: number;
  readonly time: number;
  /** The message that has ended here: delivered, lost or refused. */
  readonly flight: number | null;
  readonly sends: readonly Sent[];
  /** A fault fell inside the handler, after what it saved and before all it sent. */
  readonly struck: "crash" | "pause" | null;
};

/** Hears of each handler that has run, with the node's state then, which will change. */
export type OnHandled = (seen: Seen<unknown>, state: unknown) => void;

export class StepRecorder implements Observer {
  /** What happens in the present event; null before anything has. */
  happening: Happening | null = null;
  flight: number | null = null;
  sends: Sent[] = [];
  /** A fault fell inside the handler. */
  struck: "crash" | "pause" | null = null;
  /** Who sent a message that is on its way, and when. */
  private origins = new Map<number, { from: number; sent: number }>();
  /** What the present handler has sent; an event can have two handlers, where a message brings its receiver into being. */
  private sentNow: { to: number; message: unknown }[] = [];
  private readonly onHandled: OnHandled | undefined;

  constructor(onHandled?: OnHandled) {
    this.onHandled = onHandled;
  }

  clear(): void {
    this.happening = null;
    this.flight = null;
    this.sends = [];
    this.struck = null;
  }

  origin(flight: number): { readonly from: number; readonly sent: number } {
    return this.origins.get(flight)!;
  }

  private begin(happening: Happening): void {
    this.happening = happening;
    if (this.sentNow.length > 0) this.sentNow = [];
  }

  started(node: number, _time: number, how: Start): void {
    this.begin({ do: how, node });
  }

  sent(flight: number | null, from: number, to: number, message: unknown, time: number, multicast: boolean): void {
    this.sends.push({ flight, to, message, lost: null, multicast });
    if (to >= 0) this.sentNow.push({ to, message });
    if (flight !== null) this.origins.set(flight, { from, sent: time });
  }

  duplicated(flight: number, of: number, to: number): void {
    const { message, multicast } = this.sends[this.sends.length - 1];
    this.sends.push({ flight, to, message, lost: null, multicast: multicast === true });
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
    const from = this.arrive(flight);
    if (why === "refused") this.begin({ do: "refuse", node, from, message });
    else this.begin({ do: "lose", node, from, message, why });
  }

  delivered(flight: number, node: number, message: unknown): void {
    this.begin({ do: "deliver", node, from: this.arrive(flight), message });
  }

  /** Its sender. */
  private arrive(flight: number): number {
    const { from } = this.origin(flight);
    this.origins.delete(flight);
    this.flight = flight;
    return from;
  }

  commanded(node: number, message: unknown): void {
    this.begin({ do: "command", node, message });
  }

  expired(node: number, timer: string): void {
    this.begin({ do: "timer", node, timer });
  }

  roundEnded(node: number): void {
    this.begin({ do: "end-round", node });
  }

  left(node: number): void {
    this.begin({ do: "leave", node });
  }

  resumed(node: number): void {
    this.begin({ do: "resume", node });
  }

  cut(partition: Partition | null): void {
    this.begin({ do: "cut", node: null, partition });
  }

  crashed(node: number): void {
    if (this.happening === null) this.begin({ do: "crash", node });
    else this.struck = "crash";
  }

  paused(node: number, _time: number, to: number): void {
    if (this.happening === null) this.begin({ do: "pause", node, to });
    else this.struck = "pause";
  }

  settled(_node: number, _time: number, state: unknown): void {
    // Only what a handler has handled settles.
    this.onHandled?.({ ...this.happening, sent: this.sentNow } as Seen<unknown>, state);
  }

  save(): Restore {
    return keep(this, ["origins"]);
  }
}
