import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copy } from "../../host/stepping/copy.ts";
import { canonicalText, Interner } from "./plain.ts";
import { Visited } from "./visited.ts";

describe("plain data", () => {
  test("the order of fields and missing fields make no difference, everything else does", () => {
    expect(canonicalText({ a: 1, b: [2, { c: null }] })).toBe(canonicalText({ b: [2, { c: null }], a: 1 }));
    expect(canonicalText({ a: 1, b: undefined })).toBe(canonicalText({ a: 1 }));
    const different = [
      new Map(),
      new Set(),
      new Set([0]),
      new Map([[0, 0]]),
      0,
      -0,
      "0",
      null,
      undefined,
      false,
      [],
      {},
      [0],
      { 0: 0 },
      0n,
      Number.NaN,
      "NaN",
      ["0"],
      [[0]],
    ];
    expect(new Set(different.map(canonicalText)).size).toBe(different.length);
  });

  test.each([[() => 1], [Symbol("s")], [{ deep: [new Date(0)] }]])("%o is refused", (value) => {
    expect(() => canonicalText(value)).toThrow("must be plain data");
  });

  test("equal texts mean equal values, and a copy is equal but shares nothing", () => {
    const property = fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [x, y] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
      let equal = true;
      try {
        expect(x).toEqual(y);
      } catch {
        equal = false;
      }
      expect(canonicalText(x) === canonicalText(y)).toBe(equal);
      expect(canonicalText(copy(x))).toBe(canonicalText(x));
      if (typeof x === "object" && x !== null) expect(copy(x)).not.toBe(x);
    });
    fc.assert(property, { seed: 1, numRuns: 300 });
  });
});

test("equal values have equal numbers", () => {
  const interner = new Interner<unknown>();
  expect([{ a: 1, b: 2 }, "x", { b: 2, a: 1 }, "y", "x"].map((value) => interner.number(value))).toEqual([
    0, 1, 0, 2, 1,
  ]);
  expect(interner.value(0)).toEqual({ a: 1, b: 2 });
  expect(interner.size).toBe(3);
});

test("a table of vectors finds each again, however many there are and however alike", () => {
  const visited = new Visited(new Int32Array(3));
  const numbers = new Map<string, number>();
  for (let i = 0; i < 20_000; i++) {
    const vector = Int32Array.of(i % 71, -(i % 53), (i * i) % 101);
    const known = numbers.get(vector.join());
    const number = visited.add(vector);
    expect(number).toBe(known ?? numbers.size);
    numbers.set(vector.join(), number);
  }
  // Entries that never mattered before, and values that need all their bits.
  for (const large of [1 << 16, (1 << 16) + 70, -(1 << 20), 2 ** 31 - 1]) {
    for (const [place, vector] of [Int32Array.of(large, 0, 1), Int32Array.of(0, large, 1)].entries()) {
      expect(visited.add(vector), `${large} ${place}`).toBe(numbers.size);
      expect(visited.add(vector)).toBe(numbers.size);
      numbers.set(vector.join(), numbers.size);
    }
  }
  expect(visited.count).toBe(numbers.size);
  for (const [text, number] of numbers) expect(visited.vector(number).join()).toBe(text);
});
