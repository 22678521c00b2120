import { expect, test } from "vitest";
import { chosen, referencesOf } from "./all.ts";

test.each([
  ["Fig. 9: messages", ["fig9"]],
  ["Tables 5 to 7 and Theorems 8 and 10: the second phase", ["table5", "table6", "table7", "theorem8", "theorem10"]],
  ["Section 3.1, Theorems 1, 2, 5 and 12", ["theorem1", "theorem2", "theorem5", "theorem12"]],
  ["Table I: memory", ["table1"]],
  ["Section 5: accuracy", []],
])("%s", (title, references) => expect(referencesOf(title)).toEqual(references));

test.each([
  ["ramanathan", "table6", ["table5"]],
  ["ramanathan", "theorem1", ["as-printed", "theorems1to5"]],
  ["ramanathan", "fig1", ["fig1"]],
  ["raz", "figure12", ["figs8-13"]],
  ["chakraborty", "impossibility", ["impossibility"]],
])("%s %s", (paper, name, found) => expect(chosen(paper, name).map((item) => item.name)).toEqual(found));

test("a paper has no figure of another", () => expect(() => chosen("raz", "fig99")).toThrow('raz has no "fig99"'));
