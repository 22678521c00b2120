/**
 * Numbers that only grow, such as terms and phases, kept by their order: a protocol declares the fields that hold them
 * (`ordered`), and configurations that differ only in how far apart such numbers are become one. What stays is which numbers are
 * equal, smaller or next to each other, and 0 (docs/decisions/orders.md has the proof).
 */
import type { Configurations } from "./configurations.ts";
import { IntMap, NO_VALUE } from "./int-map.ts";
import type { MessageInFlight } from "./link-contents.ts";
import { FAR, isOlder, orderedValues, type Rename, renamedData, respaced, SORTED } from "./ordered-data.ts";

/**
 * What is kept: the order alone, or also which numbers are next to each other. Of gaps that are not told apart, one stands for all, in
 * which a raised number stays below the next; and a narrower one, in which it meets what is said to be next.
 */
const KEEPING = {
  order: { gap: () => 2, narrow: 1 },
  neighbours: { gap: (distance: number) => (distance === 1 ? 1 : 3), narrow: 2 },
} as const;

/** Of one link; of more of them, some. */
const MOST_PAIRS = 20_000;

export type Keeping = keyof typeof KEEPING;

/** The declared numbers of a network's configurations. */
export class Orders {
  readonly fields: ReadonlySet<string>;
  /** Whether nothing was ever raised into a wide gap: then runs by order are just the runs by value. */
  exact = true;
  private readonly network: Configurations;
  private readonly keeping: (typeof KEEPING)[Keeping];
  private readonly stateValues: (readonly number[])[] = [];
  private readonly contentValues: (readonly number[])[] = [];
  private readonly states = new Map<string, number>();
  private readonly contents = new Map<string, number>();
  private readonly ignoresOlder: boolean;
  private readonly current = new IntMap();
  /** The numbers of the configuration whose steps are looked at, and those raised into a wide gap. */
  private present: readonly number[] = [0];
  private raised = new Set<number>();

  constructor(network: Configurations, fields: readonly string[], keeping: Keeping) {
    this.network = network;
    this.fields = new Set(fields);
    this.keeping = KEEPING[keeping];
    this.ignoresOlder = network.problem.protocol.ignoresOlder === true;
  }

  /** From here on, steps out of this configuration are followed. */
  begin(cells: Int32Array): void {
    this.present = this.valuesOf(cells);
  }

  /** The configuration that stands for this one. */
  canonical(given: Int32Array): Int32Array {
    const cells = this.ignoresOlder ? this.withoutOlder(given) : given;
    const values = this.valuesOf(cells);
    this.note(values);
    return this.replaced(cells, respaced(values, this.keeping.gap));
  }

  /**
   * Where something was raised into a gap that is not known, it may have met the next number there, or not: the same configuration once
   * more for each set of such gaps, narrower.
   */
  *narrowed(cells: Int32Array): Generator<Int32Array> {
    const raised = [...this.raised];
    this.raised = new Set();
    if (raised.length === 0) return;
    this.exact = false;
    const values = this.valuesOf(cells);
    for (let set = 1; set < 2 ** raised.length; set++) {
      const narrow = raised.filter((_, i) => (set >> i) & 1);
      yield this.replaced(
        cells,
        respaced(values, (distance, below) => (narrow.includes(below) ? this.keeping.narrow : distance)),
      );
      this.raised = new Set();
    }
  }

  /** The same configuration with other gaps: nobody may tell the two apart. */
  respaced(cells: Int32Array): Int32Array[] {
    const values = this.valuesOf(cells);
    const spaces = [(distance: number) => (distance === 1 ? 1 : distance + FAR), () => 1];
    return spaces.map((gap) => this.replaced(cells, respaced(values, gap)));
  }

  /** Without messages that their receivers will ignore, whenever they arrive. */
  private withoutOlder(cells: Int32Array): Int32Array {
    const { layout, contents } = this.network;
    let after = cells;
    for (const [link, { to, inbound }] of layout.links.entries()) {
      const at = layout.linkAt(link);
      const state = cells[layout.stateAt(to)];
      if (cells[at] === contents.empty || state < 0) continue;
      const left = this.stillHeard(cells[at], state);
      if (left === cells[at]) continue;
      for (const { message } of this.older(cells, link)) this.network.nodes.received(to, state, inbound, message);
      if (after === cells) after = Int32Array.from(cells);
      after[at] = left;
    }
    return after;
  }

  /** The messages on a link that its receiver ignores. */
  older(cells: Int32Array, link: number): readonly MessageInFlight[] {
    const { layout, contents, nodes } = this.network;
    const state = cells[layout.stateAt(layout.links[link].to)];
    if (!this.ignoresOlder || state < 0) return [];
    const known = this.ofState(state);
    return contents
      .flights(cells[layout.linkAt(link)])
      .filter(({ message }) => isOlder(nodes.messages.value(message), known, this.fields));
  }

