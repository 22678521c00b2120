import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Malformed } from "./bytes.ts";
import { decode, encode, encodedSize } from "./codec.ts";

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

test("what is decoded equals what was encoded, and its encoding is the same", () => {
  fc.assert(
    fc.property(plain, (value) => {
      const bytes = encode(value);
      const back = decode(bytes);
      expect(back).toStrictEqual(value);
      expect(encode(back)).toEqual(bytes);
      expect(encodedSize(value)).toBe(bytes.length);
    }),
    { numRuns: 2000, seed: 8 },
  );
});

test("examples of RFC 8949, appendix A", () => {
  const examples: [unknown, string][] = [
    [0, "00"],
    [23, "17"],
    [24, "1818"],
    [1000, "1903e8"],
    [1000000, "1a000f4240"],
    [1000000000000, "1b000000e8d4a51000"],
    [-1, "20"],
    [-1000, "3903e7"],
    [1.1, "fb3ff199999999999a"],
    [18446744073709551616n, "c249010000000000000000"],
    ["IETF", "6449455446"],
    ["水", "63e6b0b4"],
    [[1, [2, 3], [4, 5]], "8301820203820405"],
    [{ a: 1, b: [2, 3] }, "a26161016162820203"],
    [null, "f6"],
    [true, "f5"],
  ];
  for (const [value, hex] of examples) {
    expect(Buffer.from(encode(value)).toString("hex")).toBe(hex);
    expect(decode(Buffer.from(hex, "hex"))).toStrictEqual(value);
  }
});

test("a text is the bytes that every encoder of UTF-8 makes of it, also where it is half a character", () => {
  const text = fc.array(fc.nat(0xffff), { maxLength: 80 }).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(text, (value) => {
      const bytes = encode(value);
      const utf8 = Buffer.from(value, "utf8");
      expect(Buffer.from(bytes.subarray(bytes.length - utf8.length)).equals(utf8)).toBe(true);
      expect(encodedSize(value)).toBe(bytes.length);
    }),
    { numRuns: 1000, seed: 8 },
  );
});

test("a size does not depend on what was measured before, of the same names and texts or of others", () => {
  const text = fc.constantFrom("elect", "leader", "é", "", "x".repeat(64), "x".repeat(65), "y".repeat(65));
  const item = fc.oneof(
    text,
    fc.constantFrom<unknown>(0, -0, Number.NaN, 23, 24, -25, 0.5, 2n ** 70n, null, ["elect"]),
  );
  const name = fc.constantFrom("kind", "id", "é", "x".repeat(80));
  const message = fc.array(fc.tuple(name, item), { maxLength: 12 }).map((fields) => Object.fromEntries(fields));
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
      for (const one of messages) expect(encodedSize(one)).toBe(encode(one).length);
    }),
    { numRuns: 200, seed: 8 },
  );
});

test("fields whose names are numbers come first, as in every object, and are read again", () => {
  const fields = { b: 1, "10": 2, "9": 3, "01": 4, "4294967295": 5, "-1": 6 };
  expect(decode(encode(fields))).toEqual(fields);
  expect(Object.keys(decode(encode(fields)) as object)).toEqual(["9", "10", "b", "01", "4294967295", "-1"]);
});

test("a message of a ring takes few bytes", () => {
  expect(encode({ kind: "elect", id: 12 }).length).toBe(16);
});

describe("hostile bytes", () => {
  test("give a value with this very encoding, or Malformed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        let value: unknown;
        try {
          value = decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed);
          return;
        }
        expect(Buffer.from(encode(value)).equals(bytes)).toBe(true);
      }),
      { numRuns: 20_000, seed: 8 },
    );
  });

  test.each([
    ["nothing", ""],
    ["a length without end", "9f00ff"],
    ["a long form of a small number", "1800"],
    ["a double that is a whole number", "fb3ff0000000000000"],
    ["a number beyond 2^53", "1b0020000000000000"],
    ["an array longer than the datagram", "9a7fffffff"],
    ["text that is not UTF-8", "61ff"],
    ["the same field twice", "a2616101616102"],
    ["a field that is a number after another field", "a2616101613102"],
    ["two fields that are numbers, the larger one first", "a2613201613102"],
    ["a field that would change a prototype", "a1695f5f70726f746f5f5fa0"],
    ["a nest of arrays", "81".repeat(1000)],
    ["a byte too many", "0000"],
    ["a name that is an array", "a18000"],
  ])("%s", (_what, hex) => {
    expect(() => decode(Buffer.from(hex, "hex"))).toThrow(Malformed);
  });
});

test("what is not plain data is refused when it is sent", () => {
  expect(() => encode(new Map())).toThrow(/Map, which is not plain data/);
  expect(() => encode({ f: () => 0 })).toThrow(/not plain data/);
});
