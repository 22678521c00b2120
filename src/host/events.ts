/** The asynchronous host: virtual time, events by (time, order of sending), delays from a model. */

import { type Port, SELF } from "../protocol.ts";
import { checkProtocol } from "../protocols/check.ts";
import { HostStream } from "../random/streams.ts";
import type { Topology } from "../topology/topology.ts";
import { sampler, unit } from "./delays.ts";
import { MessageFaults } from "./faults/message-faults.ts";
import type { EventsSetup, Result } from "./setup.ts";
import { Stage } from "./stage.ts";
import { keep, type Restore } from "./stepping/frames.ts";

export class EventsHost extends Stage {
  /** The delay of all messages, if it is fixed and nothing adds to it. */
  private readonly fixedDelay: number | null;
  private readonly draws: HostStream;
  private readonly draw: () => number;
  private readonly drawForCopy: () => number;
  private readonly unit: number;
  private readonly channels: Channels | null;

  constructor(setup: EventsSetup, steps = false) {
    const { delay, seed, trial, topology } = setup;
    const faults = new MessageFaults(setup.faults, seed, trial);
    const fixed = delay.kind === "fixed" && !faults.delaying;
    super(setup, faults, fixed, false, steps);
    this.fixedDelay = delay.kind === "fixed" && fixed ? delay.value : null;
    this.draws = new HostStream(seed, trial, "delays");
    this.draw = sampler(delay, this.draws);
    this.drawForCopy = sampler(delay, faults.copies);
    this.unit = unit(delay);
    // With one fixed delay, channels are first-in first-out by themselves.
    this.channels = setup.fifo && !fixed ? new Channels(topology) : null;
    if (this.channels !== null) this.ahead?.include(this.channels);
  }

  protected arrival(from: number, port: Port, to: number, copy: boolean): number {
    const { now, faults, channels } = this;
    if (this.fixedDelay !== null) return now + this.fixedDelay;
    let time = now + (copy ? this.drawForCopy() : this.draw());
    if (faults.delaying && to !== from) {
      time += faults.lateness(from, to, now);
      const detour = faults.detour(this.unit);
      if (detour !== null) return time + detour;
    }
    return channels === null ? time : channels.arrival(from, port, to, time, now);
  }

  protected delay(draws: HostStream, min: number, max: number): number {
    return max > min ? min + (max - min) * draws.uniform() : min;
  }

  protected instant(time: number): number {
    return time;
  }

  advance(): boolean {
    if (this.beginning) {
      this.startNext();
      return true;
    }
    // Without stopping, if no caller steps.
    do {
      const message = this.queue.next;
      const timer = this.timers.next;
      const deadline = this.deadlines.next;
      const next = Math.min(message, timer, deadline);
      if (this.agenda.next <= next && !this.isDueBefore(deadline) && this.attend(next)) return true;
      if (!this.goOn(next)) return false;
      if (deadline === next) this.fire(this.deadlines);
      else if (message === next) this.deliver();
      else this.fire(this.timers);
    } while (!this.steps);
    return true;
  }

  /** Whether a deadline comes before messages and deeds of its instant: after a pause both are due. */
  private isDueBefore(deadline: number): boolean {
    return deadline <= this.agenda.next && deadline < Infinity && this.agenda.nextIsOwn;
  }

  result(): Result {
    return this.resultIn(this.unit);
  }

  override save(): Restore {
    const [stage, draws, channels] = [super.save(), this.draws.save(), this.channels?.save()];
    return () => {
      stage();
      draws();
      channels?.();
    };
  }
}

/**
 * Runs a setup in virtual time, one event after the other.
 *
 * @example
 * ```ts
 * import { protocolNamed, resolveParameters } from "sortition/protocol";
 * import { NO_FAULTS, ring, runEvents } from "sortition/simulate";
 *
 * const protocol = protocolNamed("peterson");
 * const { census, messages } = runEvents({
 *   protocol,
 *   params: resolveParameters(protocol, {}, 4),
 *   topology: ring(4),
 *   ids: Float64Array.of(3, 1, 4, 2),
 *   initiators: null,
 *   crashed: [],
 *   faults: NO_FAULTS,
 *   seed: 1,
 *   trial: 0,
 *   delay: { kind: "exponential", mean: 1 },
 *   fifo: true,
 * });
 * ```
 */
export function runEvents(setup: EventsSetup): Result {
  const host = new EventsHost({ ...setup, protocol: checkProtocol(setup.protocol) });
  host.run();
  return host.result();
}

// Keeps channels first-in first-out under random delays: no message arrives before one sent earlier on the same link.

/** Above this many links, remember only those with something on the way. */
const DENSE_LIMIT = 1 << 24;

class Channels {
  private readonly topology: Topology;
  private dense: Float64Array | null;
  private sparse = new Map<number, number>();
  private sweepAt = 1 << 16;

  constructor(topology: Topology) {
    this.topology = topology;
    const { links, size } = topology;
    this.dense = links !== null && links + size <= DENSE_LIMIT ? new Float64Array(links + size) : null;
  }

  /** When a message leaving `node` through `port` at `now` for `to`, on its own due at `time`, arrives. */
  arrival(node: number, port: number, to: number, time: number, now: number): number {
    if (this.dense !== null) {
      const link = port === SELF ? (this.topology.links as number) + node : this.topology.link(node, port);
      const arrival = Math.max(time, this.dense[link]);
      this.dense[link] = arrival;
      return arrival;
    }
    const link = node * this.topology.size + to;
    const arrival = Math.max(time, this.sparse.get(link) ?? 0);
    if (this.sparse.size >= this.sweepAt) this.sweep(now);
    this.sparse.set(link, arrival);
    return arrival;
  }

  /** When the last message on a node's first link arrives; 0 where that is not known at once. */
  lastOf(node: number): number {
    return this.dense === null ? 0 : this.dense[this.topology.link(node, 0)];
  }

  save(): Restore {
    return keep(this, ["dense", "sparse", "sweepAt"]);
  }

  private sweep(now: number): void {
    for (const [link, arrival] of this.sparse) if (arrival < now) this.sparse.delete(link);
    this.sweepAt = Math.max(1 << 16, 2 * this.sparse.size);
  }
}
