/** A centre and a seat of its council, word by word and tick by tick. */
import { beforeEach, describe, expect, test } from "vitest";
import { encodedSize } from "../../wire/codec.ts";
import { type Centre, closeCentre, offered, openCentre, pulse, pulsed, seek, tickCentre } from "./centre.ts";
import type { Company, CouncilNumbers } from "./company.ts";
import {
  COUNCIL_TIMER,
  type CouncilCompany,
  type CouncilsState,
  closeCouncil,
  expire,
  hasSeat,
  hearNote,
  keepCouncil,
  leave,
  memberNames,
  openCouncils,
  receive,
} from "./councils.ts";
import { PULSE, type SeatMessage } from "./messages.ts";
import { answerInvitation, felt, openSeats, resignSeats, type Seats, seated, tickSeats } from "./seats.ts";

const NUMBERS: CouncilNumbers = {
  L: 2,
  U: 3,
  low: 2,
  spare: 2,
  exchange: 10,
  again: 2,
  patience: 3,
  lease: 20,
  round: 4,
  longestRound: 16,
  tells: true,
  publishes: false,
};
const OVER = (pass: number) => [PULSE.over, pass, 0];

/** Thirty names, of so many bytes in a message. */
function namesOf(size: number): string[] {
  const names = Array.from({ length: 30 }, (_, i) => `name-${10 + i}`);
  while (encodedSize(names) < size) names[0] += "x";
  return names;
}

let sent: { readonly to: number; readonly message: SeatMessage }[];
let published: { readonly key: string; readonly number: number; readonly value: unknown }[];
let dead: Set<string>;
let size: number;
let coins: number[];
let passes: number;

/** Of "ann"; others are n1, n2 and so on, in the life of their number. */
const company: Company<SeatMessage> = {
  name: "ann",
  life: 7,
  size: () => size,
  isLive: (name, life) => !dead.has(name) && name === `n${life}`,
  nameOf: (life) => `n${life}`,
  lifeOf: (name) => Number(name.slice(1)),
  portTo: (name) => (dead.has(name) ? null : Number(name.slice(1))),
  send: (to, message) => void sent.push({ to, message }),
  publish: (key, number, value) => void published.push({ key, number, value }),
  noted: () => 0,
  choose: () => passes++,
  coin: (p) => coins.push(p) > 0,
};

beforeEach(() => {
  sent = [];
  published = [];
  dead = new Set();
  size = 20;
  coins = [];
  passes = 900;
});

const take = () => sent.splice(0).map(({ to, message }) => [to, message]);

