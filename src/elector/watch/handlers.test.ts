/** One watcher and one watched holder, word by word and tick by tick. With three watchers: doubt after 6 ticks, window 11. */
import { beforeEach, describe, expect, test } from "vitest";
import { PULSE, type WatchMessage } from "../council/messages.ts";
import { beatOf, doubtOf, WATCH_PROFILES, windowOf } from "./profiles.ts";
import * as watch from "./watch.ts";

const profile = WATCH_PROFILES.lan;
const PASS = 900;
const WINDOW = 11;
const DOUBT = 6;

let state: watch.WatchState;
let sent: { readonly to: number; readonly message: WatchMessage }[];
let timers: string[];
let dead: Set<number>;
let size: number;
let passes: number;

/** Of "ann", life 7; others are n1, n2 and so on, in the life of their number. */
const company: watch.WatchCompany = {
  name: "ann",
  life: 7,
  profile,
  size: () => size,
  isLive: (name, life) => !dead.has(life) && name === `n${life}`,
  nameOf: (life) => (dead.has(life) ? null : `n${life}`),
  lifeOf: (name) => (dead.has(Number(name.slice(1))) ? null : Number(name.slice(1))),
  portTo: (name) => Number(name.slice(1)),
  send: (to, message) => void sent.push({ to, message }),
  publish() {},
  noted: () => 0,
  choose: () => passes++,
  coin: () => true,
  arm: (timer, after) => void timers.push(`${timer} ${after}`),
  deadline: (timer, after) => void timers.push(`by ${timer} ${after}`),
  disarm: (timer) => void timers.push(`no ${timer}`),
};

beforeEach(() => {
  state = watch.openWatch();
  sent = [];
  timers = [];
  dead = new Set();
  size = 10;
  passes = PASS;
});

const invitation = (node: number) => ({
  council: "",
  centre: `n${node}`,
  life: node,
  number: 1,
  wanted: 9,
  seated: 0,
});
/** A seat at n1, with these fellows. */
function sit(fellows: readonly string[] = ["ann", "n2", "n3"], node = 1): void {
  const pass = passes;
  watch.invited(state, invitation(node), company);
  const seat = { kind: "seat", from: node, to: 7, council: "", pass, version: 1, fellows } as const;
  watch.receive(state, node, seat, company);
  sent = [];
}
const ticks = (count: number) => {
  for (let i = 0; i < count; i++) {
    sent = [];
    timers = [];
    watch.expire(state, "watch/tick", company);
  }
};
const reports = () =>
  sent.flatMap(({ to, message }) => ("kind" in message && message.kind === "report" ? [[to, message.silent]] : []));
const asks = () => sent.filter(({ message }) => Array.isArray(message) && message[0] === PULSE.ask).length;
const report = (node: number, silent: number, life = 1) => {
  sent = [];
  watch.receive(state, node, { kind: "report", from: node, to: 7, life, silent }, company);
};
const beat = (pass = PASS) => watch.receive(state, 1, [PULSE.beat, pass, 1], company);
const declared = () => watch.takeDeclared(state).map(({ name }) => name);

test.each([
  [1, 3, 5, 10],
  [2, 3, 5, 10],
  [3, 4, DOUBT, WINDOW],
  [5, 6, 8, 13],
])("with %i watchers: a beat each %i ticks, doubt after %i, a report after %i", (m, each, doubt, window) => {
  expect([beatOf(profile, m), doubtOf(profile, m), windowOf(profile, m)]).toEqual([each, doubt, window]);
});

