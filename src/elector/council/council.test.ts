/** The council of a centre on a network of members with names, seen through the watch that keeps one. Milliseconds. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Watched, watched } from "../../../test/support/watched.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import type { FaultPlan } from "../../host/faults/faults.ts";
import { HostStream } from "../../random/streams.ts";
import { WATCH_PROFILES, type WatchProfile } from "../watch/profiles.ts";
import { hold, openWatch, type WatchCompany, watchersOf } from "../watch/watch.ts";
import { type Invitation, isCouncilMessage, isInvitation } from "./messages.ts";
import { answerInvitation, openSeats } from "./seats.ts";

letHandlersWrite();

const LAN = WATCH_PROFILES.lan;
const seatedAt = (n: number, until: number, seed = 1) => watchersOf(watched({ n, until, seed }).states[0]!.watch);

describe("a council is found", () => {
  test.each([2, 3, 4, 5, 6])("of all others in a group of %i, within a round trip of the win", (n) => {
    expect(seatedAt(n, 12)).toHaveLength(n - 1);
  });

  test("of three to five in larger ones, whatever n is", () => {
    for (const n of [7, 25, 200, 1000]) {
      const sizes = Array.from({ length: effort(4, 50) }, (_, i) => seatedAt(n, 3000, i + 1).length);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(LAN.L);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(LAN.U);
    }
  });

  test("a thousand do not all offer themselves: eight do, by Raz's batch for 3 to 15", () => {
    const offers = Array.from({ length: effort(10, 100) }, (_, i) => {
      const { kinds } = watched({ n: 1000, until: 900, seed: i + 1 });
      return kinds.offer ?? 0;
    });
    const mean = offers.reduce((a, b) => a + b, 0) / offers.length;
    // Poisson with mean 8.1: five standard errors.
    expect(Math.abs(mean - 8.1)).toBeLessThan(5 * Math.sqrt(8.1 / offers.length));
    expect(Math.max(...offers)).toBeLessThan(30);
  });

  test("once for all offices of a holder", () => {
    const again = { commands: [2000, 3000, 4000].map((at) => ({ node: 0, at, message: { kind: "hold" } })) };
    const [once, more] = [{}, again].map((faults) => watched({ n: 25, until: 10_000, faults }));
    expect(more.kinds).toEqual(once.kinds);
  });

  test("also where others come later, or the first invitation is lost", () => {
    const joins = [5000, 6000, 7000, 8000].map((at, i) => ({ node: i + 1, at }));
    expect(watchersOf(watched({ n: 5, until: 12_000, faults: { joins } }).states[0]!.watch)).toHaveLength(4);
    const partitions = [{ groups: [[0]], from: 0, to: 1500 }];
    expect(watchersOf(watched({ n: 25, until: 5000, faults: { partitions } }).states[0]!.watch).length).toBeGreaterThan(
      2,
    );
  });
});

describe("a council lasts", () => {
  /** Members come back after some seconds; the membership notices a crash after three. */
  function churn(seed: number, n: number, length: number, stay: number): Partial<FaultPlan> {
    const draws = new HostStream(seed, 0, "plan");
    const crashes: { node: number; at: number }[] = [];
    const restarts: { node: number; at: number; saved: boolean }[] = [];
    for (let node = 1; node < n; node++) {
      for (let at = stay * draws.exponential(); at < length; at += stay * draws.exponential()) {
        crashes.push({ node, at });
        at += 4000 + 4000 * draws.uniform();
        restarts.push({ node, at, saved: false });
      }
    }
    return { crashes, restarts };
  }

  /** The share of the time in which at least L that live had a seat, and the most that ever believed to have one. */
  function keep(n: number, stay: number, profile: WatchProfile = LAN, faults: Partial<FaultPlan> = {}) {
    const until = effort(120_000, 1_200_000);
    const believers = new Set<number>();
    const alive = new Map<string, number>();
    let [ticks, enough, most, most0] = [0, 0, 0, 0];
    const look = (time: number, node: number, state: Watched) => {
      alive.set(state.name, state.life);
      if (time < 3000) return;
      const held = [...state.watch.seats.held.values()].some(({ tries }) => tries === null);
      if (held) believers.add(node);
      else believers.delete(node);
      if (node !== 0) return;
      const seats = [...state.watch.centre!.seats.values()];
      ticks++;
      if (seats.filter(({ name, life }) => alive.get(name) === life).length >= profile.L) enough++;
      most = Math.max(most, seats.length);
      most0 = Math.max(most0, believers.size);
    };
    const plan = churn(7, n, until, stay);
    const seen = watched({ n, until, profile, detection: 3000, look, faults: { ...plan, ...faults } });
    expect(seen.verdicts).toEqual([]);
    return { availability: enough / ticks, most, believers: most0 };
  }

  test("within L..U while members crash every few minutes and come back", () => {
    const { availability, most } = keep(25, 120_000);
    expect(availability).toBeGreaterThan(0.99);
    expect(most).toBeLessThanOrEqual(LAN.U);
  });

  test("also with loss: nobody has a seat too many for long", () => {
    const { availability, most, believers } = keep(25, 120_000, LAN, { loss: 0.05 });
    expect(availability).toBeGreaterThan(0.98);
    expect(most).toBeLessThanOrEqual(LAN.U);
    expect(believers).toBeLessThanOrEqual(LAN.U + 2);
  });

  test("also a larger one, as an office may have", () => {
    const { availability, most } = keep(60, 120_000, { ...LAN, L: 10, U: 20, low: 13 });
    expect(availability).toBeGreaterThan(0.99);
    expect(most).toBeLessThanOrEqual(20);
  });

  test("a member that leaves frees its seat at once, and the council is filled again", () => {
    const leaves = [1, 2, 3].map((node, i) => ({ node, at: 5000 + i }));
    const sizes: number[] = [];
    const look = (time: number, node: number, { watch }: Watched) => {
      if (node === 0 && time > 5010) sizes.push(watchersOf(watch).length);
    };
    watched({ n: 9, until: 9000, faults: { leaves }, look });
    expect(sizes.at(-1)).toBeGreaterThanOrEqual(3);
    expect(sizes.filter((size) => size < 3).length).toBeLessThan(40);
  });

  test("who is cut off one way gets no seat again and again", () => {
    const losses = [1, 2].map((node) => ({
      rate: 1,
      kind: "both" as const,
      link: [0, node] as const,
      from: 0,
      to: null,
    }));
    const { kinds } = watched({ n: 4, until: 120_000, faults: { losses } });
    expect(kinds.offer).toBeLessThan(60);
  });

  test("a seat is free as soon as the membership says that its member is dead", () => {
    const sizes: number[] = [];
    const look = (time: number, node: number, { watch }: Watched) => {
      if (node === 0 && time > 5600 && time < 5700) sizes.push(watchersOf(watch).length);
    };
    watched({ n: 4, until: 6000, detection: 500, faults: { crashes: [{ node: 1, at: 5000 }] }, look });
    expect(new Set(sizes)).toEqual(new Set([2]));
  });

  test("an offer that is lost is made again, and not for ever", () => {
    const lost = (to: number | null) => ({
      losses: [{ rate: 1, kind: "both" as const, link: [1, 0] as const, from: 0, to }],
    });
    expect(watchersOf(watched({ n: 2, until: 500, faults: lost(300) }).states[0]!.watch)).toEqual(["m1"]);
    const { kinds, states } = watched({ n: 2, until: 900, faults: lost(null) });
    expect(kinds.offer).toBe(3);
    expect(states[1]!.watch.seats.held.size).toBe(0);
  });

  test("a member that hears nothing any more, and nobody to say why, gives its seat up after its lease", () => {
    const crashes = [0, 1].map((node) => ({ node, at: 5000 }));
    const { states } = watched({ n: 3, until: 12_000, faults: { crashes } });
    expect(states[2]!.watch).toMatchObject({ ticking: false, doubts: new Map() });
  });

  test("a centre that gives up ends all seats, also where the word is lost", () => {
    const commands = [{ node: 0, at: 5000, message: { kind: "release" } }];
    for (const loss of [0, 0.5]) {
      const { states, verdicts } = watched({ n: 6, until: 12_000, faults: { commands, loss } });
      for (const state of states) expect(state!.watch.seats.held.size).toBe(0);
      expect(verdicts).toEqual([]);
    }
  });
});

