/**
 * The same scenarios through the live host, in virtual time: sealed datagrams, saved state, ports by address. What the virtual
 * network cannot do is left out: faults between saving and sending are plain crashes, loss on one link only is none, spikes make
 * all delays longer for a while, and clocks do not drift.
 */
import type { GroupMachine } from "../../src/elector/group.ts";
import type { GroupState } from "../../src/elector/state.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import type { AnyProtocol, Context } from "../../src/protocol.ts";
import { isLeaseRequest } from "../../src/protocols/lease/shapes.ts";
import { amongMembers } from "./bounds.ts";
import { RULES } from "./rules/all.ts";
import { STRICT_RULES } from "./rules/strict.ts";
import type { Ran } from "./run.ts";
import { type Scenario, seedsAmong } from "./scenario.ts";
import { groupSubject, machine, paramsOf } from "./simulate.ts";
import { COUNTER_ADDRESS, ENGINE_ADDRESS, LivePeers } from "./strict/live.ts";
import { engineOf } from "./strict/settings.ts";
import { strictSubject } from "./strict/simulate.ts";
import { stackParams } from "./strict/stack.ts";
import { type WorkingState, working } from "./strict/work.ts";
import { GroupWatch, type MakeRule, Stop } from "./watch.ts";

const STRIDE = 50;
const DELAYS = [0.2, 4] as const;