describe("silence", () => {
  beforeEach(() => sit());

  test("is doubted from the sixth tick on, once a tick; told to the fellows after the window, and again each third tick", () => {
    const said: unknown[] = [];
    for (let tick = 1; tick <= WINDOW + 6; tick++) {
      ticks(1);
      said.push([asks(), reports()]);
    }
    const told = (silent: number) => [
      [2, silent],
      [3, silent],
    ];
    expect(said).toEqual([
      ...new Array(DOUBT - 1).fill([0, []]),
      ...new Array(WINDOW - DOUBT).fill([1, []]),
      [1, told(11)],
      [1, []],
      [1, []],
      [1, told(14)],
      [1, []],
      [1, []],
      [1, told(17)],
    ]);
    expect(declared()).toEqual([]);
  });

  test("of one fellow that is dead is told to the other alone", () => {
    dead.add(2);
    ticks(WINDOW);
    expect(reports()).toEqual([[3, WINDOW]]);
  });

  test("that a fellow reports too is death, once this watcher's window is over", () => {
    ticks(WINDOW - 1);
    report(2, WINDOW);
    expect(declared()).toEqual([]);
    ticks(1);
    expect(state.seats.held.size).toBe(0);
    expect([declared(), declared(), state.doubts.size]).toEqual([["n1"], [], 0]);
  });

  test.each([
    ["that reports too little", 2, WINDOW - 1, 1],
    ["that is none", 9, WINDOW, 1],
    ["that means another life", 2, WINDOW, 5],
  ])("with a fellow %s is none", (_, node, silent, life) => {
    ticks(WINDOW - 1);
    report(node, silent, life);
    ticks(1);
    expect(declared()).toEqual([]);
  });

  test.each([
    [WINDOW - profile.margin, ["n1"]],
    [WINDOW - profile.margin + 1, []],
  ])("a report counts for nine ticks: after %i", (age, result) => {
    ticks(WINDOW - age);
    report(2, WINDOW);
    ticks(age);
    expect(declared()).toEqual(result);
  });

  test("that a fellow takes back does not count", () => {
    ticks(WINDOW - 1);
    report(2, WINDOW);
    report(2, 0);
    ticks(1);
    expect(declared()).toEqual([]);
  });

  // Datagrams overtake each other: a fellow that hears the holder again cannot report before another window is over.
  test("that a fellow took back before its report came does not count; a report a window later does", () => {
    ticks(WINDOW - 1);
    report(2, 0);
    report(2, WINDOW);
    ticks(1);
    expect(declared()).toEqual([]);
    ticks(WINDOW - profile.margin);
    report(2, WINDOW);
    ticks(1);
    expect(declared()).toEqual(["n1"]);
  });

  test("ends with a beat: what was reported is taken back, and all counts from then on", () => {
    ticks(WINDOW);
    sent = [];
    beat();
    expect(reports()).toEqual([
      [2, 0],
      [3, 0],
    ]);
    expect(state.doubts.size).toBe(0);
    ticks(WINDOW - 1);
    expect(reports()).toEqual([]);
  });

  test("that was doubted and not reported ends with a beat, and nobody is told", () => {
    ticks(DOUBT);
    expect(state.doubts.size).toBe(1);
    sent = [];
    beat();
    expect([sent, state.doubts.size]).toEqual([[], 0]);
  });

  test("ends with anything from that life of the holder; what comes from others is company", () => {
    ticks(WINDOW);
    watch.heard(state, 2, company);
    expect([...state.doubts.values()]).toMatchObject([{ company: true, reported: true }]);
    watch.heard(state, 1, company);
    expect([state.doubts.size, state.seats.held.get(PASS)?.silent]).toEqual([0, 0]);
  });

  test.each([0, WINDOW])("a doubt that only a fellow had is over when its last word, %i, has lapsed", (last) => {
    report(2, WINDOW);
    report(2, last);
    for (let tick = 1; tick <= WINDOW - profile.margin + 1; tick++) {
      expect(state.doubts.size).toBe(1);
      state.seats.held.get(PASS)!.silent = 0;
      ticks(1);
    }
    expect([state.doubts.size, declared()]).toEqual([0, []]);
  });
});

