/** Claims without leases, one message at a time: what a follower keeps, passes on and answers. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import { known } from "../../../test/support/lone-member.ts";
import { type OneMember, oneMember } from "../../../test/support/one-handler.ts";
import { store } from "../../protocols/membership/view.ts";
import { PULSE } from "../council/messages.ts";
import type { Claim } from "../talk/messages.ts";
import { LAST_NUMBER } from "./keeping.ts";

const run = runGroup({ n: 4 });
let holder: number;
let [follower, other, third]: number[] = [];
let claim: Claim;

beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  [follower, other, third] = run.alive().filter((node) => node !== holder);
  ({ claim } = oneMember(run, follower).office as { claim: Claim });
});

const lifeOf = (node: number) => groupStateOf(run, node).life;
const claims = ({ sent }: OneMember) => sent.filter(({ message }) => message.kind === "claim");
/** What another winner would have said. */
const by = (node: number, changes: Partial<Claim> = {}): Claim => ({
  ...claim,
  holder: `m${node}`,
  life: lifeOf(node),
  ...changes,
});

describe("a claim of a higher term", () => {
  test.each([
    [0, 0],
    [1, 3],
  ])("is kept, and with %i passes left it is told to %i others", (passes, told) => {
    const it = oneMember(run, follower);
    it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1 }), passes });
    expect(it.office).toMatchObject({ term: claim.term + 1, claim: { holder: `m${other}` } });
    expect(claims(it).map(({ message }) => message.passes)).toEqual(new Array(told).fill(1));
    expect(it.state.report.offices.leader.leader).toBe(`m${other}`);
    expect(it.state.members.notes.get("office/leader")?.order).toEqual([claim.term + 1, 0]);
  });
});

describe("a claim of the present term by its holder", () => {
  test("with the number that is known is old: it is not passed on again, and nobody is answered", () => {
    const it = oneMember(run, follower);
    const known = it.office.claim;
    it.office.failedTries = 3;
    it.hear(holder, { kind: "claim", claim: { ...claim }, passes: 1 });
    expect(it.sent).toEqual([]);
    expect(it.office.claim).toBe(known);
    expect(it.office.failedTries).toBe(3);
  });

  test("with a higher number is kept, and with a lower one the sender is told of the newer one", () => {
    const it = oneMember(run, follower);
    it.hear(holder, { kind: "claim", claim: { ...claim, number: 2, holder: null, former: `m${holder}` }, passes: 0 });
    expect(it.office.claim).toMatchObject({ number: 2, holder: null });
    it.hear(other, { kind: "claim", claim, passes: 1 });
    expect(it.office.claim!.number).toBe(2);
    expect(claims(it)).toMatchObject([{ to: other, message: { claim: { number: 2 }, passes: 0 } }]);
  });

  test("that has a token comes from a group with leases, and is not heard", () => {
    const it = oneMember(run, follower);
    it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1, token: 7 }), passes: 1 });
    expect(it.office.term).toBe(claim.term);
    expect(it.sent).toEqual([]);
  });

  test("of a lower term is answered with what is known", () => {
    const it = oneMember(run, follower);
    it.hear(other, { kind: "claim", claim: by(other, { term: claim.term - 1 }), passes: 1 });
    expect(claims(it)).toMatchObject([{ to: other, message: { claim: { holder: `m${holder}` } } }]);
    expect(it.office.claim).toMatchObject({ holder: `m${holder}`, term: claim.term });
  });
});

