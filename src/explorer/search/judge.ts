/**
 * Checks properties in configurations. A property sees only a part of a configuration, its look: each node's verdict and report, whether
 * it is up, and whether it is awake. Many configurations have one look, so each look is judged once. A property that also reads the
 * number of messages is checked every time.
 */
import type { Property, View } from "../../properties/properties.ts";
import { UNTOUCHED } from "../space/node-steps.ts";
import { Interner } from "../space/plain.ts";
import type { StateSpace } from "../space/state-space.ts";
import { viewOf } from "../space/state-space.ts";
import { Visited } from "../space/visited.ts";

export interface PropertyFinding {
  readonly property: string;
  readonly what: string;
}

const UNKNOWN = 0;
const FINE = 1;

export class Judge {
  /** Whether a property has read how many messages were sent. */
  readsMessages = false;
  private readonly network: StateSpace;
  private always: readonly Property[];
  private atEnds: readonly Property[];
  private readonly faces = new Interner<unknown>();
  private readonly faceOf: number[] = [];
  private readonly untouched: number[] = [];
  private readonly look: Int32Array;
  private readonly looks: Visited;
  /** By look, what is known: of the properties that hold always, and of those that hold at the end. */
  private known: [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] = [new Uint8Array(64), new Uint8Array(64)];

  constructor(network: StateSpace, properties: readonly Property[]) {
    this.network = network;
    this.always = properties.filter(({ when }) => when === "always");
    this.atEnds = properties.filter(({ when }) => when === "end");
    this.look = new Int32Array(network.layout.size);
    this.looks = new Visited(new Int32Array(network.layout.size));
  }

  /** Checks this property no longer. */
  leaveOut(name: string): void {
    this.always = this.always.filter((property) => property.name !== name);
    this.atEnds = this.atEnds.filter((property) => property.name !== name);
  }

  /** The number of what a property sees of a node in a state. */
  face(node: number, state: number): number {
    const [known, at] = state === UNTOUCHED ? [this.untouched, node] : [this.faceOf, state];
    known[at] ??= this.faces.number([this.network.nodes.verdict(node, state), this.network.nodes.report(node, state)]);
    return known[at];
  }

  /** The first violated property of a configuration; null if none is violated. */
  judge(cells: Int32Array, ended: boolean, messages: () => number): PropertyFinding | null {
    const look = this.lookOf(cells);
    return (
      this.ask(0, this.always, look, cells, messages) ??
      (ended ? this.ask(1, this.atEnds, look, cells, messages) : null)
    );
  }

  private ask(
    which: 0 | 1,
    properties: readonly Property[],
    look: number,
    cells: Int32Array,
    messages: () => number,
  ): PropertyFinding | null {
    if (this.known[which][look] === FINE) return null;
    let read = false;
    const view = this.view(cells, () => {
      read = true;
      return messages();
    });
    for (const property of properties) {
      const what = property.violated(view);
      if (what !== null) return { property: property.name, what };
    }
    this.readsMessages ||= read;
    this.known[which][look] = read ? UNKNOWN : FINE;
    return null;
  }

  private lookOf(cells: Int32Array): number {
    const { layout } = this.network;
    for (let node = 0; node < layout.size; node++) {
      const face = this.face(node, cells[layout.stateAt(node)]);
      const [down, awake] = [this.network.crashed(cells, node), this.network.awake(cells, node)];
      this.look[node] = 4 * face + (awake ? 2 : 0) + (down ? 1 : 0);
    }
    const look = this.looks.add(this.look);
    if (look >= this.known[0].length) this.known = [twice(this.known[0]), twice(this.known[1])];
    return look;
  }

  view(cells: Int32Array, messages: () => number): View {
    return viewOf(this.network, cells, messages);
  }
}

function twice(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * array.length);
  larger.set(array);
  return larger;
}
