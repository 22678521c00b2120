import { expect, test } from "vitest";
import { arrive, newReceiving } from "./sending.ts";

const ROOM = 4;

/** What is handed over when these numbers arrive one after the other, each with a letter. */
function handedOver(...arrivals: readonly (readonly [number, string, number?])[]) {
  const receiving = newReceiving<string>();
  return arrivals.map(([number, message, stream = 0]) => arrive(receiving, { stream, number, message }, ROOM));
}

test("what comes too early waits for what is missing", () => {
  expect(handedOver([1, "b"], [2, "c"], [0, "a"])).toEqual([[], [], ["a", "b", "c"]]);
});

test("what was handed over, or waits already, is not handed over again", () => {
  expect(handedOver([0, "a"], [0, "a"], [1, "b"])).toEqual([["a"], [], ["b"]]);
  expect(handedOver([1, "b"], [1, "b"], [0, "a"], [2, "c"])).toEqual([[], [], ["a", "b"], ["c"]]);
});

test("what lies too far ahead is not kept", () => {
  expect(handedOver([ROOM, "e"], [ROOM - 1, "d"])).toEqual(["overflow", []]);
});

test("a new stream begins with its first number, and nothing of an older one counts", () => {
  expect(handedOver([1, "old b"], [0, "a", 1], [0, "old a"], [1, "b", 1])).toEqual([[], ["a"], [], ["b"]]);
});
