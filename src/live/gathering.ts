/**
 * A common start: members that are prepared (introduced to their neighbours) report to the convenor, the one with the
 * lowest id, and it gives the word when all have come.
 * Nobody waits for ever: after `patience` the convenor starts with those who are there, and others without its word.
 * A member that is told by somebody's first message that the election runs starts then.
 */
import type { Frame } from "./frames.ts";

/** Milliseconds between two reports of one member: in a large group the convenor has more to read. */
const repeatAfter = (size: number) => 100 + 4 * size;

/** Milliseconds between two looks at whether this member is prepared. */
const PREPARATION = 5;

/** Milliseconds after which the word is repeated: who misses it starts too late for synchronous rounds. */
const AGAIN = [5, 15];

const CONVENOR = 0;

export interface GatheringSetup {
  readonly node: number;
  readonly size: number;
  /** Milliseconds; 0 starts at once. */
  readonly patience: number;
  prepared(): boolean;
  send(to: number, frame: Frame): void;
  begin(): void;
}

export class Gathering {
  private readonly setup: GatheringSetup;
  private readonly present = new Set<number>();
  private readonly timers: NodeJS.Timeout[] = [];
  private begun = false;

  constructor(setup: GatheringSetup) {
    this.setup = setup;
  }

  open(): void {
    const { size, patience } = this.setup;
    if (patience === 0 || size === 1) {
      this.go();
      return;
    }
    this.timers.push(setTimeout(() => this.go(), patience));
    const preparation = setInterval(() => {
      if (!this.setup.prepared()) return;
      clearInterval(preparation);
      this.report();
    }, PREPARATION);
    this.timers.push(preparation);
  }

  private report(): void {
    const { node, size, send } = this.setup;
    if (node === CONVENOR) this.arrived(CONVENOR);
    else {
      send(CONVENOR, { kind: "ready" });
      this.timers.push(setInterval(() => send(CONVENOR, { kind: "ready" }), repeatAfter(size)));
    }
  }

  private arrived(member: number): void {
    this.present.add(member);
    if (this.begun) this.setup.send(member, { kind: "go" });
    else if (this.present.size === this.setup.size) this.go();
  }

  receive(from: number, frame: Frame & { kind: "ready" | "go" }): void {
    if (frame.kind === "go") {
      if (from === CONVENOR) this.go();
    } else if (this.setup.node === CONVENOR) this.arrived(from);
  }

  close(): void {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  private go(): void {
    if (this.begun) return;
    this.begun = true;
    this.close();
    const { node, begin } = this.setup;
    if (node === CONVENOR) {
      this.giveTheWord();
      for (const delay of AGAIN) this.timers.push(setTimeout(() => this.giveTheWord(), delay));
    }
    begin();
  }

  private giveTheWord(): void {
    for (const member of this.present) if (member !== CONVENOR) this.setup.send(member, { kind: "go" });
  }
}
