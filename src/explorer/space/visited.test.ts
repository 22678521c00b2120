import { expect, test } from "vitest";
import { Visited } from "./visited.ts";

test("a configuration is known again by all its entries, small or large, also where hashes are equal", () => {
  const vectors = [0, 1, 5, 70_000, -1].flatMap((a) => [0, 3, 1 << 20].map((b) => Int32Array.of(7, a, b)));
  const numbers = vectors.map((_, i) => i);
  for (const hash of [undefined, 12]) {
    const seen = new Visited(Int32Array.of(7, 0, 0));
    expect(vectors.map((vector) => seen.add(vector, hash))).toEqual(numbers);
    expect(vectors.map((vector) => seen.add(vector, hash))).toEqual(numbers);
    expect(numbers.map((number) => seen.vector(number))).toEqual(vectors);
    expect(seen.count).toBe(vectors.length);
  }
});

test("the table grows, and nothing is forgotten", () => {
  const visited = new Visited(new Int32Array(2));
  const vectors = Array.from({ length: 5000 }, (_, i) => Int32Array.of(i, i % 7));
  for (const vector of vectors) visited.add(vector);
  expect(vectors.every((vector, i) => visited.add(vector) === i)).toBe(true);
});
