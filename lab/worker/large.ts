/** A run of too many processes to draw: counted while it goes on. */
import { EventsHost } from "../../src/host/events.ts";
import { LockstepHost } from "../../src/host/lockstep.ts";
import type { Stage } from "../../src/host/stage.ts";
import type { Settings } from "../../src/simulation/settings.ts";
import { runTrial, setUp, summarize, type Trial, timed } from "../../src/simulation/trial.ts";
import type { Counts } from "../run/types.ts";

const MOST_BARS = 60;

/** Steps between two chances to be interrupted: some microseconds each. */
const TURN = 64;

/** Yields often; what has been counted so far is in `counts`. */
export class LargeRun {
  trial: Trial | null = null;
  private readonly settings: Settings;
  private readonly number: number;
  private readonly began = performance.now();
  private host: Stage | null = null;
  private bars: number[] = [0];
  private width = 1;

  constructor(settings: Settings, trial: number) {
    this.settings = settings;
    this.number = trial;
  }

  *run(): Generator<void> {
    const { settings, number } = this;
    if (settings.kernel !== null) {
      // The fast path of the command line: over in a moment, and with the same numbers.
      this.trial = runTrial(settings, number);
      return;
    }
    const setup = setUp(settings, number);
    yield;
    const host =
      settings.host === "lockstep" ? new LockstepHost(setup, true) : new EventsHost(timed(settings, setup), true);
    this.host = host;
    host.begin();
    let before = 0;
    for (let step = 0; host.advance(); step++) {
      if (host.messages > before) {
        this.count(host.time, host.messages - before);
        before = host.messages;
      }
      if (step % TURN === 0) yield;
    }
    this.trial = summarize(settings, number, host.result());
  }

  counts(): Counts {
    const { host, trial } = this;
    return {
      time: host?.time ?? trial?.rounds ?? 0,
      messages: trial?.messages ?? host?.messages ?? 0,
      perInstant: [...this.bars],
      width: this.width,
      series: trial?.series ?? {},
      seconds: (performance.now() - this.began) / 1000,
    };
  }

  private count(time: number, messages: number): void {
    let bar = Math.floor(time / this.width);
    while (bar >= MOST_BARS) {
      this.width *= 2;
      this.bars = Array.from(
        { length: Math.ceil(this.bars.length / 2) },
        (_, i) => this.bars[2 * i] + (this.bars[2 * i + 1] ?? 0),
      );
      bar = Math.floor(time / this.width);
    }
    while (this.bars.length <= bar) this.bars.push(0);
    this.bars[bar] += messages;
  }
}
