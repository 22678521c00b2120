/** Members of a lasting group as they ship, many in one process and in virtual time, from a seed. */

import { insecureKeyring, type Keyring } from "../net/keyring.ts";
import type { Sealing } from "../net/sealing.ts";
import { addressText } from "../net/udp.ts";
import type { Runnable } from "../node.ts";
import { memoryStore, type Store } from "../store.ts";
import { type Conditions, type VirtualMachine, VirtualNetwork } from "../virtual-world.ts";
import type { Address } from "../world.ts";
import { OpenNode } from "./host.ts";
import type { Peers } from "./peers.ts";

/** The members of a virtual group, and their network. */
export interface VirtualOpenSetup {
  readonly seed: number;
  readonly machine: Runnable;
  /** The machine of each life of a member, if it is not `machine`: for recordings. */
  machineOf?(name: string, process: VirtualMachine): Runnable;
  /** The machine's parameters for each member. */
  params(name: string): unknown;
  readonly conditions?: Partial<Conditions>;
  readonly keyring?: Keyring;
  readonly sealing?: Sealing;
  readonly group?: string;
  /** The peers that each life of a member can also ask. */
  peers?(name: string, process: VirtualMachine): Peers;
  /** The addresses of members. By default 10.0.0.1:7001, 10.0.0.2:7001 and so on, in the order of their first start. */
  address?(name: string, index: number): Address;
}

/** How a process starts. */
export interface StartOptions {
  /** The seeds it asks: names of members, or addresses. By default the first two members that were ever started. */
  readonly seeds?: readonly string[];
  /** Whether it finds the state that its former life has saved. */
  readonly saved?: boolean;
}

/** One life of a member. */
export interface VirtualPeer {
  readonly name: string;
  readonly machine: VirtualMachine;
  readonly node: OpenNode;
  /** Its latest report. */
  report: unknown;
  /** The number of its reports. */
  reports: number;
  error: unknown;
}

/** Members with the shipping code, sealing included, on a virtual network and in virtual time. */
export class VirtualOpenGroup {
  readonly network: VirtualNetwork;
  /** Told after each handler of any member. */
  onReport: ((peer: VirtualPeer) => void) | null = null;
  private readonly setup: VirtualOpenSetup;
  private readonly addresses = new Map<string, Address>();
  private readonly hosts = new Map<string, readonly string[]>();
  private readonly stores = new Map<string, Store>();
  private readonly running = new Map<string, VirtualPeer>();

  constructor(setup: VirtualOpenSetup) {
    this.setup = setup;
    this.network = new VirtualNetwork(setup.seed, setup.conditions);
  }

  /** The running members, in the order of their starts. */
  get peers(): readonly VirtualPeer[] {
    return [...this.running.values()];
  }

  of(name: string): VirtualPeer {
    const peer = this.running.get(name);
    if (peer === undefined) throw new Error(`${name} does not run`);
    return peer;
  }

  address(name: string): Address {
    let address = this.addresses.get(name);
    if (address === undefined) {
      const index = this.addresses.size;
      const number = index + 1;
      address = this.setup.address?.(name, index) ?? { host: `10.0.${number >> 8}.${number & 255}`, port: 7001 };
      this.addresses.set(name, address);
    }
    return address;
  }

  /** From now on this host name has these numeric addresses; without any it is unknown. */
  name(host: string, addresses: readonly string[]): void {
    this.hosts.set(host, addresses);
  }

  /** A process of that member starts; if one is running, it has crashed. */
  start(name: string, { seeds, saved = true }: StartOptions = {}): VirtualPeer {
    const { machine, keyring = insecureKeyring(), group = "virtual", sealing } = this.setup;
    const asked = seeds ?? [...this.addresses.keys()].slice(0, 2);
    const advertised = this.address(name);
    this.running.delete(name);
    const process = this.network.machine(advertised);
    const { world, transport } = process;
    if (!saved || !this.stores.has(name)) this.stores.set(name, memoryStore());
    const node = new OpenNode({
      machine: this.setup.machineOf?.(name, process) ?? machine,
      params: this.setup.params(name),
      name,
      group,
      keyring,
      advertised,
      world,
      transport,
      ...(sealing === undefined ? {} : { sealing }),
      peers: this.setup.peers?.(name, process) ?? {},
      seeds: asked.map((seed) => (this.addresses.has(seed) ? addressText(this.address(seed)) : seed)),
      store: this.stores.get(name)!,
      resolve: (host, done) => void world.set(1, () => done(this.hosts.get(host) ?? [], "nobody knows that name")),
      id: [...this.addresses.keys()].indexOf(name),
    });
    const peer: VirtualPeer = { name, machine: process, node, report: null, reports: 0, error: null };
    this.running.set(name, peer);
    node.start({
      reported: (report) => {
        peer.report = report;
        peer.reports++;
        this.onReport?.(peer);
      },
      released() {},
      refused() {},
      unresolved() {},
      stalled() {},
      failed: (error) => {
        peer.error = error;
      },
      oversized: (bytes) => {
        throw new Error(`${machine.name} sends a message of ${bytes} bytes, more than a datagram holds`);
      },
    });
    return peer;
  }

  crash(name: string): void {
    this.of(name).machine.crash();
    this.running.delete(name);
  }

  /** Pauses a process for `ms` milliseconds. */
  pause(name: string, ms: number): void {
    this.of(name).machine.standStill(ms);
  }

  /** Gracefully; the process ends by itself a moment later. */
  leave(name: string): void {
    void this.of(name).node.leave();
    this.running.delete(name);
  }

  command(name: string, command: unknown): void {
    this.of(name).node.command(command);
  }

  /** Cuts the network from one member to another and, unless `oneWay`, back. */
  cut(from: string, to: string, { oneWay = false } = {}): void {
    this.network.cut(this.address(from), this.address(to));
    if (!oneWay) this.network.cut(this.address(to), this.address(from));
  }

  /** Partitions the network: members of different sides do not hear each other. */
  part(...sides: readonly (readonly string[])[]): void {
    for (const [i, side] of sides.entries()) {
      for (const other of sides.slice(i + 1)) for (const a of side) for (const b of other) this.cut(a, b);
    }
  }

  heal(): void {
    this.network.heal();
  }

  /** Runs for `ms` virtual milliseconds; throws the error of a member that has failed. */
  run(ms: number): void {
    this.network.runFor(ms);
    for (const { error } of this.running.values()) if (error !== null) throw error;
  }

  /** Runs until `isSo`, checked every 10 ms; returns false if that takes more than `within` milliseconds. */
  until(isSo: () => boolean, within: number): boolean {
    const end = this.network.now + within;
    while (!isSo()) {
      if (this.network.now >= end) return false;
      this.run(10);
    }
    return true;
  }
}