describe("a centre", () => {
  let centre: Centre;
  const offer = (node: number, pass = 100 + node) =>
    offered(centre, `n${node}`, { kind: "offer", from: node, to: 7, council: "x", pass }, company, NUMBERS);
  const hears = (kind: number, pass: number, version = 0) =>
    pulsed(centre, pass - 100, [kind, pass, version] as never, company, NUMBERS);
  const ticks = (count: number, every = 5) => {
    for (let i = 0; i < count; i++) tickCentre(centre, every, company, NUMBERS);
  };
  beforeEach(() => {
    centre = openCentre("x", NUMBERS);
    centre.wait = 999;
  });

  test("seats those who offer themselves while there is room, and says so to the others", () => {
    for (const node of [1, 2, 3]) offer(node);
    expect(take()).toMatchObject([1, 2, 3].map((node) => [node, { kind: "seat", version: node, pass: 100 + node }]));
    offer(4);
    expect(take()).toEqual([[4, OVER(104)]]);
    expect([...centre.seats.values()].map(({ quiet }) => quiet)).toEqual([0, 1, 2]);
    expect(centre.version).toBe(3);
  });

  test("an offer that is repeated has the same seat; another one of that member takes its place", () => {
    offer(1);
    offer(1);
    expect([centre.seats.size, centre.version]).toEqual([1, 1]);
    offer(1, 555);
    expect([[...centre.seats.keys()], centre.version]).toEqual([[555], 3]);
    take();
    offered(centre, "n2", { kind: "offer", from: 2, to: 7, council: "x", pass: 555 }, company, NUMBERS);
    expect(take()).toEqual([]);
  });

  test("beats to each member at its interval, and asks for an answer after the exchange", () => {
    offer(1);
    hears(PULSE.answer, 101, 1);
    take();
    ticks(4);
    expect(take()).toEqual([]);
    ticks(1);
    expect(take()).toEqual([[1, pulse(PULSE.beat, 101, 1)]]);
    ticks(5);
    expect(take()).toEqual([[1, pulse(PULSE.beat, 101, 1)]]);
    ticks(2);
    expect(take()).toEqual([[1, pulse(PULSE.exchange, 101, 1)]]);
    expect(centre.alone).toBe(12);
    hears(PULSE.answer, 101, 1);
    expect([centre.alone, centre.seats.get(101)]).toMatchObject([0, { unheard: 0, unanswered: 0, told: 1 }]);
  });

  test("a member that does not answer is told its seat again, and loses it after so many tries", () => {
    offer(1);
    take();
    ticks(6);
    expect(take()).toMatchObject([1, 2, 3].map(() => [1, { kind: "seat" }]));
    ticks(2);
    expect(take()).toEqual([[1, OVER(101)]]);
    expect([centre.seats.size, [...centre.missing]]).toEqual([0, [["n1", 1]]]);
    offer(2);
    expect(centre.missing.size).toBe(0);
  });

  test("a member that has died, or gives its seat up, frees it at once", () => {
    for (const node of [1, 2]) offer(node);
    dead.add("n1");
    ticks(1);
    expect([[...centre.seats.keys()], centre.version]).toEqual([[102], 3]);
    expect(hears(PULSE.over, 102)).toBe(true);
    expect([centre.seats.size, centre.version]).toEqual([0, 4]);
    expect(hears(PULSE.over, 102)).toBe(false);
  });

  test("answers a member that asks whether it is there", () => {
    offer(1);
    take();
    expect(hears(PULSE.ask, 101)).toBe(true);
    expect(take()).toEqual([[1, pulse(PULSE.beat, 101, 1)]]);
    expect(hears(PULSE.answer, 101)).toBe(true);
    expect(take()).toEqual([]);
  });

  test("invites while seats are free: less and less often while nobody comes, as often as before when somebody does", () => {
    centre.wait = 0;
    const at: number[] = [];
    for (let tick = 0; tick < 60; tick++) {
      seek(centre, company, NUMBERS);
      if (published.splice(0).length > 0) at.push(tick);
    }
    expect(at).toEqual([0, 5, 14, 31, 48]);
    offer(1);
    expect(centre.round).toBe(16);
    hears(PULSE.answer, 101, 1);
    expect(centre.round).toBe(4);
  });

  test.each([
    [0, 20, 4],
    [2, 20, 1],
    [3, 20, null],
    [0, 3, 2],
    [0, 4, 3],
    [0, 1, null],
  ])("with %i seats taken in a group of %i invites for %s offers, about", (taken, members, wanted) => {
    size = members;
    for (let node = 1; node <= taken; node++) offer(node);
    centre.wait = 0;
    seek(centre, company, NUMBERS);
    if (wanted === null) expect(published).toEqual([]);
    else expect(published).toMatchObject([{ key: "council/x", number: 1, value: { seated: taken } }]);
    const said = (published[0]?.value as { wanted: number } | undefined)?.wanted;
    if (wanted !== null) expect(Math.round(said!)).toBe(wanted);
  });

  test.each([
    // Nobody is left outside, or as many are as there are free seats.
    [3, 4, null],
    [2, 4, 1],
    [1, 4, 2],
    // One more than that: fewer are wanted than there are members.
    [2, 5, 1],
    [1, 3, 1],
  ])("with %i seats taken in a group of only %i wants %s more", (taken, members, wanted) => {
    for (let node = 1; node <= taken; node++) offer(node);
    size = members;
    centre.wait = 0;
    seek(centre, company, NUMBERS);
    const said = published.map(({ value }) => Math.round((value as { wanted: number }).wanted));
    expect(said).toEqual(wanted === null ? [] : [wanted]);
  });

  test("that has all seats of its maximum invites nobody, even if the minimum is as high", () => {
    for (let node = 1; node <= 3; node++) offer(node);
    centre.wait = 0;
    seek(centre, company, { ...NUMBERS, low: 3 });
    expect(published).toEqual([]);
  });

  test("that inherits a council first invites only the members of the former centre, then everybody", () => {
    centre = openCentre("x", NUMBERS, true);
    seek(centre, company, NUMBERS);
    for (let tick = 0; tick < 5; tick++) seek(centre, company, NUMBERS);
    expect(published.map(({ number, value }) => [number, (value as { wanted: number }).wanted > 0])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test("numbers its invitations above those of a former centre", () => {
    centre.wait = 0;
    seek(centre, { ...company, noted: () => 41 }, NUMBERS);
    expect(published).toMatchObject([{ number: 42, value: { number: 42 } }]);
  });

  test("at the beginning has waited for nobody, and heard nobody for no time", () => {
    expect(openCentre("x", NUMBERS)).toMatchObject({ version: 0, invitations: 0, published: 0, wait: 0, alone: 0 });
  });

  test("hears a member again as soon as that offers itself or says anything", () => {
    for (const says of [() => offer(1), () => hears(PULSE.answer, 101, 1), () => hears(PULSE.over, 101)]) {
      centre.alone = 9;
      centre.missing.set("n5", 5);
      says();
      expect([centre.alone, centre.missing.size]).toEqual([0, 0]);
    }
  });

  test("gives a new member a seat of which it has said nothing", () => {
    offer(1);
    expect(centre.seats.get(101)).toEqual({
      name: "n1",
      life: 1,
      pass: 101,
      told: 0,
      quiet: 0,
      unheard: 0,
      unanswered: 0,
    });
  });

  test("asks again when the list has changed, and a member that has the list only beats", () => {
    offer(1);
    hears(PULSE.answer, 101, 1);
    take();
    centre.version = 2;
    ticks(2);
    expect(take()).toMatchObject([[1, { kind: "seat", version: 2 }]]);
    hears(PULSE.answer, 101, 2);
    // An older answer that comes late does not take that back.
    hears(PULSE.answer, 101, 1);
    expect(centre.seats.get(101)!.told).toBe(2);
    ticks(5);
    expect(take()).toEqual([[1, pulse(PULSE.beat, 101, 2)]]);
  });

  test("that tells nobody the list is content with one answer", () => {
    const numbers = { ...NUMBERS, tells: false };
    offered(centre, "n1", { kind: "offer", from: 1, to: 7, council: "x", pass: 101 }, company, numbers);
    expect(take()).toMatchObject([[1, { kind: "seat", fellows: [] }]]);
    pulsed(centre, 1, [PULSE.answer, 101, 1] as never, company, numbers);
    centre.version = 2;
    for (let i = 0; i < 5; i++) tickCentre(centre, 5, company, numbers);
    expect(take()).toEqual([[1, pulse(PULSE.beat, 101, 2)]]);
  });

  test.each([
    ["64 members", Array.from({ length: 64 }, (_, i) => `${10 + i}`), true],
    ["65 members", Array.from({ length: 65 }, (_, i) => `${10 + i}`), false],
    ["names of 330 bytes", namesOf(330), true],
    ["names of 331 bytes", namesOf(331), false],
  ])("of %s publishes the list: %s", (_, names, isListed) => {
    for (const [pass, name] of names.entries()) {
      centre.seats.set(pass, { name, life: pass, pass, told: 1, quiet: 0, unheard: 0, unanswered: 0 });
    }
    Object.assign(centre, { version: 1, wait: 0 });
    seek(centre, company, { ...NUMBERS, U: 10, publishes: true });
    expect(published.map(({ value }) => "members" in (value as object))).toEqual([isListed]);
  });

  test("of an office publishes who has a seat when that changes, and not again", () => {
    const numbers = { ...NUMBERS, publishes: true };
    offered(centre, "n1", { kind: "offer", from: 1, to: 7, council: "x", pass: 101 }, company, numbers);
    seek(centre, company, numbers);
    seek(centre, company, numbers);
    expect(published).toMatchObject([{ number: 1, value: { members: ["n1"], wanted: 0 } }]);
  });

  test("that gives the council up tells every member", () => {
    for (const node of [1, 2]) offer(node);
    take();
    closeCentre(centre, company);
    expect([take(), centre.seats.size]).toEqual([
      [
        [1, OVER(101)],
        [2, OVER(102)],
      ],
      0,
    ]);
  });
});

describe("a seat", () => {
  let seats: Seats;
  const invitation = (changes: object = {}) => ({
    council: "x",
    centre: "n1",
    life: 1,
    number: 1,
    wanted: 3,
    seated: 0,
    ...changes,
  });
  const hear = (changes: object = {}) => answerInvitation(seats, invitation(changes), company);
  const ticks = (count: number, lease = 20) => {
    const ended: number[] = [];
    for (let i = 0; i < count; i++) tickSeats(seats, company, lease, ({ pass }) => ended.push(pass));
    return ended;
  };
  const seat = (changes: object = {}) =>
    seated(
      seats,
      1,
      { kind: "seat", from: 1, to: 7, council: "x", pass: 900, version: 1, fellows: ["ann"], ...changes },
      company,
    );
  beforeEach(() => {
    seats = openSeats();
  });

  test("is offered for with the chance that brings as many as are wanted, once for each invitation", () => {
    expect(hear()).toMatchObject({ centre: "n1", pass: 900, tries: 1 });
    expect(take()).toMatchObject([[1, { kind: "offer", to: 1, from: 7, pass: 900 }]]);
    expect(coins).toEqual([3 / 19]);
    expect(hear()).toBeNull();
    seats.held.clear();
    expect([hear(), hear({ number: 2 })]).toMatchObject([null, { pass: 901 }]);
    seats.held.clear();
    hear({ number: 3, seated: 9 });
    expect(coins.at(-1)).toBe(0.3);
    seats.held.clear();
    hear({ number: 4, wanted: 0 });
    expect(coins).toHaveLength(3);
  });

  test.each([
    ["of this member itself", { centre: "ann" }],
    ["of one that does not live", { life: 2 }],
  ])("is not offered for on an invitation %s", (_, changes) => {
    expect([hear(changes), sent]).toEqual([null, []]);
  });

  test.each([
    [2047, 2048],
    [2048, 1],
  ])("remembers its decisions on %i invitations; with one more there are %i", (known, after) => {
    for (let i = 0; i < known; i++) seats.answered.set(`c${i}/n9`, { life: 9, number: 1 });
    hear();
    expect(seats.answered.size).toBe(after);
  });

  test.each([
    [255, 256],
    [256, 256],
  ])("is one of at most 256: with %i there are %i after an invitation", (held, after) => {
    const seat = { council: "w", centre: "n9", life: 9, tries: null, inherited: false, version: 0, silent: 0 };
    for (let pass = 0; pass < held; pass++) seats.held.set(pass, { ...seat, pass, fellows: [] });
    hear();
    expect(seats.held.size).toBe(after);
  });

  test("is offered for under a pass of 32 bits that no other seat has; of those who have none as many as are wanted", () => {
    const asked: number[] = [];
    const drawing = { ...company, choose: (most: number) => asked.push(most) };
    answerInvitation(seats, invitation({ wanted: 2, seated: 9 }), drawing);
    expect([asked, [...seats.held.keys()], coins]).toEqual([[2 ** 32], [1], [2 / 10]]);
    sent = [];
    const same = { ...company, choose: () => 1 };
    expect(answerInvitation(seats, invitation({ council: "y" }), same)).toBeNull();
    expect([seats.held.size, sent]).toEqual([1, []]);
  });

  test("in a watch is one for each holder: another holder's invitation ends none", () => {
    hear({ council: "" });
    seat({ council: "" });
    expect(hear({ council: "", centre: "n2", life: 2 })).toMatchObject({ inherited: false });
    expect(seats.held.size).toBe(2);
  });

  test("is offered for by all if as many are wanted as there are, and by none if no one is", () => {
    hear({ wanted: 19 });
    hear({ number: 2, council: "y", wanted: 50 });
    size = 1;
    hear({ number: 3, council: "z", wanted: 0.5 });
    expect(coins).toEqual([1, 1, 0.5]);
  });

  test("under a former centre that still lives passes to the new one in the same way", () => {
    hear();
    seat();
    expect(hear({ centre: "n2", life: 2, wanted: 0 })).toMatchObject({ inherited: true, centre: "n2" });
    expect([...seats.held.values()].map(({ centre }) => centre)).toEqual(["n2"]);
    // A mere offer to the former centre is forgotten.
    seats = openSeats();
    hear();
    expect(hear({ centre: "n2", life: 2, wanted: 0 })).toBeNull();
    expect([seats.held.size, seats.orphaned.size]).toEqual([0, 0]);
  });

  test("keeps the list that it has when the same version comes again", () => {
    hear();
    seat({ version: 2, fellows: ["ann", "n2"] });
    expect(seat({ version: 2, fellows: ["other"] })).toMatchObject({ fellows: ["ann", "n2"] });
  });

  test("that was offered for is offered for three times in all, and then no more", () => {
    hear();
    take();
    expect([ticks(3), take()]).toEqual([[], []]);
    expect([ticks(1), take().length]).toEqual([[], 1]);
    expect([ticks(4), take().length]).toEqual([[], 1]);
    expect([ticks(3), take()]).toEqual([[], []]);
    expect(ticks(1)).toEqual([900]);
  });

  test("is held once the centre says so, with the newest list, and ends after its lease without a word", () => {
    hear();
    take();
    seat({ version: 2, fellows: ["ann", "n2"] });
    expect(take()).toEqual([[1, pulse(PULSE.answer, 900, 2)]]);
    expect(seat({ version: 1, fellows: [] })).toMatchObject({
      tries: null,
      version: 2,
      fellows: ["ann", "n2"],
      silent: 0,
    });
    expect(ticks(20)).toEqual([]);
    expect(ticks(1)).toEqual([900]);
  });

  test("that this member has not offered for is refused", () => {
    expect(seat()).toBeNull();
    expect(take()).toEqual([[1, OVER(900)]]);
    hear();
    take();
    expect(seat({ from: 2 })).toBeNull();
    expect(take()).toEqual([[1, OVER(900)]]);
  });

  test("a beat is answered where its list is newer; an exchange always", () => {
    hear();
    seat();
    take();
    const feel = (kind: number, version: number) => {
      felt(seats, 1, [kind, 900, version] as never, company);
      return take();
    };
    ticks(3);
    expect(feel(PULSE.beat, 1)).toEqual([]);
    expect(seats.held.get(900)!.silent).toBe(0);
    expect(feel(PULSE.beat, 2)).toEqual([[1, pulse(PULSE.answer, 900, 1)]]);
    expect(feel(PULSE.exchange, 1)).toEqual([[1, pulse(PULSE.answer, 900, 1)]]);
    expect(feel(PULSE.over, 1)).toEqual([]);
    expect(seats.held.size).toBe(0);
    expect(felt(seats, 1, [PULSE.beat, 900, 1], company)).toBeNull();
  });

  test("of an office outlasts its centre: the next one gets an offer for sure, for a lease", () => {
    hear();
    seat();
    dead.add("n1");
    expect(ticks(1)).toEqual([900]);
    expect([...seats.orphaned]).toEqual([["x", 0]]);
    coins = [];
    expect(hear({ centre: "n2", life: 2, wanted: 0 })).toMatchObject({ inherited: true });
    expect([coins, seats.orphaned.size]).toEqual([[], 0]);
    seats.orphaned.set("y", 0);
    ticks(20);
    expect(seats.orphaned.has("y")).toBe(true);
    ticks(1);
    expect(seats.orphaned.has("y")).toBe(false);
  });

  test("of a watch does not outlast its holder, and neither does an offer", () => {
    hear({ council: "" });
    seat({ council: "" });
    dead.add("n1");
    ticks(1);
    expect(seats.orphaned.size).toBe(0);
    dead.clear();
    hear({ council: "z", centre: "n2", life: 2 });
    dead.add("n2");
    ticks(1);
    expect(seats.orphaned.size).toBe(0);
  });

  test("is given up by a member that leaves gracefully", () => {
    hear();
    seat();
    take();
    seats.orphaned.set("y", 0);
    resignSeats(seats, company);
    expect([take(), seats.held.size, seats.orphaned.size]).toEqual([[[1, OVER(900)]], 0, 0]);
  });
});

describe("the councils of a member", () => {
  let state: CouncilsState;
  let armed: (readonly [string, number])[];
  let around: CouncilCompany;
  beforeEach(() => {
    state = openCouncils();
    armed = [];
    around = { ...company, tick: 2000, arm: (timer, after) => void armed.push([timer, after]) };
  });
  const keep = (L = 3, U = 5) => keepCouncil(state, "audit", { L, U }, around);
  const invitation = (changes: object = {}) => ({
    council: "audit",
    centre: "n1",
    life: 1,
    number: 1,
    wanted: 3,
    seated: 0,
    ...changes,
  });
  const hear = (changes: object = {}, willing = true) =>
    hearNote(state, invitation(changes), (office) => willing && office !== "", around);
  const seatFrom = (node: number, changes: object = {}) =>
    receive(
      state,
      node,
      { kind: "seat", from: node, to: 7, council: "audit", pass: 900, version: 1, fellows: [], ...changes } as never,
      around,
    );

  test.each([
    [3, 5, 4],
    [3, 4, 3],
    [10, 20, 11],
    [4, 4, 3],
    [1, 1, 0],
    [1, 2, 1],
  ])("kept between %i and %i invite while no more than %i are left", (L, U, low) => {
    keep(L, U);
    expect(state.kept.get("audit")!.numbers).toMatchObject({ L, U, low });
  });

  test("are kept once: the holder invites at once, and ticks until it closes the council", () => {
    keep();
    expect(published).toMatchObject([{ key: "council/audit", number: 1, value: { members: [] } }]);
    expect(published[0].value).toMatchObject({ wanted: expect.any(Number) });
    expect(armed).toEqual([[COUNCIL_TIMER, 2000]]);
    keep();
    expect([published.length, armed.length]).toEqual([1, 1]);
    expire(state, around);
    expect(armed).toHaveLength(2);
    closeCouncil(state, "audit", around);
    expect(state.kept.size).toBe(0);
    expire(state, around);
    expect([armed.length, state.ticking]).toEqual([2, false]);
  });

  test.each([
    ["a live member", ["n1"], true],
    ["only this member itself", ["ann"], false],
    ["nobody that lives", ["gone"], false],
  ])("with %s from before are inherited", (_, members, isInherited) => {
    const knows = { ...around, lifeOf: (name: string) => (name === "gone" ? null : 1) };
    hearNote(state, invitation({ members }), () => false, knows);
    keepCouncil(state, "audit", { L: 3, U: 5 }, knows);
    const [{ value }] = published;
    expect((value as { wanted: number }).wanted === 0).toBe(isInherited);
  });

  test("hear of other councils: a willing member offers itself and ticks, others only know the list", () => {
    hear({ members: ["n3"] }, false);
    expect([memberNames(state, "audit"), sent, armed]).toEqual([["n3"], [], []]);
    hear({ members: ["n4"] });
    expect(memberNames(state, "audit")).toEqual(["n4"]);
    expect([take().length, armed]).toEqual([1, [[COUNCIL_TIMER, 2000]]]);
    // The same invitation again changes nothing.
    state.ticking = false;
    hear();
    expect([sent, armed.length, memberNames(state, "audit")]).toEqual([[], 1, []]);
  });

  test.each([
    ["no invitation", { number: "1" }],
    ["one of a watch", { council: "" }],
  ])("take no notice of %s", (_, changes) => {
    hear(changes);
    hearNote(state, invitation(changes), () => true, around);
    expect([state.lists.size, sent]).toEqual([0, []]);
  });

  test("remember the lists of 4096 offices, and of no more", () => {
    for (let i = 1; i < 4096; i++) state.lists.set(`o${i}`, []);
    hear({ council: "last" }, false);
    hear({ council: "more" }, false);
    hear({ council: "o1", members: ["n1"] }, false);
    expect([state.lists.size, state.lists.has("last"), memberNames(state, "o1")]).toEqual([4096, true, ["n1"]]);
  });

  test("seat members by messages, and answer what is not theirs with the end of a seat", () => {
    const offer = (changes: object = {}) =>
      receive(state, 1, { kind: "offer", from: 1, to: 7, council: "audit", pass: 101, ...changes } as never, around);
    offer();
    expect(take()).toEqual([[1, OVER(101)]]);
    keep();
    offer({ to: 6 });
    expect(take()).toEqual([]);
    offer();
    expect(take()).toMatchObject([[1, { kind: "seat", pass: 101 }]]);
    expect(memberNames(state, "audit")).toEqual(["n1"]);
    const hears = (kind: number, pass: number) => {
      receive(state, 1, [kind, pass, 1] as never, around);
      return take();
    };
    expect(hears(PULSE.answer, 101)).toEqual([]);
    expect(state.kept.get("audit")!.centre.seats.get(101)!.told).toBe(1);
    expect(hears(PULSE.ask, 101)).toEqual([[1, pulse(PULSE.beat, 101, 1)]]);
    expect(hears(PULSE.ask, 999)).toEqual([[1, OVER(999)]]);
    expect(hears(PULSE.beat, 101)).toEqual([[1, OVER(101)]]);
    expect(hears(PULSE.over, 999)).toEqual([]);
    expect(hears(PULSE.over, 101)).toEqual([]);
    expect(memberNames(state, "audit")).toEqual([]);
  });

  test("answer the pulses of a centre that gave this member a seat, and not those that ask for a centre", () => {
    hear();
    take();
    seatFrom(1);
    expect(take()).toEqual([[1, pulse(PULSE.answer, 900, 1)]]);
    receive(state, 1, [PULSE.exchange, 900, 1] as never, around);
    expect(take()).toEqual([[1, pulse(PULSE.answer, 900, 1)]]);
    for (const kind of [PULSE.answer, PULSE.ask]) {
      receive(state, 1, [kind, 900, 1] as never, around);
      expect(take()).toEqual([[1, OVER(900)]]);
    }
    receive(state, 1, [PULSE.over, 900, 1] as never, around);
    expect([take(), state.seats.held.size]).toEqual([[], 0]);
  });

  test("drop messages of members that do not live, or for another life", () => {
    const unknown = { ...around, nameOf: () => null };
    receive(state, 1, { kind: "offer", from: 1, to: 7, council: "audit", pass: 101 } as never, unknown);
    seatFrom(1, { to: 6 });
    expect(sent).toEqual([]);
  });

  test("a seat is one once the centre says so, or if it was one before; an offer is none", () => {
    hear();
    expect(hasSeat(state, "audit")).toBe(false);
    seatFrom(1);
    expect([hasSeat(state, "audit"), hasSeat(state, "other")]).toEqual([true, false]);
    for (let tick = 0; tick < 30; tick++) expire(state, around);
    expect(hasSeat(state, "audit")).toBe(true);
    expire(state, around);
    expect(hasSeat(state, "audit")).toBe(false);
    state.seats.orphaned.set("audit", 0);
    expect(hasSeat(state, "audit")).toBe(true);
  });

  test("tick while there is a council, a seat or the memory of one, and not otherwise", () => {
    expire(state, around);
    expect(armed).toEqual([]);
    state.seats.orphaned.set("audit", 0);
    expire(state, around);
    expect(armed).toHaveLength(1);
    // A timer that is armed is not armed again.
    keep();
    expect(armed).toHaveLength(1);
    expire(state, around);
    expect(armed).toHaveLength(2);
  });

  test("of a member that leaves are closed without a word, and its seats are given back", () => {
    keep();
    hear({ council: "other" });
    take();
    leave(state, around);
    expect([take(), state.kept.size, state.seats.held.size]).toEqual([[[1, OVER(900)]], 0, 0]);
  });
});
