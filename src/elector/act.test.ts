/** When a member stands: its place in line, its waits, whom it asks and whom it reminds; one timer or command at a time. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { known } from "../../test/support/lone-member.ts";
import { type OneMember, oneMember } from "../../test/support/one-handler.ts";
import { store } from "../protocols/membership/view.ts";
import { FIRST, firstInLine, hasEnough } from "./standing.ts";
import type { Office, Turn } from "./state.ts";
import { statedTimes, timesFor } from "./times.ts";

const run = runGroup({ n: 6 });
const times = timesFor("lan");
const { tau, stagger, patience, spread, longestBackOff } = times;
let holder: number;
let others: readonly number[];
let term: number;

beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  others = run.alive().filter((node) => node !== holder);
  ({ term } = run.office(holder)!);
});

const turnOf = (it: OneMember) => ({ state: it.state }) as Turn;
const line = (it: OneMember) =>
  firstInLine(turnOf(it), it.office, it.office.term + 1).map(({ name }) => Number(name.slice(1)));
const stands = ({ sent }: OneMember) => sent.filter(({ message }) => message.kind === "stand").map(({ to }) => to);

/** A copy of this member that was just told that the next term was opened, and not who has won it. */
function told(node: number, changes: Partial<Office> = {}): OneMember {
  const it = oneMember(run, node);
  Object.assign(it.office, changes);
  const [other] = others.filter((each) => each !== node);
  it.hear(other, { kind: "term", office: "leader", term: term + 1 });
  return it;
}

/** The same, after it has asked who has won. */
function vacant(node: number, changes: Partial<Office> = {}): OneMember {
  const it = told(node, changes);
  it.office.isWinnerUnheard = false;
  return it;
}

