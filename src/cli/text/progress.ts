/** Progress on the last line of a terminal; nothing at all where there is no terminal. */
import type { Output } from "../io.ts";
import { figure } from "./figures.ts";
import { barOf, type Paint, painter } from "./terminal.ts";

const BAR = 30;
/** Often enough to look alive, seldom enough to cost nothing. */
const EVERY_MS = 80;
/** Before that, threads are starting and code is cold: a guess would be far too high. */
const GUESS_AFTER_MS = 1000;

export class ProgressBar {
  private readonly stream: Output;
  private readonly unit: string;
  private readonly paint: Paint;
  private readonly began = performance.now();
  private drawn = 0;
  private visible = false;

  constructor(stream: Output, unit: string) {
    this.stream = stream;
    this.unit = unit;
    this.paint = painter(stream);
  }

  /** `done` may have a fraction, which the bar shows; `what` says what is under way. */
  show(done: number, total: number, what = ""): void {
    const now = performance.now();
    if (!this.stream.isTTY || now - this.drawn < EVERY_MS) return;
    this.drawn = now;
    this.visible = true;
    const share = done / total;
    const bar = barOf(this.paint, share, BAR);
    const elapsed = now - this.began;
    const left = done === 0 || elapsed < GUESS_AFTER_MS ? "" : `  ${remaining(elapsed * (1 / share - 1))} left`;
    this.stream.write(
      `\r\x1b[2K${bar} ${figure(Math.floor(done))} of ${figure(total)} ${this.unit}${left}${what && `  ${what}`}`,
    );
  }

  clear(): void {
    if (this.visible) this.stream.write("\r\x1b[2K");
    this.visible = false;
  }
}

function remaining(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const STEPS_BAR = 24;

export class StepBar {
  private readonly stream: Output;
  private readonly total: number;
  private readonly paint: Paint;
  private drawn = 0;
  private done = 0;
  private what = "";
  private visible = false;

  constructor(stream: Output, total: number) {
    this.stream = stream;
    this.total = total;
    this.paint = painter(stream);
  }

  /** So many parts are done, and this is under way. */
  show(done: number, what: string): void {
    this.done = done;
    this.what = what;
    this.draw("");
  }

  /** How much of the present step is done. */
  within(share: number): void {
    if (performance.now() - this.drawn > EVERY_MS) this.draw(` ${Math.floor(share * 100)}%`);
  }

  clear(): void {
    if (this.visible) this.stream.write("\r\x1b[2K");
    this.visible = false;
  }

  private draw(share: string): void {
    if (!this.stream.isTTY) return;
    this.drawn = performance.now();
    this.visible = true;
    const bar = barOf(this.paint, this.done / this.total, STEPS_BAR);
    const room = Math.max(0, (this.stream.columns ?? 80) - STEPS_BAR - 2);
    const text = `${this.done} of ${this.total}: ${this.what}${share}`.slice(0, room);
    this.stream.write(`\r\x1b[2K${bar} ${text}`);
  }
}
