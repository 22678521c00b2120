/**
 * Somebody whom a machine sends messages to, by an address, and who is not on the network: a database that grants leases,
 * asked through a client of its own. A peer's address is no network address, and what it says comes in by another door than
 * datagrams do, so that no stranger can speak in its name.
 */
import type { Address as Text } from "../../protocol.ts";
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