describe("an invitation", () => {
  const company = (size: number, coins: number[]): WatchCompany => ({
    name: "me",
    life: 1,
    profile: LAN,
    size: () => size,
    isLive: () => true,
    nameOf: () => null,
    lifeOf: () => 2,
    portTo: () => 0,
    send() {},
    publish() {},
    noted: () => 7,
    arm() {},
    deadline() {},
    disarm() {},
    choose: () => 5,
    coin(p) {
      coins.push(p);
      return false;
    },
  });
  const invitation: Invitation = { council: "", centre: "boss", life: 2, number: 3, wanted: 8, seated: 1 };

  test("is answered once, with the chance that brings as many as are wanted", () => {
    const coins: number[] = [];
    const seats = openSeats();
    for (const number of [3, 3, 2, 4]) answerInvitation(seats, { ...invitation, number }, company(102, coins));
    answerInvitation(seats, { ...invitation, life: 9, number: 1 }, company(4, coins));
    expect(coins).toEqual([0.08, 0.08, 1]);
  });

  test("has a number above those of a former life", () => {
    const watch = openWatch();
    hold(watch, company(10, []));
    expect(watch.invitation!.number).toBe(8);
  });
});

test("only what has the shape of a message is accepted", () => {
  const between = { from: 1, to: 2, council: "", pass: 5 };
  const good = [[0, 5, 1], { kind: "offer", ...between }, { kind: "seat", ...between, version: 1, fellows: ["a"] }];
  for (const message of good) expect(isCouncilMessage(message)).toBe(true);
  const bad = [
    ...[null, 7, [], [0, 5], [5, 5, 1], [0, -1, 1], [0, "5", 1], [0, 5, 1.5]],
    ...[
      { kind: "offer" },
      { kind: "seat", ...between, version: 1, fellows: [7] },
      { kind: "offer", ...between, from: "x" },
    ],
    { kind: "seat", ...between, version: 1, fellows: Array(65).fill("a") },
  ];
  for (const message of bad) expect(isCouncilMessage(message)).toBe(false);
  const note = { council: "", centre: "a", life: 1, number: 1, wanted: 8.1, seated: 0 };
  expect(isInvitation(note)).toBe(true);
  for (const wanted of [-1, Number.NaN, "8"]) expect(isInvitation({ ...note, wanted })).toBe(false);
});
