/** One member's part in one election: from the gathering of the group to its verdict. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id, Verdict } from "../protocol.ts";
import { isSynchronous, type Params } from "../protocols/parameters.ts";
import { synchronise } from "../protocols/synchroniser.ts";
import type { Topology } from "../topology/topology.ts";
import { readOrNull } from "../wire/bytes.ts";
import type { DatagramKind } from "./counters.ts";
import { Courier } from "./courier.ts";
import type { Endpoint } from "./endpoint.ts";
import { ELECTION_BYTES, type Frame, readFrame, writeFrame } from "./frames.ts";
import { Gathering } from "./gathering.ts";
import type { Membership } from "./members.ts";
import { startsUnasked, topologyOf } from "./network.ts";
import { LiveNode } from "./node.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";

/** Members with more neighbours than this meet them when they have something to say, not before the start. */
const MOST_MET = 32;

/** Groups above this size multicast by rumour, smaller ones to each member. */
const FAN_OUT_LIMIT = 32;

export interface ElectionSetup {
  readonly protocol: AnyProtocol;
  readonly params: Params;
  /** Who takes part; the endpoint may know more members. */
  readonly membership: Membership;
  /** Whether this member starts unasked; null leaves it to the protocol. */
  readonly initiator: boolean | null;
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
  private readonly endpoint: Endpoint;
  private readonly listener: ElectionListener;
  /** Whether a member that has crashed remembers what it needs to go on. */
  private readonly remembers: boolean;
  private readonly topology: Topology;
  private readonly ids: readonly Id[];
  private readonly self: number;
  private readonly numbers: ReadonlyMap<Id, number>;
  private readonly digest: Buffer;
  /** In which life each member was first heard in this election. */
  private readonly lives = new Map<number, number>();
  private readonly gathering: Gathering;
  private readonly courier: Courier;
  private closed = false;

  constructor(setup: ElectionSetup, endpoint: Endpoint, listener: ElectionListener) {
    this.endpoint = endpoint;
    this.listener = listener;
    this.topology = topologyOf(setup.protocol, setup.membership);
    this.remembers = setup.protocol.saved !== undefined;
    this.ids = setup.membership.members.map(({ id }) => id);
    this.numbers = new Map(this.ids.map((id, node) => [id, node]));
    this.self = this.numbers.get(endpoint.self) ?? refuseStranger(endpoint.self);
    this.digest = digestOf(setup, this.ids);
    this.id = this.digest.toString("hex");

    const { topology, self, ids } = this;
    const protocol = isSynchronous(setup.protocol, setup.params) ? synchronise(setup.protocol) : setup.protocol;
    const post = (to: number, frame: Frame, kind: DatagramKind) => this.post(to, frame, kind);
    this.gathering = new Gathering({
      node: self,
      size: ids.length,
      patience: setup.gather,
      prepared: () => this.prepare(),
      send: (to, frame) => this.post(to, frame, "gathering"),
      begin: () => this.begin(),
    });
    this.courier = new Courier({
      protocol,
      topology,
      self,
      tau: setup.tau,
      epidemic: setup.multicast === "auto" ? ids.length > FAN_OUT_LIMIT : setup.multicast === "epidemic",
      counters: endpoint.counters,
      post,
      ready: (to) => endpoint.introducedTo(ids[to]),
      deliver: (port, message) => {
        this.begin();
        this.node.deliver(port, message);
      },
    });
    this.node = new LiveNode(
      {
        ...setup,
        protocol,
        topology,
        node: self,
        ids,
        initiator: setup.initiator ?? startsUnasked(protocol, self),
        election: this.digest.readUIntBE(0, 6),
        store: storeOf(setup, `${this.id}-${endpoint.self}`),
      },
      {
        unicast: (to, arrival, message) => this.courier.unicast(to, arrival, message),
        multicast: (message) => this.courier.multicast(message),
        settled: (verdict) => this.listener.settled(verdict),
        failed: (error) => this.listener.failed(error),
      },
    );
  }

  /** Nothing that this member has sent waits for an acknowledgement. */
  get idle(): boolean {
    return this.courier.idle;
  }

  open(): void {
    this.prepare();
    this.gathering.open();
  }

  close(): void {
    this.closed = true;
    this.gathering.close();
    this.node.stop();
    this.courier.close();
  }

  receive(from: Id, life: number, newest: boolean, bytes: Uint8Array): void {
    if (this.closed) return;
    const { counters } = this.endpoint;
    const sender = this.numbers.get(from);
    const frame = readOrNull(() => readFrame(bytes));
    if (sender === undefined) counters.drop("unknown-member");
    else if (frame === null) counters.drop("malformed");
    else if (frame.kind === "ready" || frame.kind === "go") this.gathering.receive(sender, frame);
    else if (!this.remembers && life !== (this.lives.get(sender) ?? life)) counters.drop("forgetful");
    else {
      this.lives.set(sender, life);
      this.lastActive = performance.now();
      this.courier.receive(sender, frame, life, newest);
    }
  }

  /** A protocol that saves its state goes on with the new life of a member; to any other the member has crashed. */
  restarted(member: Id): void {
    const node = this.numbers.get(member);
    if (node !== undefined) this.courier.restarted(node, this.remembers);
  }

  /** Whether all neighbours know this member; those that do not are asked (again, where keys have changed meanwhile). */
  private prepare(): boolean {
    const neighbours = this.neighbours();
    for (const id of neighbours) this.endpoint.meet(id);
    return neighbours.every((id) => this.endpoint.introducedTo(id));
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

  private post(to: number, frame: Frame, kind: DatagramKind): void {
    if (this.closed) return;
    if (kind === "message") this.lastActive = performance.now();
    this.endpoint.send(this.ids[to], writeFrame(this.digest, frame), kind);
  }
}

function refuseStranger(self: Id): never {
  throw new InputError(`member ${self} does not take part in this election: it is not in the list of members`);
}

function storeOf({ protocol, state }: ElectionSetup, name: string): Store {
  if (protocol.saved === undefined) return memoryStore();
  if (state !== null) return fileStore(state, name);
  throw new InputError(`${protocol.name} keeps state that must survive a crash: name a folder with --state`);
}

/** Members with another list, other parameters or another tau would not understand each other, so they do not meet. */
function digestOf({ protocol, params, membership, name, tau, multicast }: ElectionSetup, ids: readonly Id[]): Buffer {
  const agreed = JSON.stringify([name, protocol.name, params, ids, membership.edges, tau, multicast]);
  return createHash("sha256").update(agreed).digest().subarray(0, ELECTION_BYTES);
}