describe("two winners of one term", () => {
  const VOID = { number: LAST_NUMBER, holder: null, life: 0, former: null, heir: null, invitation: null };

  test("a member that hears of both makes the term void, and tells the two and nobody else", () => {
    const it = oneMember(run, follower);
    it.hear(third, { kind: "claim", claim: by(other), passes: 1 });
    expect(it.office).toMatchObject({ claim: { ...VOID, term: claim.term }, failedTries: 1 });
    expect(it.events).toContainEqual({ event: "conflict", office: "leader", term: claim.term });
    const told = claims(it).filter(({ message }) => message.claim!.number === LAST_NUMBER);
    expect(told.map(({ to }) => to).sort()).toEqual([holder, other].sort());
    expect(told.map(({ message }) => message.passes)).toEqual([0, 0]);
    expect(it.state.members.notes.get("office/leader")?.order).toEqual([claim.term, LAST_NUMBER]);
    // All others hear it by gossip.
    expect(it.state.members.rumours.get("noffice/leader")).toBeDefined();
    expect(it.state.report.offices.leader.leader).toBeNull();
  });

  test("the holder that hears of the other tells everybody, and leads no longer", () => {
    const it = oneMember(run, holder);
    it.hear(other, { kind: "claim", claim: by(other), passes: 0 });
    expect(it.state.report.offices.leader.mine).toBe(false);
    const told = claims(it).filter(({ message }) => message.claim!.number === LAST_NUMBER);
    expect(told.map(({ to }) => to).sort()).toEqual([follower, other, third].sort());
  });

  test("a void term that another member tells is no second conflict", () => {
    const it = oneMember(run, follower);
    it.hear(other, { kind: "claim", claim: { ...claim, ...VOID }, passes: 0 });
    expect(it.office).toMatchObject({ claim: VOID, failedTries: 0 });
    expect(it.events.map(({ event }) => event)).not.toContain("conflict");
  });

  test("what either of them says later in a void term changes nothing, and both are told that it is void", () => {
    const it = oneMember(run, follower);
    it.hear(third, { kind: "claim", claim: by(other), passes: 0 });
    for (const node of [holder, other]) {
      it.hear(node, { kind: "claim", claim: by(node, { number: 9 }), passes: 1 });
      expect(it.office).toMatchObject({ claim: VOID, failedTries: 1 });
      expect(it.events.map(({ event }) => event)).not.toContain("conflict");
      expect(claims(it)).toMatchObject([{ to: node, message: { claim: VOID } }]);
    }
  });
});

test("a claim that a member said itself is no rumour: all were told; one that came as a note is", () => {
  const next = by(other, { term: claim.term + 1 });
  const told = oneMember(run, follower);
  told.state.members.rumours.clear();
  told.hear(other, { kind: "claim", claim: next, passes: 0 });
  expect(told.state.members.rumours.has("noffice/leader")).toBe(false);
  expect(told.state.members.notes.get("office/leader")?.order).toEqual([next.term, next.number]);
  const it = oneMember(run, follower);
  const { term, number, holder: name, life, former, heir } = next;
  const note = ["office/leader", term, number, [name, life, former, heir]] as const;
  it.receive(other, { kind: "members", message: { kind: "gossip", from: lifeOf(other), notes: [note] } });
  expect(it.office.claim).toMatchObject({ holder: `m${other}`, term });
  expect(it.state.members.rumours.get("noffice/leader")).toBe(0);
});

test("a member that has claimed the office has won nothing more, and a new term has no holder that was seen", () => {
  expect(oneMember(run, holder).office).toMatchObject({ hasWon: false, isUnannounced: false });
  const it = oneMember(run, follower);
  it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1 }), passes: 0 });
  expect(it.office).toMatchObject({ holderSeen: true, inquiredAtTry: 0, failedTries: 0 });
  it.hear(other, { kind: "term", office: "leader", term: claim.term + 2 });
  expect(it.office).toMatchObject({ holderSeen: false, claim: null });
});

describe("a member that gives up what it holds", () => {
  test("leads nothing from then on, and has no watchers", () => {
    const it = oneMember(run, holder);
    expect([it.state.led.size, it.state.watch.centre === null]).toEqual([1, false]);
    it.command({ kind: "resign", office: null });
    expect([it.state.led.size, it.state.watch.centre]).toEqual([0, null]);
  });

  test("because it leaves, tells everybody that it holds nothing, gives its seats back, and is gone", () => {
    const it = oneMember(run, holder);
    it.leave();
    expect(claims(it).map(({ message }) => message.claim?.holder)).toEqual([null, null, null]);
    const left = it.sent.filter(({ message }) => message.kind === "members");
    expect(left.length).toBeGreaterThan(0);
    expect([it.state.members.phase, it.state.watch.centre]).toEqual(["gone", null]);
    const watcher = oneMember(run, follower);
    const seats = watcher.state.watch.seats.held.size;
    expect(seats).toBeGreaterThan(0);
    watcher.leave();
    const over = watcher.sent.filter(({ message }) => Array.isArray(message) && message[0] === PULSE.over);
    expect([over.length, watcher.state.watch.seats.held.size]).toEqual([seats, 0]);
  });
});

