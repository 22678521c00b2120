/**
 * The synchronous host: what is sent in round r arrives in round r+1; then due timers fire; then the round ends at every
 * node that had a message or a timer. `init` is round 0. Rounds in which nothing happens are skipped, not walked through.
 */
import { checkProtocol } from "../protocols/check.ts";
import type { HostStream } from "../random/streams.ts";
import { refuseInRounds } from "./faults/fault-file.ts";
import { MessageFaults } from "./faults/message-faults.ts";
import type { Result, Setup } from "./setup.ts";
import { Stage } from "./stage.ts";
import { keep, type Restore } from "./stepping/frames.ts";

/** The phases of a round. */
const DEADLINES = 0;
const MESSAGES = 1;
const TIMERS = 2;
const ENDS = 3;

export class LockstepHost extends Stage {
  private phase = ENDS;
  /** Nodes whose round will end, in order, which of them it is up to, and a mark on each. */
  private ending: number[] = [];
  private ended = 0;
  private marked: Uint8Array;

  constructor(setup: Setup, steps = false) {
    refuseInRounds(setup.faults);
    super(setup, new MessageFaults(setup.faults, setup.seed, setup.trial), true, true, steps);
    this.marked = new Uint8Array(setup.protocol.endRound === undefined ? 0 : setup.topology.size);
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
    if (this.protocol.endRound === undefined || this.marked[node] === 1) return;
    this.marked[node] = 1;
    this.ending.push(node);
  }

  advance(): boolean {
    const { now, queue, timers, deadlines } = this;
    if (this.beginning) this.startNext();
    else if (this.agenda.next <= now && this.attend(now)) return true;
    else if (this.phase === DEADLINES && deadlines.next <= now) this.fire(deadlines);
    else if (this.phase <= MESSAGES && queue.next <= now) {
      this.phase = MESSAGES;
      // Without stopping, if no caller steps.
      do this.deliver();
      while (!this.steps && queue.next <= now && this.agenda.next > now);
    } else if (this.phase <= TIMERS && timers.next <= now) {
      this.phase = TIMERS;
      this.fire(timers);
    } else if (this.ended < this.ending.length) {
      this.phase = ENDS;
      this.endNext();
    } else return this.nextRound();
    return true;
  }

  private endNext(): void {
    const node = this.ending[this.ended++];
    this.marked[node] = 0;
    this.endRound(node);
  }

  private nextRound(): boolean {
    this.ending = [];
    this.ended = 0;
    const next = Math.min(this.queue.next, this.timers.next, this.deadlines.next);
    this.phase = DEADLINES;
    return (this.agenda.next <= next && this.attend(next)) || this.goOn(next);
  }

  result(): Result {
    return this.resultIn(1);
  }

  override save(): Restore {
    return keep(this, ["phase", "ending", "ended", "marked"], [super.save()]);
  }
}

/** Runs a setup in synchronous rounds. */
export function runLockstep(setup: Setup): Result {
  const host = new LockstepHost({ ...setup, protocol: checkProtocol(setup.protocol) });
  host.run();
  return host.result();
}
