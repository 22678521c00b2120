/** Rows of a lease store that no member has written, as the fuzzer found them (test/fuzz): refused in words, never taken for missing ones. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { rowsIn, textsIn } from "./rows.ts";

const text = (row: unknown, v: unknown = 1) => JSON.stringify({ v, nonce: "n", at: 0, row });
const seat = { token: 5, preemptible: false, lease: null, reserved: null };
const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
  return "none";
};

test.each([
  ["seat/leader", {}],
  ["seat/leader", []],
  ["seat/leader", null],
  ["seat/leader", { ...seat, token: "5" }],
  ["seat/leader", { ...seat, token: -1 }],
  ["seat/leader", { ...seat, lease: {} }],
  ["seat/leader", { ...seat, reserved: { name: "b", until: 5 } }],
  ["session/s", { name: "a", life: 1, ttl: 0, expires: { clock: "", at: 5 }, ended: false, counter: 0 }],
  ["session/s", { name: "a", life: 1, ttl: 5000, expires: null, ended: false, counter: 0 }],
  ["group", { incarnation: "first", barred: null }],
  ["record/k", { state: "done" }],
])("%s with %j", (key, row) => {
  expect(refusal(() => rowsIn(new Map([[key, text(row)]])))).toBe(
    `the lease store has a row "${key}" that no member has written: stop all members, then restore or remove the group's rows`,
  );
});

test.each(["", "null", "7", "{}", text(seat, null), text(seat, "1"), '{"v":1}'])("the text %j", (damaged) => {
  expect(refusal(() => rowsIn(new Map([["seat/leader", damaged]])))).toContain(
    'has a row "seat/leader" that no member',
  );
});

test("a row of a newer version says so", () => {
  expect(refusal(() => rowsIn(new Map([["seat/leader", text(seat, 2)]])))).toContain("rows of version 2");
});

describe("all rows in one value", () => {
  test.each(["", "[]", "7", "null", "true", '"seat/leader"', '{"seat/leader":5}', '{"seat/leader"'])("%j", (value) => {
    expect(refusal(() => textsIn(value))).toMatch(/^the lease store has a value that no member has written/);
  });

  test("a missing value has no rows", () => {
    expect(textsIn(null)).toEqual(new Map());
    expect(rowsIn(textsIn(JSON.stringify({ "seat/leader": text(seat) }))).seat("leader")).toEqual(seat);
  });
});
