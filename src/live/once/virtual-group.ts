/** Members as they ship, in one process and in virtual time: elections by the hundred a second, from a seed. */
import type { Id, Verdict } from "../../protocol.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { ProtocolChoice } from "../../protocols/registry.ts";
import { insecureKeyring, type Keyring } from "../net/keyring.ts";
import type { Sealing } from "../net/sealing.ts";
import { type Conditions, type VirtualMachine, VirtualNetwork } from "../virtual-world.ts";
import { LiveMember } from "./member.ts";
import type { Member, Membership } from "./members.ts";
import { parametersFor } from "./members.ts";
import type { ElectOptions, MemberOutcome } from "./part.ts";

/** Who is in a virtual group, and on what kind of network. */
export interface VirtualGroupSetup {
  readonly seed: number;
  readonly ids: readonly Id[];
  readonly conditions?: Partial<Conditions>;
  readonly keyring?: Keyring;
  readonly sealing?: Sealing;
}

/** One life of a member. */
export interface VirtualMember {
  readonly id: Id;
  readonly machine: VirtualMachine;
  readonly member: LiveMember;
}

/** What one life of a member made of an election. */
export interface VirtualPart {
  readonly self: Id;
  readonly verdicts: Verdict[];
  begun: boolean;
  outcome: MemberOutcome | null;
  error: unknown;
}

/** Members with the shipping code, sealing included, on a virtual network and in virtual time. */
export class VirtualGroup {
  readonly network: VirtualNetwork;
  readonly listed: readonly Member[];
  private readonly setup: VirtualGroupSetup;
  private readonly running = new Map<Id, VirtualMember>();

  /** Nobody runs yet. */
  constructor(setup: VirtualGroupSetup) {
    this.setup = setup;
    this.network = new VirtualNetwork(setup.seed, setup.conditions);
    this.listed = [...setup.ids].sort((a, b) => a - b).map((id, i) => ({ id, host: "10.0.0.1", port: i + 1 }));
  }

  get membership(): Membership {
    return { members: this.listed, edges: [] };
  }

  address(id: Id): Member {
    return this.listed.find((member) => member.id === id)!;
  }

  /** A process of that member starts; if one is running, it has crashed. */
  start(id: Id): VirtualMember {
    const { keyring = insecureKeyring(), sealing } = this.setup;
    const machine = this.network.machine(this.address(id));
    const { world, transport } = machine;
    const extra = sealing === undefined ? {} : { sealing };
    const member = new LiveMember({ self: id, members: this.listed, keyring, world, transport, ...extra });
    const started = { id, machine, member };
    this.running.set(id, started);
    return started;
  }

  /** The present life of a member. */
  of(id: Id): VirtualMember {
    return this.running.get(id) ?? this.start(id);
  }

  crash(id: Id): void {
    this.running.get(id)?.machine.crash();
    this.running.delete(id);
  }

  /** Lets a member take part; its part fills while the network runs. */
  elect(id: Id, protocol: ProtocolChoice, given: Params = {}, options: Partial<ElectOptions> = {}): VirtualPart {
    const membership = options.membership ?? this.membership;
    const part: VirtualPart = { self: id, verdicts: [], begun: false, outcome: null, error: null };
    this.of(id)
      .member.elect({
        protocol,
        params: parametersFor(protocol, given, membership),
        membership,
        initiator: null,
        name: "1",
        tau: 25,
        gather: 5000,
        stallLimit: 100,
        multicast: "auto",
        state: null,
        timeout: 20_000,
        linger: 200,
        onError: (error) => {
          part.error = error;
        },
        ...options,
        onBegin: () => {
          part.begun = true;
          options.onBegin?.();
        },
        onVerdict: (verdict) => {
          part.verdicts.push(verdict);
          options.onVerdict?.(verdict);
        },
      })
      .then(
        (outcome) => {
          part.outcome = outcome;
        },
        (error) => {
          part.error = error;
        },
      );
    return part;
  }

  /** An election of everybody, run to its end. */
  async electAll(
    protocol: ProtocolChoice,
    given: Params = {},
    options: Partial<ElectOptions> = {},
  ): Promise<MemberOutcome[]> {
    const parts = this.listed.map(({ id }) => this.elect(id, protocol, given, options));
    await this.finish(parts);
    return parts.map(({ outcome }) => outcome!);
  }

  /** Runs the network until these parts have ended, and throws what one of them failed with. */
  async finish(parts: readonly VirtualPart[]): Promise<void> {
    let ended = false;
    const settled = () => parts.every(({ outcome, error }) => outcome !== null || error !== null);
    while (!settled() && !ended) {
      ended = !this.network.runFor(STRIDE);
      // Promises are kept between two strides, in the same order each time.
      await null;
    }
    const failed = parts.find(({ error }) => error !== null);
    if (failed !== undefined) throw failed.error;
  }
}

/** Milliseconds of virtual time. */
const STRIDE = 250;