describe("a vacant office", () => {
  test("the first in line stands at once, the next two a little later each, the others remind them after a while", () => {
    const places = line(vacant(others[0]));
    expect(new Set(places).size).toBe(FIRST);
    expect(places).not.toContain(holder);
    for (const [place, node] of places.entries()) {
      const it = vacant(node);
      expect(it.armed.get("stand/leader")).toEqual([place * stagger, place * stagger]);
      expect(it.office.waitingPlace).toBe(place);
    }
    for (const node of others.filter((each) => !places.includes(each))) {
      const it = vacant(node);
      expect(it.armed.get("stand/leader")).toEqual([patience, patience + spread]);
      it.expire("stand/leader");
      expect(stands(it)).toEqual(places);
      expect(it.office).toMatchObject({ failedTries: 1, remindedTerm: term + 1, requestedTerm: 0, isDue: false });
    }
  });

  test.each([
    [1, 0, spread],
    [2, 0, 2 * spread],
    [4, 0, 8 * spread],
    [9, 0, longestBackOff],
  ])("after %i tries in vain is waited for longer, at random: %i to %i ms more", (failedTries, least, most) => {
    const [first] = line(vacant(others[0]));
    expect(vacant(first, { failedTries }).armed.get("stand/leader")).toEqual([least, most]);
  });

  test("for which a user asks is stood for without any wait, whatever the back-off, once", () => {
    const it = vacant(others[4], { failedTries: 4 });
    it.command({ kind: "elect", office: "leader" });
    expect(it.armed.get("stand/leader")).toEqual([0, 0]);
    expect(it.office).toMatchObject({ failedTries: 0, isUrgent: false, inquiredAtTry: -1 });
    const follower = oneMember(run, others[0]);
    follower.command({ kind: "elect", office: "leader" });
    expect([follower.armed.size, follower.office.isUrgent]).toEqual([0, false]);
  });

  test("of which a holder was known is stood for without a question; else three are asked first, once a try", () => {
    const [first] = line(vacant(others[0]));
    const knows = vacant(first);
    knows.expire("stand/leader");
    expect(knows.office.election).toMatchObject({ stands: true });
    const it = vacant(first);
    Object.assign(it.office, { former: null, inquiredAtTry: -1 });
    it.expire("stand/leader");
    expect(it.sent.map(({ message }) => message.kind)).toEqual(["who", "who", "who"]);
    expect(it.armed.get("stand/leader")).toEqual([2 * tau, 2 * tau]);
    expect(it.office.election).toBeNull();
    it.expire("stand/leader");
    expect(it.office.election).toMatchObject({ stands: true });
  });

  test("whose term was told without a winner: a member asks others before it stands, and follows a winner that answers", () => {
    const [first] = line(vacant(others[0]));
    const it = told(first);
    expect(it.armed.get("stand/leader")).toEqual([0, 0]);
    it.expire("stand/leader");
    expect(it.sent.map(({ message }) => message.kind)).toEqual(["who", "who", "who"]);
    expect(it.armed.get("stand/leader")).toEqual([2 * tau, 2 * tau]);
    const claim = { ...oneMember(run, first).office.claim!, term: term + 1 };
    it.hear(holder, { kind: "claim", claim, passes: 0 });
    expect(it.office).toMatchObject({ claim, waitingPlace: null, isWinnerUnheard: false });
    const silent = told(first);
    silent.expire("stand/leader");
    silent.expire("stand/leader");
    expect(silent.office.election).toMatchObject({ stands: true, term: term + 2 });
  });

  test("is not stood for by a member that others take for dead: it asks again until they do not", () => {
    const [first] = line(vacant(others[0]));
    const it = vacant(first);
    it.state.members.isOutcast = true;
    for (let i = 0; i < 3; i++) {
      it.expire("stand/leader");
      expect(it.sent.map(({ message }) => message.kind)).toEqual(["who", "who", "who"]);
      expect(it.armed.get("stand/leader")).toEqual([2 * tau, 2 * tau]);
    }
    it.state.members.isOutcast = false;
    it.expire("stand/leader");
    expect(it.office.election).toMatchObject({ stands: true });
  });

  test.each([
    [1, term],
    [2, 0],
  ])(
    "a member that is not among the first reminds them again after %i tries, unless they were silent in this very term",
    (failedTries, remindedTerm) => {
      const places = line(vacant(others[0]));
      const last = others.find((each) => !places.includes(each))!;
      const it = vacant(last);
      Object.assign(it.office, { failedTries, remindedTerm, inquiredAtTry: 99 });
      it.expire("stand/leader");
      expect(it.office.election).toBeNull();
      const silent = vacant(last);
      Object.assign(silent.office, { failedTries: 2, remindedTerm: term + 1, inquiredAtTry: 99 });
      silent.expire("stand/leader");
      expect(silent.office.election).toMatchObject({ stands: true });
    },
  );

  test("is declined by a member that was asked to stand for a term and may not: it neither stands nor waits", () => {
    const it = vacant(others[0]);
    it.state.eligible = false;
    Object.assign(it.office, { requestedTerm: it.office.term + 1, requestedPlace: 0, waitingPlace: null });
    it.command({ kind: "eligible", eligible: false, office: "unheard" });
    it.command({ kind: "eligible", eligible: false });
    expect(it.office).toMatchObject({ requestedTerm: 0, election: null });
  });

  test.each([
    [64, 0],
    [65, 2],
  ])("in a group of %i a candidate tells the %i others that are first in line of its election", (size, told) => {
    const [first] = line(vacant(others[0]));
    const it = vacant(first);
    for (let node = 10; it.state.members.live.length < size; node++)
      store(it.state.members, known(node), { choose: () => 0 });
    // Of those that have come only the three who were first before want to stand.
    for (const member of [...it.state.members.live]) {
      if (Number(member.name.slice(1)) < 10) continue;
      store(it.state.members, { ...member, incarnation: 1, meta: { weight: 0 } }, { choose: () => 0 });
    }
    const places = line(it);
    expect(places[0]).toBe(first);
    it.expire("stand/leader");
    const { id } = it.office.election!;
    const opened = it.sent.filter(({ message }) => message.kind === "open");
    expect(opened.map(({ to }) => to)).toEqual(told === 0 ? [] : places.slice(1));
    for (const { message } of opened) expect(message).toMatchObject({ id, term: it.office.term });
  });

  test("waits for nothing more once a holder is known", () => {
    const [first] = line(vacant(others[0]));
    const it = vacant(first);
    Object.assign(it.office, { requestedTerm: it.office.term + 1 });
    const claim = { ...oneMember(run, first).office.claim!, term: term + 1 };
    it.hear(holder, { kind: "claim", claim, passes: 0 });
    expect(it.office).toMatchObject({ requestedTerm: 0, waitingPlace: null });
    expect(it.disarmed).toContain("stand/leader");
  });

  test("is stood for by a member that is alone, without a question", () => {
    const it = vacant(others[0], { failedTries: 1, inquiredAtTry: 0, former: null });
    const { members, name } = it.state;
    members.live.splice(0, members.live.length, members.members.get(name)!);
    it.expire("stand/leader");
    expect(it.sent.filter(({ message }) => message.kind === "who")).toEqual([]);
    expect(it.armed.get("stand/leader")).not.toEqual([2 * tau, 2 * tau]);
    const pair = vacant(others[0], { failedTries: 1, inquiredAtTry: 0, former: null });
    const [other] = pair.state.members.live.filter(({ name: each }) => each !== name);
    pair.state.members.live.splice(0, members.live.length + 9, other, members.members.get(name)!);
    pair.expire("stand/leader");
    expect(pair.armed.get("stand/leader")).toEqual([2 * tau, 2 * tau]);
  });

  test("is asked about again after a failed try, also where a holder was known; after none it is not", () => {
    const [first] = line(vacant(others[0]));
    const kinds = (changes: Partial<Office>) => {
      const it = vacant(first);
      Object.assign(it.office, changes);
      it.expire("stand/leader");
      return new Set(it.sent.map(({ message }) => message.kind));
    };
    expect(kinds({ failedTries: 1, inquiredAtTry: 0 })).toEqual(new Set(["who"]));
    expect(kinds({ failedTries: 1, inquiredAtTry: 1 })).not.toContain("who");
    expect(kinds({ failedTries: 0, inquiredAtTry: -1 })).not.toContain("who");
  });

  test("for which a member has asked others is due again only when they have had time to answer", () => {
    const it = told(line(vacant(others[0]))[0]);
    it.expire("stand/leader");
    expect(it.office).toMatchObject({ isDue: false, isWinnerUnheard: false, inquiredAtTry: 0 });
  });

  test("is nothing to a member that is not eligible but to remind others", () => {
    const [first] = line(vacant(others[0]));
    const it = oneMember(run, first);
    it.state.eligible = false;
    it.hear(others.find((each) => each !== first)!, { kind: "term", office: "leader", term: term + 1 });
    expect(it.armed.get("stand/leader")).toEqual([patience, patience + spread]);
    expect(line(it)).not.toContain(first);
  });
});

