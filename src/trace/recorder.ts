/** Watches a simulated run and writes its trace. */
import type { Missed, Observer, Start } from "../host/observer.ts";
import type { AnyProtocol } from "../protocol.ts";
import { type TraceEvent, TraceLog } from "./events.ts";
import type { Teller } from "./story.ts";

/** An observer that writes down what happens in a run, with the cause of each event. */
export class Recorder implements Observer {
  private readonly log = new TraceLog();
  private readonly protocol: AnyProtocol;
  private readonly sentBy: { event: number; from: number }[] = [];
  private lastSend = 0;
  private readonly teller: Teller | null;

  constructor(protocol: AnyProtocol, teller: Teller | null = null) {
    this.protocol = protocol;
    this.teller = teller;
  }

  get events(): readonly TraceEvent[] {
    return this.log.events;
  }

  started(node: number, time: number, how: Start): void {
    this.log.handle(time, { do: how, node }, null);
  }

  crashed(node: number, time: number): void {
    this.log.add(time, { do: "crash", node }, null);
  }

  left(node: number, time: number): void {
    this.log.handle(time, { do: "leave", node }, null);
  }

  paused(node: number, time: number): void {
    this.log.add(time, { do: "pause", node }, null);
  }

  resumed(node: number, time: number): void {
    this.log.handle(time, { do: "resume", node }, null);
  }

  commanded(node: number, message: unknown, time: number): void {
    this.log.handle(time, { do: "command", node, message }, null);
  }

  /** An address where nobody is has no place in a picture, and neither has what is sent there. */
  sent(flight: number | null, from: number, to: number, message: unknown, time: number): void {
    if (to < 0) return;
    this.lastSend = this.log.effect(time, { do: "send", node: from, to, message });
    if (flight !== null) this.sentBy[flight] = { event: this.lastSend, from };
  }

  duplicated(flight: number, of: number, to: number, time: number): void {
    this.sentBy[flight] = this.sentBy[of];
    this.log.add(time, { do: "duplicate", node: to }, this.sentBy[of].event);
  }

  lost(flight: number | null, to: number, time: number, why: Missed, message: unknown): void {
    if (to < 0) return;
    const cause = flight === null ? this.lastSend : this.sentBy[flight].event;
    if (why === "refused") this.log.handle(time, { do: "refuse", node: to, message }, cause);
    else this.log.add(time, { do: "lose", node: to, why }, cause);
  }

  delivered(flight: number, node: number, message: unknown, time: number): void {
    const { event, from } = this.sentBy[flight];
    this.log.handle(time, { do: "deliver", node, from, message }, event);
  }

  expired(node: number, timer: string, time: number): void {
    this.log.handle(time, { do: "timer", node, timer }, null);
  }

  roundEnded(node: number, round: number): void {
    this.log.handle(round, { do: "end-round", node }, null);
  }

  settled(node: number, time: number, state: unknown): void {
    this.log.believes(time, node, this.protocol.verdict(state));
    this.teller?.settled(this.log, state);
  }
}
