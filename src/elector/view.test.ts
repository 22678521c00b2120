/** What a member makes of a change of its view: for how long it waits to know the group, and whom it tells. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { known } from "../../test/support/lone-member.ts";
import { type OneMember, oneMember } from "../../test/support/one-handler.ts";
import { store } from "../protocols/membership/view.ts";
import { timesFor } from "./times.ts";

const run = runGroup({ n: 5 });
const { settle, settlings, mostSettlings } = timesFor("lan");
let holder: number;
let [one, other]: number[] = [];

beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  [one, other] = run.alive().filter((node) => node !== holder);
});

const lifeOf = (node: number) => groupStateOf(run, node).life;
/** It hears gossip of membership. */
const gossip = (it: OneMember, from: number, ...members: readonly (readonly unknown[])[]) =>
  it.receive(from, { kind: "members", message: { kind: "gossip", from: lifeOf(from), members } });
const newcomer = (node: number) => [`m${node}`, 1000 + node, 0, String(node), 0, null] as const;
const failed = (node: number) => [`m${node}`, lifeOf(node), 99, String(node), 2, null] as const;
const claims = ({ sent }: OneMember) => sent.filter(({ message }) => message.kind === "claim");

describe("a member that has joined", () => {
  const joining = (changes: object): OneMember => {
    const it = oneMember(run, one);
    Object.assign(it.state, { settled: false }, changes);
    return it;
  };

  test.each([
    [0, true],
    [1, true],
    [settlings - 1, true],
    [settlings, false],
  ])("that has waited %i times waits anew when somebody comes: %s", (already, waits) => {
    const it = joining({ settlings: already });
    gossip(it, other, newcomer(20));
    expect(it.armed.get("settle") ?? null).toEqual(waits ? [settle, 1.5 * settle] : null);
    expect(it.state.settlings).toBe(already + (waits ? 1 : 0));
    if (waits) expect(it.state.sizeBefore).toBe(6);
  });

  test("waits for the first time also where nothing has changed", () => {
    const it = joining({ settlings: 0 });
    gossip(it, other);
    expect(it.armed.get("settle")).toEqual([settle, 1.5 * settle]);
  });

  test.each([
    [600, 37, false],
    [600, 38, true],
  ])("in a group of %i waits on while a sixteenth of it has come in one wait, so for %i: %s", (size, came, waits) => {
    const it = joining({ settlings: 1, sizeBefore: size - came });
    for (let node = 5; node < size; node++) store(it.state.members, known(node), { choose: () => 0 });
    it.expire("settle");
    expect(it.armed.has("settle")).toBe(waits);
  });

  test("does not wait anew where nothing has changed, nor once it has settled", () => {
    const it = joining({ settlings: 1 });
    gossip(it, other);
    expect(it.armed.has("settle")).toBe(false);
    const settled = oneMember(run, one);
    settled.state.settlings = 0;
    gossip(settled, other, newcomer(20));
    expect(settled.armed.has("settle")).toBe(false);
  });

  test.each([
    [32, 1, false],
    [33, 1, true],
    [33, mostSettlings - 1, true],
    [33, mostSettlings, false],
  ])("while %i have come in one wait, after %i waits, waits on: %s", (came, already, waits) => {
    const it = joining({ settlings: already, sizeBefore: 5 - came });
    it.expire("settle");
    expect([it.state.settled, it.armed.has("settle")]).toEqual([!waits, waits]);
  });

  test.each([
    [8, true, 1, false],
    [9, true, 1, true],
    [9, false, 1, false],
    [9, true, mostSettlings - 1, true],
    [9, true, mostSettlings, false],
  ])(
    "that has met %i lately, and whose last comparison differed: %s, after %i waits, waits on: %s",
    (arrivals, differed, already, waits) => {
      const it = joining({ settlings: already, sizeBefore: 5 });
      Object.assign(it.state.members, { arrivals, differed });
      it.expire("settle");
      expect([it.state.settled, it.armed.has("settle")]).toEqual([!waits, waits]);
    },
  );
});

describe("a holder that is gone", () => {
  test("leaves its office vacant: a follower waits for its turn", () => {
    const it = oneMember(run, one);
    gossip(it, other, failed(holder));
    expect(it.state.report.offices.leader.leader).toBeNull();
    expect(it.armed.has("stand/leader")).toBe(true);
    expect(it.events).toContainEqual({ event: "failed", member: `m${holder}` });
  });

  test("is not meant where another member is gone", () => {
    const it = oneMember(run, one);
    gossip(it, holder, failed(other));
    expect(it.state.report.offices.leader.leader).toBe(`m${holder}`);
    expect(it.armed.has("stand/leader")).toBe(false);
  });
});

test.each([
  ["misfit", "it does not fit"],
  ["refusal", "its name is taken"],
])("a holder that is no member (%s) gives up what it holds with the next word of membership", (what, why) => {
  const it = oneMember(run, holder);
  Object.assign(what === "misfit" ? it.state : it.state.members, { [what]: why });
  gossip(it, other);
  expect(it.state.report.offices.leader).toMatchObject({ mine: false, leader: null });
  expect(it.office.claim).toMatchObject({ holder: null, former: `m${holder}` });
});

