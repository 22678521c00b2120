import { canonicalText } from "./plain.ts";

/** Numbers for values: equal values get equal numbers, so a configuration of a whole network is a short list of them. */
export class Interner<T> {
  private readonly numbers = new Map<string, number>();
  private readonly values: T[] = [];

  /** `kind` tells apart what is equal otherwise. */
  number(value: T, kind = ""): number {
    const text = kind + canonicalText(value);
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.values.length;
      this.numbers.set(text, number);
      this.values.push(value);
    }
    return number;
  }

  value(number: number): T {
    return this.values[number];
  }

  get size(): number {
    return this.values.length;
  }
}
