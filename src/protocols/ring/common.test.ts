import { expect, test } from "vitest";
import type { Context } from "../../protocol.ts";
import { bitLength } from "../bits.ts";
import {
  type Announcement,
  announce,
  type Contender,
  type Decision,
  hearAnnouncement,
  joinsElection,
  ringVerdict,
} from "./common.ts";

function recorder() {
  const sent: Announcement[] = [];
  const ctx = { send: (_port: number, message: Announcement) => sent.push(message), measure() {} };
  return { sent, ctx: ctx as unknown as Context<Announcement, never> };
}

test("bitLength is the length in binary, past 32 bits too", () => {
  for (const value of [0, 1, 2, 3, 4, 255, 256, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]) {
    expect(bitLength(value)).toBe(value === 0 ? 0 : value.toString(2).length);
  }
});

test("an announcement is passed on once and stops at a node that has decided", () => {
  const { sent, ctx } = recorder();
  const leader: Decision = { status: "undecided", leader: null };
  const other: Decision = { ...leader };
  announce(leader, 7, ctx);
  hearAnnouncement(other, { kind: "announce", id: 7 }, ctx);
  expect(sent).toHaveLength(2);
  hearAnnouncement(leader, { kind: "announce", id: 7 }, ctx);
  hearAnnouncement(other, { kind: "announce", id: 8 }, ctx);
  expect(sent).toHaveLength(2);
  expect(ringVerdict(leader)).toEqual({ status: "elected", leader: 7, term: 0 });
  expect(ringVerdict(other)).toEqual({ status: "not-elected", leader: 7, term: 0 });
});

test.each([
  ["relay", 5, 3, false],
  ["relay", 5, 8, false],
  ["join", 5, 3, true],
  ["join", 5, 8, false],
] as const)("passive=%s: a node with id %d that hears of %d joins: %s", (passive, id, arrived, expected) => {
  const state: Contender = { id, params: { passive, spread: 0 }, role: "idle" };
  expect(joinsElection(state, arrived)).toBe(expected);
  expect(state.role).toBe(expected ? "idle" : "relays");
});