describe("the invitation on a claim", () => {
  const invitation = () => ({
    council: "",
    centre: `m${other}`,
    life: lifeOf(other),
    number: 1,
    wanted: 9,
    seated: 0,
  });

  test("of a holder is answered with an offer", () => {
    const it = oneMember(run, follower);
    it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1, invitation: invitation() }), passes: 0 });
    expect(it.sent).toMatchObject([{ to: other, message: { kind: "offer" } }]);
  });

  test("of a claim that has ended is not", () => {
    const it = oneMember(run, follower);
    const ended = { term: claim.term + 1, holder: null, former: `m${other}`, invitation: invitation() };
    it.hear(other, { kind: "claim", claim: by(other, ended), passes: 0 });
    expect(it.sent.filter(({ message }) => message.kind === "offer")).toEqual([]);
  });
});

describe("a claim and what this member waits for", () => {
  const setting = () => oneMember(run, follower).office.setting!;
  /** It was asked to stand for the term after the next one. */
  function asked(): OneMember {
    const it = oneMember(run, follower);
    const stand = { kind: "stand", office: "leader", position: 0, setting: setting(), over: lifeOf(holder) } as const;
    it.hear(other, { ...stand, term: claim.term + 2 });
    expect(it.office.waitingPlace).toBe(0);
    return it;
  }

  test("a new holder ends the wait, whatever was asked for", () => {
    const it = asked();
    it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1 }), passes: 0 });
    expect(it.office).toMatchObject({ requestedTerm: 0, waitingPlace: null });
    expect(it.disarmed).toContain("stand/leader");
  });

  test("the end of a term does not end the wait for a later one; of that very term it does", () => {
    const over = (term: number) => by(holder, { term, number: 3, holder: null, former: `m${holder}` });
    const it = asked();
    it.hear(holder, { kind: "claim", claim: over(claim.term), passes: 0 });
    expect(it.office).toMatchObject({ requestedTerm: claim.term + 2, waitingPlace: 0 });
    it.hear(holder, { kind: "claim", claim: over(claim.term + 2), passes: 0 });
    expect(it.office.requestedTerm).toBe(0);
  });

  test("the end of a later term makes a member that waits look again which turn it has", () => {
    const it = oneMember(run, follower);
    Object.assign(it.office, { claim: null, waitingPlace: 7 });
    const over = { term: claim.term + 1, number: 1, holder: null, former: `m${other}` };
    it.hear(other, { kind: "claim", claim: by(other, over), passes: 0 });
    expect(it.disarmed).toContain("stand/leader");
    expect(it.office.waitingPlace).not.toBe(7);
    expect(it.armed.has("stand/leader")).toBe(true);
  });

  test("an election of its term is over", () => {
    const elects = (term: number): OneMember => {
      const it = oneMember(run, follower);
      it.hear(other, { kind: "open", office: "leader", term, id: 1, setting: setting() });
      expect(it.office.election).toMatchObject({ term });
      return it;
    };
    const same = elects(claim.term + 1);
    same.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1 }), passes: 0 });
    expect(same.office.election).toBeNull();
    expect(same.disarmed).toContain("overdue/leader");
    expect(same.state.running.size).toBe(0);
  });

  test("a holder's claim ends the count of tries in vain; a claim that has ended does not", () => {
    for (const [changes, tries] of [
      [{}, 0],
      [{ holder: null, former: "m0" }, 4],
    ] as const) {
      const it = oneMember(run, follower);
      it.office.failedTries = 4;
      it.hear(other, { kind: "claim", claim: by(other, { term: claim.term + 1, ...changes }), passes: 0 });
      expect(it.office.failedTries).toBe(tries);
    }
  });
});

