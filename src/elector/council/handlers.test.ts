/** A centre and a seat of its council, word by word and tick by tick. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Centre, closeCentre, offered, openCentre, pulse, pulsed, seek, tickCentre } from "./centre.ts";
import type { Company, CouncilNumbers } from "./company.ts";
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
    resignSeats(seats, company);
    expect([take(), seats.held.size]).toEqual([[[1, OVER(900)]], 0]);
  });
});
