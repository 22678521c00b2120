/**
 * Runs one node of any machine on open links: its context over real time and sealed datagrams. It knows nothing of what the
 * machine does. As on every host what must survive is saved, then reported, and only then messages leave.
 */
import { type Id, SELF, type Address as Text } from "../../protocol.ts";
import { tell } from "../../protocols/told.ts";
import { Counters } from "../counters.ts";
import type { Keyring } from "../keyring.ts";
import { LiveNode, type Runnable } from "../node.ts";
import { aesGcm, type Sealing } from "../sealing.ts";
import type { Store } from "../store.ts";
import { type Address, attentive, type Transport, type World } from "../world.ts";
import { GroupEndpoint } from "./endpoint.ts";
import { checkPeers, type Peers } from "./peers.ts";
import { Ports } from "./ports.ts";
import type { Resolve } from "./resolve.ts";
import type { Refusal } from "./strangers.ts";

/** Timers that are no more than so many milliseconds late count as punctual, and periods do not drift. */
const PUNCTUAL = 100;

/** Milliseconds after which the last words of a member are said again: nobody can ask it for them once it has gone. */
const REPEATS = [20, 60];

export interface OpenNodeSetup {
  readonly machine: Runnable;
  readonly params: unknown;
  /** Whose node this is, for the words of errors. */
  readonly name: string;
  readonly group: string;
  readonly keyring: Keyring;
  /** Where others reach this process. */
  readonly advertised: Address;
  readonly seeds: readonly Text[];
  readonly world: World;
  readonly transport: Transport;
  readonly store: Store;
  readonly resolve: Resolve;
  readonly sealing?: Sealing;
  /** Who is asked by an address, and is not on the network. */
  readonly peers?: Peers;
  /** For machines whose nodes have numbers. */
  readonly id?: Id;
  /** Called whenever anything of this node runs, before all else. */
  awake?(): void;
}

/** Who wants to know. */
export interface OpenNodeListener {
  /** A handler has ended and its state is saved; nothing of what it sent has left. */
  reported(report: unknown): void;
  /** It has. */
  released(): void;
  /** The node has stopped: a handler has failed, or what must survive could not be saved. */
  failed(error: unknown): void;
  refused(refusal: Refusal): void;
  unresolved(address: Text, why: string): void;
  oversized(bytes: number): void;
}

export class OpenNode {
  readonly counters = new Counters();
  private readonly endpoint: GroupEndpoint;
  private readonly node: LiveNode;
  private readonly ports: Ports;
  private readonly world: World;
  private readonly store: Store;
  private isClosed = false;
  private heardAt: number;

  constructor(setup: OpenNodeSetup, listener: OpenNodeListener) {
    const { machine, params, group, keyring, advertised, seeds, transport, store, resolve, id = null } = setup;
    const { counters } = this;
    this.store = store;
    const look = () => {
      setup.awake?.();
      this.node?.look();
    };
    this.world = attentive(setup.world, look);
    const { world } = this;
    this.heardAt = world.now();
    this.endpoint = new GroupEndpoint({
      ...{ group, keyring, advertised, world, counters, sealing: setup.sealing ?? aesGcm },
      transport: {
        ...transport,
        listen: (receive) =>
          transport.listen((datagram, from) => {
            look();
            receive(datagram, from);
          }),
      },
      receive: (from, message) => this.receive(machine, from, message),
      refused: (refusal) => listener.refused(refusal),
    });
    this.ports = new Ports({
      ...{ world, advertised, counters, peers: checkPeers(setup.peers ?? {}) },
      resolve: (host, done) => {
        let isLater = false;
        resolve(host, (hosts, why) => {
          if (isLater) this.node.look();
          done(hosts, why);
        });
        isLater = true;
      },
      // By the door that timers come through: overdue deadlines first, and never while messages of a handler leave.
      answered: (address, message) =>
        world.soon(() => {
          if (!this.isClosed) this.node.deliver(this.ports.peerArrival(address), message);
        }),
      send: (to, messages) => this.endpoint.send(to, messages),
      oversized: (bytes) => listener.oversized(bytes),
      unresolved: (address, why) => listener.unresolved(address, why),
    });
    const facts = { id, initiator: true, n: 1, highest: null, election: null, life: this.endpoint.life, seeds };
    this.node = new LiveNode(
      {
        ...{ world, protocol: machine, params, store, links: this.ports, tau: 1, stallLimit: PUNCTUAL },
        countsStalls: false,
        where: `member ${setup.name}`,
        self: () => tell(machine, params, facts, (p) => world.draws.coin(p)),
      },
      {
        reported: (_verdict, report) => listener.reported(report),
        released: () => {
          this.ports.flush();
          listener.released();
        },
        failed: (error) => {
          void this.close();
          listener.failed(error);
        },
      },
    );
  }

  get life(): number {
    return this.endpoint.life;
  }

  /** Lives of senders that are remembered. */
  get remembered(): number {
    return this.endpoint.remembered;
  }

  /** Milliseconds since another node was heard, or since the start. */
  /** What the machine has counted, by name. */
  get measures(): Readonly<Record<string, number>> {
    return this.node.measures;
  }

  get silence(): number {
    return this.world.now() - this.heardAt;
  }

  /** What the machine itself keeps for its node; null before the start. */
  get state(): unknown {
    return this.node.kept;
  }

  /** Where its links lead now. */
  get links(): readonly Text[] {
    return this.ports.ports().map((port) => this.ports.address(port));
  }

  /** Milliseconds until a timer of the machine is due, as the clocks say now; null where it is not armed. */
  left(timer: string): number | null {
    return this.node.left(timer);
  }

  /** Overdue deadlines, at once: for whoever comes from elsewhere than a timer or a datagram of ours. */
  look(): void {
    this.node.look();
  }

  start(): void {
    this.node.start();
  }

  /** A user's command comes through SELF. */
  command(command: unknown): void {
    this.node.deliver(SELF, command);
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  /** In good order: the machine's last words are said, and said again, before the socket closes. */
  async leave(): Promise<void> {
    if (this.isClosed) return;
    const again = this.endpoint.record(() => this.node.leave());
    await new Promise<void>((resolve) => {
      for (const ms of REPEATS) this.world.set(ms, again);
      this.world.set(REPEATS.at(-1)!, () => this.close().then(resolve));
    });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.node.stop();
    this.store.close();
    await this.endpoint.close();
  }

  private receive(machine: Runnable, from: Address, message: unknown): void {
    if (machine.accepts !== undefined && !machine.accepts(message)) this.counters.drop("unacceptable");
    else {
      this.heardAt = this.world.now();
      this.node.deliver(this.ports.arrival(from), message);
    }
  }
}