describe("how a claim spreads", () => {
  /** The group of the holder, with so many members in all. */
  function groupOf(n: number): OneMember {
    const it = oneMember(run, holder);
    for (let node = 4; node < n; node++) store(it.state.members, known(node), { choose: () => 0 });
    return it;
  }

  test.each([
    [64, 63, 0],
    [65, 9, 1],
    [200, 10, 1],
  ])("in a group of %i it is told to %i others, who pass it on %i times", (n, told, passes) => {
    const it = groupOf(n);
    it.command({ kind: "resign", office: null });
    expect(claims(it).map(({ message }) => message.passes)).toEqual(new Array(told).fill(passes));
  });

  test("a holder tells a member that has just come who leads, unless it holds more than 16 offices", () => {
    for (const [offices, told] of [
      [1, 1],
      [16, 16],
      [17, 0],
    ]) {
      const it = groupOf(4);
      for (let i = 1; i < offices; i++) {
        it.state.offices.set(`o${i}`, { ...it.office, name: `o${i}`, claim: { ...claim, office: `o${i}` } });
        it.state.led.add(`o${i}`);
      }
      const { life, incarnation, address, meta } = known(9);
      const message = { kind: "gossip", from: lifeOf(other), members: [["m9", life, incarnation, address, 0, meta]] };
      it.receive(other, { kind: "members", message });
      expect(claims(it).filter(({ to }) => to === 9)).toHaveLength(told);
    }
  });
});

test("a member that has joined waits until its view is calm, anew with each newcomer, eight times at most", () => {
  const it = oneMember(run, follower);
  Object.assign(it.state, { settled: false, settlings: 0 });
  const waits: boolean[] = [];
  for (let node = 10; node < 22; node++) {
    const { name, life, incarnation, address, meta } = known(node);
    const message = { kind: "gossip", from: lifeOf(other), members: [[name, life, incarnation, address, 0, meta]] };
    it.receive(other, { kind: "members", message });
    waits.push(it.armed.has("settle"));
    if (it.armed.has("settle")) expect(it.armed.get("settle")).toEqual([400, 600]);
    it.receive(other, { kind: "members", message });
    expect(it.armed.has("settle")).toBe(false);
  }
  expect(waits.filter(Boolean)).toHaveLength(8);
  it.expire("settle");
  expect(it.state.settled).toBe(true);
});

test.each([
  [32, false],
  [40, true],
])("%i newcomers in one wait put the first election off: %s; that has an end", (count, waits) => {
  const it = oneMember(run, follower);
  Object.assign(it.state, { settled: false, settlings: 8, sizeBefore: 4 });
  let named = 10;
  const crowd = () => {
    const records = Array.from({ length: count }, () => {
      const { name, life, incarnation, address, meta } = known(named++);
      return [name, life, incarnation, address, 0, meta];
    });
    it.receive(other, { kind: "members", message: { kind: "gossip", from: lifeOf(other), members: records } });
    it.expire("settle");
  };
  crowd();
  expect(it.state.settled).toBe(!waits);
  expect(it.armed.has("settle")).toBe(waits);
  for (let i = 0; i < 24; i++) crowd();
  expect(it.state.settled).toBe(true);
});

test("a report changes its version where something has changed, and only then", () => {
  const it = oneMember(run, follower);
  const { version } = it.state.report;
  it.command({ kind: "eligible", eligible: true, office: "leader" });
  expect(it.state.report.version).toBe(version);
  it.hear(other, { kind: "term", office: "leader", term: claim.term + 1 });
  expect(it.state.report).toMatchObject({
    version: version + 1,
    news: [
      { event: "term", office: "leader", term: claim.term + 1 },
      { event: "leaderless", office: "leader", term: claim.term + 1, leader: null },
    ],
  });
  it.command({ kind: "eligible", eligible: true, office: "leader" });
  expect(it.state.report).toMatchObject({ version: version + 1, news: [] });
});
