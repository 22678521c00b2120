/** What can happen next without time, kept while a walk goes on: links that are not empty, by number, then nodes that can act alone. */
import type { StateSpace } from "../space/state-space.ts";

export class OpenSources {
  /** Ascending. */
  readonly all: number[] = [];
  private readonly network: StateSpace;

  constructor(network: StateSpace) {
    this.network = network;
  }

  /** A place of the vector has changed. */
  look(cells: Int32Array, place: number): void {
    const { layout, contents, armed, links } = this.network;
    const { link, node } = layout.whatIsAt(place);
    if (link !== null) this.put(link, cells[place] !== contents.empty);
    else if (node !== null) {
      const alone = cells[layout.timersAt(node)] !== armed.none || this.network.waits(cells, node);
      this.put(links.length + node, alone);
    }
  }

  private put(source: number, open: boolean): void {
    const { all } = this;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] < source) low = middle + 1;
      else high = middle;
    }
    if ((all[low] === source) === open) return;
    if (open) all.splice(low, 0, source);
    else all.splice(low, 1);
  }
}
