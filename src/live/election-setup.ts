/** What an election is: everything that its members agree on, and what each of them has for itself. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Topology } from "../topology/topology.ts";
import { ELECTION_BYTES } from "./frames.ts";
import type { Membership } from "./members.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";

/** Members with more neighbours than this meet them when they have something to say, not before the start. */
const MOST_MET = 128;

export interface ElectionSetup {
  readonly protocol: AnyProtocol;
  readonly params: Params;
  /** Who takes part; the endpoint may know more members. */
  readonly membership: Membership;
  /** Whether this member starts unasked; null leaves it to the protocol. */
  readonly initiator: boolean | null;
  /** Distinguishes elections of the same members with the same protocol. */
  readonly name: string;
  /** Milliseconds to the protocol's unit of time; to a round of a synchronous one. */
  readonly tau: number;
  /** Milliseconds that members wait for each other at the start. */
  readonly gather: number;
  /** Milliseconds of standstill that count as a pause. */
  readonly stallLimit: number;
  readonly multicast: "auto" | "fan-out" | "epidemic";
  /** The folder, or another place, for what must survive a crash; `name` tells the election and the member. */
  readonly state: string | ((name: string) => Store) | null;
}

/** Whom a member meets before the start; in large groups nobody. */
export function neighboursOf(topology: Topology, self: number): number[] {
  const degree = topology.degree(self);
  if (degree > MOST_MET) return [];
  const all = Array.from({ length: degree }, (_, port) => topology.neighbour(self, port));
  return [...new Set(all)].filter((node) => node !== self);
}

export function refuseStranger(self: Id): never {
  throw new InputError(`member ${self} does not take part in this election: it is not in the list of members`);
}

export function checkTau(tau: number): void {
  if (!(tau >= 1)) throw new InputError(`tau must be at least 1 ms, not ${tau}: no network is timely within less`);
}

export function storeOf({ protocol, state }: ElectionSetup, name: string): Store {
  if (protocol.saved === undefined) return memoryStore();
  if (state !== null) return typeof state === "string" ? fileStore(state, name) : state(name);
  throw new InputError(
    (name) => `${protocol.name} keeps state that must survive a crash: name a folder with ${name("state")}`,
  );
}

/** Members with another list, other parameters or another tau would not understand each other, so they do not meet. */
export function digestOf(
  { protocol, params, membership, name, tau, multicast }: ElectionSetup,
  ids: readonly Id[],
): Buffer {
  const agreed = JSON.stringify([name, protocol.name, params, ids, membership.edges, tau, multicast]);
  return createHash("sha256").update(agreed).digest().subarray(0, ELECTION_BYTES);
}
