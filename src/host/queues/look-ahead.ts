/**
 * Memory is waited for once, not for one event after the other: of several events whose turn is near, the state and the message are
 * looked at one right after the other, so that the processor fetches them at the same time. Nothing follows from what is seen.
 */

/** With fewer nodes their states are in the processor's cache anyway. */
const FEW = 1 << 14;

export class LookAhead {
  private readonly states: readonly unknown[];
  /** When the last message of each node's first link arrives, where somebody keeps that. */
  private lasts: { lastOf(node: number): number } | null = null;
  /** Written so that the looking is not optimised away. */
  private seen = 0;

  /** Null where there are so few nodes that it would only cost time. */
  static over(states: readonly unknown[]): LookAhead | null {
    return states.length < FEW ? null : new LookAhead(states);
  }

  private constructor(states: readonly unknown[]) {
    this.states = states;
  }

  /** A node that gets a message is likely to send one. */
  include(lasts: { lastOf(node: number): number }): void {
    this.lasts = lasts;
  }

  look(node: number, message: unknown): void {
    // The type of an object is found where the object lies.
    if (typeof this.states[node] === "object") this.seen ^= 1;
    if (typeof message === "object") this.seen ^= 1;
    if (this.lasts !== null && this.lasts.lastOf(node) > 0) this.seen ^= 1;
  }
}
