/**
 * A common start: members report to the convenor, the one with the lowest id, and it gives the word when all have come.
 * Nobody waits for ever: after `patience` the convenor starts with those who are there, and others without its word.
 * A member that is told by somebody's first message that the election runs starts then.
 */
import type { Frame } from "./frames.ts";

/** Milliseconds between two reports of one member: in a large group the convenor has more to read. */
const repeatAfter = (size: number) => 100 + 4 * size;

const CONVENOR = 0;

export interface GatheringSetup {
  readonly node: number;
  readonly size: number;
  /** Milliseconds; 0 starts at once. */
  readonly patience: number;
  send(to: number, frame: Frame): void;
  begin(): void;
}

export class Gathering {
  private readonly setup: GatheringSetup;
  private readonly present = new Set<number>([CONVENOR]);
  private readonly timers: NodeJS.Timeout[] = [];
  private begun = false;

  constructor(setup: GatheringSetup) {
    this.setup = setup;
  }

  open(): void {
    const { node, size, patience, send } = this.setup;
    if (patience === 0 || size === 1) {
      this.go();
      return;
    }
    this.timers.push(setTimeout(() => this.go(), patience));
    if (node === CONVENOR) return;
    send(CONVENOR, { kind: "ready" });
    this.timers.push(setInterval(() => send(CONVENOR, { kind: "ready" }), repeatAfter(size)));
  }

  receive(from: number, frame: Frame & { kind: "ready" | "go" }): void {
    const { node, size, send } = this.setup;
    if (frame.kind === "go") {
      if (from === CONVENOR) this.go();
    } else if (node === CONVENOR) {
      this.present.add(from);
      if (this.begun) send(from, { kind: "go" });
      else if (this.present.size === size) this.go();
    }
  }

  close(): void {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  private go(): void {
    if (this.begun) return;
    this.begun = true;
    this.close();
    const { node, send, begin } = this.setup;
    if (node === CONVENOR) for (const member of this.present) if (member !== CONVENOR) send(member, { kind: "go" });
    begin();
  }
}
