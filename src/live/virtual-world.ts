/**
 * Many machines in one process, in virtual time, on a network that loses, repeats, delays and parts: what the live stack
 * runs on in simulation. Everything follows from the seed.
 */
import { EventHeap } from "../host/queues/heap.ts";
import { HostStream } from "../random/streams.ts";
import { addressText } from "./net/udp.ts";
import type { Address, Cancel, Transport, World } from "./world.ts";

/** What a virtual network does to datagrams. */
export interface Conditions {
  /** Probability that a datagram is lost, and that one which is not comes twice. */
  readonly loss: number;
  readonly duplicate: number;
  /** Milliseconds on the way, at least and at most, drawn uniformly: datagrams overtake each other. */
  readonly delay: readonly [number, number];
}

const CALM: Conditions = { loss: 0, duplicate: 0, delay: [0.2, 1] };

interface Happening {
  readonly machine: VirtualMachine | null;
  /** What waits in a socket while a machine is paused is read in one go, before or after its timers. */
  readonly isDatagram: boolean;
  act: (() => void) | null;
}

/** When virtual time begins, by the clocks of walls: in 2026. */
export const BEGINNING = 1_790_000_000_000;

/** A network and its clock in one process: what happens on it is drawn from a seed. */
export class VirtualNetwork {
  /** Milliseconds; a machine's own clock may be ahead while it works (see `standStill`). */
  now = 0;
  conditions: Conditions;
  /** Datagrams handed to the network so far, and somebody who sees them all. */
  sent = 0;
  tap: ((datagram: Uint8Array, to: Address, from: Address) => void) | null = null;
  private readonly seed: number;
  private readonly chance: HostStream;
  private readonly queue = new EventHeap<Happening>();
  private readonly machines = new Map<string, VirtualMachine>();
  private readonly cuts = new Set<string>();
  private order = 0;
  private lives = 0;

  constructor(seed: number, conditions: Partial<Conditions> = {}) {
    this.seed = seed;
    this.chance = new HostStream(seed, 0, "losses");
    this.conditions = { ...CALM, ...conditions };
  }

  /** A machine starts at an address; the one that was there before, if any, has crashed. */
  machine(address: Address): VirtualMachine {
    const place = addressText(address);
    this.machines.get(place)?.crash();
    const machine = new VirtualMachine(this, address, new HostStream(this.seed, this.lives++, "timers"));
    this.machines.set(place, machine);
    return machine;
  }

  /** From now on nothing gets from one address to the other, in that direction. */
  cut(from: Address, to: Address): void {
    this.cuts.add(`${addressText(from)} ${addressText(to)}`);
  }

  heal(): void {
    this.cuts.clear();
  }

  /** Something that happens from outside, such as a crash. */
  at(time: number, act: () => void): void {
    this.schedule(time, null, false, act);
  }

  /** Until nothing is left to happen, or so many milliseconds have passed; false where nothing is left. */
  runFor(ms: number): boolean {
    const until = this.now + ms;
    while (this.queue.next <= until) this.step();
    this.now = until;
    return this.queue.next < Infinity;
  }

  private step(): void {
    this.queue.pop();
    const { time, item } = this.queue;
    if (item.act === null) return;
    this.now = time;
    if (item.machine?.keeps(item)) return;
    item.act();
  }

  schedule(time: number, machine: VirtualMachine | null, isDatagram: boolean, act: () => void): Cancel {
    const item: Happening = { machine, isDatagram, act };
    this.put(time, item);
    return () => {
      item.act = null;
    };
  }

  put(time: number, item: Happening): void {
    this.queue.push(time, this.order++, 0, 0, item);
  }

  carry(from: VirtualMachine, datagram: Uint8Array, to: Address): void {
    this.sent++;
    this.tap?.(datagram, to, from.address);
    const { loss, duplicate, delay } = this.conditions;
    const place = addressText(to);
    if (this.chance.coin(loss) || this.cuts.has(`${addressText(from.address)} ${place}`)) return;
    const copies = this.chance.coin(duplicate) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const time = from.time + delay[0] + (delay[1] - delay[0]) * this.chance.uniform();
      // Looked up on arrival: the socket that has the address then gets it.
      this.schedule(time, null, true, () => this.machines.get(place)?.arrive(datagram, from.address));
    }
  }

  coin(): boolean {
    return this.chance.coin(0.5);
  }
}

