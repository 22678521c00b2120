/** A context that writes down what a handler does and draws what it is told: for tests of single transitions. */
import type { Context, Port } from "../../src/protocol.ts";

export class Recorder<M extends { readonly kind: string }, T extends string> implements Context<M, T> {
  readonly degree: number;
  /** "kind>port" of each message, in order. */
  sent: string[] = [];
  readonly timers = new Map<T, number>();
  measured: Record<string, number> = {};
  sampled: Port[] = [];
  heads = false;

  constructor(degree: number) {
    this.degree = degree;
  }

  ports(): Port[] {
    return Array.from({ length: this.degree }, (_, port) => port);
  }

  linked(): boolean {
    return true;
  }

  link(): never {
    throw new Error("the links of these protocols are given");
  }

  unlink(): void {
    this.link();
  }

  address(): never {
    return this.link();
  }

  /** What was sent since the last call. */
  take(): string[] {
    const { sent } = this;
    this.sent = [];
    return sent;
  }

  send(port: Port, message: M): void {
    this.sent.push(`${message.kind}>${port}`);
  }

  multicast(): void {
    throw new Error("these protocols have no multicast");
  }

  arm(timer: T, min: number): void {
    this.timers.set(timer, min);
  }

  deadline(timer: T, after: number): void {
    this.timers.set(timer, after);
  }

  disarm(timer: T): void {
    this.timers.delete(timer);
  }

  choose(): number {
    return 0;
  }

  coin(): boolean {
    return this.heads;
  }

  sample(): Port[] {
    return this.sampled;
  }

  enter(): boolean {
    return true;
  }

  peer(): null {
    return null;
  }

  measure(name: string, value: number): void {
    this.measured[name] = (this.measured[name] ?? 0) + value;
  }

  series(): void {}
}
