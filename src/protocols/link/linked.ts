/** What a protocol is wrapped in so that datagrams will do: rounds, reliable links or links in order, as it assumes them. */
import type { AnyProtocol } from "../../protocol.ts";
import { ordered } from "../ordered.ts";
import { isSynchronous } from "../parameters.ts";
import { reliable } from "../reliable.ts";
import { synchronise } from "../synchroniser.ts";

/** The first time-out in units of tau: where messages must come within tau, two retransmissions have to fit in. */
const TIMELY = 1 / 4;
const UNHURRIED = 1;
/** No time-out grows beyond this, in milliseconds; so many in a row without an answer are over a minute of silence. */
const LONGEST = 500;
const PATIENCE = 150;

interface OverDatagrams {
  readonly protocol: AnyProtocol;
  /** Whether messages are acknowledged and sent again. */
  readonly isReliable: boolean;
}

/** `tau`: milliseconds to the protocol's unit of time. */
export function overDatagrams(bare: AnyProtocol, params: unknown, tau: number): OverDatagrams {
  const protocol = isSynchronous(bare, params) ? synchronise(bare) : bare;
  const { tolerates, fifo, timing } = protocol.assumes;
  if (tolerates.includes("loss")) return { protocol: fifo ? ordered(protocol) : protocol, isReliable: false };
  const timeout = timing === "asynchronous" ? UNHURRIED : TIMELY;
  return {
    protocol: reliable(protocol, { timeout, longest: Math.max(timeout, LONGEST / tau), patience: PATIENCE }),
    isReliable: true,
  };
}