describe("a holder that resigns", () => {
  test("tells everybody, asks the first three to stand, and names itself as the one that is over", () => {
    const it = oneMember(run, holder);
    it.command({ kind: "resign", office: null });
    expect(it.state.report.offices.leader).toMatchObject({ mine: false, leader: null });
    const claims = it.sent.filter(({ message }) => message.kind === "claim");
    expect(claims).toHaveLength(5);
    expect(claims[0].message.claim).toMatchObject({ holder: null, former: `m${holder}`, number: 1, heir: null });
    const asked = it.sent.filter(({ message }) => message.kind === "stand") as { message: object }[];
    expect(asked.map(({ message }) => (message as { position: number }).position)).toEqual([0, 1, 2]);
    expect(asked[0].message).toMatchObject({ term: term + 1, over: it.state.life });
    expect(stands(it)).not.toContain(holder);
  });

  test("names its heir, who comes first; where the heir has had the office last, it comes as all who have", () => {
    const heir = others[3];
    const it = oneMember(run, holder);
    it.command({ kind: "transfer", office: "leader", to: `m${heir}` });
    expect(stands(it)[0]).toBe(heir);
    const follower = oneMember(run, others[0]);
    follower.office.claim = { ...follower.office.claim!, heir: `m${holder}` };
    expect(line(follower)).not.toContain(holder);
  });

  test("what a member does not hold it does not give up", () => {
    const it = oneMember(run, others[0]);
    it.command({ kind: "resign", office: "leader" });
    expect([it.sent, it.office.resigns]).toEqual([[], null]);
  });
});

