/** One member's part in one election: from the gathering of the group to its verdict. */
import { type Id, SELF, type Verdict } from "../protocol.ts";
import { tell } from "../protocols/told.ts";
import { FAN_OUT_LIMIT } from "../theory/rumour.ts";
import type { Topology } from "../topology/topology.ts";
import { readOrNull } from "../wire/bytes.ts";
import { Courier } from "./courier.ts";
import { checkTau, digestOf, type ElectionSetup, neighboursOf, refuseStranger, storeOf } from "./election-setup.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Frame, readFrame, type Spoken, writeFrame } from "./frames.ts";
import { Gathering } from "./gathering.ts";
import { givenLinks } from "./given-links.ts";
import { type Linked, linked } from "./links.ts";
import { startsUnasked, topologyOf } from "./network.ts";
import { LiveNode } from "./node.ts";
import type { Store } from "./store.ts";
import type { World } from "./world.ts";

/** Frames of others that began before us; more are dropped and counted. */
const MOST_HELD = 256;

/** Who wants to know. */
export interface ElectionListener {
  begun(): void;
  /** It has begun without this member. */
  late(): void;
  /** After each handler, before its effects leave; and after that. */
  reported(verdict: Verdict, report: unknown): void;
  released(): void;
  failed(error: unknown): void;
}

export class Election {
  /** In hexadecimal; the same at all members that agree on everything that matters. */
  readonly id: string;
  readonly node: LiveNode;
  /** When a message of the protocol was last sent or received. */
  lastActive: number;
  private readonly world: World;
  private readonly endpoint: Endpoint;
  private readonly listener: ElectionListener;
  private readonly tau: number;
  private readonly links: Linked;
  private readonly topology: Topology;
  private readonly ids: readonly Id[];
  private readonly self: number;
  private readonly numbers: ReadonlyMap<Id, number>;
  private readonly digest: Buffer;
  private readonly store: Store;
  private readonly gathering: Gathering;
  private readonly courier: Courier;
  private readonly neighbours: readonly number[];
  /** Members of which something has come in this election. */
  private readonly heardOf = new Set<number>();
  private readonly held: { readonly sender: number; readonly frame: Spoken & { roster: number } }[] = [];
  private roster: number | null = null;
  private closed = false;

  constructor(setup: ElectionSetup, world: World, endpoint: Endpoint, listener: ElectionListener) {
    checkTau(setup.tau);
    this.world = world;
    this.endpoint = endpoint;
    this.listener = listener;
    this.lastActive = world.now();
    this.tau = setup.tau;
    this.topology = topologyOf(setup.protocol, setup.membership);
    this.links = linked(setup.protocol, setup.params, setup.tau);
    this.ids = setup.membership.members.map(({ id }) => id);
    this.numbers = new Map(this.ids.map((id, node) => [id, node]));
    this.self = this.numbers.get(endpoint.self) ?? refuseStranger(endpoint.self);
    this.digest = digestOf(setup, this.ids);
    this.id = this.digest.toString("hex");
    this.neighbours = neighboursOf(this.topology, this.self);
    this.store = storeOf(setup, `${this.id}-${endpoint.self}`);

    const { topology, self, ids, links } = this;
    const { protocol } = links;
    this.gathering = new Gathering({
      world,
      node: self,
      size: ids.length,
      life: endpoint.life,
      patience: setup.gather,
      remembers: protocol.saved !== undefined,
      isPrepared: (from) => this.neighbours.every((node) => node < from || endpoint.knows(ids[node])),
      send: (to, frame) => this.post(to, frame, "gathering"),
      begin: (roster) => this.begin(roster),
      late: () => listener.late(),
    });
    this.courier = new Courier({
      world,
      protocol,
      topology,
      self,
      epidemic: setup.multicast === "auto" ? ids.length > FAN_OUT_LIMIT : setup.multicast === "epidemic",
      counters: endpoint.counters,
      kindOf: (message) => links.kindOf(message),
      post: (to, frame, kind) => this.post(to, { ...frame, roster: this.roster! }, kind),
      deliver: (port, message) => this.node.deliver(port, message),
    });
    const { tau, stallLimit, params } = setup;
    const initiator = setup.initiator ?? startsUnasked(protocol, self);
    const highest = ids.reduce((a, b) => Math.max(a, b));
    const election = this.digest.readUIntBE(0, 6);
    const facts = { id: ids[self], initiator, n: topology.size, highest, election, life: endpoint.life, seeds: [] };
    this.node = new LiveNode(
      {
        world,
        protocol,
        params,
        tau,
        stallLimit,
        store: this.store,
        countsStalls: true,
        where: `member ${ids[self]}`,
        self: () => tell(protocol, params, facts, (p) => world.draws.coin(p)),
        links: givenLinks({
          protocol,
          topology,
          node: self,
          ids,
          unicast: (to, arrival, message) => this.courier.unicast(to, arrival, message),
          multicast: (message) => this.courier.multicast(message),
        }),
      },
      {
        reported: (verdict, report) => listener.reported(verdict, report),
        released: () => listener.released(),
        failed: (error) => listener.failed(error),
      },
    );
  }

