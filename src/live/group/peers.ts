/**
 * A peer that a machine sends messages to by an address, and that is not on the network: a database that grants leases,
 * asked through a client of its own. A peer's address is no network address, and what it says comes in by another door than
 * datagrams do, so that no stranger can speak in its name.
 */
import type { Address as Text } from "../../protocol.ts";
import type { LeaseAnswer } from "../../protocols/lease/messages.ts";
import { isHeardExtension, isLeaseRequest } from "../../protocols/lease/shapes.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import { readPlace } from "../net/address.ts";

export interface Peer {
  /**
   * Takes what the machine has sent, and hands over what comes back, at any later time, also in the same moment. What it does
   * not understand it drops. Never throws.
   */
  ask(message: unknown, answer: (message: unknown) => void): void;
}

/** By address. */
export type Peers = Readonly<Record<Text, Peer>>;

/** Addresses that could be those of members would mix the two doors up. */
export function checkPeers(peers: Peers): ReadonlyMap<Text, Peer> {
  for (const address of Object.keys(peers)) {
    if (readPlace(address) !== null) throw new Error(`${address} is an address on the network, not one of a peer`);
  }
  return new Map(Object.entries(peers));
}

// An engine as a peer of the machine: requests become calls, and calls that fail become answers that say why.

/** The engine's address, for the machine: not one that a datagram could come from. */
export const ENGINE = "engine";

export function enginePeer(engine: Pick<LeaseEngine, "ask" | "heard">): Peer {
  return {
    ask(message, answer) {
      if (isHeardExtension(message)) {
        engine.heard?.(message);
        return;
      }
      // Members can be told of a member at the engine's address: what is said to that one is nothing to an engine.
      if (!isLeaseRequest(message)) return;
      const { id, life } = message;
      const failed = (error: unknown): LeaseAnswer => ({ kind: "failed", id, to: life, why: wordsOf(error) });
      // Within an async function what is thrown at once is a rejection too.
      (async () => engine.ask(message))().then(answer, (error: unknown) => answer(failed(error)));
    },
  };
}

/** An error without words, as some clients have them, still says something. */
function wordsOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : "the lease store could not be asked";
}
