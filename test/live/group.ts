/** Groups of live members in this process, over loopback sockets. */

import { insecureKeyring, type Keyring } from "../../src/live/keyring.ts";
import type { ElectOptions } from "../../src/live/member.ts";
import { LiveMember } from "../../src/live/member.ts";
import type { Member, Membership } from "../../src/live/members.ts";
import { parametersFor } from "../../src/live/network.ts";
import type { Outcome } from "../../src/live/outcome.ts";
import { openUdp } from "../../src/live/udp.ts";
import type { Transport } from "../../src/live/world.ts";
import type { AnyProtocol, Id } from "../../src/protocol.ts";
import type { Params } from "../../src/protocols/parameters.ts";

export interface GroupSetup {
  readonly ids: readonly Id[];
  /** Of each member; loopback by default. */
  readonly hosts?: readonly string[];
  readonly keyring?: Keyring;
  /** Something between a member and its socket. */
  readonly wrap?: (transport: Transport, id: Id) => Transport;
}

export class LiveGroup {
  readonly members: readonly LiveMember[];
  readonly listed: readonly Member[];
  private elections = 0;

  private constructor(members: readonly LiveMember[], listed: readonly Member[]) {
    this.members = members;
    this.listed = listed;
  }

  static async open(setup: GroupSetup): Promise<LiveGroup> {
    const { ids, hosts = [], keyring = insecureKeyring() } = setup;
    const sorted = [...ids].sort((a, b) => a - b);
    const transports = await Promise.all(sorted.map((_, i) => openUdp({ host: hosts[i] ?? "127.0.0.1", port: 0 })));
    const listed = sorted.map((id, i) => ({ id, ...transports[i].address }));
    const members = listed.map(
      ({ id }, i) =>
        new LiveMember({
          self: id,
          members: listed,
          keyring,
          transport: setup.wrap?.(transports[i], id) ?? transports[i],
        }),
    );
    return new LiveGroup(members, listed);
  }

  get membership(): Membership {
    return { members: this.listed, edges: [] };
  }

  member(id: Id): LiveMember {
    return this.members.find(({ endpoint }) => endpoint.self === id)!;
  }

  /** An election of all members. */
  async elect(protocol: AnyProtocol, given: Params = {}, options: Partial<ElectOptions> = {}): Promise<Outcome[]> {
    const { membership } = this;
    const name = String(this.elections++);
    return Promise.all(
      membership.members.map(({ id }) =>
        this.member(id).elect({
          protocol,
          params: parametersFor(protocol, given, membership),
          membership,
          initiator: null,
          name,
          tau: 25,
          gather: 5000,
          stallLimit: 100,
          multicast: "auto",
          store: null,
          timeout: 20_000,
          linger: 150,
          ...options,
        }),
      ),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }
}

export const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);
