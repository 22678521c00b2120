/**
 * Everything that stands between a socket and a handler takes its clock, its timers, its randomness and its network from
 * here, so that the same code runs in real time (real-world.ts) and, seeded, in virtual time (virtual-world.ts).
 */
import type { Source } from "../random/source.ts";

/** Cancels a request; does nothing once the request was carried out. */
export type Cancel = () => void;

/** Clock, timers and randomness. */
export interface World {
  /** Monotonic milliseconds. The clock goes on while the process is paused. */
  now(): number;
  /**
   * Milliseconds since 1970, as the system's clock says: it can be set, in both directions, and a machine that was suspended
   * finds it set forward, while `now` may have stopped. For deadlines alone, beside `now`.
   */
  wall(): number;
  /**
   * Calls back after this many milliseconds, or later. `slack`: so many more do no harm. A process with many members then wakes
   * once for many of them.
   */
  set(ms: number, callback: () => void, slack?: number): Cancel;
  /** Calls back once what has arrived by now was read. */
  soon(callback: () => void): void;
  readonly draws: Source;
  /** Random bytes for keys, salts and lives. */
  bytes(count: number): Buffer;
}

/** Where a process listens. */
export interface Address {
  /** A numeric address, IPv4 or IPv6. */
  readonly host: string;
  readonly port: number;
  /** As it is written, where that was done already. */
  readonly text?: string;
}

/** What carries datagrams. */
export interface Transport {
  readonly address: Address;
  /** `failed` is called where the operating system refuses the datagram. */
  send(datagram: Uint8Array, to: Address, failed: () => void): void;
  /** `from`: where it says it comes from, which anybody can write; null where that is not known. Answers do not go there. */
  listen(receive: (datagram: Uint8Array, from: Address | null) => void): void;
  close(): Promise<void>;
}

/** A world that looks at the clock before anything else happens: after a pause that must come first. */
export function attentive(world: World, look: () => void): World {
  const first = (callback: () => void) => () => {
    look();
    callback();
  };
  return {
    now: () => world.now(),
    wall: () => world.wall(),
    set: (ms, callback, slack) => world.set(ms, first(callback), slack),
    soon: (callback) => world.soon(first(callback)),
    draws: world.draws,
    bytes: (count) => world.bytes(count),
  };
}

/** Calls back every this many milliseconds, at least those apart: after a pause once, not once for each time missed. */
export function every(world: World, ms: number, callback: () => void): Cancel {
  let cancel = world.set(ms, tick);
  function tick(): void {
    cancel = world.set(ms, tick);
    callback();
  }
  return () => cancel();
}
