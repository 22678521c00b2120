/** A run of too many processes to draw: counted while it goes on. */
import type { Settings } from "../../src/simulation/settings.ts";
import type { Trial } from "../../src/simulation/trial.ts";
import type { Counts } from "../run/types.ts";
import { trialInTurns } from "./turns.ts";

const MOST_BARS = 60;

/** Yields often; what has been counted so far is in `counts`. */
export class LargeRun {
  trial: Trial | null = null;
  private readonly settings: Settings;
  private readonly number: number;
  private readonly began = performance.now();
  private time = 0;
  private messages = 0;
  private bars: number[] = [0];
  private width = 1;

  constructor(settings: Settings, trial: number) {
    this.settings = settings;
    this.number = trial;
  }

  *run(): Generator<void> {
    this.trial = yield* trialInTurns(this.settings, this.number, ({ time, messages }) => {
      if (messages > this.messages) this.count(time, messages - this.messages);
      this.messages = messages;
      this.time = time;
    });
  }

  counts(): Counts {
    const { trial } = this;
    return {
      time: trial?.rounds ?? this.time,
      messages: trial?.messages ?? this.messages,
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
