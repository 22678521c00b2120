/** One member's part in one election: from the gathering of the group to its verdict. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id, Port, Verdict } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import { synchronise } from "../protocols/synchroniser.ts";
import type { Topology } from "../topology/topology.ts";
import { readOrNull } from "./bytes.ts";
import { decode, encode } from "./codec.ts";
import type { Counters, DatagramKind } from "./counters.ts";
import { type Endpoint, LARGEST_PAYLOAD } from "./endpoint.ts";
import { ELECTION_BYTES, type Frame, LARGEST_FRAME_HEAD, readFrame, writeFrame } from "./frames.ts";
import { Gathering } from "./gathering.ts";
import { type Link, linkFor } from "./link.ts";
import type { Membership } from "./members.ts";
import { topologyOf } from "./network.ts";
import { LiveNode } from "./node.ts";
import { Rumours } from "./rumours.ts";
import { SecureSource } from "./secure-source.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";

/** The largest message of a protocol, in the codec's form; larger ones are refused, never cut into pieces. */
export const LARGEST_MESSAGE = LARGEST_PAYLOAD - LARGEST_FRAME_HEAD;

/** Members with more neighbours than this meet them when they have something to say, not before the start. */
const MOST_MET = 32;

/** Groups above this size multicast by rumour, smaller ones to each member. */
const FAN_OUT_LIMIT = 32;

export interface ElectionSetup {
  readonly protocol: AnyProtocol;
  readonly params: Params;
  /** Who takes part; the endpoint may know more members. */
  readonly membership: Membership;
  readonly initiator: boolean;
  /** Distinguishes elections of the same members with the same protocol. */
  readonly name: string;
  /** Milliseconds to the protocol's unit of time; to a round of a synchronous one. */
  readonly tau: number;
  /** Milliseconds that members wait for each other at the start. */
  readonly gather: number;
  /** Milliseconds of standstill that count as a pause. */
  readonly stallLimit: number;
  readonly multicast: "auto" | "fan-out" | "epidemic";
  /** The folder for what must survive a crash. */
  readonly state: string | null;
}

/** Who wants to know. */
export interface ElectionListener {
  begun(): void;
  settled(verdict: Verdict): void;
  failed(error: unknown): void;
}

export class Election {
  /** In hexadecimal; the same at all members that agree on everything that matters. */
  readonly id: string;
  readonly node: LiveNode;
  /** When a message of the protocol was last sent or received. */
  lastActive = performance.now();
  private readonly setup: ElectionSetup;
  private readonly endpoint: Endpoint;
  private readonly listener: ElectionListener;
  private readonly counters: Counters;
  private readonly protocol: AnyProtocol;
  private readonly topology: Topology;
  private readonly ids: readonly Id[];
  private readonly self: number;
  private readonly numbers: ReadonlyMap<Id, number>;
  private readonly digest: Buffer;
  private readonly links = new Map<number, Link>();
  /** In which life each member was first heard in this election. */
  private readonly lives = new Map<number, number>();
  private readonly gathering: Gathering;
  private readonly rumours: Rumours;
  private readonly epidemic: boolean;
  private closed = false;

  constructor(setup: ElectionSetup, endpoint: Endpoint, listener: ElectionListener) {
    this.setup = setup;
    this.endpoint = endpoint;
    this.listener = listener;
    this.counters = endpoint.counters;
    const { protocol, membership } = setup;
    this.protocol = protocol.assumes.timing === "synchronous" ? synchronise(protocol) : protocol;
    this.topology = topologyOf(protocol, membership);
    this.ids = membership.members.map(({ id }) => id);
    this.numbers = new Map(this.ids.map((id, node) => [id, node]));
    this.self = this.numbers.get(endpoint.self) ?? refuseStranger(endpoint.self);
    this.digest = digestOf(setup, this.ids);
    this.id = this.digest.toString("hex");
    this.epidemic = setup.multicast === "auto" ? this.ids.length > FAN_OUT_LIMIT : setup.multicast === "epidemic";
    this.gathering = new Gathering({
      node: this.self,
      size: this.ids.length,
      patience: setup.gather,
      prepared: () => this.neighbours().every((id) => endpoint.introducedTo(id)),
      send: (to, frame) => this.post(to, frame, "gathering"),
      begin: () => this.begin(),
    });
    const draws = new SecureSource();
    this.rumours = new Rumours({
      node: this.self,
      size: this.ids.length,
      choose: (n) => draws.choose(n),
      send: (to, frame, kind) => this.post(to, frame, kind),
      deliver: (origin, body) => this.deliver(origin, this.portTo(origin), body),
    });
    this.node = new LiveNode(
      {
        ...setup,
        protocol: this.protocol,
        topology: this.topology,
        node: this.self,
        ids: this.ids,
        store: this.store(),
      },
      {
        unicast: (to, arrival, message) => this.linkTo(to).send(arrival, this.encode(message)),
        multicast: (message) => this.multicast(this.encode(message)),
        settled: (verdict) => this.listener.settled(verdict),
        failed: (error) => this.listener.failed(error),
      },
    );
  }

