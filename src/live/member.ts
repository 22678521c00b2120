/** A member of given groups: an endpoint, and the elections that it takes part in, one after another or side by side. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { once } from "../protocols/once/once.ts";
import type { OnceEnd, OnceParams, OnceReport, OnceState } from "../protocols/once/state.ts";
import type { Params } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { FAN_OUT_LIMIT } from "../theory/rumour.ts";
import { Counters } from "./counters.ts";
import { numeric, placeText } from "./group/address.ts";
import { LARGEST_MESSAGE } from "./group/datagram.ts";
import { OpenNode } from "./group/host.ts";
import { SharedEndpoint } from "./group/shared.ts";
import { type Impairment, impaired } from "./impaired.ts";
import type { Keyring } from "./keyring.ts";
import type { Member, Membership } from "./members.ts";
import { topologyOf } from "./network.ts";
import { type MemberOutcome, since, snapshot } from "./outcome.ts";
import { realWorld } from "./real-world.ts";
import { aesGcm, type Sealing } from "./sealing.ts";
import { StallWatch } from "./stalls.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";
import { Telling, type Told } from "./telling.ts";
import type { Address, Transport, World } from "./world.ts";

/** All elections under one key share this name: each message says which election it belongs to. */
const GROUP = "elections";

/** Elections that are over, and whose latecomers are told so. */
const MOST_REMEMBERED = 64;

/** How much of the digest names an election: for users, and in messages. */
const DIGEST_BYTES = 8;
const NUMBER_BYTES = 6;

/** Who this member is, whom it may talk to, and how. */
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

/** One election: its protocol and members, and how long to wait. */
export interface ElectOptions extends OnceParams, Told {
  readonly protocol: ProtocolChoice;
  readonly params: Params;
  /** Who takes part; the member may know more. */
  readonly membership: Membership;
  /** Distinguishes elections of the same members with the same protocol. */
  readonly name: string;
  /** Milliseconds to the protocol's unit of time; to a round of a synchronous one. */
  readonly tau: number;
  /** Milliseconds of standstill that count as a pause. */
  readonly stallLimit: number;
  readonly multicast: "auto" | "fan-out" | "epidemic";
  /** The folder, or another place, for what must survive a crash; `name` tells the election and the member. */
  readonly state: string | ((name: string) => Store) | null;
  readonly signal?: AbortSignal;
}

interface Taken {
  readonly name: string;
  readonly node: OpenNode<OnceState, OnceReport>;
}

/** This process as a member of a group: it takes part in elections until it is closed. */
export class LiveMember {
  readonly counters = new Counters();
  private readonly endpoint: SharedEndpoint<number | undefined>;
  private readonly setup: MemberSetup;
  private readonly world: World;
  private readonly advertised: Address;
  /** By digest: those that run, and those that are over. */
  private readonly elections = new Map<string, Taken>();

  constructor(setup: MemberSetup) {
    const { self, members, keyring, transport, impairment, world = realWorld, sealing = aesGcm } = setup;
    const { counters } = this;
    this.setup = setup;
    this.world = world;
    const { host, port } = members.find(({ id }) => id === self) ?? transport.address;
    this.advertised = numeric(host, port);
    this.endpoint = new SharedEndpoint(
      {
        group: GROUP,
        keyring,
        advertised: this.advertised,
        listed: members.map((member) => numeric(member.host, member.port)),
        world,
        transport:
          impairment === undefined ? transport : impaired(world, transport, { ...impairment, member: self }, counters),
        counters,
        sealing,
      },
      (message) => (message as { readonly election?: number } | null)?.election,
    );
  }