describe("a report of a fellow", () => {
  beforeEach(() => sit());

  test.each([
    ["who hears the holder says so", 0, WINDOW, [[2, 0]]],
    ["who has almost a window of silence says how much", WINDOW - 1, WINDOW, [[2, WINDOW - 1]]],
    ["who has a window of silence says nothing more", WINDOW, WINDOW, []],
    ["what is no report is not answered", 0, WINDOW - 1, []],
  ])("%s", (_, silent, said, answer) => {
    state.seats.held.get(PASS)!.silent = silent;
    report(2, said);
    expect(reports()).toEqual(answer);
  });

  test("of one who has lost its seat is answered, and does not count", () => {
    report(9, WINDOW);
    expect(reports()).toEqual([[9, 0]]);
    expect([...state.doubts.values()].flatMap(({ words }) => [...words.keys()])).toEqual([]);
  });

  test("is not answered by one who was paused, until its window has begun anew and is over", () => {
    watch.expire(state, "watch/stalled", company);
    report(2, WINDOW);
    expect(reports()).toEqual([]);
  });

  test("ends when the holder says again that this watcher has its seat, and when this member leaves", () => {
    const doubts = () => {
      ticks(DOUBT);
      return state.doubts.size;
    };
    expect(doubts()).toBe(1);
    const again = { kind: "seat", from: 1, to: 7, council: "", pass: PASS, version: 1, fellows: [] } as const;
    watch.receive(state, 1, again, company);
    expect(state.doubts.size).toBe(0);
    expect(doubts()).toBe(1);
    watch.leave(state, company);
    expect(state.doubts.size).toBe(0);
  });

  test("goes on while only questions and answers for a holder come", () => {
    ticks(3);
    for (const kind of [PULSE.ask, PULSE.answer]) {
      sent = [];
      watch.receive(state, 1, [kind, PASS, 1], company);
      expect([state.seats.held.get(PASS)!.silent, sent]).toEqual([3, [{ to: 1, message: [PULSE.over, PASS, 0] }]]);
    }
  });

  test("about nobody that is watched here is nothing", () => {
    report(2, WINDOW, 55);
    expect([state.doubts.size, sent]).toEqual([0, []]);
  });
});

describe("the only watcher that is able", () => {
  const lonely = (heardAt: number | null, members = 10) => {
    size = members;
    sit(["ann"]);
    const window = windowOf(profile, 1);
    for (let tick = 1; tick <= 2 * window; tick++) {
      expect(declared()).toEqual([]);
      ticks(1);
      if (tick === heardAt) watch.heard(state, 3, company);
    }
    return declared();
  };

  test.each([
    ["somebody was heard meanwhile", 12, 10, ["n1"]],
    ["nobody was heard: it may be cut off itself", null, 10, []],
    ["somebody was heard, but before the silence was doubted", 2, 10, []],
    ["there is no other in a group of two", null, 2, ["n1"]],
    ["in a group of three there is another", null, 3, []],
  ])("needs two windows, and that %s", (_, heardAt, members, result) => {
    expect(lonely(heardAt, members)).toEqual(result);
  });

  test.each([0, 1, 9])("is not alone while a fellow answers that it heard the holder %i ticks ago", (silent) => {
    sit(["ann", "n2"]);
    const window = windowOf(profile, 2);
    ticks(2 * window - 1);
    watch.heard(state, 3, company);
    report(2, silent);
    ticks(window - profile.margin);
    expect(declared()).toEqual([]);
    ticks(1);
    expect(declared()).toEqual(["n1"]);
  });
});

describe("a pause", () => {
  test("of this watcher: silence and reports begin anew, and company too", () => {
    sit();
    ticks(WINDOW);
    report(2, WINDOW);
    watch.heard(state, 3, company);
    watch.expire(state, "watch/stalled", company);
    expect(state.seats.held.get(PASS)?.silent).toBe(0);
    expect([...state.doubts.values()]).toMatchObject([{ company: false, stalled: true, words: new Map() }]);
    ticks(WINDOW - 1);
    expect([declared(), reports(), state.doubts.size]).toEqual([[], [], 1]);
    ticks(1);
    expect(reports()).toHaveLength(2);
  });

  test("is noticed by a deadline of four ticks, which there is only while anybody is watched", () => {
    watch.hold(state, company);
    expect(timers).toEqual(["no watch/stalled", "watch/tick 50"]);
    timers = [];
    sit();
    expect(timers).toEqual([]);
    ticks(1);
    expect(timers).toEqual(["watch/tick 50", "by watch/stalled 200"]);
    watch.leave(state, company);
    ticks(1);
    expect(timers).toEqual(["no watch/stalled"]);
    expect(state.ticking).toBe(false);
  });
});

