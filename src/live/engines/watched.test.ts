/** A store without a clock: how long a member watches a row before what it grants has passed for certain. */
import { beforeEach, expect, test } from "vitest";
import { extensionMark, watchedName } from "../../protocols/lease/register-clock.ts";
import { Watched, watchTime } from "./watched.ts";

const TTL = 5000;
/** TTL (1 + rho) + margin. */
const WATCHED = 5100;

let now: number;
let watched: Watched;
beforeEach(() => {
  now = 1000;
  watched = new Watched({ name: "mine", now: () => now, stamp: () => 77 });
});

const left = (what: string, mark: string) => watched.reading("i").foreign(what, mark, TTL);
const session = (count: number) => ({ session: "s", count, at: 10 * count });
const leftOfSession = (count: number) => left(watchedName("s"), extensionMark(session(count)));

test("a row is watched for longer than its lease, by the most that clocks run apart, and a margin", () => {
  expect([watchTime(TTL), watchTime(500)]).toEqual([WATCHED, 555]);
});

test("what a row grants lasts from when it was first seen as it is; anything new in it begins that anew", () => {
  expect(left("a", "1")).toBe(WATCHED);
  now += 3000;
  expect([left("a", "1"), left("b", "1")]).toEqual([WATCHED - 3000, WATCHED]);
  expect(left("a", "2")).toBe(WATCHED);
  now += WATCHED;
  expect(left("a", "2")).toBe(0);
  expect(left("a", "1")).toBe(WATCHED);
});

test("one reading is of one moment, and says whose clock it is", () => {
  const reading = watched.reading("i");
  now += 500;
  expect([reading.name, reading.now, reading.stamp, reading.incarnation]).toEqual(["mine", 1000, 77, "i"]);
  expect(reading.foreign("a", "1", TTL)).toBe(WATCHED);
});

test("what a holder has said of its session counts from when it was heard, where the row still shows it", () => {
  watched.heard(session(3));
  now += 2000;
  expect(leftOfSession(3)).toBe(WATCHED - 2000);
  now += 100;
  expect(leftOfSession(4)).toBe(WATCHED);
});

test("a word that comes twice or late is no news", () => {
  watched.heard(session(3));
  now += 1000;
  watched.heard(session(3));
  watched.heard(session(2));
  expect(leftOfSession(3)).toBe(WATCHED - 1000);
  watched.heard(session(4));
  expect(leftOfSession(4)).toBe(WATCHED);
});

test("a member that watches 10,000 rows begins anew with one more", () => {
  for (let row = 0; row < 10_000; row++) left(`${row}`, "1");
  now += 10;
  expect(left("0", "1")).toBe(WATCHED - 10);
  left("one more", "1");
  expect(left("0", "1")).toBe(WATCHED);
});
