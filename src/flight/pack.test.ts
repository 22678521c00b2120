import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText } from "../explorer/space/plain.ts";
import { Malformed } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";
import { pack, unpack } from "./pack.ts";

const state = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, undefined, true, false, Infinity, Number.NaN, -0),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
  ),
})).value;

test("a state comes back as it was, through bytes", () => {
  fc.assert(
    fc.property(state, (value) => {
      const back = unpack(decode(encode(pack(value))));
      expect(back).toStrictEqual(value);
      expect(canonicalText(back)).toBe(canonicalText(value));
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("what is reached in two ways is one thing again, also in a circle", () => {
  const shared = { count: 1 };
  const value: Record<string, unknown> = { a: shared, b: [shared], m: new Map([[shared, shared]]) };
  value.self = value;
  const back = unpack(pack(value)) as { a: object; b: object[]; m: Map<object, object>; self: unknown };
  expect(back.b[0]).toBe(back.a);
  expect(back.m.get(back.a)).toBe(back.a);
  expect(back.self).toBe(back);
});

test("what is not plain data is refused in words", () => {
  expect(() => pack({ at: new Date() })).toThrow("the state holds a Date, which is not plain data");
  expect(() => pack([() => 1])).toThrow("the state holds a function, which is not plain data");
});

test("what nothing of ours has packed is malformed", () => {
  const wrong = [null, [], [[5]], [[0], [9]], [[0], [1, "a"]], [[0], [1, "__proto__", 1]], [[0], [0, {}]], [[0], 3]];
  for (const value of wrong) expect(() => unpack(value)).toThrow(Malformed);
});
