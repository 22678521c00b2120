/** One endpoint for several nodes of a process: each hears the messages that name what it takes part in. */

import type { Address } from "../world.ts";
import type { Counters } from "./counters.ts";
import { Endpoint, type EndpointSetup, type NodeLine } from "./endpoint.ts";
import type { Keyring } from "./keyring.ts";

/** A node's part of a shared endpoint. */
export interface EndpointShare {
  readonly counters: Counters;
  line(receive: (from: Address, message: unknown) => void): NodeLine;
}

export class SharedEndpoint<Key> {
  private readonly setup: Omit<EndpointSetup, "receive" | "refused">;
  private readonly keyOf: (message: unknown) => Key;
  private readonly endpoint: Endpoint;
  private readonly receivers = new Map<Key, (from: Address, message: unknown) => void>();

  constructor(setup: Omit<EndpointSetup, "receive" | "refused">, keyOf: (message: unknown) => Key) {
    this.setup = setup;
    this.keyOf = keyOf;
    this.endpoint = new Endpoint({
      ...setup,
      receive: (from, message) => this.receive(from, message),
      refused() {},
    });
    this.endpoint.listen();
  }

  share(key: Key): EndpointShare {
    const { endpoint, receivers } = this;
    const { counters, world } = this.setup;
    return {
      counters,
      line: (receive) => ({
        // Each node has a life of its own: one that takes part again has forgotten what it said before.
        life: Number(world.bytes(8).readBigUInt64BE() >> 11n),
        remembered: endpoint.remembered,
        listen: () => void receivers.set(key, receive),
        rekey: (keyring) => endpoint.rekey(keyring),
        send: (to, messages) => endpoint.send(to, messages),
        record: (act) => endpoint.record(act),
        close: async () => void receivers.delete(key),
      }),
    };
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }

  private receive(from: Address, message: unknown): void {
    const receiver = this.receivers.get(this.keyOf(message));
    if (receiver === undefined) this.setup.counters.drop("other-election");
    else receiver(from, message);
  }
}
