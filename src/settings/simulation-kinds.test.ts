import { expect, test } from "vitest";
import { countOf, delay, delayText, ids, initiators } from "./simulation-kinds.ts";

test.each([
  ["all", 10, "all"],
  ["3", 10, 3],
  ["25%", 10, 3],
  ["24%", 10, 2],
  ["0.1%", 10, 1],
  ["0%", 10, 0],
  ["100%", 7, 7],
])("initiators: %s of %i", (text, n, expected) => {
  expect(countOf(initiators.read(text)!, n)).toBe(expected);
});

test("initiators that make no sense", () => {
  for (const given of ["some", "120%", "-1%", "2.5", -1, null]) expect(initiators.read(given)).toBeUndefined();
});

test("delays are read as they are shown", () => {
  for (const text of ["fixed:2", "uniform:0.5..1.5", "exp:1"]) expect(delayText(delay.read(text)!)).toBe(text);
  const wrong = [
    "1",
    ":1",
    "fixed",
    "fixed:",
    "fixed:1..2",
    "fixed:1:2",
    "uniform:1",
    "uniform:2..1",
    "exp:a",
    "exp:0",
  ];
  for (const given of [...wrong, null, { kind: "fixed" }]) expect(delay.read(given)).toBeUndefined();
});

test("ids are words or a list", () => {
  expect(ids.read("7, 3,12")).toEqual([7, 3, 12]);
  expect(ids.read("decreasing")).toBe("decreasing");
  for (const given of ["", "1,,2", "a,b", 7]) expect(ids.read(given)).toBeUndefined();
});
