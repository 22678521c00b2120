import { expect, test } from "vitest";
import { agrees, stepsOf } from "./page.ts";

test("commands with what they print, and files, in their order", () => {
  const page =
    "text\n```console\n$ one\n$ two \\\n> more\nseen\n```\n```js\n// job.mjs\nwork();\n```\n```\nnot run\n```\n";
  expect(stepsOf(page)).toEqual([
    { kind: "type", command: "one", seen: [] },
    { kind: "type", command: "two \\\nmore", seen: ["seen"] },
    { kind: "write", file: "job.mjs", text: "// job.mjs\nwork();\n" },
  ]);
});

test("what varies may differ, and nothing else", () => {
  expect(agrees(["a  leads, 1794776577425, 4.5 s"], ["a leads, 1794776570510, 1.25 s"])).toBe(true);
  const table = (term: number, leader: string) => `leader     ${term}  1794784341273  ${leader}`;
  expect(agrees([table(4, "b"), 'in term 4 {"term":4}'], [table(2, "b"), 'in term 2 {"term":2}'])).toBe(true);
  expect(agrees([table(2, "b")], [table(2, "c")])).toBe(false);
  expect(agrees(["b leads, 1794776577425, 4.5 s"], ["a leads, 1794776570510, 4.5 s"])).toBe(false);
  expect(agrees(["12:00:01.5 x", "y"], ["11:00:00.123 x"])).toBe(false);
  expect(agrees([], ["something"])).toBe(false);
  expect(agrees(["something"], [])).toBe(false);
});

test("dots stand for lines that are left out", () => {
  expect(agrees(["a", "b", "c"], ["a", "...", "c"])).toBe(true);
  expect(agrees(["a", "c"], ["a", "...", "c"])).toBe(true);
  expect(agrees(["a", "b", "c"], ["...", "b"])).toBe(false);
  expect(agrees(["a", "b"], ["a", "..."])).toBe(true);
});