  /** Nothing that this member has sent waits for an acknowledgement. */
  get idle(): boolean {
    return [...this.links.values()].every((link) => link.idle);
  }

  open(): void {
    for (const id of this.neighbours()) this.endpoint.meet(id);
    this.gathering.open();
  }

  close(): void {
    this.closed = true;
    this.gathering.close();
    this.node.stop();
    for (const link of this.links.values()) link.close();
  }

  receive(from: Id, life: number, newest: boolean, bytes: Uint8Array): void {
    if (this.closed) return;
    const sender = this.numbers.get(from);
    const frame = readOrNull(() => readFrame(bytes));
    if (sender === undefined) this.counters.drop("unknown-member");
    else if (frame === null) this.counters.drop("malformed");
    else this.act(sender, life, newest, frame);
  }

  /** A protocol that saves its state goes on with the new life of a member; to any other the member has crashed. */
  restarted(member: Id): void {
    const link = this.links.get(this.numbers.get(member) ?? -1);
    if (this.protocol.saved !== undefined) link?.restarted();
    else link?.close();
  }

  private act(sender: number, life: number, newest: boolean, frame: Frame): void {
    if (frame.kind === "ready" || frame.kind === "go") {
      this.gathering.receive(sender, frame);
      return;
    }
    if (this.protocol.saved === undefined && life !== (this.lives.get(sender) ?? life)) {
      this.counters.drop("forgetful");
      return;
    }
    this.lives.set(sender, life);
    this.lastActive = performance.now();
    if (frame.kind !== "rumour") this.linkTo(sender).receive(frame, life, newest);
    else if (!this.epidemic || !this.rumours.receive(frame)) this.counters.drop("duplicate");
  }

  private neighbours(): Id[] {
    const { topology, self, ids } = this;
    const degree = topology.degree(self);
    if (degree > MOST_MET) return [];
    return Array.from({ length: degree }, (_, port) => topology.neighbour(self, port))
      .filter((node) => node !== self)
      .map((node) => ids[node]);
  }

  private begin(): void {
    if (this.node.hasStarted) return;
    this.listener.begun();
    this.node.start();
  }

  private deliver(from: number, port: Port, body: Uint8Array): void {
    const { topology, self } = this;
    const leads = port >= 0 && port < topology.degree(self) && topology.neighbour(self, port) === from;
    const read = readOrNull(() => ({ message: decode(body) }));
    if (!leads) this.counters.drop("wrong-port");
    else if (read === null) this.counters.drop("malformed");
    else {
      this.begin();
      this.node.deliver(port, read.message);
    }
  }

  private multicast(body: Buffer): void {
    if (this.epidemic) this.rumours.start(body);
    else {
      for (let port = 0; port < this.topology.degree(this.self); port++) {
        this.linkTo(this.topology.neighbour(this.self, port)).send(this.topology.arrival(this.self, port), body);
      }
    }
  }

  private linkTo(node: number): Link {
    let link = this.links.get(node);
    if (link === undefined) {
      link = linkFor(this.protocol.assumes, {
        counters: this.counters,
        tau: this.setup.tau,
        send: (frame, kind) => this.post(node, frame, kind),
        ready: () => this.endpoint.introducedTo(this.ids[node]),
        deliver: (port, body) => this.deliver(node, port, body),
      });
      this.links.set(node, link);
    }
    return link;
  }

  private post(to: number, frame: Frame, kind: DatagramKind): void {
    if (this.closed) return;
    if (kind === "message") this.lastActive = performance.now();
    this.endpoint.send(this.ids[to], writeFrame(this.digest, frame), kind);
  }

  private portTo(node: number): Port {
    for (let port = 0; port < this.topology.degree(this.self); port++) {
      if (this.topology.neighbour(this.self, port) === node) return port;
    }
    return -1;
  }

  private encode(message: unknown): Buffer {
    const bytes = encode(message);
    if (bytes.length <= LARGEST_MESSAGE) return bytes;
    throw new InputError(
      `${this.protocol.name} wants to send a message of ${bytes.length} bytes, but a datagram holds ${LARGEST_MESSAGE}`,
    );
  }

  private store(): Store {
    const { protocol, state } = this.setup;
    if (protocol.saved === undefined) return memoryStore();
    if (state === null)
      throw new InputError(`${protocol.name} keeps state that must survive a crash: name a folder with --state`);
    return fileStore(state, `${this.id}-${this.endpoint.self}`);
  }
}

function refuseStranger(self: Id): never {
  throw new InputError(`member ${self} does not take part in this election: it is not in the list of members`);
}

/** Members with another list, other parameters or another tau would not understand each other, so they do not meet. */
function digestOf({ protocol, params, membership, name, tau, multicast }: ElectionSetup, ids: readonly Id[]): Buffer {
  const agreed = JSON.stringify([name, protocol.name, params, ids, membership.edges, tau, multicast]);
  return createHash("sha256").update(agreed).digest().subarray(0, ELECTION_BYTES);
}