export function simulateLive(
  scenario: Scenario,
  rules: readonly MakeRule[] = scenario.lease === null ? RULES : STRICT_RULES,
  group: GroupMachine = machine,
): Ran {
  const subject = scenario.lease === null ? groupSubject : strictSubject(<T>(state: unknown) => state as T);
  const watch = new GroupWatch(scenario, subject, rules);
  const run = new LiveRun(scenario, watch, group);
  try {
    run.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { breach: watch.breach, events: run.event, tally: watch.tally };
}

class LiveRun {
  event = 0;
  private readonly scenario: Scenario;
  private readonly watch: GroupWatch;
  private readonly group: VirtualOpenGroup;
  private readonly states = new Map<number, GroupState | WorkingState>();
  /** Strict mode: engine and resource. */
  private readonly peers: LivePeers | null;

  constructor(scenario: Scenario, watch: GroupWatch, machine: GroupMachine) {
    this.scenario = scenario;
    this.watch = watch;
    const { lease } = scenario;
    const params = paramsOf(scenario);
    const paramsFor = (name: string) =>
      lease === null
        ? { ...params, name }
        : stackParams({ ...params, name }, scenario, ENGINE_ADDRESS, COUNTER_ADDRESS);
    this.group = new VirtualOpenGroup({
      seed: scenario.seed,
      machine: this.watched((lease === null ? machine : working(machine)) as AnyProtocol),
      params: paramsFor,
      conditions: { delay: DELAYS },
      peers: (name, process) => this.peers?.peersOf(nodeOf(name), process) ?? {},
      address: (name) => ({ host: `10.0.0.${1 + nodeOf(name)}`, port: 7001 }),
    });
    this.peers = lease === null ? null : new LivePeers(this.group.network, scenario, watch);
    this.group.onReport = ({ name }) => this.settled(nodeOf(name));
  }

  run(): void {
    const { watch, group, scenario } = this;
    watch.opened({ alive: (node: number) => this.states.has(node), event: 0 } as never);
    this.plan();
    const { joins = [] } = scenario.plan.faults;
    for (let node = 0; node < scenario.members; node++) group.address(nameOf(node));
    for (let node = 0; node < scenario.members; node++) {
      if (!joins.some((join) => join.node === node)) this.start(node, true, "start");
    }
    // In strides, so that a member that has failed is noticed before its silence is.
    while (this.now < scenario.until) {
      group.run(STRIDE);
      this.peers?.look();
    }
    watch.ended();
  }

  private get now(): number {
    return this.group.network.now;
  }

  /** The machine, with its state in sight, and what it sends. */
  private watched(given: AnyProtocol): AnyProtocol {
    const { members } = this.scenario;
    const seeing = (state: GroupState | WorkingState, heard: unknown, ctx: Context<never, string>) => {
      const node = nodeOfState(state);
      this.states.set(node, state);
      this.watch.truth.heard = heard;
      return new Proxy(ctx, {
        get: (target, key) => {
          const own = Reflect.get(target, key);
          if (typeof own !== "function") return own;
          return (...said: unknown[]) => {
            const to = isLeaseRequest(said[1]) ? engineOf(members) : 0;
            if (key === "send") this.watch.sent(null, node, to, said[1], this.now);
            return own.apply(target, said);
          };
        },
      });
    };
    return {
      ...given,
      init: (params, self, saved, ctx) => {
        const state = given.init(params, self, saved, ctx);
        this.states.set(nodeOfState(state), state);
        return state;
      },
      receive: (state, port, message, ctx) => given.receive(state, port, message, seeing(state, message, ctx)),
      expire: (state, timer, ctx) => given.expire!(state, timer, seeing(state, timer, ctx)),
      leave: (state, ctx) => given.leave!(state, seeing(state, null, ctx)),
    };
  }

  private settled(node: number): void {
    this.event++;
    const state = this.states.get(node);
    if (state === undefined) return;
    // Who has just gone on reads what waited for it: how old that is nobody can say here.
    this.watch.truth.basis = this.now - this.watch.truth.pausedTo[node] < STRIDE ? -Infinity : this.now;
    this.watch.settled(node, this.now, state);
  }

  private start(node: number, saved: boolean, how: "start" | "restart" | "join"): void {
    const { members } = this.scenario;
    this.end(node);
    const seeds = seedsAmong(members).map(nameOf);
    this.watch.started(node, this.now, how);
    this.group.start(nameOf(node), { seeds, saved });
  }

  private end(node: number): void {
    if (!this.states.delete(node)) return;
    this.group.crash(nameOf(node));
    this.watch.crashed(node, this.now);
  }

  private leave(node: number): void {
    const state = this.states.get(node);
    if (state === undefined) return;
    this.watch.left(node, this.now);
    this.group.leave(nameOf(node));
    this.states.delete(node);
    this.watch.settled(node, this.now, state);
  }

  private plan(): void {
    const {
      crashes,
      pauses,
      partitions,
      restarts = [],
      joins = [],
      leaves = [],
      commands = [],
    } = this.scenario.plan.faults;
    const at = (time: number, act: () => void) => this.group.network.at(time, act);
    const isMember = ({ node }: { readonly node: number }) => node < this.scenario.members;
    for (const crash of crashes.filter(isMember)) at(crash.at, () => this.end(crash.node));
    for (const { node, at: time, saved } of restarts.filter(isMember))
      at(time, () => this.start(node, saved, "restart"));
    for (const { node, at: time } of joins) at(time, () => this.start(node, false, "join"));
    for (const { node, at: time } of leaves) at(time, () => this.leave(node));
    for (const { node, at: time, message } of commands.filter(isMember)) {
      at(time, () => {
        if (!this.states.has(node)) return;
        this.watch.commanded(node, message, this.now);
        this.group.command(nameOf(node), message);
      });
    }
    for (const { node, from, to } of pauses.filter(isMember)) {
      at(from, () => {
        // A standstill begins when the one before it is over.
        const free = Math.max(this.now, this.watch.truth.pausedTo[node]);
        if (!this.states.has(node) || to <= free) return;
        this.watch.paused(node, this.now, to);
        // In strict mode some are whole machines that sleep, and the monotonic clock with them.
        if (this.peers !== null && Math.floor(from) % 3 === 0) this.group.of(nameOf(node)).machine.suspend(to - free);
        else this.group.pause(nameOf(node), to - free);
      });
    }
    for (const { from, to } of partitions) for (const time of [from, to ?? Infinity]) at(time, () => this.cut());
    this.weather();
  }

  /** Every cut that there is now, and no other. */
  private cut(): void {
    const { members } = this.scenario;
    this.watch.truth.now = this.now;
    this.group.heal();
    for (let from = 0; from < members; from++) {
      for (let to = 0; to < members; to++) {
        if (from !== to && !this.watch.truth.reaches(from, to)) {
          this.group.cut(nameOf(from), nameOf(to), { oneWay: true });
        }
      }
    }
  }

  private weather(): void {
    const { plan, members } = this.scenario;
    const { losses, duplicates = [] } = plan.faults;
    const spikes = amongMembers(plan.faults.spikes ?? [], members);
    const during = ({ from, to }: { from: number; to: number | null }) =>
      from <= this.now && this.now < (to ?? Infinity);
    const change = () => {
      const total = (chances: readonly { rate: number; from: number; to: number | null; link: unknown }[]) =>
        1 -
        chances
          .filter((chance) => chance.link === null && during(chance))
          .reduce((kept, { rate }) => kept * (1 - rate), 1);
      const late = spikes.filter((spike) => during(spike)).reduce((sum, { rate, delay }) => sum + 2 * rate * delay, 0);
      this.group.network.conditions = {
        loss: total(losses),
        duplicate: total(duplicates),
        delay: [DELAYS[0], DELAYS[1] + late],
      };
    };
    for (const { from, to } of [...losses, ...duplicates, ...spikes]) {
      for (const time of [from, to ?? Infinity]) this.group.network.at(time, change);
    }
  }
}

const nameOf = (node: number): string => `m${node}`;
const nodeOf = (name: string): number => Number(name.slice(1));
const nodeOfState = (state: GroupState | WorkingState): number =>
  nodeOf("group" in state ? state.group.name : state.name);
