/** One member's part in one election: the machine on its host, what the user is told of it, and the outcome. */
import { createHash } from "node:crypto";
import { InputError } from "../../errors.ts";
import type { AnyProtocol, Id, Verdict } from "../../protocol.ts";
import { once } from "../../protocols/once/once.ts";
import type { OnceEnd, OnceParams, OnceReport, OnceState } from "../../protocols/once/state.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { ProtocolChoice } from "../../protocols/registry.ts";
import { FAN_OUT_LIMIT } from "../../theory/gupta/rumour.ts";
import { OpenNode, type OpenNodeSetup } from "../group/host.ts";
import { numeric } from "../net/address.ts";
import type { Counters, DatagramKind, DropReason } from "../net/counters.ts";
import { LARGEST_MESSAGE } from "../net/datagram.ts";
import type { EndpointShare } from "../net/shared.ts";
import { addressText } from "../net/udp.ts";
import { type StallReport, StallWatch } from "../stalls.ts";
import { fileStore, memoryStore, type Store } from "../store.ts";
import type { Address, World } from "../world.ts";
import { electionTopology, type Membership } from "./members.ts";

/** How much of the digest names an election: for users, and in messages. */
const DIGEST_BYTES = 8;
const NUMBER_BYTES = 6;

/** One election: its protocol and members, and how long to wait. */
export interface ElectOptions extends OnceParams, ElectionCallbacks {
  readonly protocol: ProtocolChoice;
  readonly params: Params;
  /** Who takes part; the member may know more. */
  readonly membership: Membership;
  /** Distinguishes elections of the same members with the same protocol. */
  readonly name: string;
  /** Milliseconds to the protocol's unit of time; to a round of a synchronous one. */
  readonly tau: number;
  /** Milliseconds without running that count as a pause. */
  readonly stallLimit: number;
  readonly multicast: "auto" | "fan-out" | "epidemic";
  /** The folder, or another place, for what must survive a crash; `name` tells the election and the member. */
  readonly state: string | ((name: string) => Store) | null;
  readonly signal?: AbortSignal;
}

/** What the elections of a member have in common; `share`: of its endpoint, for the election with this number. */
export interface PartMeans {
  readonly self: Id;
  /** Where others reach this member. */
  readonly advertised: Address;
  readonly world: World;
  readonly counters: Counters;
  share(election: number): EndpointShare;
}

/** Which election it is. Members with another list, other parameters or another tau do not meet: they would not understand each other. */
export function electionDigest({ name: protocol }: AnyProtocol, options: ElectOptions): Buffer {
  const { name, params, membership, tau, multicast } = options;
  const ids = membership.members.map(({ id }) => id);
  const agreed = JSON.stringify([name, protocol, params, ids, membership.edges, tau, multicast]);
  return createHash("sha256").update(agreed).digest().subarray(0, DIGEST_BYTES);
}

export class ElectionPart {
  private readonly means: PartMeans;
  private readonly protocol: AnyProtocol;
  private readonly options: ElectOptions;
  private readonly id: string;
  private readonly store: Store;
  private readonly node: OpenNode<OnceState, OnceReport>;
  private readonly callbacks: CallbackQueue;
  private readonly stalls: StallWatch;
  private readonly before: Snapshot;
  private readonly opened: number;
  /** A message that no datagram can hold has been sent. */
  private tooLarge: InputError | null = null;
  private hasFailed = false;

  constructor(means: PartMeans, protocol: AnyProtocol, options: ElectOptions) {
    const { self, world, counters } = means;
    const digest = electionDigest(protocol, options);
    this.means = means;
    this.protocol = protocol;
    this.options = options;
    this.id = digest.toString("hex");
    const machine = machineOf(self, protocol, options, digest.readUIntBE(0, NUMBER_BYTES));
    this.store = closable(storeOf(protocol, options.state, `${this.id}-${self}`));
    this.node = this.nodeOf(machine, digest.readUIntBE(0, NUMBER_BYTES));
    this.callbacks = new CallbackQueue(options, world);
    this.stalls = new StallWatch(world, options.stallLimit);
    this.before = snapshot(counters);
    this.opened = world.now();
  }

  get name(): string {
    return this.options.name;
  }

  get isRunning(): boolean {
    return !this.hasFailed && this.node.report.ended === null;
  }

