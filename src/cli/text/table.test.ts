import { expect, test } from "vitest";
import { figure, percent, plural } from "./figures.ts";
import { table, wrap } from "./table.ts";

test("columns line up, and no line ends in blanks", () => {
  const columns = [{ title: "name" }, { title: "count", align: "right" as const }, { title: "note" }];
  expect(
    table(columns, [
      ["a", "5", "x"],
      ["long name", "12345678", ""],
    ]).split("\n"),
  ).toEqual(["name          count  note", "a                 5  x", "long name  12345678"]);
});

test("the last column is broken at the width of the terminal", () => {
  const rows = [["a", "one two three four five"]];
  expect(table([{ title: "k" }, { title: "v", wrap: true }], rows, { width: 23 }).split("\n")).toEqual([
    "k  v",
    "a  one two three four",
    "   five",
  ]);
  expect(wrap("a verylongword b", 5)).toEqual(["a", "verylongword", "b"]);
});

test("numbers have as many digits as help", () => {
  expect([0, 5187, 5187.33, 518.737, 5.1874, 0.51874, 0.0518743, null].map(figure)).toEqual([
    ...["0", "5,187", "5,187.3", "518.74", "5.187", "0.519", "0.05187", "-"],
  ]);
  expect([0, 1, 0.963, 0.9995, 0.0004, null].map(percent)).toEqual([
    ...["0%", "100%", "96.30%", "99.9500%", "0.0400%", "-"],
  ]);
  expect([plural(1, "trial"), plural(2000, "process", "processes")]).toEqual(["1 trial", "2,000 processes"]);
});
