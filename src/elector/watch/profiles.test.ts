/** The times of the watch that its docs state. */
import { expect, test } from "vitest";
import { beatOf, doubtOf, WATCH_PROFILES, type WatchProfile, windowOf } from "./profiles.ts";

const WATCHERS = 5;

const inMilliseconds = (profile: WatchProfile) => {
  const { tick, grace, stall, renewal, margin, exchange, again, patience, lease, round, longestRound } = profile;
  return {
    beat: tick * beatOf(profile, WATCHERS),
    doubt: tick * doubtOf(profile, WATCHERS),
    window: tick * windowOf(profile, WATCHERS),
    grace: tick * grace,
    stall: tick * stall,
    renewal: tick * renewal,
    margin: tick * margin,
    exchange: tick * exchange,
    again: tick * again,
    tries: patience,
    lease: tick * lease,
    round: tick * round,
    longestRound: tick * longestRound,
  };
};

test("a profile states its times in ticks: these are the milliseconds with five watchers", () => {
  const lan = {
    beat: 300,
    doubt: 400,
    window: 650,
    grace: 350,
    stall: 200,
    renewal: 150,
    margin: 100,
    exchange: 2000,
    again: 2000,
    tries: 5,
    lease: 5000,
    round: 1000,
    longestRound: 32_000,
  };
  const wan = {
    beat: 1200,
    doubt: 1600,
    window: 2600,
    grace: 1400,
    stall: 800,
    renewal: 600,
    margin: 400,
    exchange: 4000,
    again: 4000,
    tries: 5,
    lease: 10_000,
    round: 2000,
    longestRound: 32_000,
  };
  expect(inMilliseconds(WATCH_PROFILES.lan)).toEqual(lan);
  expect(inMilliseconds(WATCH_PROFILES.local)).toEqual({ ...lan, grace: 250, window: 550 });
  expect(inMilliseconds(WATCH_PROFILES.wan)).toEqual(wan);
});

test("three to five watchers, and a beat of at least three ticks", () => {
  for (const { L, U, low, spare, tells, publishes } of Object.values(WATCH_PROFILES)) {
    expect({ L, U, low, spare, tells, publishes }).toEqual({
      L: 3,
      U: 5,
      low: 3,
      spare: 3,
      tells: true,
      publishes: false,
    });
  }
  expect([0, 1, 2, 3, 5].map((m) => beatOf(WATCH_PROFILES.lan, m))).toEqual([3, 3, 3, 4, 6]);
});