describe("a holder that was declared dead", () => {
  const bury = () => {
    sit();
    report(2, WINDOW);
    state.seats.held.get(PASS)!.silent = WINDOW - 1;
    ticks(1);
    expect(declared()).toEqual(["n1"]);
    sent = [];
  };
  const returned = () => watch.takeReturned(state);

  test("and beats is told that its seat is over, and is there again, once", () => {
    bury();
    beat();
    expect(sent).toEqual([{ to: 1, message: [PULSE.over, PASS, 0] }]);
    expect([returned(), returned()]).toEqual([[{ name: "n1", life: 1 }], []]);
    beat();
    expect(returned()).toEqual([]);
  });

  test.each([
    ["answer", PULSE.answer, 1],
    ["ask", PULSE.ask, 1],
    ["over", PULSE.over, 0],
  ])("is not there by a word of another kind: %s", (_, kind, said) => {
    bury();
    watch.receive(state, 1, [kind, PASS, 0], company);
    expect([returned(), sent.length]).toEqual([[], said]);
    beat(PASS + 1);
    expect(returned()).toEqual([]);
  });

  test("is remembered while no sixteen others have died after it", () => {
    for (let node = 1; node <= 17; node++) {
      const pass = passes;
      sit(["ann", "n30"], node);
      state.seats.held.get(pass)!.silent = windowOf(profile, 2) - 1;
      watch.receive(state, 30, { kind: "report", from: 30, to: 7, life: node, silent: 50 }, company);
      ticks(1);
      expect(declared()).toEqual([`n${node}`]);
    }
    expect([state.buried.size, state.buried.has(PASS), state.buried.has(PASS + 1)]).toEqual([16, false, true]);
  });
});

describe("a holder", () => {
  beforeEach(() => watch.hold(state, company));
  const offer = (node: number) =>
    watch.receive(state, node, { kind: "offer", from: node, to: 7, council: "", pass: 100 + node }, company);

  test("has one council, whatever it holds, and none when it holds nothing", () => {
    const { centre } = state;
    offer(2);
    watch.hold(state, company);
    expect(state.centre).toBe(centre);
    expect([watch.watchersOf(state), watch.invitation(state)?.centre]).toEqual([["n2"], "ann"]);
    watch.release(state, company);
    expect([state.centre, watch.watchersOf(state), watch.invitation(state)]).toEqual([null, [], null]);
    sent = [];
    watch.release(state, company);
    offer(3);
    expect(sent).toEqual([{ to: 3, message: [PULSE.over, 103, 0] }]);
  });

  test("whose first invitation is not its newest has none on its claim", () => {
    state.centre!.invitations++;
    expect(watch.invitation(state)).toBeNull();
  });

  test.each([
    [10, [2, 3], [], true],
    [9, [2, 3], [], false],
    [10, [2], [], false],
    [10, [2, 3], [3], false],
    [10, [2, 3, 4], [3], true],
    [10, [], [], false],
  ])(
    "alone for %i ticks with watchers %j, of which %j have failed, is isolated: %s",
    (alone, nodes, failed, isAlone) => {
      for (const node of nodes) offer(node);
      state.centre!.alone = alone;
      for (const node of failed) dead.add(node);
      expect(watch.isolated(state, 10, company)).toBe(isAlone);
    },
  );

  test("counts watchers that lost their seats by silence", () => {
    offer(2);
    state.centre!.alone = 10;
    state.centre!.missing.set("n4", 4);
    expect(watch.isolated(state, 10, company)).toBe(true);
    dead.add(4);
    expect(watch.isolated(state, 10, company)).toBe(false);
    watch.release(state, company);
    expect(watch.isolated(state, 10, company)).toBe(false);
  });

  test("does not hear what is for another life, or comes from a life that is over", () => {
    watch.receive(state, 2, { kind: "offer", from: 2, to: 8, council: "", pass: 102 }, company);
    dead.add(3);
    offer(3);
    expect(watch.watchersOf(state)).toEqual([]);
  });
});

test("invitations to other councils, and what is no invitation, are nothing to the watch", () => {
  for (const value of [{ ...invitation(1), council: "x" }, { ...invitation(1), life: "1" }, null]) {
    watch.invited(state, value, company);
  }
  expect([state.seats.held.size, timers]).toEqual([0, []]);
  watch.invited(state, invitation(1), company);
  expect(state.seats.held.size).toBe(1);
  expect([watch.isWatchNote("watch/n1"), watch.isWatchNote("office/watch/")]).toEqual([true, false]);
});