  /** Ends with this member's part. The node goes on telling latecomers that the election has begun. */
  run(resolve: (outcome: MemberOutcome) => void, reject: (error: unknown) => void): void {
    const { signal } = this.options;
    const stop = () => this.stop();
    const finish = () => {
      signal?.removeEventListener("abort", stop);
      this.stalls.stop();
      this.store.close();
    };
    let isOver = false;
    this.node.start({
      reported: (report) => {
        if (this.tooLarge !== null) throw this.tooLarge;
        this.callbacks.reported(report);
      },
      released: () => {
        this.callbacks.released();
        if (this.isRunning || isOver) return;
        isOver = true;
        finish();
        resolve(this.outcome());
      },
      failed: (error) => {
        this.hasFailed = true;
        finish();
        reject(error);
      },
      oversized: (bytes) => {
        this.tooLarge = new InputError(
          `${this.protocol.name} wants to send a message of ${bytes} bytes, but a datagram holds ${LARGEST_MESSAGE}`,
        );
      },
      refused() {},
      unresolved() {},
      stalled() {},
    });
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop);
  }

  /** A user's command to the protocol. */
  command(command: unknown): void {
    if (!this.node.report.hasBegun) throw new Error("the election has not begun: send commands after onBegin");
    this.node.command({ kind: "command", command });
  }

  stop(): void {
    this.node.command({ kind: "stop" });
  }

  close(): void {
    void this.node.close();
  }

  private nodeOf(machine: OpenNodeSetup["machine"], election: number): OpenNode<OnceState, OnceReport> {
    const { self, advertised, world, share } = this.means;
    const { initiator, gather, timeout, linger } = this.options;
    return new OpenNode<OnceState, OnceReport>({
      machine,
      params: { initiator, gather, timeout, linger } satisfies OnceParams,
      name: String(self),
      advertised,
      seeds: [],
      world,
      store: this.store,
      resolve: (_host, done) => done([], "addresses of members are numbers"),
      shared: share(election),
    });
  }

  private outcome(): MemberOutcome {
    const { ended, heard, verdict } = this.node.report;
    const { status, leader, term } = verdict;
    const { messages, bits, ...measures } = this.node.measures;
    const members = this.options.membership.members.length;
    const alone = heard === 0 && members > 1 ? `none of the other ${members - 1} members was heard` : null;
    return {
      protocol: this.protocol.name,
      election: this.id,
      self: this.means.self,
      members,
      heard,
      status,
      leader,
      term,
      reason: status === "undecided" ? this.whyNot(ended!) : alone,
      seconds: this.callbacks.seconds,
      messages,
      bits,
      measures,
      ...since(this.before, snapshot(this.means.counters)),
      stalls: this.stalls.report,
    };
  }

  /** Why there is no verdict. */
  private whyNot(ended: OnceEnd): string {
    if (ended === "late") return "no leader known: the election has begun without this member";
    if (ended === "stopped") return "no leader known: interrupted";
    const ms = this.options.timeout ?? this.means.world.now() - this.opened;
    return `no leader known: no verdict within ${Math.round(ms) / 1000} s`;
  }
}

