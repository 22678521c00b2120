/**
 * The synchronous host: what is sent in round r arrives in round r+1; then due timers fire; then the round ends at every
 * node that had a message or a timer. `init` is round 0. Rounds in which nothing happens are skipped, not walked through.
 */
import { checkProtocol } from "../protocols/check.ts";
import type { HostStream } from "../random/streams.ts";
import type { Result, Setup } from "./setup.ts";
import { Stage } from "./stage.ts";

class LockstepHost extends Stage {
  private readonly ending = new Set<number>();

  constructor(setup: Setup) {
    super(setup, true);
  }

  protected arrival(): number {
    return this.now + 1;
  }

  protected delay(draws: HostStream, min: number, max: number): number {
    const least = Math.ceil(min);
    return least + draws.choose(Math.floor(max) - least + 1);
  }

  protected instant(time: number): number {
    return Math.ceil(time);
  }

  protected override touched(node: number): void {
    if (this.protocol.endRound !== undefined) this.ending.add(node);
  }

  run(): void {
    this.begin();
    for (;;) {
      const round = Math.min(this.queue.next, this.timers.next, this.deadlines.next);
      if (!this.goOn(round)) return;
      this.playRound();
    }
  }

  private playRound(): void {
    while (this.deadlines.next <= this.now) this.fire(this.deadlines);
    while (this.queue.next <= this.now) this.deliver();
    while (this.timers.next <= this.now) this.fire(this.timers);
    for (const node of this.ending) {
      this.node = node;
      this.observer?.roundEnded(node, this.now);
      this.protocol.endRound!(this.states[node], this.now, this);
      this.observer?.settled(node, this.now, this.states[node]);
    }
    this.ending.clear();
  }
}

/** Runs a setup in synchronous rounds. */
export function runLockstep(setup: Setup): Result {
  const host = new LockstepHost({ ...setup, protocol: checkProtocol(setup.protocol) });
  host.run();
  return host.result(1);
}