  /** Resolves with this member's outcome, verdict or not; rejects where the protocol cannot run. */
  elect(options: ElectOptions): Promise<MemberOutcome> {
    return new Promise((resolve, reject) => {
      const { name, signal, stallLimit } = options;
      const { protocol } = findProtocol(options.protocol);
      const digest = digestOf(protocol, options);
      const id = digest.toString("hex");
      if (this.runs(id)) {
        throw new InputError(`election ${name} already runs here: give the next one another name`);
      }
      const store = closable(storeOf(protocol, options.state, `${id}-${this.setup.self}`));
      const node = this.nodeOf(protocol, options, digest, store);
      const opened = this.world.now();
      const before = snapshot(this.counters);
      const telling = new Telling(options, this.world);
      const stalls = new StallWatch(this.world, stallLimit);
      const stop = () => node.command({ kind: "stop" });
      let isOver = false;
      let tooLarge: InputError | null = null;
      const finish = () => {
        isOver = true;
        signal?.removeEventListener("abort", stop);
        stalls.stop();
        store.close();
      };
      this.remember(id, { name, node });
      node.start({
        reported: (report) => {
          if (tooLarge !== null) throw tooLarge;
          telling.reported(report);
        },
        released: () => {
          telling.released();
          const { ended, heard, verdict } = node.report;
          if (ended === null || isOver) return;
          finish();
          const { status, leader, term } = verdict;
          const { messages, bits, ...measures } = node.measures;
          const members = options.membership.members.length;
          const seconds = Math.round(options.timeout ?? this.world.now() - opened) / 1000;
          const alone = `none of the other ${members - 1} members was heard`;
          resolve({
            protocol: protocol.name,
            election: id,
            self: this.setup.self,
            members,
            heard,
            status,
            leader,
            term,
            reason: status === "undecided" ? whyNot(ended, seconds) : heard === 0 && members > 1 ? alone : null,
            seconds: telling.seconds,
            messages,
            bits,
            measures,
            ...since(before, snapshot(this.counters)),
            stalls: stalls.report,
          });
        },
        failed: (error) => {
          this.elections.delete(id);
          finish();
          reject(error);
        },
        refused() {},
        unresolved() {},
        stalled() {},
        oversized: (bytes) => {
          tooLarge = new InputError(
            `${protocol.name} wants to send a message of ${bytes} bytes, but a datagram holds ${LARGEST_MESSAGE}`,
          );
        },
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop);
    });
  }

  /** A user's command to the node of a running election, which gets it like a message from itself. */
  command(command: unknown, name = "1"): void {
    const running = [...this.elections].filter(([id, election]) => election.name === name && this.runs(id));
    if (running.length === 0)
      throw new Error(`no election named ${name} runs here: give the name that it was started with`);
    for (const [, { node }] of running) {
      if (!node.report.hasBegun) throw new Error("the election has not begun: send commands after onBegin");
      node.command({ kind: "command", command });
    }
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  async close(): Promise<void> {
    for (const { node } of this.elections.values()) {
      if (node.report.ended === null) node.command({ kind: "stop" });
      void node.close();
    }
    await this.endpoint.close();
  }

  private runs(id: string): boolean {
    return this.elections.get(id)?.node.report.ended === null;
  }

  private nodeOf(
    protocol: AnyProtocol,
    options: ElectOptions,
    digest: Buffer,
    store: Store,
  ): OpenNode<OnceState, OnceReport> {
    const { self, keyring, transport } = this.setup;
    const { params, membership, multicast, tau, initiator, gather, timeout, linger } = options;
    const { members } = membership;
    if (!(tau >= 1)) throw new InputError(`tau must be at least 1 ms, not ${tau}: no network is timely within less`);
    if (!members.some(({ id }) => id === self)) {
      throw new InputError(`member ${self} does not take part in this election: it is not in the list of members`);
    }
    const election = digest.readUIntBE(0, NUMBER_BYTES);
    const machine = once({
      protocol,
      params,
      topology: topologyOf(protocol, membership),
      ids: members.map(({ id }) => id),
      addresses: members.map(({ host, port }) => placeText(numeric(host, port))),
      election,
      tau,
      epidemic: multicast === "auto" ? members.length > FAN_OUT_LIMIT : multicast === "epidemic",
    });
    return new OpenNode<OnceState, OnceReport>({
      machine,
      params: { initiator, gather, timeout, linger } satisfies OnceParams,
      name: String(self),
      group: GROUP,
      keyring,
      advertised: this.advertised,
      seeds: [],
      world: this.world,
      transport,
      store,
      resolve: (_host, done) => done([], "addresses of members are numbers"),
      shared: this.endpoint.share(election),
    });
  }

  /** A member that restarts after the others are done would otherwise find nobody who knows, and begin anew. */
  private remember(id: string, election: Taken): void {
    void this.elections.get(id)?.node.close();
    this.elections.delete(id);
    this.elections.set(id, election);
    const over = [...this.elections.keys()].filter((each) => each !== id && !this.runs(each));
    for (const each of over.slice(0, Math.max(0, over.length - MOST_REMEMBERED))) {
      void this.elections.get(each)!.node.close();
      this.elections.delete(each);
    }
  }
}

/** Why there is no verdict. */
function whyNot(ended: OnceEnd, seconds: number): string {
  if (ended === "late") return "no leader known: the election has begun without this member";
  return ended === "stopped" ? "no leader known: interrupted" : `no leader known: no verdict within ${seconds} s`;
}

/** Members with another list, other parameters or another tau would not understand each other, so they do not meet. */
function digestOf({ name: protocol }: AnyProtocol, options: ElectOptions): Buffer {
  const { name, params, membership, tau, multicast } = options;
  const ids = membership.members.map(({ id }) => id);
  const agreed = JSON.stringify([name, protocol, params, ids, membership.edges, tau, multicast]);
  return createHash("sha256").update(agreed).digest().subarray(0, DIGEST_BYTES);
}

function storeOf({ saved, name: protocol }: AnyProtocol, state: ElectOptions["state"], name: string): Store {
  if (saved === undefined) return memoryStore();
  if (state !== null) return typeof state === "string" ? fileStore(state, name) : state(name);
  throw new InputError(
    (option) => `${protocol} keeps state that must survive a crash: name a folder with ${option("state")}`,
  );
}

/** When an election is over its node still answers latecomers, but its place is free for others. */
function closable(store: Store): Store {
  let isOpen = true;
  return {
    load: () => store.load(),
    save: (saved) => {
      if (isOpen) store.save(saved);
    },
    close: () => {
      if (isOpen) store.close();
      isOpen = false;
    },
  };
}