function machineOf(self: Id, protocol: AnyProtocol, options: ElectOptions, election: number): OpenNodeSetup["machine"] {
  const { params, membership, multicast, tau } = options;
  const { members } = membership;
  if (!(tau >= 1)) throw new InputError(`tau must be at least 1 ms, not ${tau}: no network is timely within less`);
  if (!members.some(({ id }) => id === self)) {
    throw new InputError(`member ${self} does not take part in this election: it is not in the list of members`);
  }
  return once({
    protocol,
    params,
    topology: electionTopology(protocol, membership),
    ids: members.map(({ id }) => id),
    addresses: members.map(({ host, port }) => addressText(numeric(host, port))),
    election,
    tau,
    epidemic: multicast === "auto" ? members.length > FAN_OUT_LIMIT : multicast === "epidemic",
  });
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

// What one member has to say at the end of an election: plain data, printed by the command line as JSON.

/** What one member knows at the end of an election, and what it cost. */
export interface MemberOutcome {
  readonly protocol: string;
  readonly election: string;
  readonly self: Id;
  readonly members: number;
  /** Of how many others anything came in this election. */
  readonly heard: number;
  readonly status: Verdict["status"];
  /** Null where the member does not know, or where the protocol names nobody. */
  readonly leader: Id | null;
  readonly term: number;
  /** Why there is no verdict, or why it says nothing about the group; null where there is one. */
  readonly reason: string | null;
  /** From the common start to this member's verdict; null without one. */
  readonly seconds: number | null;
  /** Messages of the protocol that this member sent, as in simulation, and their size by the protocol's own measure. */
  readonly messages: number;
  readonly bits: number;
  readonly measures: Readonly<Record<string, number>>;
  /** What they became on the network: bytes of all datagrams, datagrams by what they carry. */
  readonly bytes: number;
  readonly datagrams: Readonly<Record<DatagramKind, number>> & { readonly received: number };
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
  readonly stalls: StallReport;
}

/** The counters at one moment, to tell one election's part from what came before on the same endpoint. */
interface Snapshot {
  readonly bytes: number;
  readonly datagrams: MemberOutcome["datagrams"];
  readonly drops: MemberOutcome["drops"];
}

function snapshot({ bytesSent, sent, received, drops }: Counters): Snapshot {
  return { bytes: bytesSent, datagrams: { ...sent, received }, drops: { ...drops } };
}

function since(before: Snapshot, now: Snapshot): Snapshot {
  return {
    bytes: now.bytes - before.bytes,
    datagrams: difference(before.datagrams, now.datagrams),
    drops: Object.fromEntries(Object.entries(difference(before.drops, now.drops)).filter(([, count]) => count > 0)),
  };
}

function difference<R extends object>(before: R, now: R): R {
  const counts = Object.entries(now).map(([name, count]) => [
    name,
    count - ((before as Record<string, number>)[name] ?? 0),
  ]);
  return Object.fromEntries(counts) as R;
}

// What the user of an election is told, and when: abort signals fire in the report itself, before anything of what follows
// leaves this process; other callbacks come after that, and one that throws stops nothing.

/** What a user can be told of an election. */
interface ElectionCallbacks {
  readonly onBegin?: () => void;
  /** Told of every change of the verdict, and of what the protocol reports beyond it. */
  readonly onVerdict?: (verdict: Verdict) => void;
  readonly onReport?: (report: unknown) => void;
  /** This member leads; the signal fires as soon as it no longer does. */
  readonly onElected?: (signal: AbortSignal) => void;
  /** Gets what the others throw; where missing, the process warns of it. */
  readonly onError?: (error: unknown) => void;
}

class CallbackQueue {
  private readonly callbacks: ElectionCallbacks;
  private readonly world: Pick<World, "now">;
  private begunAt: number | null = null;
  private decidedAt: number | null = null;
  private leading: { readonly term: number; readonly controller: AbortController } | null = null;
  private verdict = "";
  private report = "";
  private calls: (() => void)[] = [];

  constructor(callbacks: ElectionCallbacks, world: Pick<World, "now">) {
    this.callbacks = callbacks;
    this.world = world;
  }

  /** From the common start to the verdict; null without one. */
  get seconds(): number | null {
    if (this.begunAt === null || this.decidedAt === null) return null;
    return Math.round(this.decidedAt - this.begunAt) / 1000;
  }

  /** The election's machine has reported. */
  reported({ hasBegun, verdict, report }: OnceReport): void {
    if (!hasBegun) return;
    const { onBegin, onVerdict, onReport } = this.callbacks;
    if (this.begunAt === null) {
      this.begunAt = this.world.now();
      if (onBegin !== undefined) this.calls.push(onBegin);
    }
    this.decidedAt = verdict.status === "undecided" ? null : (this.decidedAt ?? this.world.now());
    this.lead(verdict);
    const [verdictText, reportText] = [JSON.stringify(verdict), onReport === undefined ? "" : JSON.stringify(report)];
    if (verdictText !== this.verdict && onVerdict !== undefined) this.calls.push(() => onVerdict(verdict));
    if (reportText !== this.report && onReport !== undefined) this.calls.push(() => onReport(report));
    this.verdict = verdictText;
    this.report = reportText;
  }

  /** What was sent has left. */
  released(): void {
    for (const call of this.calls.splice(0)) {
      try {
        call();
      } catch (error) {
        if (this.callbacks.onError !== undefined) this.callbacks.onError(error);
        else process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }

  private lead({ status, term }: Verdict): void {
    const leads = status === "elected";
    if (this.leading !== null && (!leads || this.leading.term !== term)) {
      this.leading.controller.abort();
      this.leading = null;
    }
    if (!leads || this.leading !== null) return;
    const controller = new AbortController();
    this.leading = { term, controller };
    const { onElected } = this.callbacks;
    if (onElected !== undefined) this.calls.push(() => onElected(controller.signal));
  }
}
