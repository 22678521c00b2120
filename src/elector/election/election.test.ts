/** Elections, one message or timer at a time: which of two a member takes part in, how lists of rings are agreed on, and how they end. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../../test/support/elector-run.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import { known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { type OneMember, oneMember } from "../../../test/support/one-handler.ts";
import "../../registry/all.ts";
import { store } from "../../protocols/membership/view.ts";
import { newOffice, type Turn } from "../state.ts";
import { LONGEST_LIST } from "../talk/accepts.ts";
import type { ElectionSetting, ElectorMessage } from "../talk/messages.ts";
import { timesFor } from "../times.ts";
import { electionId } from "./election.ts";
import { openList } from "./lists.ts";

type Run = ReturnType<typeof runGroup>;
type Of<K> = Extract<ElectorMessage, { readonly kind: K }>;

const { tau, election: least } = timesFor("lan");

interface Scene {
  readonly run: Run;
  readonly holder: number;
  /** All but the holder. */
  readonly others: readonly number[];
  readonly term: number;
}

function scene(n: number, protocol = "auto"): Scene {
  const run = runGroup({ n, params: { protocol } });
  run.settle(10_000);
  run.pass(3000);
  const holder = run.agreed()!;
  const others = run.alive().filter((node) => node !== holder);
  return { run, holder, others, term: run.office(holder)!.term };
}

/** A copy of this member, which opens the next term. */
function opener({ run, holder, others, term }: Scene, node: number, given?: ElectionSetting): OneMember {
  const it = oneMember(run, node);
  const other = others.find((each) => each !== node)!;
  const setting = given ?? it.office.setting!;
  it.office.setting = setting;
  // What the holder has published comes first.
  it.state.members.notes.delete(`setting/m${holder}`);
  const over = groupStateOf(run, holder).life;
  it.hear(other, { kind: "stand", office: "leader", term: term + 1, position: 0, setting, over });
  it.expire("stand/leader");
  return it;
}

const saidTo = (it: OneMember, node: number, kind: string) =>
  it.sent.filter(({ to, message }) => to === node && message.kind === kind).map(({ message }) => message as never);

