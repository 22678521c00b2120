/** Watches a simulated run and writes its trace. */
import type { Crash } from "../host/faults.ts";
import type { Observer } from "../host/observer.ts";
import type { AnyProtocol } from "../protocol.ts";
import { type TraceEvent, TraceLog } from "./events.ts";
import type { Teller } from "./story.ts";

const latestFirst = (a: Crash, b: Crash): number => b.at - a.at;

/** An observer that writes down what happens in a run, with the cause of each event. */
export class Recorder implements Observer {
  private readonly log = new TraceLog();
  private readonly protocol: AnyProtocol;
  /** Crashes still to come, the next one last. */
  private readonly crashes: Crash[];
  private readonly crashed = new Set<number>();
  private readonly sentBy: { event: number; from: number }[] = [];
  private lastSend = 0;
  private readonly teller: Teller | null;

  constructor(protocol: AnyProtocol, crashes: readonly Crash[], teller: Teller | null = null) {
    this.protocol = protocol;
    this.teller = teller;
    this.crashes = [...crashes].sort(latestFirst);
  }

  get events(): readonly TraceEvent[] {
    return this.log.events;
  }

  started(node: number, time: number): void {
    this.until(time);
    this.log.handle(time, { do: "start", node }, null);
  }

  sent(flight: number | null, from: number, to: number, message: unknown, time: number): void {
    this.lastSend = this.log.effect(time, { do: "send", node: from, to, message });
    if (flight !== null) this.sentBy[flight] = { event: this.lastSend, from };
  }

  lost(flight: number | null, to: number, time: number, why: "loss" | "crash"): void {
    this.until(time);
    this.log.add(time, { do: "lose", node: to, why }, flight === null ? this.lastSend : this.sentBy[flight].event);
  }

  delivered(flight: number, node: number, message: unknown, time: number): void {
    this.until(time);
    const { event, from } = this.sentBy[flight];
    this.log.handle(time, { do: "deliver", node, from, message }, event);
  }

  failing(node: number, at: number): void {
    this.crashes.push({ node, at });
    this.crashes.sort(latestFirst);
  }

  expired(node: number, timer: string, time: number): void {
    this.until(time);
    this.log.handle(time, { do: "timer", node, timer }, null);
  }

  roundEnded(node: number, round: number): void {
    this.until(round);
    this.log.handle(round, { do: "end-round", node }, null);
  }

  settled(node: number, time: number, state: unknown): void {
    this.log.believes(time, node, this.protocol.verdict(state));
    this.teller?.settled(this.log, state);
  }

  private until(time: number): void {
    for (let next = this.crashes.at(-1); next !== undefined && next.at <= time; next = this.crashes.at(-1)) {
      this.crashes.pop();
      if (this.crashed.has(next.node)) continue;
      this.crashed.add(next.node);
      this.log.add(Math.max(0, next.at), { do: "crash", node: next.node }, null);
    }
  }
}
