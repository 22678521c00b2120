/**
 * The same scenarios through the live host, in virtual time: sealed datagrams, saved state, ports by address. What the virtual
 * network cannot do is left out: faults between saving and sending are plain crashes, loss on one link only is none, spikes make
 * all delays longer for a while, and clocks do not drift.
 */
import type { GroupState } from "../../src/elector/state.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import type { AnyProtocol, Context } from "../../src/protocol.ts";
import { RULES } from "./rules/all.ts";
import type { Ran } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { groupSubject, machine, paramsOf } from "./simulate.ts";
import { GroupWatch, type MakeRule, Stop } from "./watch.ts";

const STRIDE = 50;
const DELAYS = [0.2, 4] as const;

export function simulateLive(scenario: Scenario, rules: readonly MakeRule[] = RULES): Ran {
  const watch = new GroupWatch(scenario, groupSubject, rules);
  const run = new LiveRun(scenario, watch);
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
  private readonly states = new Map<number, GroupState>();

  constructor(scenario: Scenario, watch: GroupWatch) {
    this.scenario = scenario;
    this.watch = watch;
    const { name: _, ...params } = paramsOf(scenario);
    this.group = new VirtualOpenGroup({
      seed: scenario.seed,
      machine: this.watched() as AnyProtocol,
      params: (name) => ({ ...params, name }),
      conditions: { delay: DELAYS },
      address: (name) => ({ host: `10.0.0.${1 + nodeOf(name)}`, port: 7001 }),
    });
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
    while (this.now < scenario.until) group.run(STRIDE);
    watch.ended();
  }

  private get now(): number {
    return this.group.network.now;
  }

  /** The machine, with its state in sight, and what it sends. */
  private watched(): typeof machine {
    const seeing = (state: GroupState, ctx: Context<never, string>) => {
      const node = nodeOf(state.name);
      this.states.set(node, state);
      return new Proxy(ctx, {
        get: (target, key) => {
          const own = Reflect.get(target, key);
          if (typeof own !== "function") return own;
          return (...given: unknown[]) => {
            if (key === "send") this.watch.sent(null, node, 0, given[1], this.now);
            return own.apply(target, given);
          };
        },
      });
    };
    return {
      ...machine,
      init: (params, self, saved, ctx) => {
        const state = machine.init(params, self, saved, ctx);
        this.states.set(nodeOf(state.name), state);
        return state;
      },
      receive: (state, port, message, ctx) =>
        machine.receive(state, port, message, seeing(state, ctx as never) as never),
      expire: (state, timer, ctx) => machine.expire!(state, timer, seeing(state, ctx as never) as never),
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
    const seeds = [...new Set([0, 1, members - 1])].filter((seed) => seed < members).map(nameOf);
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
    for (const crash of crashes) at(crash.at, () => this.end(crash.node));
    for (const { node, at: time, saved } of restarts) at(time, () => this.start(node, saved, "restart"));
    for (const { node, at: time } of joins) at(time, () => this.start(node, false, "join"));
    for (const { node, at: time } of leaves) at(time, () => this.leave(node));
    for (const { node, at: time, message } of commands) {
      at(time, () => {
        if (!this.states.has(node)) return;
        this.watch.commanded(node, message, this.now);
        this.group.command(nameOf(node), message);
      });
    }
    for (const { node, from, to } of pauses) {
      at(from, () => {
        // A standstill begins when the one before it is over.
        const free = Math.max(this.now, this.watch.truth.pausedTo[node]);
        if (!this.states.has(node) || to <= free) return;
        this.watch.paused(node, this.now, to);
        this.group.pause(nameOf(node), to - free);
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
    const { losses, duplicates = [], spikes = [] } = this.scenario.plan.faults;
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
