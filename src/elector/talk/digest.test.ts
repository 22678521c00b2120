import { expect, test } from "vitest";
import { canonical, digestOf } from "./digest.ts";

test("every character counts, the last ones of any length too", () => {
  for (let length = 1; length <= 9; length++) {
    const texts = Array.from({ length: 1000 }, (_, i) => "x".repeat(length - 1) + String.fromCharCode(i));
    expect(new Set(texts.map(digestOf)).size).toBe(1000);
  }
  const names = Array.from({ length: 20_000 }, (_, i) => `m${i}`);
  expect(new Set(names.map(digestOf)).size).toBe(20_000);
  expect(new Set(["", "\0", "\0\0", "a", "a\0"].map(digestOf)).size).toBe(5);
});

test("a digest is a safe integer, and must never drift: members of different versions compare them", () => {
  expect(["", "m1", "leader 1"].map(digestOf)).toMatchInlineSnapshot(`
    [
      2207847246456390,
      461303929848272,
      5994575793043172,
    ]
  `);
});

test("plain data has one form", () => {
  expect(canonical({ b: [1, null], a: { d: "x", c: true } })).toBe('{"a":{"c":true,"d":"x"},"b":[1,null]}');
});
