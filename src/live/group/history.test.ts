/** Why leaders changed, as one member tells it. */
import { expect, test } from "vitest";
import type { MemberEvent } from "../../events/events.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { type LeaderCause, LeaderHistory } from "./history.ts";

const settings = { ...readAll(MEMBER, {}), name: "a" };
const leader = (name: string, office = "o") =>
  ({ event: "leader", office, leader: name, term: 3, token: 5n }) as unknown as MemberEvent;
const event = (fields: object) => fields as MemberEvent;

/** Member "a" sees "a" or "b" lead, then this happens, then "c" leads. */
const CAUSES: readonly (readonly [
  first: string,
  happens: readonly (MemberEvent | LeaderCause)[],
  cause: LeaderCause,
])[] = [
  ["b", [], "given up"],
  ["b", [event({ event: "left", member: "b" })], "left"],
  ["b", [event({ event: "failed", member: "b" })], "failed"],
  ["b", [event({ event: "left", member: "d" })], "given up"],
  ["b", [event({ event: "joined", member: "b" })], "given up"],
  ["b", [event({ event: "lapsed", office: "o" })], "lease expired"],
  ["b", [event({ event: "unreachable", office: "o" })], "lease expired"],
  ["b", [event({ event: "lapsed", office: "other" })], "given up"],
  ["b", [event({ event: "failed", member: "b" }), event({ event: "left", member: "b" })], "failed"],
  ["b", [event({ event: "failed", member: "b" }), event({ event: "lapsed", office: "o" })], "lease expired"],
  ["b", ["resigned"], "given up"],
  ["b", [event({ event: "threw", office: "o", failures: 1 })], "given up"],
  ["a", ["resigned"], "resigned"],
  ["a", ["handed over", "resigned"], "handed over"],
  ["a", [event({ event: "threw", office: "o", failures: 1 })], "threw"],
  ["a", [event({ event: "threw", office: "o", failures: 0 })], "given up"],
  ["a", [event({ event: "threw", office: "other", failures: 1 })], "given up"],
];

test.each(CAUSES)("%s led, then %j: the cause is %s", (first, happens, cause) => {
  const history = new LeaderHistory(settings, () => 1000);
  const told = history.told(leader(first));
  expect(told).toMatchObject({ leader: first, cause: "first" });
  expect(told).not.toHaveProperty("former");
  for (const each of happens) {
    if (typeof each === "string") history.gives("o", each);
    else expect(history.told(each)).toBe(each);
  }
  expect(history.told(leader("c"))).toMatchObject({ leader: "c", former: first, cause });
  expect(history.told(leader("d"))).toMatchObject({ former: "c", cause: "given up" });
  expect(history.changes).toMatchObject([
    { at: 1000, office: "o", leader: first, former: null, cause: "first", term: 3 },
    { leader: "c", former: first, cause },
    { leader: "d", former: "c" },
  ]);
});

test("the latest 50 changes are kept, of all offices, and each office has its own former leader", () => {
  const history = new LeaderHistory(settings, () => 0);
  for (let i = 0; i < 60; i++) history.told(leader(`m${i}`, `office${i % 2}`));
  expect(history.changes).toHaveLength(50);
  expect(history.changes[0]).toMatchObject({ leader: "m10", former: "m8" });
  expect(history.changes.at(-1)).toMatchObject({ leader: "m59", former: "m57" });
});
