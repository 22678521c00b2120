/** What is left of sessions, leases, reservations and bars, at the last instant of each; and what is removed from the rows. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { DEFAULT_TTL, gatedTimes, leaseTimes, worth } from "./params.ts";
import { barLeft, leaseLeft, oneClock, reservedLeft, settleGroup, settleSeat } from "./register-clock.ts";
import {
  type GroupRow,
  type LeaseRow,
  noRows,
  type RecordRow,
  rowsOf,
  type SeatRow,
  type SessionRow,
} from "./register-rows.ts";

const TTL = 1000;
const clock = oneClock(100, 0, "one");
const at = (ms: number) => ({ clock: "", at: 100 + ms });
const session = (left: number, changes: Partial<SessionRow> = {}): SessionRow => ({
  name: "ann",
  life: 7,
  ttl: TTL,
  expires: at(left),
  ended: false,
  counter: 0,
  ...changes,
});
const lease: LeaseRow = { id: "l", token: 5, session: "s", until: null, over: false };
const seat: SeatRow = { token: 5, preemptible: true, lease: null, reserved: null };
const group: GroupRow = { incarnation: "one", barred: null, longest: TTL };
const rowsWith = (of: SessionRow | null) => {
  const plain = noRows();
  plain.group = group;
  if (of !== null) plain.sessions.set("s", of);
  return rowsOf(plain);
};

describe("what is left of a lease", () => {
  test.each<readonly [string, SessionRow | null, Partial<LeaseRow>, number]>([
    ["is what is left of its session", session(300), {}, 300],
    ["is never more than a TTL", session(5000), {}, TTL],
    ["of a session that has ended is nothing", session(300, { ended: true }), {}, 0],
    ["of a session that nobody knows is nothing", null, {}, 0],
    ["that is over is nothing", session(300), { over: true }, 0],
    ["that is frozen is what is left until then", session(300), { until: at(200) }, 200],
    ["that is frozen is also over with its session", session(300), { until: at(400) }, 300],
    ["is exact in its last millisecond", session(1), { until: at(0.5) }, 0.5],
  ])("%s", (_, of, changes, left) => {
    expect(leaseLeft("leader", { ...lease, ...changes }, rowsWith(of), clock)).toBe(left);
  });

  test("of no lease is nothing", () => {
    expect(leaseLeft("leader", null, rowsWith(session(300)), clock)).toBe(0);
  });
});

test("what is left of a reservation or a bar: nothing without one, and never more than the longest TTL of the group", () => {
  const reserved = (left: number) => ({ ...seat, reserved: { name: "bob", until: at(left) } });
  const rows = rowsWith(null);
  expect(reservedLeft("leader", seat, rows, clock)).toBe(0);
  expect([1, 300, 5000].map((left) => reservedLeft("leader", reserved(left), rows, clock))).toEqual([1, 300, TTL]);
  expect(reservedLeft("leader", reserved(300), rowsOf(noRows()), clock)).toBe(0);
  expect([group, { ...group, barred: at(1) }].map((row) => barLeft(row, clock))).toEqual([0, 1]);
});

test.each([
  [1, true],
  [0, false],
])("with %i ms left a reservation and a bar stand: %s", (left, stands) => {
  const rows = rowsWith(null);
  rows.setSeat("leader", { ...seat, reserved: { name: "bob", until: at(left) } });
  rows.setGroup({ ...group, barred: at(left) });
  expect(settleSeat("leader", rows, clock)!.reserved !== null).toBe(stands);
  expect(settleGroup(rows, clock)!.barred !== null).toBe(stands);
});

test("records are removed once they may be, but not the one that is named", () => {
  const plain = noRows();
  const record = (over: number) => ({ at: 0, keep: 100 - over }) as RecordRow;
  for (const [key, over] of [
    ["kept", 0],
    ["over", 1],
    ["named", 1],
  ] as const) {
    plain.records.set(key, record(over));
  }
  rowsOf(plain).pruneRecords(100, "named");
  expect([...plain.records.keys()]).toEqual(["kept", "named"]);
});

describe("the times of a TTL", () => {
  test("are those that the pages state", () => {
    expect(DEFAULT_TTL).toBe(5000);
    expect(leaseTimes()).toEqual({
      ttl: 5000,
      rho: 0.01,
      margin: 50,
      renewEvery: 5000 / 3,
      requestTimeout: 1250,
      settleWithin: 2500,
    });
    expect(gatedTimes()).toMatchObject({ ttl: 5000, renewEvery: 625, requestTimeout: 500, settleWithin: 2500 });
    expect([leaseTimes(500).margin, leaseTimes(1000).margin]).toEqual([25, 50]);
    expect(worth(leaseTimes())).toBe(4900);
  });

  test.each([
    [499, false],
    [500, true],
    [3_600_000, true],
    [3_600_001, false],
    [Number.NaN, false],
  ])("of %d ms may be used: %s", (ttl, mayBe) => {
    if (mayBe) expect(leaseTimes(ttl).ttl).toBe(ttl);
    else expect(() => leaseTimes(ttl)).toThrow(InputError);
  });
});
