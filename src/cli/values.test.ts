import { describe, expect, test } from "vitest";
import { InputError } from "../errors.ts";
import { delayOf, delayText, idsOf, initiatorsOf, paramsOf, probability, wholeNumber } from "./values.ts";

test("whole numbers may be written with an exponent, and nothing else is one", () => {
  expect(wholeNumber("1e3", "--n", 1)).toBe(1000);
  for (const text of ["", " ", "0x10", "1,000", "Infinity", "NaN", "1e400", "2.5", "0"]) {
    expect(() => wholeNumber(text, "--n", 1)).toThrow(InputError);
  }
});

test("probabilities include both ends", () => {
  expect(["0", "1", ".5", "1e-3"].map((text) => probability(text, "--loss"))).toEqual([0, 1, 0.5, 0.001]);
  for (const text of ["-0.001", "1.001", "half"]) expect(() => probability(text, "--loss")).toThrow(InputError);
});

describe("initiators", () => {
  test.each([
    ["all", 10, "all"],
    ["3", 10, 3],
    ["25%", 10, 3],
    ["24%", 10, 2],
    ["0.1%", 10, 1],
    ["0%", 10, 0],
    ["100%", 7, 7],
  ])("%s of %i", (text, n, expected) => {
    expect(initiatorsOf(text, n)).toBe(expected);
  });
});

test("delays are read as they are shown", () => {
  for (const text of ["fixed:2", "uniform:0.5..1.5", "exp:1"]) expect(delayText(delayOf(text))).toBe(text);
  for (const text of ["1", ":1", "fixed", "fixed:", "fixed:1..2", "fixed:1:2", "uniform:1", "exp:a"]) {
    expect(() => delayOf(text)).toThrow(InputError);
  }
});

test("ids are words or a list", () => {
  expect(idsOf("7, 3,12")).toEqual([7, 3, 12]);
  expect(idsOf("decreasing")).toBe("decreasing");
  for (const text of ["", "1,,2", "a,b"]) expect(() => idsOf(text)).toThrow(InputError);
});

test("parameters keep everything after the first equals sign", () => {
  expect(paramsOf(["a=1", "b=x=y", "c="])).toEqual({ a: "1", b: "x=y", c: "" });
  expect(Object.keys(paramsOf(["__proto__=1"]))).toEqual(["__proto__"]);
});
