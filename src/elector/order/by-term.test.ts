/** Claims without leases, one message at a time: what a follower keeps, passes on and answers. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import { type OneMember, oneMember } from "../../../test/support/one-handler.ts";
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
    expect(it.state.members.notes.get("office/leader")?.order).toEqual([claim.term, LAST_NUMBER]);
    expect(it.state.report.offices.leader.leader).toBeNull();
  });

  test("the holder that hears of the other tells everybody, and leads no longer", () => {
    const it = oneMember(run, holder);
    it.hear(other, { kind: "claim", claim: by(other), passes: 0 });
    expect(it.state.report.offices.leader.mine).toBe(false);
    const told = claims(it).filter(({ message }) => message.claim!.number === LAST_NUMBER);
    expect(told.map(({ to }) => to).sort()).toEqual([follower, other, third].sort());
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
