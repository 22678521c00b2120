/** A member of given groups: an endpoint, and the elections that it takes part in, one after another or side by side. */
import { InputError } from "../../errors.ts";
import type { Id } from "../../protocol.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { numeric } from "../net/address.ts";
import { Counters } from "../net/counters.ts";
import { type Impairment, impaired } from "../net/impaired.ts";
import type { Keyring } from "../net/keyring.ts";
import { aesGcm, type Sealing } from "../net/sealing.ts";
import { SharedEndpoint } from "../net/shared.ts";
import { realWorld } from "../real-world.ts";
import type { Transport, World } from "../world.ts";
import type { Member } from "./members.ts";
import type { MemberOutcome } from "./part.ts";
import { ElectionPart, type ElectOptions, electionDigest, type PartMeans } from "./part.ts";

/** All elections under one key share this name: each message says which election it belongs to. */
const GROUP = "elections";

/** Elections that are over, and whose latecomers are told so. */
const MOST_REMEMBERED = 64;

/** This member, the members it may talk to, and how. */
export interface MemberSetup {
  readonly self: Id;
  /** Everybody that this member may ever talk to. */
  readonly members: readonly Member[];
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly impairment?: Omit<Impairment, "member">;
  /** Clock, timers and randomness: those of the machine, unless it is a virtual one. */
  readonly world?: World;
  readonly sealing?: Sealing;
}

/** This process as a member of a group: it takes part in elections until it is closed. */
export class LiveMember {
  readonly counters = new Counters();
  private readonly endpoint: SharedEndpoint<number | undefined>;
  private readonly means: PartMeans;
  /** By digest: those that run, and those that are over. */
  private readonly parts = new Map<string, ElectionPart>();

  constructor({ self, members, keyring, transport, impairment, world = realWorld, sealing = aesGcm }: MemberSetup) {
    const { counters } = this;
    const { host, port } = members.find(({ id }) => id === self) ?? transport.address;
    const advertised = numeric(host, port);
    this.endpoint = new SharedEndpoint(
      {
        group: GROUP,
        keyring,
        advertised,
        world,
        counters,
        listed: members.map((member) => numeric(member.host, member.port)),
        transport:
          impairment === undefined ? transport : impaired(world, transport, { ...impairment, member: self }, counters),
        sealing,
      },
      (message) => (message as { readonly election?: number } | null)?.election,
    );
    this.means = { self, advertised, world, counters, share: (election) => this.endpoint.share(election) };
  }

  /** Resolves with this member's outcome, verdict or not; rejects where the protocol cannot run. */
  elect(options: ElectOptions): Promise<MemberOutcome> {
    return new Promise((resolve, reject) => {
      const { protocol } = findProtocol(options.protocol);
      const id = electionDigest(protocol, options).toString("hex");
      if (this.parts.get(id)?.isRunning) {
        throw new InputError(`election ${options.name} already runs here: give the next one another name`);
      }
      const part = new ElectionPart(this.means, protocol, options);
      this.remember(id, part);
      part.run(resolve, reject);
    });
  }

  /** A user's command to the node of a running election, which gets it like a message from itself. */
  command(command: unknown, name = "1"): void {
    const running = [...this.parts.values()].filter((part) => part.name === name && part.isRunning);
    if (running.length === 0)
      throw new Error(`no election named ${name} runs here: give the name that it was started with`);
    for (const part of running) part.command(command);
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  async close(): Promise<void> {
    for (const part of this.parts.values()) {
      if (part.isRunning) part.stop();
      part.close();
    }
    await this.endpoint.close();
  }

  /** A member that restarts after the others are done would otherwise find nobody who knows, and begin anew. */
  private remember(id: string, part: ElectionPart): void {
    const forget = (each: string) => {
      this.parts.get(each)?.close();
      this.parts.delete(each);
    };
    forget(id);
    const over = [...this.parts].filter(([, { isRunning }]) => !isRunning).map(([each]) => each);
    for (const each of over.slice(0, Math.max(0, over.length - MOST_REMEMBERED))) forget(each);
    this.parts.set(id, part);
  }
}
