/** The asynchronous host: virtual time, events by (time, order of sending), delays from a model. */

import type { Port } from "../protocol.ts";
import { checkProtocol } from "../protocols/check.ts";
import { HostStream } from "../random/streams.ts";
import { Channels } from "./channels.ts";
import { sampler, unit } from "./delays.ts";
import type { EventsSetup, Result } from "./setup.ts";
import { Stage } from "./stage.ts";

class EventsHost extends Stage {
  private readonly fixedDelay: number | null;
  private readonly draw: () => number;
  private readonly channels: Channels | null;

  constructor(setup: EventsSetup) {
    const fixed = setup.delay.kind === "fixed";
    super(setup, fixed);
    this.fixedDelay = setup.delay.kind === "fixed" ? setup.delay.value : null;
    this.draw = sampler(setup.delay, new HostStream(setup.seed, setup.trial, "delays"));
    // With one fixed delay, channels are first-in first-out by themselves.
    this.channels = setup.fifo && !fixed ? new Channels(setup.topology) : null;
  }

  protected arrival(node: number, port: Port): number {
    if (this.fixedDelay !== null) return this.now + this.fixedDelay;
    const time = this.now + this.draw();
    return this.channels === null ? time : this.channels.arrival(node, port, time, this.now);
  }

  protected delay(draws: HostStream, min: number, max: number): number {
    return max > min ? min + (max - min) * draws.uniform() : min;
  }

  protected instant(time: number): number {
    return time;
  }

  run(): void {
    this.begin();
    for (;;) {
      const message = this.queue.next;
      const timer = this.timers.next;
      const deadline = this.deadlines.next;
      const next = Math.min(message, timer, deadline);
      if (!this.goOn(next)) return;
      if (deadline === next) this.fire(this.deadlines);
      else if (message === next) this.deliver();
      else this.fire(this.timers);
    }
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
  return host.result(unit(setup.delay));
}
