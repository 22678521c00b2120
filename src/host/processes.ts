/** The processes of a run: which run, in which life, which are paused, and what each has stored. */
import { type Port, SELF } from "../protocol.ts";
import type { Missed } from "./observer.ts";
import { keep, type Restore } from "./stepping/frames.ts";

export class Processes {
  /** Whether there has been any fault, so that the questions below are worth asking. */
  troubled = false;
  /** The processes that do not run, and why messages to them are missed. */
  private down = new Map<number, Missed>();
  private pausedUntil = new Map<number, number>();
  /** The number of ended lives of each process that has any. */
  private ended = new Map<number, number>();
  /** The number of flights when a process last ended: earlier messages to itself ended with it. */
  private endedAt = new Map<number, number>();
  /** Messages that reached a process while it was paused, and in which of its lives. */
  private waiting = new Map<number, number>();
  private dropped = new Set<number>();
  private stored = new Map<number, unknown>();

  alive(node: number): boolean {
    return this.down.size === 0 || !this.down.has(node);
  }

  /** How often the process had started before its present start. */
  life(node: number): number {
    return this.ended.get(node) ?? 0;
  }

  /** The process does not exist when the run begins. */
  absent(node: number, why: Missed): void {
    this.down.set(node, why);
    this.troubled = true;
  }

  end(node: number, why: Missed, flights: number): void {
    this.absent(node, why);
    this.ended.set(node, this.life(node) + 1);
    this.endedAt.set(node, flights);
  }

  revive(node: number, saved: boolean): void {
    this.down.delete(node);
    if (!saved) this.stored.delete(node);
  }

  pause(node: number, until: number): void {
    this.pausedUntil.set(node, Math.max(until, this.pausedUntil.get(node) ?? 0));
    this.troubled = true;
  }

  /** Whether the process goes on now; a longer pause can have come over a shorter one. */
  resume(node: number, now: number): boolean {
    return this.resumes(node, now) === now && this.pausedUntil.delete(node);
  }

  /** When a paused process goes on; `now` if it is not paused. */
  resumes(node: number, now: number): number {
    return this.pausedUntil.size === 0 ? now : Math.max(now, this.pausedUntil.get(node) ?? 0);
  }

  drop(flight: number): void {
    this.dropped.add(flight);
    this.troubled = true;
  }

  /** Whether a message was taken off the network while it was on its way. */
  wasDropped(flight: number): boolean {
    return this.dropped.has(flight);
  }

  /** Why a message that arrives now is missed; null if it is not. */
  misses(flight: number, node: number, port: Port): Missed | null {
    const why = this.down.get(node);
    if (why !== undefined) return why;
    const former = this.waiting.has(flight) && this.waiting.get(flight) !== this.life(node);
    return former || (port === SELF && flight < (this.endedAt.get(node) ?? 0)) ? "crash" : null;
  }

  /** A message has reached the process and waits for the end of a pause. */
  wait(flight: number, node: number): void {
    if (!this.waiting.has(flight)) this.waiting.set(flight, this.life(node));
  }

  store(node: number, saved: unknown): void {
    this.stored.set(node, saved);
  }

  storedBy(node: number): unknown {
    return this.stored.get(node) ?? null;
  }

  save(): Restore {
    const fields = ["troubled", "down", "pausedUntil", "ended", "endedAt", "waiting", "dropped", "stored"];
    return keep(this, fields);
  }
}
