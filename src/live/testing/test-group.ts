/** A group in virtual time, from a seed, with programs of a user's own in it: the members are those that ship. */
import "../../registry/all.ts";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { HostStream } from "../../random/streams.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { ENGINE } from "../group/peers.ts";
import { VirtualEngine } from "../group/virtual-engine.ts";
import { GroupMember } from "../join/member.ts";
import { insecureKeyring } from "../net/keyring.ts";
import { turn } from "../real-world.ts";
import { memoryStore, type Store } from "../store.ts";
import { type Conditions, type VirtualMachine, VirtualNetwork } from "../virtual-world.ts";
import { clockOf, fetchOf, type TestClock, type TestService } from "./clock.ts";
import { trapRealTime } from "./real-time.ts";

/** What a program under test is given: its member, and the clock and the network of its own process. */
export interface TestProcess {
  readonly name: string;
  readonly member: GroupMember;
  readonly clock: TestClock;
  readonly fetch: typeof fetch;
}

/** How a test group is set up; everything has a default. */
export interface TestGroupOptions {
  /** Everything that is left to chance follows from it (1). */
  readonly seed?: number;
  /** Their names (a, b and c). */
  readonly members?: readonly string[];
  readonly offices?: readonly string[];
  /** Milliseconds of a lease, in strict mode (2000); null: without an engine. */
  readonly lease?: number | null;
  /** What the network does to datagrams: loss, duplicates, delays (0.2 to 1 ms). */
  readonly conditions?: Partial<Conditions>;
  /** By origin ("http://store"): what the kit's `fetch` reaches. Requests and answers take 1 to 20 ms each. */
  readonly services?: Readonly<Record<string, TestService>>;
  /** Runs in each process that starts; what it throws fails the run. */
  program?(process: TestProcess): unknown;
  /** Whether work may throw, as it is tried again then (no: what it throws fails the run). */
  readonly allowThrows?: boolean;
  /** Called after each virtual millisecond; what it throws fails the run. */
  always?(group: TestGroup): void;
  /** For programs with global timers under fake ones: moves these on by this many milliseconds. Then real time is not looked for. */
  advance?(ms: number): unknown;
}

/** Virtual milliseconds after which a pause begins that has waited for a request. */
const LATEST_PAUSE = 1000;

interface Pending {
  readonly what: "sending" | "answer";
  readonly ms: number;
  /** So many of these moments pass before. */
  left: number;
}

interface Running extends TestProcess {
  readonly machine: VirtualMachine;
}

/** A simulated group with a program in each of its processes; see docs/library.md. */
export class TestGroup {
  private readonly options: TestGroupOptions;
  private readonly network: VirtualNetwork;
  private readonly engine: VirtualEngine;
  private readonly chance: HostStream;
  private readonly names: readonly string[];
  private readonly stores = new Map<string, Store>();
  private readonly running = new Map<string, Running>();
  private readonly cuts = new Set<string>();
  /** Pauses that wait for a request or an answer. */
  private readonly pauses = new Map<VirtualMachine, Pending>();
  private failure: { readonly error: unknown } | null = null;

  private constructor(options: TestGroupOptions) {
    const { seed = 1, members = ["a", "b", "c"], conditions } = options;
    this.options = options;
    this.names = members;
    this.network = new VirtualNetwork(seed, conditions);
    this.engine = new VirtualEngine(this.network, seed);
    this.chance = new HostStream(seed, 1, "delays");
  }

  /** Starts all processes; time stops until `run`. */
  static async start(options: TestGroupOptions = {}): Promise<TestGroup> {
    const group = new TestGroup(options);
    for (const name of group.names) await group.restart(name);
    return group;
  }

  /** Virtual milliseconds since the start. */
  get now(): number {
    return this.network.now;
  }

  /** The processes that run. */
  get processes(): readonly TestProcess[] {
    return [...this.running.values()];
  }

  /** One that runs. */
  process(name: string): TestProcess {
    return this.of(name);
  }

  /** Those who lead, as they see it themselves, now and by their own clocks. */
  leaders(office?: string): readonly string[] {
    return this.processes.filter(({ member }) => member.office(office).leader?.mine).map(({ name }) => name);
  }

  /** Throws, with the seed, unless exactly one of the processes that run leads; gives its name. */
  expectOneLeader(office?: string): string {
    const leaders = this.leaders(office);
    if (leaders.length === 1) return leaders[0];
    const who = leaders.length === 0 ? "nobody leads" : `${leaders.join(" and ")} lead`;
    throw new Error(`${who} after ${this.now} ms of seed ${this.options.seed ?? 1}: expected one leader`);
  }

  /** So many virtual milliseconds. Rejects where a program or `always` has thrown, or real time was touched. */
  async run(ms: number): Promise<void> {
    const { advance, always } = this.options;
    const untrap = advance === undefined ? trapRealTime() : () => null;
    let touched: Error | null = null;
    try {
      for (let passed = 0; passed < ms && this.failure === null; passed++) {
        this.network.runFor(1);
        await turn();
        await advance?.(1);
        always?.(this);
      }
    } finally {
      touched = untrap();
    }
    if (touched !== null) throw touched;
    if (this.failure !== null) throw this.failure.error;
  }

