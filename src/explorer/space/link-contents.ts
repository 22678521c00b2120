/** What is on its way on one link, by number. The same few contents recur in countless configurations, so every change is remembered. */
import { IntMap, NO_VALUE } from "./int-map.ts";
import { Interner } from "./plain.ts";

/** A message on its way and for how many instants it has been; in untimed runs nothing ages. */
export interface MessageInFlight {
  readonly message: number;
  readonly age: number;
}

const ADD = 0;
const REMOVE = 1;
const REPEAT = 2;
const AGE = 3;

export class LinkContents {
  readonly empty: number;
  private readonly fifo: boolean;
  private readonly contents = new Interner<readonly MessageInFlight[]>();
  /** By content, by what was done to it, and to what. */
  private readonly changed = new IntMap();
  private readonly next: (readonly number[])[] = [];

  constructor(fifo: boolean) {
    this.fifo = fifo;
    this.empty = this.contents.number([]);
  }

  flights(content: number): readonly MessageInFlight[] {
    return this.contents.value(content);
  }

  /** The number of a content. */
  number(flights: readonly MessageInFlight[]): number {
    return this.contents.number(this.fifo ? flights : inOneOrder([...flights]));
  }

  add(content: number, message: number): number {
    const known = this.changed.get(content, ADD, message);
    return known === NO_VALUE ? this.remember(content, ADD, message) : known;
  }

  remove(content: number, index: number): number {
    const known = this.changed.get(content, REMOVE, index);
    return known === NO_VALUE ? this.remember(content, REMOVE, index) : known;
  }

  /** With a copy, right behind it and as old as it is. */
  repeat(content: number, index: number): number {
    const known = this.changed.get(content, REPEAT, index);
    return known === NO_VALUE ? this.remember(content, REPEAT, index) : known;
  }

  /** One instant later. */
  aged(content: number): number {
    if (content === this.empty) return content;
    const known = this.changed.get(content, AGE, 0);
    return known === NO_VALUE ? this.remember(content, AGE, 0) : known;
  }

  /** Which flights can arrive next: the first, or without FIFO any (equal ones only once). */
  deliverable(content: number): readonly number[] {
    this.next[content] ??= this.first(this.flights(content));
    return this.next[content];
  }

  private first(flights: readonly MessageInFlight[]): readonly number[] {
    if (flights.length === 0) return [];
    if (this.fifo) return [0];
    return flights.flatMap((flight, i) =>
      flights.findIndex(({ message, age }) => message === flight.message && age === flight.age) === i ? [i] : [],
    );
  }

  private remember(content: number, how: number, what: number): number {
    const flights = change(this.flights(content), how, what);
    const number = this.number(flights);
    this.changed.set(content, how, what, number);
    return number;
  }
}

/** Without FIFO the order on a link has no meaning: one order for all. */
const inOneOrder = (flights: MessageInFlight[]) => flights.sort((a, b) => a.message - b.message || a.age - b.age);

function change(flights: readonly MessageInFlight[], how: number, what: number): MessageInFlight[] {
  if (how === ADD) return [...flights, { message: what, age: 0 }];
  if (how === REMOVE) return flights.filter((_, i) => i !== what);
  if (how === REPEAT) return flights.flatMap((flight, i) => (i === what ? [flight, flight] : [flight]));
  return flights.map(({ message, age }) => ({ message, age: age + 1 }));
}
