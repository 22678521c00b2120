/**
 * The epidemic multicast of a large group: the sender tells a few random members, and whoever hears of it for the first
 * time does the same, so that no member sends more than those few datagrams. How many: theory/rumour.ts.
 */
import { sample } from "../random/subsets.ts";
import { rumourTargets } from "../theory/rumour.ts";
import type { Spoken } from "./frames.ts";
import { ReplayWindow } from "./replay-window.ts";

type Rumour = Extract<Spoken, { kind: "rumour" }>;

export interface RumourSetup {
  readonly node: number;
  readonly size: number;
  choose(n: number): number;
  send(to: number, frame: Rumour, kind: "message" | "relay"): void;
  deliver(origin: number, body: Uint8Array): void;
}

export class Rumours {
  private readonly setup: RumourSetup;
  private readonly heard = new Map<number, ReplayWindow>();
  private started = 0;

  constructor(setup: RumourSetup) {
    this.setup = setup;
  }

  start(body: Uint8Array): void {
    this.spread({ kind: "rumour", origin: this.setup.node, number: this.started++, body }, "message");
  }

  /** False where the rumour is known already. */
  receive(frame: Rumour): boolean {
    const { origin, number, body } = frame;
    if (origin === this.setup.node || origin >= this.setup.size) return false;
    let window = this.heard.get(origin);
    if (window === undefined) {
      window = new ReplayWindow();
      this.heard.set(origin, window);
    }
    if (!window.accept(number)) return false;
    this.spread(frame, "relay");
    this.setup.deliver(origin, body);
    return true;
  }

  private spread(frame: Rumour, kind: "message" | "relay"): void {
    const { node, size, choose, send } = this.setup;
    for (const drawn of sample(choose, rumourTargets(size), size - 1))
      send(drawn < node ? drawn : drawn + 1, frame, kind);
  }
}
