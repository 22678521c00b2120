/**
 * Runs one node of any machine on open links, over real time and sealed datagrams. It does not know what the machine does. As on every
 * host, a handler's state is saved, then reported, and only then its messages leave.
 */
import { type Id, SELF, type Address as Text } from "../../protocol.ts";
import { tell } from "../../protocols/told.ts";
import type { Resolve } from "../net/address.ts";
import { Counters } from "../net/counters.ts";
import { Endpoint, type NodeLine, type RefusedDatagram } from "../net/endpoint.ts";
import type { Keyring } from "../net/keyring.ts";
import { aesGcm, type Sealing } from "../net/sealing.ts";
import type { EndpointShare } from "../net/shared.ts";
import { LiveNode, type Runnable } from "../node.ts";
import { NO_STALLS, type StallReport, StallWatch } from "../stalls.ts";
import type { Store } from "../store.ts";
import { type Address, attentive, type Transport, type World } from "../world.ts";
import { checkPeers, type Peers } from "./peers.ts";
import { Ports } from "./ports.ts";

/** Timers that are at most this many milliseconds late count as punctual, so that periods do not drift. */
const PUNCTUAL = 100;

/** Milliseconds after which a leaving member repeats its last messages: nobody can ask for them once it has gone. */
const REPEATS = [20, 60];

/** A node has an endpoint of its own, or a part of one that several nodes of the process share. */
export type OpenNodeSetup = NodeBasics & (OwnEndpoint | { readonly shared: EndpointShare });

interface NodeBasics {
  readonly machine: Runnable;
  readonly params: unknown;
  /** The member's name, for error messages. */
  readonly name: string;
  /** The address at which others reach this process. */
  readonly advertised: Address;
  readonly seeds: readonly Text[];
  readonly world: World;
  readonly store: Store;
  readonly resolve: Resolve;
  /** Peers by address, which are not on the network. */
  readonly peers?: Peers;
  /** For machines whose nodes have numbers. */
  readonly id?: Id;
  /** Pauses of more milliseconds than this are measured; missing: none. */
  readonly stallLimit?: number | undefined;
}

interface OwnEndpoint {
  readonly group: string;
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly sealing?: Sealing;
}

/** What the host tells its owner. */
interface OpenNodeListener<Report = unknown> {
  /** A handler has ended and its state is saved; its messages have not left. */
  reported(report: Report): void;
  /** The messages have left. */
  released(): void;
  /** The node has stopped: a handler has failed, or its state could not be saved. */
  failed(error: unknown): void;
  refused(refusal: RefusedDatagram): void;
  unresolved(address: Text, why: string): void;
  oversized(bytes: number): void;
  /** This process was paused, or busy, for `ms` milliseconds. */
  stalled(ms: number): void;
}

/** `State` and `Report` are the machine's types. Until `start` is called, nothing is sent or received. */
export class OpenNode<State = unknown, Report = unknown> {
  readonly counters: Counters;
  /** Clock and timers for callers: pauses and overdue deadlines are handled before each callback. */
  readonly world: World;
  private readonly setup: NodeBasics;
  private readonly watch: StallWatch | null;
  private readonly endpoint: NodeLine;
  private readonly ports: Ports;
  private readonly node: LiveNode;
  private listener: OpenNodeListener<Report> | null = null;
  private latest: unknown = null;
  private isClosed = false;
  private heardAt: number;

  constructor(setup: OpenNodeSetup) {
    const { stallLimit } = setup;
    this.setup = setup;
    this.counters = "shared" in setup ? setup.shared.counters : new Counters();
    this.watch =
      stallLimit === undefined ? null : new StallWatch(setup.world, stallLimit, (ms) => this.listener?.stalled(ms));
    this.world = attentive(setup.world, () => this.awake());
    this.heardAt = this.world.now();
    this.endpoint =
      "shared" in setup ? setup.shared.line((from, message) => this.receive(from, message)) : this.makeEndpoint(setup);
    this.ports = this.makePorts();
    this.node = this.makeNode();
  }