  /** How many other members were heard in this election. */
  get heard(): number {
    return this.heardOf.size;
  }

  /** Milliseconds that the protocol has asked to wait, each timer counted once. */
  get waits(): number {
    return this.links.waits.total * this.tau;
  }

  /** Nothing that this member has sent waits for an acknowledgement. */
  get idle(): boolean {
    return this.links.isIdle(this.node.kept);
  }

  /** What a member is told that comes after the start, also when this one has left; null before the start. */
  get answer(): Uint8Array | null {
    const { answer } = this.gathering;
    return answer && writeFrame(this.digest, answer);
  }

  open(): void {
    for (const node of this.neighbours) this.endpoint.meet(this.ids[node]);
    this.gathering.open();
  }

  close(): void {
    this.node.leave();
    this.closed = true;
    this.gathering.close();
    this.store.close();
  }

  receive(from: Id, life: number, bytes: Uint8Array): void {
    if (this.closed) return;
    const { counters } = this.endpoint;
    const sender = this.numbers.get(from);
    const frame = readOrNull(() => readFrame(bytes));
    if (sender === undefined || frame === null) {
      counters.drop(sender === undefined ? "unknown-member" : "malformed");
      return;
    }
    this.heardOf.add(sender);
    if (frame.kind !== "message" && frame.kind !== "rumour") this.gathering.receive(sender, life, frame);
    else if (this.roster === null) this.hold(sender, frame);
    else if (frame.roster !== this.roster) counters.drop("other-roster");
    else {
      this.lastActive = this.world.now();
      this.courier.receive(sender, frame);
    }
  }

  /** A user's command comes through SELF; before the start there is nobody to take it. */
  command(command: unknown): void {
    if (this.roster === null) throw new Error("the election has not begun: send commands after onBegin");
    this.node.deliver(SELF, command);
  }

  met(member: Id, life: number): void {
    const node = this.numbers.get(member);
    if (node !== undefined && !this.closed) this.gathering.met(node, life);
  }

  /** Others have begun: what they say waits until this member has heard whether it is to begin with them. */
  private hold(sender: number, frame: Spoken & { roster: number }): void {
    if (this.held.length === MOST_HELD) this.endpoint.counters.drop("overflow");
    else this.held.push({ sender, frame });
    this.gathering.ask(sender);
  }

  private begin(roster: number): void {
    this.roster = roster;
    this.listener.begun();
    this.node.start();
    for (const { sender, frame } of this.held.splice(0)) {
      if (frame.roster === roster) this.courier.receive(sender, frame);
      else this.endpoint.counters.drop("other-roster");
    }
  }

  private post(to: number, frame: Frame, kind: Parameters<Endpoint["send"]>[2]): void {
    if (this.closed) return;
    if (kind === "message") this.lastActive = this.world.now();
    this.endpoint.send(this.ids[to], writeFrame(this.digest, frame), kind);
  }
}
