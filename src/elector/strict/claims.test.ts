/** Claims with leases, one message at a time: what a member keeps, passes on and answers, as follower, applicant and holder. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { type OneMember, oneMember } from "../../../test/support/one-handler.ts";
import { runStrict } from "../../../test/support/strict-run.ts";
import { LAST_NUMBER } from "../order/keeping.ts";
import type { Claim } from "../talk/messages.ts";
import { timesFor } from "../times.ts";
import { unreachableHolder } from "./claims.ts";

const TTL = 2000;
const ENGINE = 4;
const run = runStrict({ n: 4 });
let holder: number;
let [one, other, third]: number[] = [];
let claim: Claim;
let token: number;

beforeAll(() => {
  holder = run.begin();
  [one, other, third] = run.alive().filter((node) => node !== holder && node !== ENGINE);
  claim = oneMember(run, one).office.claim!;
  token = claim.token!;
});

const lifeOf = (node: number) => groupStateOf(run, node).life;
const claims = ({ sent }: OneMember) => sent.filter(({ message }) => message.kind === "claim");
const requests = ({ sent }: OneMember) => sent.filter(({ to }) => to === ENGINE).map(({ message }) => message.kind);
const by = (node: number, changes: Partial<Claim> = {}): Claim => ({
  ...claim,
  holder: `m${node}`,
  life: lifeOf(node),
  invitation: null,
  ...changes,
});
const ended = (changes: Partial<Claim> = {}): Claim =>
  by(holder, { holder: null, former: `m${holder}`, number: LAST_NUMBER, ...changes });
const tell = (it: OneMember, from: number, said: Claim, passes = 0) =>
  it.hear(from, { kind: "claim", claim: said, passes });

/** A member that has won the next term and applies. */
function applicant(node = one): OneMember {
  const it = oneMember(run, node);
  it.hear(other, { kind: "term", office: "leader", term: claim.term + 1 });
  it.office.hasWon = true;
  it.expire("stand/leader");
  expect(it.state.applications.has("leader")).toBe(true);
  return it;
}

/** Its lease store says that somebody has the lease. */
function denied(it: OneMember, node: number, changes: object = {}): void {
  const { attempt } = it.state.lease!.seats.get("leader") as { attempt: { id: number; lease: string } };
  const { id, lease } = attempt;
  const has = { name: `m${node}`, life: lifeOf(node), token, lease: "x", frozen: false, ...changes };
  it.receive(ENGINE, {
    kind: "denied",
    to: it.state.life,
    id,
    seat: "leader",
    lease,
    why: "held",
    holder: has,
    wait: 900,
    token,
  });
}

