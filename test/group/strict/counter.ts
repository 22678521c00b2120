/**
 * The resource that holders write to: a counter for each seat behind a guard, which keeps the newest token and its lease. It is
 * a process of its own, so that writes are lost, repeated and late like everything else.
 */
import type { Protocol } from "../../../src/protocol.ts";

/** What a holder does to the resource. */
export interface Write {
  readonly kind: "write";
  readonly seat: string;
  readonly token: number;
  readonly lease: string;
}

/** The answer; `newest`: the highest token that was ever taken. */
export interface Written {
  readonly kind: "written";
  readonly seat: string;
  readonly token: number;
  readonly taken: boolean;
  readonly newest: number;
}

/** What a guard keeps of a seat. */
export interface Fence {
  readonly token: number;
  readonly lease: string;
}

/** Whether a write of that token and lease is taken, where the guard keeps `newest` (null: nothing yet). */
export type Admits = (newest: Fence | null, write: Fence) => boolean;

export interface CounterState {
  readonly fences: Map<string, Fence>;
  /** Writes that came, taken or not. */
  writes: number;
  /** The latest of them, and what came of it. */
  last: (Write & { readonly taken: boolean }) | null;
}

export type Counter = Protocol<unknown, CounterState, Write | Written>;

export function counter(admits: Admits): Counter {
  return {
    name: "guarded counter",
    title: "A counter behind a guard",
    citation: "none",
    cost: "an answer to each write",
    assumes: {
      topology: "open",
      identity: "anonymous",
      timing: "asynchronous",
      start: "common",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    parameters: [],
    measures: {},
    init: () => ({ fences: new Map(), writes: 0, last: null }),
    receive(state, port, message, ctx) {
      if (message.kind !== "write") return;
      const { seat, token, lease } = message;
      const taken = admits(state.fences.get(seat) ?? null, { token, lease });
      if (taken) state.fences.set(seat, { token, lease });
      state.writes++;
      state.last = { ...message, taken };
      const newest = state.fences.get(seat)?.token ?? 0;
      ctx.send(port, { kind: "written", seat, token, taken, newest });
    },
    verdict: () => ({ status: "not-elected", leader: null, term: 0 }),
    accepts: (message) => (message as { readonly kind?: unknown } | null)?.kind === "write",
    bits: () => 0,
  };
}
