/** What is on its way on one link, by number. The same few contents recur in countless configurations, so every change is remembered. */
import { Interner } from "./interner.ts";

/** A message on its way and for how many instants it has been; in untimed runs nothing ages. */
export interface Flight {
  readonly message: number;
  readonly age: number;
}

export class LinkContents {
  readonly empty: number;
  private readonly fifo: boolean;
  private readonly contents = new Interner<readonly Flight[]>();
  private readonly added: number[][] = [];
  private readonly removed: number[][] = [];
  private readonly repeated: number[][] = [];
  private readonly older: number[] = [];

  constructor(fifo: boolean) {
    this.fifo = fifo;
    this.empty = this.contents.number([]);
  }

  flights(content: number): readonly Flight[] {
    return this.contents.value(content);
  }

  add(content: number, message: number): number {
    this.added[content] ??= [];
    this.added[content][message] ??= this.number([...this.flights(content), { message, age: 0 }]);
    return this.added[content][message];
  }

  remove(content: number, index: number): number {
    this.removed[content] ??= [];
    this.removed[content][index] ??= this.number(this.flights(content).filter((_, i) => i !== index));
    return this.removed[content][index];
  }

  /** With a copy, right behind it and as old as it is. */
  repeat(content: number, index: number): number {
    this.repeated[content] ??= [];
    this.repeated[content][index] ??= this.number(
      this.flights(content).flatMap((flight, i) => (i === index ? [flight, flight] : [flight])),
    );
    return this.repeated[content][index];
  }

  /** One instant later. */
  aged(content: number): number {
    this.older[content] ??= this.number(this.flights(content).map(({ message, age }) => ({ message, age: age + 1 })));
    return this.older[content];
  }

  /** Which flights can arrive next: the first, or without FIFO any (equal ones only once). */
  deliverable(content: number): readonly number[] {
    const flights = this.flights(content);
    if (flights.length === 0) return [];
    if (this.fifo) return [0];
    return flights.flatMap((flight, i) =>
      flights.findIndex(({ message, age }) => message === flight.message && age === flight.age) === i ? [i] : [],
    );
  }

  private number(flights: Flight[]): number {
    // Without FIFO the order on a link has no meaning: keep one order for all.
    if (!this.fifo) flights.sort((a, b) => a.message - b.message || a.age - b.age);
    return this.contents.number(flights);
  }
}
