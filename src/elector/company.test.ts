/** What the watch and the councils learn of the group around them. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { type OneMember, oneMember } from "../../test/support/one-handler.ts";
import { followCouncils, heardOf, isCutOff, isWatchTimer, releaseWatchers } from "./company.ts";
import type { Turn } from "./state.ts";
import { timesFor } from "./times.ts";
import { WATCH_PROFILES } from "./watch/profiles.ts";

const run = runGroup({ n: 4 });
let holder: number;
let [one, other]: number[] = [];
beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  [one, other] = run.alive().filter((node) => node !== holder);
});

/** A watcher that has heard nothing of the holder for a while. */
function doubting(): { it: OneMember; doubts: () => readonly object[] } {
  const it = oneMember(run, one);
  const { seats, doubts } = it.state.watch;
  const [seat] = seats.held.values();
  expect(seat).toMatchObject({ centre: `m${holder}`, tries: null });
  seat.silent = 7;
  doubts.set(seat.pass, { words: new Map(), company: false, stalled: false, reported: false });
  return { it, doubts: () => [...doubts.values()] };
}
const gossip = (it: OneMember, from: number) =>
  it.receive(from, { kind: "members", message: { kind: "gossip", from: groupStateOf(run, from).life } });
const word = (it: OneMember, from: number) => it.hear(from, { kind: "term", office: "leader", term: 0 });

test.each([
  ["gossip", gossip],
  ["a word", word],
])("%s of the holder ends a watcher's doubt; that of another member is company", (_, say) => {
  const { it, doubts } = doubting();
  say(it, other);
  expect(doubts()).toMatchObject([{ company: true }]);
  say(it, holder);
  expect(doubts()).toEqual([]);
});

test("a holder is cut off when its watchers, who live, were silent for as long as it asks, and no shorter than they may be", () => {
  const it = oneMember(run, holder);
  const { tick, exchange, patience } = WATCH_PROFILES.lan;
  const turn = { state: it.state, times: timesFor("lan") } as Turn;
  const centre = it.state.watch.centre!;
  const least = exchange + patience * Math.max(3, centre.seats.size + 1);
  const cutOff = (alone: number, silence: number, still = false) => {
    centre.alone = alone;
    return isCutOff(turn, silence, still);
  };
  expect([cutOff(least - 1, 0), cutOff(least, 0), cutOff(least, tick * least)]).toEqual([false, true, true]);
  expect([cutOff(least, tick * least + 1), cutOff(least + 1, tick * least + 1)]).toEqual([false, true]);
  // Once it is, only a word of a watcher ends that, not their deaths.
  centre.seats.clear();
  const few = exchange + patience * 3;
  expect([cutOff(few, 0), cutOff(few, 0, true), cutOff(few - 1, 0, true)]).toEqual([false, true, false]);
});

/** What a function of the company does to the network, called by itself. */
function turnOf(it: OneMember): { turn: Turn; sent: object[]; timers: string[] } {
  const [sent, timers]: [object[], string[]] = [[], []];
  const ctx = {
    address: String,
    link: Number,
    linked: () => true,
    send: (_to: number, message: object) => void sent.push(message),
    arm: (timer: string, after: number) => void timers.push(`arm ${timer} ${after}`),
    deadline: (timer: string, after: number) => void timers.push(`deadline ${timer} ${after}`),
    disarm: (timer: string) => void timers.push(`disarm ${timer}`),
    choose: () => 0,
    coin: () => true,
  };
  return { turn: { state: it.state, ctx, times: timesFor("lan") } as unknown as Turn, sent, timers };
}

test("a holder releases its watchers once, and no other member has any", () => {
  const it = oneMember(run, holder);
  const seats = it.state.watch.centre!.seats.size;
  expect(seats).toBeGreaterThan(0);
  const { turn, sent } = turnOf(it);
  releaseWatchers(turn);
  expect([sent.length, it.state.watch.centre]).toEqual([seats, null]);
  releaseWatchers(turn);
  expect(sent).toHaveLength(seats);
});

test("a watcher notices its own pauses by a deadline, as long as it watches", () => {
  const it = oneMember(run, one);
  const { tick, stall } = WATCH_PROFILES.lan;
  it.expire("watch/tick");
  expect(it.armed.get("watch/tick")).toEqual([tick, tick]);
  expect(it.armed.get("watch/stalled")).toEqual([stall * tick, stall * tick]);
  it.state.watch.seats.held.clear();
  it.expire("watch/tick");
  expect([it.armed.size, it.disarmed]).toEqual([0, ["watch/stalled"]]);
});

test("a message of no known life says nothing about a doubt", () => {
  const { it, doubts } = doubting();
  heardOf(turnOf(it).turn, undefined);
  expect(doubts()).toMatchObject([{ company: false }]);
});

test("timers of the watch are known by their names", () => {
  expect(["watch/hold", "watches", "stand/watch/"].map(isWatchTimer)).toEqual([true, false, false]);
});