describe("seats of one office", () => {
  const seats = runGroup({ n: 6, params: { offices: ["shards:3"] } });
  const seat = (number: number) => `shards#${number}`;
  let places: readonly number[];
  beforeAll(() => {
    seats.pass(6000);
    places = [1, 2, 3].map((number) => seats.agreed(seat(number))!);
    expect(new Set(places).size).toBe(3);
  });

  const lineFor = (it: OneMember, number: number) =>
    firstInLine(turnOf(it), it.state.offices.get(seat(number))!, 9).map(({ name }) => Number(name.slice(1)));
  const vacate = (it: OneMember, ...numbers: number[]) => {
    for (const number of numbers) it.state.offices.get(seat(number))!.claim = null;
  };

  test("those who hold another one are not in line while others are left; each vacant seat begins a place further on", () => {
    const it = oneMember(seats, 0, seat(1));
    vacate(it, 1);
    const [, second, third] = places;
    expect(lineFor(it, 1)).toHaveLength(3);
    for (const node of [second, third]) expect(lineFor(it, 1)).not.toContain(node);
    vacate(it, 1, 2, 3);
    for (const number of [1, 2, 3]) it.state.offices.get(seat(number))!.former = null;
    const [a, b, c] = lineFor(it, 1);
    expect(lineFor(it, 2).slice(0, 2)).toEqual([b, c]);
    expect(lineFor(it, 3)[0]).toBe(c);
    expect(a).not.toBe(b);
    // In a group of three the line of each seat begins with the next one of the same three.
    const three = it.state.members.live.filter(({ name }) => [a, b, c].includes(Number(name.slice(1))));
    it.state.members.live.splice(0, 6, ...three);
    expect([1, 2, 3].map((number) => lineFor(it, number))).toEqual([
      [a, b, c],
      [b, c, a],
      [c, a, b],
    ]);
  });

  test("a member leaves a second one to those who have none, four times", () => {
    const it = oneMember(seats, places[0], seat(2));
    vacate(it, 2);
    const enough = (failedTries: number) => hasEnough(turnOf(it), { ...it.office, failedTries });
    expect([enough(0), enough(3), enough(4)]).toEqual([true, true, false]);
    const without = oneMember(seats, [0, 1, 2, 3, 4, 5].find((node) => !places.includes(node))!, seat(2));
    vacate(without, 2);
    expect(hasEnough(turnOf(without), without.office)).toBe(false);
    without.state.offices.get(seat(1))!.election = { stands: true } as never;
    expect(hasEnough(turnOf(without), without.office)).toBe(true);
    const alone = oneMember(seats, places[0], seat(2));
    vacate(alone, 2);
    alone.state.members.live.splice(0, 6, groupStateOf(seats, places[0]).members.members.get(`m${places[0]}`)!);
    expect(hasEnough(turnOf(alone), alone.office)).toBe(false);
  });
});

test("the numbers of a profile are those that the pages state", () => {
  expect(times).toEqual({
    tau: 50,
    stagger: 150,
    patience: 400,
    spread: 400,
    longestBackOff: 5000,
    election: 500,
    settle: 400,
    settlings: 8,
    mostSettlings: 32,
    unknown: 4000,
    review: 2000,
  });
  expect([timesFor("local").tau, timesFor("local").settle, timesFor("wan").tau, timesFor("wan").settle]).toEqual([
    25, 200, 250, 1000,
  ]);
  expect(statedTimes("lan", 5)).toEqual({ conflict: 3000, settle: 25_000, gone: 42_200, minority: 32_200 });
  expect(statedTimes("lan", 2).minority).toBe(10_000);
  expect(statedTimes("lan", 5, 2000).settle).toBe(31_000);
  expect(statedTimes("lan", 50).gone).toBe(statedTimes("lan", 20).gone);
});
