/** The inequality of `sortition run`: its defaults, its words, and that it is enough. */
import { describe, expect, test } from "vitest";
import { LoneClient } from "../../../test/support/lone-client.ts";
import { InputError } from "../../errors.ts";
import { gatedTimes, LEAST_TTL, LONGEST_TTL, worth } from "../../protocols/lease/params.ts";
import { acknowledgeConfirmation, acquire, confirmationOf } from "../../protocols/lease/parent.ts";
import {
  checkGraceAlone,
  checkTimes,
  deadlineAfter,
  deadlineFrom,
  leftOf,
  needed,
  type RunTimes,
  runTimes,
} from "./times.ts";

const messageOf = (times: RunTimes): string => {
  try {
    checkTimes(times);
  } catch (error) {
    if (error instanceof InputError) return error.wording((field) => (field === "leaseTtl" ? "--lease-ttl" : field));
    throw error;
  }
  return "";
};

describe("the times", () => {
  test("fit by themselves, whatever the lease", () => {
    for (let ttl = LEAST_TTL; ttl <= LONGEST_TTL; ttl = Math.ceil(ttl * 1.07)) {
      const times = runTimes(ttl);
      expect(messageOf(times)).toBe("");
      expect(times.grace).toBeGreaterThanOrEqual(100);
    }
    expect(runTimes()).toMatchObject({ ttl: 5000, grace: 2000, answerWithin: 500, usable: 4950, margin: 50 });
    expect(runTimes(500)).toMatchObject({ answerWithin: 100, requestTimeout: 50, backOff: 2.5, renewEvery: 115.625 });
    expect(needed(runTimes(500, 0))).toBeCloseTo(150 + 150 + 25 + 52.5, 9);
    expect(needed(runTimes(5000, 1000))).toBeCloseTo(1156.25 + 1000 + 1000 + 50 + 525, 9);
    expect(runTimes(60_000).grace).toBe(10_000);
  });

  test("that do not fit: what is needed, and what to change, which then fits", () => {
    for (const [ttl, grace] of [
      [5000, 5000],
      [500, 400],
      [60_000, 30_000],
      [2000, 100_000],
    ]) {
      const message = messageOf(runTimes(ttl, grace));
      expect(message).toContain(`a lease of ${ttl} ms is too short for a grace of ${grace} ms`);
      const longer = Number(/--lease-ttl (\d+) or more/.exec(message)![1]);
      expect(longer % 100).toBe(0);
      expect(messageOf(runTimes(longer, grace))).toBe("");
      expect(messageOf(runTimes(longer - 200, grace))).not.toBe("");
      const shorter = /--grace (\d+) or less/.exec(message);
      if (shorter !== null) expect(messageOf(runTimes(ttl, Number(shorter[1])))).toBe("");
    }
  });

  test("without leases the grace is what others wait for", () => {
    expect(() => checkGraceAlone(2499)).not.toThrow();
    expect(() => checkGraceAlone(2500)).toThrow("--grace 2500 is too long without leases");
  });
});

test("a deadline comes by the clock that says so first: the monotonic one, or, after a sleep of the machine, the wall clock", () => {
  const now = { mono: 1000, wall: 5000 };
  const clocks = { mono: () => now.mono, wall: () => now.wall };
  const deadline = deadlineAfter(100, clocks);
  expect(deadlineFrom(() => 100, clocks)).toEqual(deadline);
  expect(deadlineFrom(() => null, clocks)).toBeNull();
  expect(leftOf(deadline, clocks)).toBe(100);
  now.wall += 30;
  expect(leftOf(deadline, clocks)).toBe(70);
  now.mono += 60;
  expect(leftOf(deadline, clocks)).toBe(40);
  now.mono += 60;
  expect(leftOf(deadline, clocks)).toBe(-20);
});

test("a remaining time counts from before it was asked for", () => {
  let now = 1000;
  const clocks = { mono: () => now, wall: () => now };
  const slow = () => {
    now += 50;
    return 100;
  };
  expect(leftOf(deadlineFrom(slow, clocks)!, clocks)).toBe(50);
});

describe("the inequality is enough:", () => {
  /** The least that is left of what the guardian knows, over many renewals that are all as slow as they may be. */
  function leastLeft(times: RunTimes, slower = 0): number {
    const params = { ...gatedTimes(times.ttl), gated: true };
    const client = new LoneClient(params);
    client.do((state, ctx) => acquire(state, "leader", ctx));
    const sentAt = new Map<number, number>([[1, client.now]]);
    client.grant(41);
    let least = Infinity;
    let known = 0;
    const pass = (ms: number) => {
      client.pass(ms);
      if (known > 0) least = Math.min(least, sentAt.get(known)! + worth(params) - client.now);
    };
    for (let i = 0; i < 30; i++) {
      pass(times.answerWithin - 1 + slower);
      known = confirmationOf(client.state, "leader")!;
      const before = client.count("renew");
      client.do((state, ctx) => acknowledgeConfirmation(state, "leader", known, ctx));
      while (client.count("renew") === before) pass(1);
      // One fails: only the next is answered, just in time.
      while (client.count("renew") === before + 1) pass(1);
      sentAt.set(client.last("renew").id, client.now);
      pass(times.requestTimeout - 1);
      client.renew();
    }
    return least;
  }

  test.each([500, 2000, 5000])("of a lease of %i ms the guardian always knows more than the grace", (ttl) => {
    const times = runTimes(ttl);
    const left = leastLeft(times);
    expect(left).toBeGreaterThan(times.grace);
    // And about as much as it says is to spare, so that it asks for no more than is needed; where the guardian is slower, it shows.
    const spare = times.usable - needed(times);
    expect(left).toBeLessThan(times.grace + spare + 0.05 * ttl);
    expect(leastLeft(times, spare + 0.1 * ttl)).toBeLessThan(times.grace);
  });
});