  /**
   * Messages that are older are forgotten at once, so a receiver that would hear one later is not asked. It is asked here: each node in each
   * of its states, with larger numbers, and each message that ever came its way.
   */
  checkOlder(vectors: Iterable<Int32Array>): void {
    if (!this.ignoresOlder) return;
    const { layout, contents, nodes } = this.network;
    const states = layout.inLinks.map(() => new Set<number>());
    const messages = layout.links.map(() => new Set<number>());
    for (const cells of vectors) {
      for (const [node, seen] of states.entries()) seen.add(cells[layout.stateAt(node)]);
      for (const [link, seen] of messages.entries()) {
        for (const { message } of contents.flights(cells[layout.linkAt(link)])) seen.add(message);
      }
    }
    const later = (value: number) => (value === 0 ? 0 : value + FAR);
    for (const [link, { to, inbound }] of layout.links.entries()) {
      const pairs = states[to].size * messages[link].size;
      const every = Math.ceil(pairs / MOST_PAIRS);
      let number = 0;
      for (const state of states[to]) {
        if (state < 0) continue;
        const shifted = nodes.states.number(renamedData(nodes.states.value(state), this.fields, later));
        for (const message of messages[link]) if (number++ % every === 0) nodes.received(to, shifted, inbound, message);
      }
    }
  }

  private stillHeard(content: number, state: number): number {
    const known = this.current.get(content, state, 0);
    if (known !== NO_VALUE) return known;
    const { nodes, contents } = this.network;
    const flights = contents.flights(content);
    const heard = flights.filter(
      ({ message }) => !isOlder(nodes.messages.value(message), this.ofState(state), this.fields),
    );
    const left = heard.length === flights.length ? content : contents.number(heard);
    this.current.set(content, state, 0, left);
    return left;
  }

  /** Whether a step since `begin` raised something into a gap that is not known. */
  get isUncertain(): boolean {
    return this.raised.size > 0;
  }

  private note(values: readonly number[]): void {
    const { present } = this;
    for (const value of values) {
      if (present.includes(value)) continue;
      const above = present.find((other) => other > value);
      if (above !== undefined && above - value >= this.keeping.narrow) this.raised.add(value - 1);
    }
  }

  private valuesOf(cells: Int32Array): readonly number[] {
    const { layout, contents, everybody } = this.network;
    const found = new Set([0]);
    for (const node of everybody) {
      const state = cells[layout.stateAt(node)];
      if (state >= 0) for (const value of this.ofState(state)) found.add(value);
    }
    for (const link of layout.everyLink) {
      const content = cells[layout.linkAt(link)];
      if (content !== contents.empty) for (const value of this.ofContent(content)) found.add(value);
    }
    return [...found].sort(SORTED);
  }

  private ofState(state: number): readonly number[] {
    this.stateValues[state] ??= [...orderedValues(this.network.nodes.states.value(state), this.fields)].sort(SORTED);
    return this.stateValues[state];
  }

  private ofContent(content: number): readonly number[] {
    const { contents, nodes } = this.network;
    this.contentValues[content] ??= [
      ...contents
        .flights(content)
        .reduce(
          (found, { message }) => orderedValues(nodes.messages.value(message), this.fields, found),
          new Set<number>(),
        ),
    ].sort(SORTED);
    return this.contentValues[content];
  }

  private replaced(cells: Int32Array, images: ReadonlyMap<number, number>): Int32Array {
    let same = true;
    for (const [value, image] of images) same &&= value === image;
    if (same) return cells;
    const { layout, contents, everybody } = this.network;
    const after = Int32Array.from(cells);
    for (const node of everybody) {
      const at = layout.stateAt(node);
      if (cells[at] >= 0) after[at] = this.renamedState(cells[at], images);
    }
    for (const link of layout.everyLink) {
      const at = layout.linkAt(link);
      if (cells[at] !== contents.empty) after[at] = this.renamedContent(cells[at], images);
    }
    return after;
  }

  private renamedState(state: number, images: ReadonlyMap<number, number>): number {
    const { nodes } = this.network;
    return remembered(this.states, state, this.ofState(state), images, (rename) =>
      nodes.states.number(renamedData(nodes.states.value(state), this.fields, rename)),
    );
  }

  private renamedContent(content: number, images: ReadonlyMap<number, number>): number {
    const { nodes, contents } = this.network;
    return remembered(this.contents, content, this.ofContent(content), images, (rename) =>
      contents.number(
        contents.flights(content).map(
          ({ message, age }): MessageInFlight => ({
            message: nodes.likeMessage(message, renamedData(nodes.messages.value(message), this.fields, rename)),
            age,
          }),
        ),
      ),
    );
  }
}

/** What a number of something becomes: the same for the same images. */
function remembered(
  known: Map<string, number>,
  number: number,
  values: readonly number[],
  images: ReadonlyMap<number, number>,
  make: (rename: Rename) => number,
): number {
  let key = `${number}`;
  let same = true;
  for (const value of values) {
    const image = images.get(value)!;
    same &&= image === value;
    key += ` ${image}`;
  }
  if (same) return number;
  const found = known.get(key) ?? make((value) => images.get(value)!);
  known.set(key, found);
  return found;
}