describe("two elections of one term", () => {
  let it: Scene;
  let [low, high]: ElectionSetting[] = [];
  beforeAll(() => {
    it = scene(4);
    const { setting } = oneMember(it.run, it.others[0]).office as { setting: ElectionSetting };
    const settings = [1, 2].map((epsilon) => ({ ...setting, epsilon }));
    const id = (each: ElectionSetting) => electionId("leader", it.term + 1, each);
    [low, high] = settings.sort((a, b) => id(a) - id(b));
  });

  const opening = (setting: ElectionSetting) =>
    ({
      kind: "open",
      office: "leader",
      term: it.term + 1,
      id: electionId("leader", it.term + 1, setting),
      setting,
    }) as const;
  /** What a candidate of that election asks this member. */
  const asking = (setting: ElectionSetting, from: number, to: number): Of<"child"> => {
    const { office, state, ...candidate } = opener(it, from);
    expect(candidate.sent.length).toBeGreaterThan(0);
    const [message] = saidTo({ office, state, ...candidate }, to, "child") as Of<"child">[];
    return { ...message, ...opening(setting), kind: "child" };
  };

  test("a member that has answered nobody goes over to the one with the smaller id, and back to no other", () => {
    const [a, b, c] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, opening(high));
    expect(member.office.election).toMatchObject({ setting: high, answered: false, stands: false });
    member.hear(c, opening(low));
    expect(member.office.election).toMatchObject({ setting: low });
    member.hear(b, opening(high));
    expect(member.office.election).toMatchObject({ setting: low });
  });

  test("a member that has answered a candidate stays, and tells no other candidate to come over", () => {
    const [a, b, c] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, asking(high, b, a));
    member.expire([...member.armed.keys()].find((timer) => timer.endsWith("/window"))!);
    expect(saidTo(member, b, "child")).toHaveLength(1);
    expect(member.office.election).toMatchObject({ setting: high, answered: true });
    member.hear(c, asking(low, c, a));
    expect(member.office.election).toMatchObject({ setting: high });
    expect(member.sent).toEqual([]);
  });

  test("a candidate of the one with the larger id is told of the other by each that it asks", () => {
    const [a, b, c] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, opening(low));
    member.hear(c, asking(high, c, a));
    expect(member.sent).toMatchObject([{ to: c, message: { kind: "open", setting: low } }]);
    member.hear(c, opening(high));
    expect(member.sent).toEqual([]);
  });

  test("a candidate that nobody has answered takes its candidacy along", () => {
    const [a, b] = it.others;
    const member = opener(it, a, high);
    expect(member.office.election).toMatchObject({ setting: high, stands: true, answered: false });
    member.hear(b, opening(low));
    expect(member.office.election).toMatchObject({ setting: low, stands: true });
  });

  test("a term in which this member took part before is not joined again", () => {
    const [a, b] = it.others;
    const member = oneMember(it.run, a);
    member.office.joinedTerm = it.term + 1;
    member.hear(b, opening(low));
    expect(member.office.election).toBeNull();
  });

  test("of the present term, which was won, its holder says nothing and all others say who leads", () => {
    const [a, b] = it.others;
    const old = { ...opening(low), term: it.term };
    const member = oneMember(it.run, a);
    member.hear(b, old);
    expect(saidTo(member, b, "claim")).toHaveLength(1);
    const leader = oneMember(it.run, it.holder);
    leader.hear(b, old);
    expect(leader.sent).toEqual([]);
    leader.hear(b, { ...old, term: it.term - 1 });
    expect(saidTo(leader, b, "claim")).toHaveLength(1);
    expect(leader.office.election).toBeNull();
  });

  test("of a setting that this member cannot follow has failed at once: the member tries again later", () => {
    const [a, b] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, opening({ ...low, protocol: "of-a-later-version" }));
    expect(member.office).toMatchObject({ election: null, failedTries: 1, joinedTerm: it.term + 1 });
    expect(member.armed.has("stand/leader")).toBe(true);
  });

  test("takes a request for its own term back, and leaves one for a later term", () => {
    const [a, b] = it.others;
    for (const [ahead, left] of [
      [1, 0],
      [2, it.term + 2],
    ]) {
      const member = oneMember(it.run, a);
      member.office.requestedTerm = it.term + ahead;
      member.hear(b, { kind: "term", office: "leader", term: it.term + 1 });
      expect(member.office.requestedTerm).toBe(left);
    }
  });

  test("counts a member that it did not know when it began, once", () => {
    const [a, b, c] = it.others;
    const member = oneMember(it.run, a);
    const { live } = member.state.members;
    const place = live.findIndex(({ name }) => name === `m${c}`);
    const [late] = live.splice(place, 1);
    member.hear(b, opening(low));
    live.splice(place, 0, late);
    const { election } = member.office;
    expect(election!.names).toEqual([`m${b}`]);
    for (let times = 0; times < 2; times++) {
      member.hear(c, asking(low, c, a));
      expect(election).toMatchObject({ names: [`m${b}`, `m${c}`] });
      expect([election!.ids.length, election!.ports.get(`m${c}`)]).toEqual([2, 1]);
    }
  });

  test("that is over hears no timer any more, and one that has no list no list", () => {
    const [a, b] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, opening(low));
    const { election } = member.office;
    const child = election!.child;
    member.expire(`election#${election!.generation + 1}/window`);
    const { id, term, setting } = election!;
    member.hear(b, { kind: "list", office: "leader", term, id, setting, lives: [1, 2], final: true });
    member.hear(b, { kind: "listed", office: "leader", term, id });
    expect([member.sent, member.office.election === election, election!.child === child]).toEqual([[], true, true]);
  });

  test("whose time is over without a winner has failed: the member tries again later", () => {
    const [a, b] = it.others;
    const member = oneMember(it.run, a);
    member.hear(b, opening(low));
    expect(member.armed.get("overdue/leader")).toEqual([least, least]);
    const { waits } = member.office.election!;
    waits.round = { sum: 70, count: 1 };
    const needed = Object.values(waits).reduce((sum, each) => sum + each.sum, 0);
    member.expire("overdue/leader");
    expect(member.armed.get("overdue/leader")).toEqual([needed, needed]);
    expect(member.office.failedTries).toBe(0);
    member.expire("overdue/leader");
    expect(member.office).toMatchObject({ election: null, failedTries: 1 });
    expect(member.state.running.size).toBe(0);
    member.expire("overdue/leader");
    expect(member.office.failedTries).toBe(1);
  });
});