  private makeEndpoint({ group, keyring, sealing = aesGcm, transport }: OwnEndpoint): Endpoint {
    return new Endpoint({
      group,
      keyring,
      advertised: this.setup.advertised,
      world: this.world,
      counters: this.counters,
      sealing,
      transport: {
        ...transport,
        listen: (receive) =>
          transport.listen((datagram, from) => {
            this.awake();
            receive(datagram, from);
          }),
      },
      receive: (from, message) => this.receive(from, message),
      refused: (refusal) => this.listener?.refused(refusal),
    });
  }

  private makePorts(): Ports {
    const { advertised, peers = {}, resolve } = this.setup;
    return new Ports({
      world: this.world,
      advertised,
      counters: this.counters,
      peers: checkPeers(peers),
      // Both answers come like timers: after overdue deadlines, and never while messages of a handler leave.
      resolve: (host, done) => resolve(host, (hosts, why) => void this.world.soon(() => done(hosts, why))),
      answered: (address, message) =>
        this.world.soon(() => {
          if (!this.isClosed) this.node.deliver(this.ports.peerArrival(address), message);
        }),
      send: (to, messages) => this.endpoint.send(to, messages),
      oversized: (bytes) => this.listener?.oversized(bytes),
      unresolved: (address, why) => this.listener?.unresolved(address, why),
    });
  }

  private makeNode(): LiveNode {
    const { machine, params, store, name, seeds, id = null } = this.setup;
    const { world, ports } = this;
    const facts = { id, initiator: true, n: 1, highest: null, election: null, life: this.endpoint.life, seeds };
    return new LiveNode(
      {
        world,
        protocol: machine,
        params,
        store,
        links: ports,
        tau: 1,
        tolerance: PUNCTUAL,
        where: `member ${name}`,
        self: () => tell(machine, params, facts, (p) => world.draws.coin(p)),
      },
      {
        reported: (report) => {
          this.latest = report;
          this.listener?.reported(report as Report);
        },
        released: () => {
          ports.flush();
          this.listener?.released();
        },
        failed: (error) => {
          void this.close();
          this.listener?.failed(error);
        },
      },
    );
  }

  get life(): number {
    return this.endpoint.life;
  }

  /** The number of senders' lives that are remembered. */
  get remembered(): number {
    return this.endpoint.remembered;
  }

  /** The machine's measures, by name. */
  get measures(): Readonly<Record<string, number>> {
    return this.node.measures;
  }

  get stalls(): StallReport {
    return this.watch?.report ?? NO_STALLS;
  }

  /** Milliseconds since another node was heard, or since the start. */
  get silence(): number {
    return this.world.now() - this.heardAt;
  }

  /** The machine's state. Before the start there is no state and no report. */
  get state(): State {
    return this.node.kept as State;
  }

  /** The report of the latest handler. */
  get report(): Report {
    return this.latest as Report;
  }

  /** The addresses of its links. */
  get links(): readonly Text[] {
    return this.ports.ports().map((port) => this.ports.address(port));
  }

  /** Milliseconds until a timer of the machine is due, by the clocks; null if the timer is not armed. */
  left(timer: string): number | null {
    return this.node.left(timer);
  }

  /** Handles overdue deadlines at once: for callers that come neither from a timer nor from a datagram. */
  look(): void {
    this.node.look();
  }

  /** Starts to send and receive. */
  start(listener: OpenNodeListener<Report>): void {
    this.listener = listener;
    this.endpoint.listen();
    this.node.start();
  }

  /** A user's command comes through SELF. */
  command(command: unknown): void {
    this.node.deliver(SELF, command);
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  /** Leaves gracefully: the machine's last messages are sent, and repeated, before the socket closes. */
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
    this.watch?.stop();
    this.node.stop();
    this.setup.store.close();
    await this.endpoint.close();
  }

  private awake(): void {
    this.watch?.look();
    this.node.look();
  }

  private receive(from: Address, message: unknown): void {
    const { machine } = this.setup;
    if (machine.accepts !== undefined && !machine.accepts(message)) this.counters.drop("unacceptable");
    else {
      this.heardAt = this.world.now();
      this.node.deliver(this.ports.arrival(from), message);
    }
  }
}
