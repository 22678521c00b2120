import { expect, test } from "vitest";
import { filled, textsOf } from "./texts.ts";

test("values are found by path and written as asked", () => {
  const values = { share: 0.1234, report: { rounds: [{ mean: 1234.5 }] }, many: [1, 2] };
  const text = ["share:3", "share:1%", "share:1e", "share:~", "report.rounds.0.mean:,", "many:1"];
  const written = text.map((one) => filled(`$\{${one}}`, values, "key"));
  expect(written).toEqual(["0.123", "12.3%", "1.2e-1", "0.1234", "1,235", "1.0, 2.0"]);
});

test("a key or a value that is missing is named", () => {
  expect(() => textsOf("raz").say("nothing", "note")).toThrow('texts/raz.txt has no "nothing"');
  expect(() => textsOf("raz").say("naive-c", "note")).toThrow('"naive-c" wants a value for "p"');
});