test("nothing is decided anew where nothing has changed", () => {
  const it = oneMember(run, holder);
  gossip(it, other);
  expect([...it.state.touched]).toEqual([]);
});

describe("somebody who comes", () => {
  test("is told by the holder that it leads, and by nobody else", () => {
    const it = oneMember(run, holder);
    gossip(it, other, newcomer(20));
    expect(claims(it)).toMatchObject([{ to: 20, message: { passes: 0, claim: { holder: `m${holder}` } } }]);
    expect(it.events).toContainEqual({ event: "joined", member: "m20" });
    const follower = oneMember(run, one);
    gossip(follower, other, newcomer(20));
    expect(claims(follower)).toEqual([]);
  });

  test.each([
    [16, 0, 1],
    [17, 0, 0],
    [9, 7, 1],
    [9, 8, 0],
  ])("is not told one by one by a holder of %i offices that applies for %i: %i", (offices, applications, told) => {
    const it = oneMember(run, holder);
    for (let i = 0; i < applications; i++)
      it.state.applications.set(`y${i}`, { claim: { ...it.office.claim! } } as never);
    for (let i = 0; i < applications; i++) it.state.offices.set(`y${i}`, { ...it.office, name: `y${i}`, claim: null });
    for (let i = 1; i < offices; i++) it.state.led.add(`x${i}`);
    for (let i = 1; i < offices; i++) it.state.offices.set(`x${i}`, { ...it.office, name: `x${i}`, claim: null });
    gossip(it, other, newcomer(20));
    expect(claims(it)).toHaveLength(told * (1 + applications));
  });
});

describe("members of other rules", () => {
  const stranger = (node: number) => [`m${node}`, 1000 + node, 0, String(node), 0, { rules: { transport: "tcp" } }];

  test("are reported by a member that has settled, which stays", () => {
    const it = oneMember(run, one);
    gossip(it, other, stranger(20));
    expect(it.events.filter(({ event }) => event === "misfit")).toMatchObject([{ member: "m20" }]);
    expect(it.state).toMatchObject({ misfit: null, members: { phase: "member" } });
    gossip(it, other, newcomer(21));
    expect(it.events.map(({ event }) => event)).not.toContain("misfit");
  });

  test("are joined by nobody who has other rules than most of them: it leaves, and says why", () => {
    const it = oneMember(run, one);
    it.state.settled = false;
    gossip(it, other, ...[20, 21, 22, 23].map(stranger));
    expect(it.state.misfit).toBeNull();
    gossip(it, other, ...[24, 25].map(stranger));
    expect(it.state.misfit).toContain('has the transport "udp"');
    expect(it.state.members.phase).toBe("gone");
    expect(it.state.report).toMatchObject({ refused: it.state.misfit });
    expect(it.sent.some(({ message }) => message.kind === "members")).toBe(true);
  });
});

describe("a member that waits for its turn when the holder goes", () => {
  test.each([
    ["looks again which turn it has", 0, true],
    ["keeps the turn that it was given in a later term", 1, false],
  ])("%s", (_, ahead, looksAgain) => {
    const it = oneMember(run, one);
    Object.assign(it.office, {
      waitingPlace: 7,
      requestedPlace: 7,
      requestedTerm: ahead === 0 ? 0 : it.office.term + 1,
    });
    gossip(it, other, failed(holder));
    expect(it.disarmed.includes("stand/leader")).toBe(looksAgain);
    expect(it.office.waitingPlace === 7).toBe(!looksAgain);
  });
});

test("the invitation of a holder also comes as a note, and is answered with an offer", () => {
  const it = oneMember(run, one);
  const value = { council: "", centre: `m${other}`, life: lifeOf(other), number: 9, wanted: 9, seated: 0 };
  const notes = [[`watch/m${other}`, 9, 0, value]];
  it.receive(other, { kind: "members", message: { kind: "gossip", from: lifeOf(other), notes } });
  expect(it.sent).toMatchObject([{ to: other, message: { kind: "offer" } }]);
});

test("a setting that its holder publishes anew is reported at once, for the offices of that holder", () => {
  const setting = { ...oneMember(run, one).office.setting!, epsilon: 0.25 };
  for (const [node, epsilon] of [
    [holder, 0.25],
    [other, oneMember(run, one).state.report.offices.leader.epsilon],
  ] as const) {
    const it = oneMember(run, one);
    const notes = [[`setting/m${node}`, 99, 0, { life: lifeOf(node), setting }]];
    it.receive(node, { kind: "members", message: { kind: "gossip", from: lifeOf(node), notes } });
    expect(it.state.report.offices.leader.epsilon).toBe(epsilon);
    expect(it.state.touched.size).toBe(0);
  }
});

test("a holder that was declared dead and beats again is told who leads its former offices, and of no others", () => {
  const returns = (former: string, name: string) => {
    const it = oneMember(run, one);
    it.office.former = { name: former, life: 1 };
    it.state.watch.returned.push({ name, life: 1 });
    it.command({ kind: "eligible", eligible: true, office: "unheard" });
    return claims(it).map(({ to, message }) => [to, message.claim?.holder]);
  };
  expect(returns(`m${other}`, `m${other}`)).toEqual([[other, `m${holder}`]]);
  expect([returns(`m${holder}`, `m${other}`), returns("ghost", "ghost")]).toEqual([[], []]);
});