describe("the list of a ring", () => {
  let it: Scene;
  beforeAll(() => {
    it = scene(5, "chang-roberts");
  });

  const lists = (member: OneMember) => member.sent.filter(({ message }) => message.kind === "list");
  const about = (member: OneMember) => {
    const { term, id } = member.office.election!;
    return { office: "leader", term, id };
  };

  test("goes to all others at first, and the ring begins when all of them have it", () => {
    const [a, ...rest] = it.others;
    const member = opener(it, a);
    expect(
      lists(member)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([...rest].sort());
    expect(lists(member).map(({ message }) => (message as Of<"list">).final)).toEqual([false, false, false]);
    expect(member.armed.get("list/leader")).toEqual([2 * tau, 2 * tau]);
    for (const [i, node] of rest.entries()) {
      expect(member.office.election!.list!.final).toBe(false);
      member.hear(node, { kind: "listed", ...about(member) });
      if (i < rest.length - 1) expect(member.sent).toEqual([]);
    }
    const { list } = member.office.election!;
    expect(list).toMatchObject({ final: true });
    expect(list!.lives).toHaveLength(4);
    expect(lists(member).map(({ message }) => (message as Of<"list">).final)).toEqual([true, true, true]);
    expect(member.disarmed).toContain("list/leader");
  });

  test("that is overdue is repeated to those who are silent, three times in all; then the others are the ring", () => {
    const [a, heard, ...silent] = it.others;
    const member = opener(it, a);
    member.hear(heard, { kind: "listed", ...about(member) });
    for (let tries = 2; tries <= 3; tries++) {
      member.expire("list/leader");
      expect(
        lists(member)
          .map(({ to }) => to)
          .sort(),
      ).toEqual([...silent].sort());
      expect(member.office.election!.list).toMatchObject({ final: false, tries });
      expect(member.armed.has("list/leader")).toBe(true);
    }
    member.expire("list/leader");
    const { list } = member.office.election!;
    expect(list).toMatchObject({ final: true });
    expect(lists(member).map(({ to }) => to)).toEqual([heard]);
    member.expire("list/leader");
    expect(member.sent).toEqual([]);
    // Its final list was lost.
    member.hear(heard, { kind: "listed", ...about(member) });
    expect(lists(member)).toMatchObject([{ to: heard, message: { final: true } }]);
    member.hear(silent[0], { kind: "listed", ...about(member) });
    expect(member.sent).toEqual([]);
  });

  test("is acknowledged until the final one comes, and only from its opener is it heard", () => {
    const [a, b, c] = it.others;
    const first = opener(it, a);
    const list = saidTo(first, b, "list")[0] as Of<"list">;
    const member = oneMember(it.run, b);
    member.hear(a, list);
    expect(saidTo(member, a, "listed")).not.toEqual([]);
    for (let again = 0; again < 5; again++) {
      member.expire("list/leader");
      expect(member.sent).toMatchObject([{ to: a, message: { kind: "listed" } }]);
    }
    member.hear(c, { ...list, final: true });
    expect(member.office.election!.list).toMatchObject({ final: false, opener: `m${a}` });
    member.hear(a, { ...list, final: true });
    expect(member.office.election!.list).toMatchObject({ final: true, lives: list.lives });
    expect(member.office.election!.child).not.toBeNull();
    member.expire("list/leader");
    expect(member.sent.filter(({ message }) => message.kind === "listed")).toEqual([]);
  });

  test("that comes again is acknowledged again; a final one that comes again does not begin the ring anew", () => {
    const [a, b] = it.others;
    const list = saidTo(opener(it, a), b, "list")[0] as Of<"list">;
    const member = oneMember(it.run, b);
    for (let times = 0; times < 2; times++) {
      member.hear(a, list);
      expect(saidTo(member, a, "listed").length).toBeGreaterThan(0);
    }
    member.hear(a, { ...list, final: true });
    const { child } = member.office.election!;
    member.hear(a, { ...list, final: true, lives: [...list.lives].reverse() });
    expect(member.office.election!.child).toBe(child);
    expect(member.office.election!.list!.lives).toEqual(list.lives);
    const claim = { ...oneMember(it.run, b).office.claim!, term: it.term + 1 };
    member.hear(it.holder, { kind: "claim", claim, passes: 0 });
    expect(member.office.election).toBeNull();
    expect(member.disarmed).toEqual(expect.arrayContaining(["overdue/leader", "list/leader"]));
  });

  test("is the ring on which a message comes by the port that it names, from the member behind that port, and not without one", () => {
    const [a, ...rest] = it.others;
    const first = opener(it, a);
    const list = saidTo(first, rest[0], "list")[0] as Of<"list">;
    for (const node of rest) first.hear(node, { kind: "listed", ...about(first) });
    const [{ to, message }] = first.sent.filter(({ message: { kind } }) => kind === "child");
    const { port, ...bare } = message as unknown as Of<"child">;
    expect(port).toBeDefined();
    const hears = (said: object, from = a) => {
      const member = oneMember(it.run, to);
      member.hear(a, list);
      member.hear(a, { ...list, lives: first.office.election!.list!.lives, final: true });
      member.hear(from, said as never);
      return [member.sent.length > 0, member.events.map(({ event }) => event)];
    };
    expect(hears(message)).toEqual([true, []]);
    expect(hears(bare)).toEqual([false, []]);
    expect(hears({ ...bare, port: 1 - port! })).toEqual([false, []]);
    expect(
      hears(
        message,
        rest.find((node) => node !== to),
      ),
    ).toEqual([false, []]);
  });

  test.each([
    [0, 6400],
    [4, 6400],
    [5, 8100],
    [30, 60_000],
  ])("with %i members more is waited for as long as a message around the ring may take: %i ms", (more, sum) => {
    const [a] = it.others;
    const member = oneMember(it.run, a);
    for (let node = 10; node < 10 + more; node++) store(member.state.members, known(node), { choose: () => 0 });
    const over = groupStateOf(it.run, it.holder).life;
    const setting = member.office.setting!;
    member.hear(it.others[1], {
      kind: "stand",
      office: "leader",
      term: it.term + 1,
      position: 0,
      setting,
      over,
    });
    member.expire("stand/leader");
    expect(member.office.election!.waits.ring).toEqual({ sum, count: 1 });
  });

  test("that is overdue is nothing where there is no election, or one that has no list", () => {
    const member = oneMember(it.run, it.others[0]);
    member.expire("list/leader");
    expect(member.sent).toEqual([]);
    member.office.election = { term: it.term, generation: 9, list: null, waits: {} } as never;
    member.expire("list/leader");
    expect([member.sent, member.armed.size]).toEqual([[], 0]);
  });

  test("takes messages only from a neighbour, by its own port", () => {
    const [a, b] = it.others;
    const list = saidTo(opener(it, a), b, "list")[0] as Of<"list">;
    const member = oneMember(it.run, b);
    member.hear(a, list);
    member.hear(a, { ...list, final: true });
    const { term, id, setting } = member.office.election!;
    const said = { kind: "child", office: "leader", term, id, setting, message: { id: 99 } } as const;
    for (const port of [undefined, 2, 7]) {
      for (const node of it.others.filter((each) => each !== b)) {
        member.hear(node, { ...said, ...(port === undefined ? {} : { port }) } as never);
        expect([member.sent, member.events.map(({ event }) => event)]).toEqual([[], []]);
      }
    }
    expect(member.office.election).not.toBeNull();
  });

  test("has room for so many, the opener always among them", () => {
    const longest = new LoneMember(LONGEST_LIST + 1);
    const [name, life] = ["m0", lifeOf(0)];
    const turn = { state: { members: longest.state, name, life, params: { preferredZone: null } } } as unknown as Turn;
    const offices = Array.from({ length: 400 }, (_, i) => newOffice(`o${i}`, true, 0));
    const places = offices.map((office) => openList(turn, office, 1).lives.lastIndexOf(life));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(offices.every((office) => new Set(openList(turn, office, 1).lives).size === LONGEST_LIST)).toBe(true);
  });

  test("without this member is of a ring in which it has no place", () => {
    const [a, b] = it.others;
    const list = saidTo(opener(it, a), b, "list")[0] as Of<"list">;
    const member = oneMember(it.run, b);
    const own = member.state.life;
    member.hear(a, list);
    member.hear(a, { ...list, final: true, lives: list.lives.filter((life) => life !== own) });
    expect(member.office.election!.child).toBeNull();
    const { term, id, setting } = member.office.election!;
    for (const port of [0, 1]) {
      member.hear(a, { kind: "child", office: "leader", term, id, setting, message: {}, port } as never);
      expect(member.events.map(({ event }) => event)).toEqual([]);
    }
  });
});
