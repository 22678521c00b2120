import { expect, test } from "vitest";
import { FewNumbers } from "./few-numbers.ts";

test.each([1000, 2 ** 31])("some of %i numbers: these and no others, also those with which they share a bit", (n) => {
  const few = new FewNumbers(n);
  const members = [0, 5, 999, n - 1];
  for (const member of members) few.add(member);
  const asked = [...members, 1, 4, 2 ** 20, 2 ** 20 + 5, 2 ** 21 + 999, 2 ** 20 - 1].filter((number) => number < n);
  expect(asked.filter((number) => few.has(number))).toEqual(members);
  expect(few.size).toBe(new Set(members).size);
});