describe("the council of an office from 2 to 3 members", () => {
  const group = runGroup({ n: 6, params: { offices: ["audit:2..3"] } });
  let centre: number;
  let outside: number;
  let inside: number;
  beforeAll(() => {
    group.settle(8000, "audit");
    group.pass(20_000);
    centre = group.agreed("audit")!;
    const council = group.office(centre, "audit")!.council!;
    outside = group.alive().find((node) => !council.includes(`m${node}`))!;
    inside = group.alive().find((node) => node !== centre && council.includes(`m${node}`))!;
  });
  const at = (node: number) => oneMember(group, node, "audit");
  const names = (it: OneMember) => it.state.report.offices.audit.council;

  test("has its holder as one of its members, so that it keeps seats for one or two others", () => {
    expect(at(centre).state.councils.kept.get("audit")?.numbers).toMatchObject({ L: 1, U: 2 });
  });

  test.each<readonly [string, (it: OneMember) => unknown, boolean]>([
    ["that wants the office offers itself", () => null, true],
    ["that does not stand offers nothing", ({ state }) => Object.assign(state, { eligible: false }), false],
    ["that leaves offers nothing", ({ state }) => Object.assign(state, { leaving: true }), false],
    ["that does not want the office offers nothing", ({ office }) => Object.assign(office, { wanted: false }), false],
    ["that does not know the office offers nothing", ({ state }) => state.offices.delete("audit"), false],
  ])("a member %s when it is invited", (_, change, offers) => {
    const it = at(outside);
    change(it);
    const { life } = groupStateOf(group, centre);
    const invitation = { council: "audit", centre: `m${centre}`, life, number: 99, wanted: 9, seated: 1 };
    const notes = [["council/audit", 99, 0, invitation]];
    it.receive(centre, { kind: "members", message: { kind: "gossip", from: life, notes } });
    const offered = it.sent.filter(({ message }) => message.kind === "council");
    expect(offered.length).toBe(offers ? 1 : 0);
  });

  test("that changes is reported at once: by the centre, by a member of it, and by one that only hears of it", () => {
    const lives = (node: number) => groupStateOf(group, node).life;
    const gone = at(centre);
    const { kept } = gone.state.councils;
    const [seat] = kept.get("audit")!.centre.seats.values();
    expect(names(gone)).toContain(seat.name);
    gone.receive(Number(seat.name.slice(1)), { kind: "council", message: [4, seat.pass, 0] });
    const over = [...kept.get("audit")!.centre.seats.values()].every(({ pass }) => pass !== seat.pass);
    expect(names(gone)!.includes(seat.name)).toBe(!over);
    const follower = at(outside);
    const value = {
      council: "audit",
      centre: `m${centre}`,
      life: lives(centre),
      number: 99,
      wanted: 0,
      seated: 0,
      members: [`m${outside}`],
    };
    follower.receive(centre, {
      kind: "members",
      message: { kind: "gossip", from: lives(centre), notes: [["council/audit", 99, 0, value]] },
    });
    expect(names(follower)).toEqual([`m${centre}`, `m${outside}`]);
  });

  test("ticks with the profile, and reports what a tick has changed", () => {
    const it = at(inside);
    expect(it.state.report.offices.audit.seat).toBe(true);
    for (const seat of it.state.councils.seats.held.values()) seat.silent = 99;
    it.expire("council/tick");
    expect(it.state.report.offices.audit.seat).toBe(false);
    const ticking = at(centre);
    ticking.expire("council/tick");
    expect(ticking.armed.get("council/tick")).toEqual([2000, 2000]);
  });

  test("is closed by a member that holds the office no more, and kept by the one that holds it now", () => {
    const former = at(centre);
    former.state.led.delete("audit");
    former.state.touched.clear();
    followCouncils(turnOf(former).turn);
    expect([former.state.councils.kept.size, [...former.state.touched]]).toEqual([0, ["audit"]]);
    const next = at(outside);
    next.state.led.add("audit");
    next.state.touched.clear();
    // Nobody that is named lives: there is no council to inherit.
    next.state.councils.lists.set("audit", ["ghost", next.state.name]);
    const { turn, timers } = turnOf(next);
    followCouncils(turn);
    followCouncils(turn);
    const kept = next.state.councils.kept.get("audit")!;
    expect([kept.numbers.L, kept.numbers.U, [...next.state.touched]]).toEqual([1, 2, ["audit"]]);
    expect(kept.centre.inherits).toBe(false);
    expect(timers.filter((timer) => timer.startsWith("arm council"))).toEqual(
      at(outside).state.councils.ticking ? [] : ["arm council/tick 2000"],
    );
    // It numbers its invitation above the one that its predecessor published.
    const noted = at(outside).state.members.notes.get("council/audit")!.order[0];
    expect(next.state.members.notes.get("council/audit")!.order).toEqual([noted + 1, 0]);
  });

  test("loses a member that stands for nothing any more", () => {
    const it = at(inside);
    it.command({ kind: "eligible", eligible: false });
    expect([it.state.councils.seats.held.size, it.state.report.offices.audit.seat]).toEqual([0, false]);
    expect(it.sent.filter(({ message }) => message.kind === "council")).toHaveLength(1);
  });
});
