/**
 * Runs one node of any machine on open links: its context over real time and sealed datagrams. It knows nothing of what the
 * machine does. As on every host what must survive is saved, then reported, and only then messages leave.
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

/** Timers that are no more than so many milliseconds late count as punctual, and periods do not drift. */
const PUNCTUAL = 100;

/** Milliseconds after which the last words of a member are said again: nobody can ask it for them once it has gone. */
const REPEATS = [20, 60];

/** A node has an endpoint of its own, or a part of one that several nodes of the process share. */
export type OpenNodeSetup = NodeBasics & (OwnEndpoint | { readonly shared: EndpointShare });

interface NodeBasics {
  readonly machine: Runnable;
  readonly params: unknown;
  /** Whose node this is, for the words of errors. */
  readonly name: string;
  /** Where others reach this process. */
  readonly advertised: Address;
  readonly seeds: readonly Text[];
  readonly world: World;
  readonly store: Store;
  readonly resolve: Resolve;
  /** Who is asked by an address, and is not on the network. */
  readonly peers?: Peers;
  /** For machines whose nodes have numbers. */
  readonly id?: Id;
  /** Pauses of more milliseconds than this are measured; missing: none are. */
  readonly stallLimit?: number | undefined;
}

interface OwnEndpoint {
  readonly group: string;
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly sealing?: Sealing;
}

/** Who wants to know. */
interface OpenNodeListener<Report = unknown> {
  /** A handler has ended and its state is saved; nothing of what it sent has left. */
  reported(report: Report): void;
  /** It has. */
  released(): void;
  /** The node has stopped: a handler has failed, or what must survive could not be saved. */
  failed(error: unknown): void;
  refused(refusal: RefusedDatagram): void;
  unresolved(address: Text, why: string): void;
  oversized(bytes: number): void;
  /** This process was paused, or busy, for so many milliseconds. */
  stalled(ms: number): void;
}

/** `State` and `Report` are the machine's own. Between its construction and `start` nothing is sent, and nothing heard. */
export class OpenNode<State = unknown, Report = unknown> {
  readonly counters: Counters;
  /** Its clock and timers, for callers: pauses and overdue deadlines come before what they call back. */
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
      resolve: (host, done) => {
        let isLater = false;
        resolve(host, (hosts, why) => {
          if (isLater) this.look();
          done(hosts, why);
        });
        isLater = true;
      },
      // By the door that timers come through: overdue deadlines first, and never while messages of a handler leave.
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

  /** Lives of senders that are remembered. */
  get remembered(): number {
    return this.endpoint.remembered;
  }

  /** What the machine has counted, by name. */
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

  /** What the machine itself keeps for its node. There is nothing before the start, nor a report. */
  get state(): State {
    return this.node.kept as State;
  }

  /** Of the latest handler. */
  get report(): Report {
    return this.latest as Report;
  }

  /** Where its links lead now. */
  get links(): readonly Text[] {
    return this.ports.ports().map((port) => this.ports.address(port));
  }

  /** Milliseconds until a timer of the machine is due, as the clocks say now; null where it is not armed. */
  left(timer: string): number | null {
    return this.node.left(timer);
  }

  /** Overdue deadlines, at once: for callers that come neither from a timer nor from a datagram. */
  look(): void {
    this.node.look();
  }

  /** From now on it hears, and is heard. */
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

  /** Gracefully: the machine's last messages are sent, and said again, before the socket closes. */
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