  /** Runs until something is so; rejects where it was not within this many milliseconds (60,000). */
  async until(isSo: () => boolean, within = 60_000): Promise<void> {
    const end = this.now + within;
    while (!isSo()) {
      if (this.now >= end) throw new Error(`not so within ${within} ms of seed ${this.options.seed ?? 1}: ${isSo}`);
      await this.run(1);
    }
  }

  /** Runs until exactly one leads; gives its name. */
  async untilLed(within?: number): Promise<string> {
    await this.until(() => this.leaders().length === 1, within);
    return this.leaders()[0];
  }

  /** As kill -9: nothing of that process runs any more. */
  kill(name: string): void {
    this.of(name).machine.crash();
    this.running.delete(name);
  }

  /** Kills the leader, and returns its name. */
  killLeader(office?: string): string {
    const name = this.expectOneLeader(office);
    this.kill(name);
    return name;
  }

  /** Another life of that process, with what its former one has saved; one that runs is killed. */
  async restart(name: string): Promise<TestProcess> {
    if (this.running.has(name)) this.kill(name);
    const { offices = ["leader"], lease: ttl = 2000, services = {}, program } = this.options;
    const { network } = this;
    const machine = network.machine(this.address(name));
    const { world, transport } = machine;
    if (!this.stores.has(name)) this.stores.set(name, memoryStore());
    const store = this.stores.get(name)!;
    const keyring = insecureKeyring();
    const lease = ttl === null ? null : { ...leaseTimes(ttl), engine: ENGINE, settles: true, preemptible: false };
    const seeds = this.names.slice(0, 3).map((each) => `${this.address(each).host}:7001`);
    const member = GroupMember.start(
      {
        world,
        keyring: () => keyring,
        options: {
          ...readAll(MEMBER, { group: "test", seeds, profile: "local" }),
          name,
          offices,
          keyring,
          params: { lease },
        },
      },
      {
        world,
        transport,
        store,
        reached: machine.address,
        resolve: (_host, done) => done([], "nobody knows that name"),
        ...(lease !== null && { engine: this.engine.peer(name, machine) }),
      },
    );
    const process: Running = {
      name,
      member,
      machine,
      clock: clockOf(machine),
      fetch: fetchOf({
        network,
        machine,
        service: (origin) => services[origin],
        isCut: () => this.cuts.has(name),
        moment: (what) => this.begin(machine, what),
        delay: () => 1 + 19 * this.chance.uniform(),
      }),
    };
    this.running.set(name, process);
    // The end of a program's lead is told by its own promise: what is thrown there is the program's to handle.
    if (!this.options.allowThrows)
      member.on("threw", ({ office, why }) => this.fail(new Error(`${name}, leading "${office}": ${why}`)));
    world.soon(() => void (async () => program?.(process))().catch((error: unknown) => this.fail(error)));
    return process;
  }

  /**
   * Nothing runs in that process for this many milliseconds, and its clocks go on: a long collection of garbage, kill -STOP. In a group with
   * services the seed says when that begins: at once, just before one of the next requests of its program leaves, or before an answer
   * is heard (within a second; otherwise then). `at: "once"`: at once.
   */
  pause(name: string, ms: number, { at }: { readonly at?: "once" } = {}): void {
    const { machine } = this.of(name);
    const draw = at === "once" || this.options.services === undefined ? 0 : this.chance.choose(4);
    if (draw === 0) {
      machine.standStill(ms);
      return;
    }
    // One of the next few: a program may read before it writes.
    const pending: Pending = { what: draw < 3 ? "sending" : "answer", ms, left: this.chance.choose(3) };
    this.pauses.set(machine, pending);
    this.network.at(this.now + LATEST_PAUSE, () => {
      if (this.pauses.get(machine) !== pending) return;
      pending.left = 0;
      this.begin(machine, pending.what);
    });
  }

  /** Members of different sides do not hear each other; engine and services are reached by all. */
  partition(...sides: readonly (readonly string[])[]): void {
    for (const side of sides) {
      for (const other of sides) {
        if (other === side) continue;
        for (const a of side) for (const b of other) this.network.cut(this.address(a), this.address(b));
      }
    }
  }

  /** That one reaches nobody, neither engine nor services, and nobody reaches it. */
  isolate(name: string): void {
    this.partition(
      [name],
      this.names.filter((other) => other !== name),
    );
    this.engine.cut(name);
    this.cuts.add(name);
  }

  /** Everybody reaches everybody again. */
  heal(): void {
    this.network.heal();
    this.engine.heal();
    this.cuts.clear();
  }

  /** The lease store does not answer, until `startEngine`. */
  stopEngine(): void {
    this.engine.stop();
  }

  startEngine(): void {
    this.engine.start();
  }

  /** A pause that waited for this moment. */
  private begin(machine: VirtualMachine, what: "sending" | "answer"): void {
    const pending = this.pauses.get(machine);
    if (pending?.what !== what || pending.left-- > 0) return;
    this.pauses.delete(machine);
    machine.standStill(pending.ms);
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
  }

  private of(name: string): Running {
    const process = this.running.get(name);
    if (process === undefined)
      throw new Error(`${name} does not run: there are ${[...this.running.keys()].join(", ")}`);
    return process;
  }

  private address(name: string) {
    const index = this.names.indexOf(name);
    if (index < 0) throw new Error(`there is no member "${name}": there are ${this.names.join(", ")}`);
    return { host: `10.0.${index >> 8}.${(index & 255) + 1}`, port: 7001 };
  }
}
