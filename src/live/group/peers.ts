/**
 * Peers: what a machine sends messages to and that is not on the network, such as a lease store, which is reached through a client
 * library. A peer's address is never a network address, and its answers do not come as datagrams, so no stranger can forge them.
 */
import type { Address as Text } from "../../protocol.ts";
import type { LeaseAnswer } from "../../protocols/lease/messages.ts";
import { isHeardExtension, isLeaseRequest } from "../../protocols/lease/shapes.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { readPlace } from "../net/address.ts";

export interface Peer {
  /**
   * Takes a message of the machine, and calls `answer` with each reply, at once or later. Drops a message that it does not understand.
   * Never throws.
   */
  ask(message: unknown, answer: (message: unknown) => void): void;
}

/** Peers by address. */
export type Peers = Readonly<Record<Text, Peer>>;

/** Throws if a peer has an address that a member could have. */
export function checkPeers(peers: Peers): ReadonlyMap<Text, Peer> {
  for (const address of Object.keys(peers)) {
    if (readPlace(address) !== null) throw new Error(`${address} is an address on the network, not one of a peer`);
  }
  return new Map(Object.entries(peers));
}

// An engine as a peer of the machine: requests become calls, and failed calls become answers that say why.

/** The engine's address, for the machine. No datagram can come from it. */
export const ENGINE = "engine";

export function enginePeer(engine: Pick<LeaseEngine, "ask" | "heard">): Peer {
  return {
    ask(message, answer) {
      if (isHeardExtension(message)) {
        engine.heard?.(message);
        return;
      }
      // A member can claim the engine's address. What others send to that member is dropped here.
      if (!isLeaseRequest(message)) return;
      const { id, life } = message;
      const failed = (error: unknown): LeaseAnswer => ({ kind: "failed", id, to: life, why: wordsOf(error) });
      // The async function turns an error that `ask` throws at once into a rejection.
      (async () => engine.ask(message))().then(answer, (error: unknown) => answer(failed(error)));
    },
  };
}

/** The message of an error, or its code: errors of some clients have no message. */
function wordsOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : "the lease store could not be asked";
}
