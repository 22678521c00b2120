/**
 * Engine and guarded resource beside members on the live host, in virtual time: both are peers there, behind links that lose, repeat
 * and delay as the plan says.
 */

import { MessageFaults } from "../../../src/host/faults/message-faults.ts";
import type { Peer, Peers } from "../../../src/live/group/peers.ts";
import { VirtualEngine } from "../../../src/live/group/virtual-engine.ts";
import type { VirtualMachine, VirtualNetwork } from "../../../src/live/virtual-world.ts";
import type { Context } from "../../../src/protocol.ts";
import { HostStream } from "../../../src/random/streams.ts";
import type { Scenario } from "../scenario.ts";
import type { GroupWatch } from "../watch.ts";
import { counter, type Write, type Written } from "./counter.ts";
import type { EngineFault } from "./engine.ts";
import { admits } from "./guard.ts";
import { counterOf, engineOf } from "./settings.ts";

export const ENGINE_ADDRESS = "engine";
export const COUNTER_ADDRESS = "counter";

const WAY = [0.2, 2] as const;

export class LivePeers {
  private readonly network: VirtualNetwork;
  private readonly scenario: Scenario;
  private readonly watch: GroupWatch;
  private readonly engine: VirtualEngine;
  private readonly faults: MessageFaults;
  private readonly delays: HostStream;
  private readonly counter = counter(admits);
  private readonly counted;
  /** Where the engine runs; it never stands still by itself. */
  private readonly server: VirtualMachine;
  private stillUntil = 0;

  constructor(network: VirtualNetwork, scenario: Scenario, watch: GroupWatch) {
    const { seed, members, plan } = scenario;
    this.network = network;
    this.scenario = scenario;
    this.watch = watch;
    this.faults = new MessageFaults(plan.faults, seed, 1);
    this.delays = new HostStream(seed, 1, "delays");
    this.counted = this.counter.init({}, {} as never, null, {} as never);
    this.server = network.machine({ host: "10.0.1.1", port: 1 });
    this.engine = new VirtualEngine(network, seed, { before: [0, 0.1], after: [0, 0.1] });
    this.engine.onAnswer = (request, answer) => {
      watch.carriedOut({ request, answer }, network.now);
      this.look();
    };
    this.plan(engineOf(members));
  }

  /** For one life of a member. */
  peersOf(node: number, process: VirtualMachine): Peers {
    const { members } = this.scenario;
    const engine = this.engine.peer(String(node), this.server);
    return {
      [ENGINE_ADDRESS]: this.across(node, engineOf(members), process, engine),
      [COUNTER_ADDRESS]: this.across(node, counterOf(members), process, {
        ask: (message, answer) => this.write(message, answer),
      }),
    };
  }

  /** The engine's clock has gone on. */
  look(): void {
    this.watch.engineIs(this.engine.inside, this.network.now);
  }

  private write(message: unknown, answer: (message: unknown) => void): void {
    const send = (_port: number, written: Write | Written) => answer(written);
    this.counter.receive(this.counted, 0, message as Write, { send } as Context<Write | Written>);
    this.watch.counterIs(this.counted, this.network.now);
  }

  /** A peer at the other end of a link. */
  private across(node: number, other: number, process: VirtualMachine, peer: Peer): Peer {
    const { network } = this;
    return {
      ask: (message, answer) => {
        const back = (said: unknown) => this.carry(other, node, () => process.hear(() => answer(said)));
        this.carry(node, other, () => {
          const still = other === engineOf(this.scenario.members) ? this.stillUntil : 0;
          if (still > network.now) network.at(still, () => peer.ask(message, back));
          else peer.ask(message, back);
        });
      },
    };
  }

  private carry(from: number, to: number, arrive: () => void): void {
    const { network, faults, delays } = this;
    if (faults.loses(from, to, false, network.now)) return;
    const copies = faults.duplicating && faults.duplicates(from, to, false, network.now) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const late = faults.delaying ? faults.lateness(from, to, network.now) : 0;
      network.at(network.now + WAY[0] + (WAY[1] - WAY[0]) * delays.uniform() + late, arrive);
    }
  }

  private plan(node: number): void {
    const { crashes, pauses, restarts = [], commands = [] } = this.scenario.plan.faults;
    const mine = <T extends { readonly node: number }>(faults: readonly T[]) =>
      faults.filter((one) => one.node === node);
    const { network, engine, watch } = this;
    for (const { at } of mine(crashes)) {
      network.at(at, () => {
        watch.crashed(node, network.now);
        engine.stop();
      });
    }
    for (const { at } of mine(restarts)) network.at(at, () => engine.start());
    for (const { from, to } of mine(pauses)) {
      network.at(from, () => {
        watch.paused(node, network.now, to);
        this.stillUntil = Math.max(this.stillUntil, to);
      });
    }
    for (const { at, message } of mine(commands)) network.at(at, () => this.obey(node, message as EngineFault));
  }

  private obey(node: number, fault: EngineFault): void {
    const { network, engine, watch } = this;
    // A clock that never stood still has nothing to catch up with.
    if (fault.kind === "step" && fault.missed === true) return;
    watch.commanded(node, fault, network.now);
    if (fault.kind === "snapshot") engine.snapshot();
    else if (fault.kind === "restore") engine.restore(fault);
    else if (fault.kind === "step") engine.step(fault.by);
    else if (fault.kind === "fail") {
      if (fault.why === null) engine.start();
      else engine.stop(fault.why);
    } else {
      const { before, after } = fault;
      engine.conditions = { ...engine.conditions, before: [before, before + 0.1], after: [after, after + 0.1] };
    }
    this.look();
  }
}
