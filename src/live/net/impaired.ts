/** A transport with faults of our own making, for tests and demonstrations. */
import { HostStream } from "../../random/streams.ts";
import type { Transport, World } from "../world.ts";
import type { Counters } from "./counters.ts";

/** What is done to a member's datagrams on purpose. */
export interface Impairment {
  /** Probability, from 0 to 1, that a datagram that leaves is lost. */
  readonly loss: number;
  /** Milliseconds that every datagram is held back. */
  readonly delay: number;
  /** The same seed and member lose the same datagrams of the sequence. */
  readonly seed: number;
  readonly member: number;
}

export function impaired(
  world: World,
  transport: Transport,
  { loss, delay, seed, member }: Impairment,
  counters: Counters,
): Transport {
  const draws = new HostStream(seed, member % 2 ** 32, "losses");
  return {
    ...transport,
    send(datagram, to, failed) {
      if (draws.coin(loss)) counters.drop("injected-loss");
      else if (delay === 0) transport.send(datagram, to, failed);
      else world.set(delay, () => transport.send(datagram, to, failed));
    },
  };
}
