/** A protocol as it runs over datagrams here, what they count as, and how long it waits of its own accord. */
import type { AnyProtocol } from "../protocol.ts";
import { overDatagrams } from "../protocols/link/linked.ts";
import { isIdle } from "../protocols/reliable.ts";
import type { DatagramKind } from "./counters.ts";
import { Waits } from "./waits.ts";

export interface Linked {
  readonly protocol: AnyProtocol;
  readonly waits: Waits;
  /** What a datagram with this message counts as. */
  kindOf(message: unknown): DatagramKind;
  /** Whether nothing waits for an acknowledgement, in this state of a node. */
  isIdle(state: unknown): boolean;
}

export function linked(bare: AnyProtocol, params: unknown, tau: number): Linked {
  const waits = new Waits();
  const { protocol, isReliable } = overDatagrams(waits.watch(bare), params, tau);
  if (!isReliable) return { waits, protocol, kindOf: () => "message", isIdle: () => true };
  return {
    waits,
    protocol,
    kindOf(message) {
      const { kind, again } = message as { kind?: unknown; again?: unknown };
      if (kind !== "data") return "acknowledgement";
      return again === true ? "retransmission" : "message";
    },
    isIdle: (state) => state === null || isIdle(state as Parameters<typeof isIdle>[0]),
  };
}
