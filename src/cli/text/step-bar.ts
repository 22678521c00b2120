/** What a long piece of work is doing, on the last line of a terminal; nothing at all where there is no terminal. */
import type { Output } from "../io.ts";
import { barOf, type Paint, painter } from "./terminal.ts";

const BAR = 24;
const EVERY_MS = 80;

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
    const bar = barOf(this.paint, this.done / this.total, BAR);
    const room = Math.max(0, (this.stream.columns ?? 80) - BAR - 2);
    const text = `${this.done} of ${this.total}: ${this.what}${share}`.slice(0, room);
    this.stream.write(`\r\x1b[2K${bar} ${text}`);
  }
}
