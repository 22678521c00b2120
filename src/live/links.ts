/** What a protocol is wrapped in so that datagrams will do: rounds, reliable links or links in order, as it assumes them. */
import type { AnyProtocol } from "../protocol.ts";
import { ordered } from "../protocols/ordered.ts";
import { isSynchronous } from "../protocols/parameters.ts";
import { isIdle, reliable } from "../protocols/reliable.ts";
import { synchronise } from "../protocols/synchroniser.ts";
import type { DatagramKind } from "./counters.ts";
import { Waits } from "./waits.ts";

/** The first time-out in units of tau: where messages must come within tau, two retransmissions have to fit in. */
const TIMELY = 1 / 4;
const UNHURRIED = 1;
/** No time-out grows beyond this, in milliseconds; so many in a row without an answer are over a minute of silence. */
const LONGEST = 500;
const PATIENCE = 150;

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
  const watched = waits.watch(bare);
  const protocol = isSynchronous(bare, params) ? synchronise(watched) : watched;
  const { tolerates, fifo, timing } = protocol.assumes;
  if (tolerates.includes("loss")) {
    return { waits, protocol: fifo ? ordered(protocol) : protocol, kindOf: () => "message", isIdle: () => true };
  }
  const timeout = timing === "asynchronous" ? UNHURRIED : TIMELY;
  return {
    waits,
    protocol: reliable(protocol, { timeout, longest: Math.max(timeout, LONGEST / tau), patience: PATIENCE }),
    kindOf(message) {
      const { kind, again } = message as { kind?: unknown; again?: unknown };
      if (kind !== "data") return "acknowledgement";
      return again === true ? "retransmission" : "message";
    },
    isIdle: (state) => state === null || isIdle(state as Parameters<typeof isIdle>[0]),
  };
}
