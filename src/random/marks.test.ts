import { expect, test } from "vitest";
import { HostStream } from "./streams.ts";
import { Marks } from "./subsets.ts";

test("marks are a set: each number once, none of the use before, however many and however large", () => {
  const source = new HostStream(1, 0, "plan");
  const marks = new Marks();
  for (let use = 0; use < 200; use++) {
    const most = source.choose(use < 100 ? 40 : 2_000);
    const range = [50, 5_000, 2 ** 33, 2 ** 53][use % 4];
    const set = new Set<number>();
    const wrong: number[] = [];
    marks.clear(most);
    for (let i = 0; i < most; i++) {
      const value = source.choose(range);
      if (marks.add(value) === set.has(value)) wrong.push(value);
      set.add(value);
    }
    expect(wrong).toEqual([]);
  }
});

test("numbers that differ only above 32 bits, and so collide, are told apart", () => {
  const marks = new Marks();
  marks.clear(32);
  const values = Array.from({ length: 32 }, (_, i) => 7 + i * 2 ** 32);
  expect(values.map((value) => marks.add(value))).not.toContain(false);
  expect(values.map((value) => marks.add(value))).not.toContain(true);
});

test("the stamps begin anew when they have run out", () => {
  const marks = new Marks();
  marks.clear(1);
  marks.add(5);
  Object.assign(marks, { stamp: 2 ** 31 - 1 });
  marks.add(6);
  marks.clear(1);
  expect([marks.add(5), marks.add(6), marks.add(5)]).toEqual([true, true, false]);
});

test("at most half of the places are used, so that a search stays short", () => {
  const marks = new Marks();
  const places = () => (marks as unknown as { values: Float64Array }).values.length;
  const sizes = [1, 32, 33, 1_000, 1_024, 1_025].map((most) => {
    marks.clear(most);
    return places();
  });
  expect(sizes).toEqual([64, 64, 128, 2_048, 2_048, 4_096]);
});