/** One life of one process: its world, and its place on the network. */
export class VirtualMachine {
  readonly address: Address;
  readonly world: World;
  readonly transport: Transport;
  private readonly network: VirtualNetwork;
  private receive: ((datagram: Uint8Array, from: Address | null) => void) | null = null;
  private crashed = false;
  private busyUntil = 0;
  private waiting: Happening[] = [];
  /** How far the clock on the wall is ahead of the true time, and how much of that the monotonic one has missed. */
  private ahead = 0;
  private missed = 0;

  constructor(network: VirtualNetwork, address: Address, draws: HostStream) {
    this.network = network;
    this.address = address;
    this.world = {
      now: () => this.time - this.missed,
      wall: () => BEGINNING + this.time + this.ahead,
      set: (ms, callback) => this.set(Math.max(0, ms), callback),
      soon: (callback) => void network.schedule(this.time, this, false, callback),
      draws,
      bytes: (count) => Buffer.from(Uint8Array.from({ length: count }, () => draws.word() >>> 24)),
    };
    this.transport = {
      address,
      send: (datagram, to) => {
        if (!this.crashed) network.carry(this, datagram, to);
      },
      listen: (receive) => {
        this.receive = receive;
      },
      close: async () => {
        this.receive = null;
      },
    };
  }

  /** Somebody sets the system's clock forward, or back. */
  stepWall(ms: number): void {
    this.ahead += ms;
  }

  /** The whole machine sleeps: nothing runs, and the monotonic clock stops as well. */
  suspend(ms: number): void {
    this.standStill(ms);
    this.missed += ms;
  }

  /** True time, at the end of what it does now. */
  get time(): number {
    return Math.max(this.network.now, this.busyUntil);
  }

  /** Timers go by the monotonic clock: what that has missed meanwhile is still to be waited for. */
  private set(ms: number, callback: () => void): Cancel {
    const { missed } = this;
    const due = this.world.now() + ms;
    let at = this.time + ms;
    // Never early by a rounding: a handler that is woken too early would wait for ever.
    while (at - missed < due) at += 1e-6;
    let cancel = this.network.schedule(at, this, false, () => {
      const more = due - this.world.now();
      if (this.missed === missed || more <= 0) callback();
      else cancel = this.set(more, callback);
    });
    return () => cancel();
  }

  /**
   * Nothing runs here for so long, but the clock goes on: a stopped process, a swapped-out one, or, called from within a
   * handler, a write that takes its time.
   */
  standStill(ms: number): void {
    this.busyUntil = this.time + ms;
    this.network.at(this.busyUntil, () => this.resume());
  }

  crash(): void {
    this.crashed = true;
    this.receive = null;
    this.waiting = [];
  }

  /** A datagram has come to this machine. */
  arrive(datagram: Uint8Array, from: Address | null = null): void {
    this.hear(() => this.receive?.(datagram, from));
  }

  /** Something comes in by other means: as a datagram it waits until the machine goes on. */
  hear(act: () => void): void {
    const item: Happening = { machine: this, isDatagram: true, act };
    if (!this.keeps(item)) act();
  }

  /** Whether this cannot happen now: never, or not before the machine goes on. */
  keeps(item: Happening): boolean {
    if (this.crashed) return true;
    if (this.network.now >= this.busyUntil && this.waiting.length === 0) return false;
    this.waiting.push(item);
    return true;
  }

  /** Timers in their order, datagrams in theirs; which come first is up to the operating system. */
  private resume(): void {
    if (this.network.now < this.busyUntil) return;
    const items = this.waiting.splice(0);
    const datagramsFirst = this.network.coin();
    for (const wanted of [datagramsFirst, !datagramsFirst]) {
      for (const item of items) if (item.isDatagram === wanted) this.network.put(this.network.now, item);
    }
  }
}
