/** Members in strict mode as they ship, in virtual time, over a virtual engine. */

import type { AnyMemberEvent } from "../../src/events/events.ts";
import { RowEngine } from "../../src/live/engines/row-engine.ts";
import { Watched } from "../../src/live/engines/watched.ts";
import { startMember } from "../../src/live/group/member.ts";
import { ENGINE, enginePeer, type Peer } from "../../src/live/group/peers.ts";
import { VirtualEngine } from "../../src/live/group/virtual-engine.ts";
import type { Leadership } from "../../src/live/leading/scope.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { unsealed } from "../../src/live/net/sealing.ts";
import { memoryStore, type Store } from "../../src/live/store.ts";
import { type Conditions, VirtualNetwork } from "../../src/live/virtual-world.ts";
import type { World } from "../../src/live/world.ts";
import { leaseTimes } from "../../src/protocols/lease/params.ts";
import { readAll } from "../../src/setting.ts";
import { MEMBER } from "../../src/settings/member.ts";
import type { MemoryRows } from "../engines/memory-rows.ts";
import { checkFields } from "./told-fields.ts";

export const TTL = 2000;
const SEEDS = ["10.0.0.1:7001", "10.0.0.2:7001"];
const settings = { ...leaseTimes(TTL), engine: ENGINE, settles: true, preemptible: false };

export interface StartOptions {
  readonly store?: Store;
  readonly offices?: readonly string[];
  /** A store without a clock, in place of the virtual engine. */
  readonly rows?: MemoryRows;
  /** There: whether the engine never learns what holders say of their sessions. */
  readonly deaf?: boolean;
}

export type StrictMember = ReturnType<StrictScene["start"]>;

export class StrictScene {
  readonly network: VirtualNetwork;
  readonly engine: VirtualEngine;
  private readonly places = new Map<string, number>();

  constructor(seed = 1, conditions: Partial<Conditions> = {}) {
    this.network = new VirtualNetwork(seed, conditions);
    this.engine = new VirtualEngine(this.network, seed);
  }

  address(name: string) {
    if (!this.places.has(name)) this.places.set(name, this.places.size + 1);
    return { host: `10.0.0.${this.places.get(name)}`, port: 7001 };
  }

  /** A process of that member starts; if one is running, it has crashed. */
  start(name: string, { store = memoryStore(), offices = ["leader"], rows, deaf }: StartOptions = {}) {
    const reached = this.address(name);
    const machine = this.network.machine(reached);
    const events: AnyMemberEvent[] = [];
    checkFields(events);
    const member = startMember(
      {
        ...readAll(MEMBER, { group: "g", seeds: SEEDS, offices, profile: "local", stallMs: 0 }),
        name,
        keyring: insecureKeyring(),
        params: { lease: settings },
        onEvent: (event) => events.push(event),
      },
      {
        world: machine.world,
        transport: machine.transport,
        reached,
        store,
        sealing: unsealed,
        resolve: (_host, done) => done([], "nobody knows that name"),
        engine: rows === undefined ? this.engine.peer(name, machine) : watching(rows, machine.world, deaf),
      },
    );
    const works: Leadership[] = [];
    /** Ends as soon as it is told to. */
    const work = (leadership: Leadership) =>
      new Promise<void>((resolve) => {
        works.push(leadership);
        leadership.signal.addEventListener("abort", () => resolve());
      });
    const of = (event: AnyMemberEvent["event"]) => events.filter((each) => each.event === event);
    return { name, member, machine, events, works, work, of, office: () => member.report().offices.leader };
  }

  /** Virtual time, with turns for promises in between. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.network.runFor(10);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Whether something is so within this many milliseconds. */
  async until(isSo: () => boolean, within: number): Promise<boolean> {
    for (let passed = 0; !isSo() && passed < within; passed += 10) await this.run(10);
    return isSo();
  }
}

/** The engine as it ships, on a clock that no other member knows. */
function watching(rows: MemoryRows, world: World, deaf = false): Peer {
  const clock = { name: world.bytes(12).toString("hex"), now: () => world.now(), stamp: () => world.wall() };
  const engine = new RowEngine(rows.store(), new Watched(clock), { world, requestTimeout: settings.requestTimeout });
  return enginePeer(deaf ? { ask: (request) => engine.ask(request) } : engine);
}

export const holderOf = (members: readonly StrictMember[]): StrictMember | undefined =>
  members.find(({ office }) => office().mine);