describe("a claim with a token", () => {
  test.each([
    ["larger", { token: 1 }, true],
    ["equal, with a larger number", { number: 1 }, true],
    ["equal, with an equal number", {}, false],
    ["smaller, with a larger number", { token: -1, number: 9 }, false],
  ])(
    "that is %s is kept and passed on, or is not (%j: %s)",
    (_, { token: more = 0, number = 0 }: Partial<Claim>, isNew) => {
      const it = oneMember(run, one);
      const said = { ...claim, token: token + more, number: claim.number + number };
      tell(it, third, said, 1);
      expect(it.office.claim === claim || it.office.claim?.token === token + Math.max(0, more)).toBe(true);
      expect(it.office.claim?.number).toBe(isNew ? said.number : claim.number);
      expect(claims(it).filter(({ message }) => message.passes === 1)).toHaveLength(isNew ? 3 : 0);
      expect(it.state.kept.tokens!.leader).toBe(token + Math.max(0, more));
    },
  );

  test("that is old is answered with what is known; what is known already is not answered", () => {
    const it = oneMember(run, one);
    tell(it, other, by(other, { token: token - 1 }));
    expect(claims(it)).toMatchObject([{ to: other, message: { claim: { token } } }]);
    tell(it, other, claim);
    expect(it.sent).toEqual([]);
  });

  test("of a term that is over counts by its token, and does not bring the term back", () => {
    const it = oneMember(run, one);
    it.hear(other, { kind: "term", office: "leader", term: claim.term + 3 });
    tell(it, other, by(other, { token: token + 5 }));
    expect(it.office).toMatchObject({ term: claim.term + 3, claim: { holder: `m${other}`, token: token + 5 } });
  });

  test("without a token comes from a group without leases, and is not heard", () => {
    const it = oneMember(run, one);
    const { token: _, ...bare } = by(other, { term: claim.term + 1 });
    tell(it, other, bare, 1);
    expect([it.office.term, it.sent]).toEqual([claim.term, []]);
  });

  test("in this member's name that it never said is ended for everybody by a follower; a holder asks for a larger token", () => {
    const it = oneMember(run, one);
    tell(it, other, by(one, { token: token + 5 }));
    expect(it.office.claim).toMatchObject({ holder: null, token: token + 5, number: claim.number + 1 });
    expect(
      claims(it)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([holder, other, third].sort());
    const leader = oneMember(run, holder);
    tell(leader, other, by(holder, { token: token + 5 }));
    expect(leader.office.claim?.token).toBe(token);
    expect(requests(leader)).toContain("release");
  });

  test("of this member's that it never said is passed on by nobody", () => {
    const it = oneMember(run, one);
    tell(it, other, by(one, { token: token + 5 }), 1);
    expect(claims(it).filter(({ message }) => message.passes === 1)).toEqual([]);
  });

  test("that is newer has to be told of later terms again", () => {
    const it = oneMember(run, one);
    it.office.toldTerm = true;
    tell(it, other, by(other, { token: token + 1 }));
    expect(it.office.toldTerm).toBe(false);
  });

  test("of somebody else ends the work of a holder with a smaller one", () => {
    const it = oneMember(run, holder);
    tell(it, other, by(other, { token: token + 1 }));
    expect(it.state.report.offices.leader).toMatchObject({ mine: false, leader: `m${other}` });
    expect(requests(it)).toContain("release");
  });
});

describe("the end of a token", () => {
  test("makes the member that it names the heir, which applies at once in the next term", () => {
    const it = oneMember(run, one);
    tell(it, holder, ended({ heir: `m${one}` }));
    expect(it.office).toMatchObject({ term: claim.term + 1, isHeir: false, joinedTerm: claim.term + 1 });
    expect(requests(it)).toEqual(["acquire"]);
    expect(it.state.applications.has("leader")).toBe(true);
  });

  test("of which a restarted member hears when it has seen later tokens makes it no heir", () => {
    const it = oneMember(run, one);
    Object.assign(it.office, { claim: null });
    it.state.kept = { ...it.state.kept, tokens: { leader: token + 1 } };
    tell(it, holder, ended({ heir: `m${one}` }));
    expect([it.office.isHeir, requests(it)]).toEqual([false, []]);
  });

  test("leaves an office without a leader, and nobody is called unreachable", () => {
    const it = oneMember(run, one);
    tell(it, holder, ended());
    expect(it.state.report.offices.leader).toMatchObject({ leader: null, token: null, unreachable: false });
  });

  test("makes nobody else the heir, and an heir that cannot lead asks others to stand and gives back what it gets", () => {
    const it = oneMember(run, one);
    tell(it, holder, ended({ heir: `m${other}` }));
    expect([it.office.term, requests(it)]).toEqual([claim.term, []]);
    const unwilling = oneMember(run, one);
    unwilling.office.wanted = false;
    tell(unwilling, holder, ended({ heir: `m${one}` }));
    expect(requests(unwilling)).toEqual(["acquire"]);
    expect(unwilling.state.lease!.seats.has("leader")).toBe(false);
    expect(unwilling.state.applications.size).toBe(0);
    const asked = unwilling.sent.filter(({ message }) => message.kind === "stand");
    expect(asked.map(({ to }) => to)).not.toContain(one);
    expect(asked.length).toBeGreaterThan(0);
  });

  test("lets an applicant that it kept waiting ask again at once, once", () => {
    const it = applicant();
    denied(it, holder);
    expect(requests(it)).toEqual([]);
    tell(it, holder, ended());
    expect(requests(it)).toEqual(["acquire"]);
    expect(it.state.applications.get("leader")).toMatchObject({ denial: "", isDenialLifted: false });
  });
});

describe("a claim and an election of its term or a later one", () => {
  /** In an election of the term after the next one, or of the one that a claim of `ahead` is of. */
  function electing(): OneMember {
    const it = oneMember(run, one);
    it.hear(other, { kind: "term", office: "leader", term: claim.term + 2 });
    it.office.election = { term: claim.term + 2, generation: 77, id: 1, waits: {} } as never;
    return it;
  }
  const unknown = { holder: "m99", life: 999 };

  test.each<readonly [string, Partial<Claim>, boolean]>([
    ["of an earlier term, by a live holder, ends it", { term: 1 }, true],
    ["of an earlier term, by a holder that is not known, does not", { term: 1, ...unknown }, false],
    ["of that term, by a holder that is not known, ends it", { term: 2, ...unknown }, true],
  ])("one %s", (_, changes, ends) => {
    const it = electing();
    tell(it, third, by(other, { token: token + 5, ...changes, term: claim.term + changes.term! }));
    expect(it.office.claim).toMatchObject({ token: token + 5 });
    expect(it.office.election === null).toBe(ends);
  });

  test("the end of a term takes a request for that very term back, and leaves one for a later term", () => {
    for (const [ahead, left] of [
      [0, 0],
      [1, claim.term + 1],
    ]) {
      const it = oneMember(run, one);
      Object.assign(it.office, { requestedTerm: claim.term + ahead, waitingPlace: 0 });
      tell(it, holder, ended());
      expect(it.office.requestedTerm).toBe(left);
    }
  });
});

describe("an applicant", () => {
  test("is known to all, and asks the lease store once", () => {
    const it = applicant();
    expect(requests(it)).toEqual(["acquire"]);
    const told = claims(it);
    expect(told.map(({ to }) => to).sort()).toEqual([holder, other, third].sort());
    expect(told[0].message.claim).toMatchObject({ token: 0, term: claim.term + 1, holder: `m${one}` });
    expect(it.events).toContainEqual({ event: "requesting", office: "leader", term: claim.term + 1 });
    expect(it.armed.get("patience/leader")).toEqual([2 * TTL, 2 * TTL]);
  });

  test.each([
    [0, 1],
    [3, 8],
    [9, 64],
  ])("after %i withdrawals of others waits %i times as long", (withdrawals, times) => {
    const it = oneMember(run, one);
    it.office.withdrawals = withdrawals;
    it.office.hasWon = true;
    it.expire("stand/leader");
    expect(it.armed.get("patience/leader")).toEqual([2 * TTL * times, 2 * TTL * times]);
  });

  test("that the lease store has not answered for long withdraws and asks others to stand; otherwise it waits on", () => {
    const it = applicant();
    it.state.lease!.engine = "answers";
    it.expire("patience/leader");
    expect(it.state.applications.has("leader")).toBe(true);
    expect(it.armed.has("patience/leader")).toBe(true);
    it.state.lease!.engine = "silent";
    it.expire("patience/leader");
    expect(it.state.applications.has("leader")).toBe(false);
    expect(it.office.applicant).toMatchObject({ holder: null, former: `m${one}`, number: 1 });
    expect(it.office.withdrawals).toBe(1);
    expect(it.sent.map(({ message }) => message.kind)).toContain("stand");
  });

  test("yields to a holder that says itself that it leads; not to one of which others say so", () => {
    const it = applicant();
    tell(it, third, claim);
    expect(it.state.applications.has("leader")).toBe(true);
    tell(it, holder, claim);
    expect(it.state.applications.has("leader")).toBe(false);
    expect(it.office.applicant).toBeNull();
  });

  test("that is told who has the lease asks that member; of one that cannot be reached it tells everybody, once", () => {
    const it = applicant();
    denied(it, holder);
    expect(it.sent).toMatchObject([{ to: holder, message: { kind: "who" } }]);
    expect(it.events.map(({ event }) => event)).toContain("denied");
    const gone = applicant();
    denied(gone, holder, { life: 999 });
    const behind = { holder: `m${holder}`, life: 999, token };
    expect(claims(gone).map(({ message }) => message.claim?.behind)).toEqual([behind, behind, behind]);
    expect(gone.office.applicant).toMatchObject({ number: 1, behind });
    expect(requests(gone)).not.toContain("freeze");
  });

  test("of a term that is settled, or that leads already, is told so", () => {
    const it = oneMember(run, one);
    tell(it, other, by(other, { token: 0 }));
    expect(it.office.applicant).toBeNull();
    expect(claims(it)).toMatchObject([{ to: other, message: { claim: { token } } }]);
    const leader = oneMember(run, holder);
    tell(leader, other, by(other, { token: 0, term: claim.term + 1 }));
    expect(leader.office).toMatchObject({ applicant: null, term: claim.term + 1 });
    expect(claims(leader).filter(({ to }) => to === other).length).toBeGreaterThan(0);
  });

  test("of which others say that it is this member, which does not apply, is withdrawn by gossip", () => {
    const it = oneMember(run, one);
    tell(it, other, by(one, { token: 0, term: claim.term + 1 }), 1);
    expect([it.office.applicant, claims(it)]).toEqual([null, []]);
    expect(it.state.members.notes.get("asker/leader")).toMatchObject({ order: [claim.term + 1, claim.number + 1] });
    expect(it.state.members.rumours.has("nasker/leader")).toBe(true);
  });

  test("of a term that is over is none; one of the present term ends its election", () => {
    const late = oneMember(run, one);
    late.hear(other, { kind: "term", office: "leader", term: claim.term + 2 });
    tell(late, other, by(other, { token: 0, term: claim.term + 1 }));
    expect(late.office.applicant).toBeNull();
    const it = oneMember(run, one);
    it.hear(other, { kind: "term", office: "leader", term: claim.term + 1 });
    it.office.election = { term: claim.term + 1, generation: 77, id: 1, waits: {} } as never;
    tell(it, other, by(other, { token: 0, term: claim.term + 1 }));
    expect(it.office).toMatchObject({ applicant: { holder: `m${other}` }, election: null });
  });

  test("that is heard first is kept while it lives, by the larger number of what it says; its withdrawal counts", () => {
    const it = oneMember(run, one);
    const next = { token: 0, term: claim.term + 1 };
    tell(it, other, by(other, next), 1);
    expect(claims(it).filter(({ message }) => message.passes === 1)).toHaveLength(3);
    expect(it.state.report.offices.leader).toMatchObject({ leader: `m${holder}` });
    tell(it, third, by(third, next), 1);
    expect(it.office.applicant?.holder).toBe(`m${other}`);
    tell(it, other, by(other, { ...next, number: 2 }));
    tell(it, other, by(other, { ...next, number: 2 }));
    expect(it.sent).toEqual([]);
    tell(it, other, by(other, { ...next, number: 1 }));
    expect(claims(it).map(({ message }) => message.claim?.number)).toContain(2);
    tell(it, other, by(other, { ...next, number: 3, holder: null, former: `m${other}` }));
    expect(it.office).toMatchObject({ applicant: { holder: null, number: 3 }, withdrawals: 1 });
    expect(it.office.former).toEqual({ name: `m${other}`, life: lifeOf(other) });
    tell(it, third, by(third, next));
    expect(it.office.applicant?.holder).toBe(`m${third}`);
  });
});

describe("a member that waits for an applicant", () => {
  const { unknown } = timesFor("lan");
  const wait = [unknown + TTL, 2 * (unknown + TTL)];
  const waiting = () => {
    const it = oneMember(run, one);
    tell(it, holder, ended());
    tell(it, other, by(other, { token: 0, term: claim.term + 1 }));
    return it;
  };

  test("asks it after a while, again and again", () => {
    const it = waiting();
    for (let times = 0; times < 3; times++) {
      expect(it.armed.get("applicant/leader")).toEqual(wait);
      it.expire("applicant/leader");
      expect(it.sent).toMatchObject([{ to: other, message: { kind: "who", term: claim.term + 1 } }]);
    }
  });

  test("asks nobody when that one leads, or has withdrawn; an applicant does not ask itself", () => {
    const led = waiting();
    tell(led, other, by(other, { token: token + 1, term: claim.term + 1 }));
    const withdrawn = waiting();
    tell(withdrawn, other, by(other, { token: 0, term: claim.term + 1, number: 1, holder: null, former: `m${other}` }));
    for (const it of [led, withdrawn]) {
      it.expire("applicant/leader");
      expect(it.sent.filter(({ message }) => message.kind === "who")).toEqual([]);
      expect(it.armed.has("applicant/leader")).toBe(false);
    }
    expect(applicant().armed.has("applicant/leader")).toBe(false);
  });

  test("is told by it who leads", () => {
    const it = oneMember(run, holder);
    it.hear(one, { kind: "who", office: "leader", term: claim.term });
    expect(claims(it)).toMatchObject([{ to: one, message: { claim: { holder: `m${holder}`, token } } }]);
  });
});

describe("an application", () => {
  test("that ends by a withdrawal is over for everybody, and its patience too", () => {
    const it = applicant();
    it.state.lease!.engine = "silent";
    it.expire("patience/leader");
    const over = { token: 0, holder: null, former: `m${one}`, number: 1 };
    expect(
      claims(it)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([holder, other, third].sort());
    for (const { message } of claims(it)) expect(message.claim).toMatchObject(over);
    expect(it.disarmed).toContain("patience/leader");
    expect(it.state.members.notes.get("asker/leader")?.order).toEqual([claim.term + 1, 1]);
    expect(it.state.members.rumours.has("nasker/leader")).toBe(true);
    expect(it.state.lease!.seats.has("leader")).toBe(false);
  });

  test("that yields is over by gossip alone", () => {
    const it = applicant();
    tell(it, holder, claim);
    expect(claims(it).filter(({ message }) => message.claim?.token === 0)).toEqual([]);
    expect(it.disarmed).toContain("patience/leader");
    expect(it.state.members.notes.get("asker/leader")?.order).toEqual([claim.term + 1, 1]);
    expect(it.state.members.rumours.has("nasker/leader")).toBe(true);
    expect(it.state.lease!.seats.has("leader")).toBe(false);
  });

  test.each([
    [{}, "", "m9 has the lease"],
    [{}, "other", "m9 has the lease"],
    [{}, "x", "m9 has the lease, which cannot be cut short: m9 was started without preemptible"],
    [{ frozen: true }, "x", "m9 has the lease"],
  ])("that is denied says why: holder %j where lease %j cannot be cut short", (changes, spared, why) => {
    const it = applicant();
    it.state.applications.get("leader")!.spared = spared;
    denied(it, holder, { name: "m9", life: 999, ...changes });
    const said = it.events.filter(({ event }) => event === "denied");
    expect(said).toEqual([{ event: "denied", office: "leader", term: claim.term + 1, why }]);
  });

  test.each([
    [true, 999, ["freeze"]],
    [true, 0, []],
    [false, 999, []],
  ])(
    "where leases can be cut short (%s) does so for a holder of life %i, if that cannot be reached",
    (preemptible, life, said) => {
      const it = applicant();
      const { params } = it.state;
      Object.assign(it.state, { params: { ...params, lease: { ...params.lease!, preemptible } } });
      denied(it, holder, life === 0 ? {} : { life });
      expect(requests(it)).toEqual(said);
    },
  );
});

test("a claim that a member said itself is no rumour: all were told; one that came as a note is", () => {
  const next = by(other, { token: token + 1 });
  const told = oneMember(run, one);
  told.state.members.rumours.clear();
  tell(told, other, next);
  expect(told.state.members.rumours.has("noffice/leader")).toBe(false);
  expect(told.state.members.notes.get("office/leader")?.order).toEqual([token + 1, next.number]);
  expect(claims(told)).toEqual([]);
  const it = oneMember(run, one);
  const { term, number, holder: name, life, former, heir } = next;
  const note = ["office/leader", token + 1, number, [name, life, former, heir, term]] as const;
  it.receive(other, { kind: "members", message: { kind: "gossip", from: lifeOf(other), notes: [note] } });
  expect(it.office.claim).toMatchObject({ holder: `m${other}`, token: token + 1 });
  expect(it.state.members.rumours.get("noffice/leader")).toBe(0);
});

describe("a term in which nobody has won", () => {
  test("is the holder's too, and it says so; a follower tells the holder, and not again before a while", () => {
    const leader = oneMember(run, holder);
    leader.hear(other, { kind: "term", office: "leader", term: claim.term + 1 });
    expect(leader.office.claim).toMatchObject({ term: claim.term + 1, number: claim.number + 1, token });
    expect(claims(leader)).toHaveLength(3);
    const it = oneMember(run, one);
    it.hear(other, { kind: "term", office: "leader", term: claim.term + 1 });
    expect(it.sent).toMatchObject([{ to: holder, message: { kind: "term", term: claim.term + 1 } }]);
    const { review } = timesFor("lan");
    expect(it.armed.get("tell/leader")).toEqual([review, review]);
    it.command({ kind: "eligible", eligible: true, office: "leader" });
    expect(it.sent).toEqual([]);
    it.expire("tell/leader");
    expect(it.sent).toMatchObject([{ to: holder, message: { kind: "term" } }]);
  });
});

test.each<readonly [string, Partial<Claim> | null, boolean]>([
  ["nobody", null, true],
  ["a smaller token", { token: 6 }, true],
  ["that token, held", { token: 7 }, true],
  ["that token, ended", { token: 7, holder: null }, false],
  ["a larger token", { token: 8 }, false],
])("a holder that an applicant names counts while %s is known", (_, known, counts) => {
  const behind = { holder: "m9", life: 9, token: 7 };
  const office = { applicant: { ...claim, token: 0, behind }, claim: known && { ...claim, ...known } };
  expect(unreachableHolder(office as never)).toEqual(counts ? behind : null);
  expect(unreachableHolder({ ...office, applicant: { ...office.applicant, holder: null } } as never)).toBeNull();
});

test("a guard's token is saved; only a holder with a smaller one replaces its own", () => {
  const commanded = (node: number, seen: number) => {
    const it = oneMember(run, node);
    it.command({ kind: "floor", office: "leader", token: seen });
    expect(it.state.kept.tokens!.leader).toBe(Math.max(seen, token));
    return requests(it);
  };
  expect(commanded(holder, token + 1)).toEqual(["release"]);
  expect(commanded(holder, token)).toEqual([]);
  expect(commanded(one, token + 1)).toEqual([]);
});

describe("a request to stand", () => {
  const asks = (it: OneMember, over: number) => {
    const { setting } = it.office;
    it.hear(third, { kind: "stand", office: "leader", term: claim.term + 2, position: 0, setting: setting!, over });
    return it.office.requestedTerm;
  };
  const awaiting = () => {
    const it = oneMember(run, one);
    tell(it, holder, ended());
    tell(it, other, by(other, { token: 0, term: claim.term + 1 }));
    return it;
  };

  test("because an applicant is gone is followed where that is the one that is known, and answered where it is another", () => {
    expect(asks(awaiting(), lifeOf(other))).toBe(claim.term + 2);
    const it = awaiting();
    expect(asks(it, lifeOf(holder))).toBe(0);
    expect(claims(it)).toMatchObject(it.sent.map(() => ({ to: third })));
    expect(it.sent.length).toBeGreaterThan(0);
  });

  test("is not followed by the applicant itself", () => {
    const it = applicant();
    asks(it, it.state.life);
    expect(it.office.requestedTerm).toBe(0);
  });

  test("is not followed by a member that does not want the office", () => {
    const it = oneMember(run, one);
    tell(it, holder, ended());
    it.office.wanted = false;
    expect(asks(it, lifeOf(holder))).toBe(0);
  });
});

test("a holder that hears of an election of a later term leads in that term, and takes no part", () => {
  const it = oneMember(run, holder);
  const { setting } = oneMember(run, one).office;
  it.hear(other, { kind: "open", office: "leader", term: claim.term + 1, id: 1, setting: setting! });
  expect(it.office).toMatchObject({ term: claim.term + 1, election: null, claim: { term: claim.term + 1, token } });
  expect(it.state.report.offices.leader.mine).toBe(true);
});

describe("a grant", () => {
  const grant = (it: OneMember, of: number) => {
    const { attempt } = it.state.lease!.seats.get("leader") as { attempt: { id: number; lease: string } };
    const { id, lease } = attempt;
    it.receive(ENGINE, { kind: "granted", to: it.state.life, id, seat: "leader", lease, token: of });
  };

  test("makes an applicant the leader, and ends its patience; the tries of others are forgotten", () => {
    const it = applicant();
    it.office.withdrawals = 3;
    grant(it, token + 1);
    expect(it.state.report.offices.leader).toMatchObject({ mine: true, token: token + 1 });
    expect(it.disarmed).toContain("patience/leader");
    expect(it.office).toMatchObject({ withdrawals: 0, applicant: null });
    expect([it.state.applications.size, it.state.kept.tokens!.leader]).toEqual([0, token + 1]);
  });

  test("of a token that is not newer is given back, and the application with it", () => {
    for (const older of [token, token - 1]) {
      const it = applicant();
      grant(it, older);
      expect(it.state.report.offices.leader.mine).toBe(false);
      expect(requests(it)).toContain("release");
      expect(it.state.applications.size).toBe(0);
      expect(it.sent.map(({ message }) => message.kind)).toContain("stand");
    }
  });
});

test.each([
  ["lives and stands is", 1, true],
  ["does not stand is not", 0, false],
  ["is not known is not", null, false],
])("a member that %s the heir that a holder names", (_, weight, follows) => {
  const it = oneMember(run, holder);
  const name = weight === null ? "m99" : `m${one}`;
  if (weight !== null) {
    const member = it.state.members.members.get(name)!;
    it.state.members.members.set(name, { ...member, meta: { weight } });
  }
  it.command({ kind: "transfer", office: "leader", to: name });
  expect(it.state.endings.get("leader")).toBe(follows ? name : null);
});

test("a newer holder takes the resignation of a former one back", () => {
  const it = oneMember(run, holder);
  it.command({ kind: "resign", office: "leader" });
  expect(it.state.endings.has("leader")).toBe(true);
  tell(it, other, by(other, { token: token + 1 }));
  expect([it.state.endings.has("leader"), it.office.resigns]).toEqual([false, null]);
});
