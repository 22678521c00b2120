/** Who stands with which setting, when a holder looks at its setting again, and messages and timers that mean nothing. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { known } from "../../test/support/lone-member.ts";
import { type OneMember, oneMember } from "../../test/support/one-handler.ts";
import { store } from "../protocols/membership/view.ts";
import { group } from "./group.ts";
import { recordedMachine } from "./recorded.ts";
import { firstInLine, isWilling, nextSetting, openingSetting } from "./standing.ts";
import type { Turn } from "./state.ts";
import { timesFor } from "./times.ts";

const run = runGroup({ n: 5, params: { offices: ["leader"] } });
let holder: number;
let other: number;
beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  other = run.alive().find((node) => node !== holder)!;
});

const { review } = timesFor("lan");
const turnOf = ({ state }: OneMember) =>
  ({ state, children: { find: () => null }, order: { isFree: () => true } }) as unknown as Turn;
const newcomer = (it: OneMember, node: number) => {
  const { name, life, incarnation, address, meta } = known(node);
  const members = [[name, life, incarnation, address, 0, meta]];
  it.receive(other, { kind: "members", message: { kind: "gossip", from: groupStateOf(run, other).life, members } });
};

describe("the review of a setting", () => {
  test("is armed once when the group of a holder changes, and publishes the setting for as many as there are", () => {
    const it = oneMember(run, holder);
    const noted = () => it.state.members.notes.get(`setting/m${holder}`);
    const before = noted()!.order[0];
    it.state.reviewing = false;
    newcomer(it, 50);
    expect(it.armed.get("review")).toEqual([review, 1.5 * review]);
    expect(it.state.reviewing).toBe(true);
    newcomer(it, 51);
    expect(it.armed.has("review")).toBe(false);
    it.expire("review");
    expect(it.state.reviewing).toBe(false);
    expect(noted()).toMatchObject({ order: [before + 1, 0], value: { setting: { n: 6 } } });
    // What has not changed is not published again.
    it.expire("review");
    expect(noted()!.order[0]).toBe(before + 1);
  });

  test("is none of a member that holds nothing", () => {
    const it = oneMember(run, other);
    it.state.reviewing = false;
    newcomer(it, 50);
    expect([it.armed.has("review"), it.state.reviewing]).toEqual([false, false]);
    it.state.reviewing = true;
    it.expire("review");
    expect([it.state.reviewing, it.state.members.notes.has(`setting/m${other}`)]).toEqual([false, false]);
  });
});

describe("the setting of an election", () => {
  const asked = (tries: number) => {
    const it = oneMember(run, other);
    const setting = { ...it.office.setting!, epsilon: 0.5 };
    Object.assign(it.office, { setting, failedTries: tries });
    it.state.members.notes.delete(`setting/m${holder}`);
    return openingSetting(turnOf(it), it.office);
  };

  test("is that of the last holder for two tries, and then this member's own; a try after the first has a pace", () => {
    expect([0, 1, 2, 3].map(asked)).toMatchObject([
      { epsilon: 0.5 },
      { epsilon: 0.5, pace: 1 },
      { epsilon: 0, pace: 2 },
      { epsilon: 0, pace: 4 },
    ]);
    expect(asked(0).pace).toBeUndefined();
  });

  test("of a holder is for the others, at least one", () => {
    const it = oneMember(run, holder);
    expect(nextSetting(turnOf(it)).n).toBe(4);
    it.state.members.live.splice(1);
    expect(nextSetting(turnOf(it)).n).toBe(1);
  });

  test("that a member chooses itself is for those who take part and itself: not the last holder", () => {
    const it = oneMember(run, other);
    Object.assign(it.office, { failedTries: 2, former: { name: `m${holder}`, life: 1 } });
    expect(openingSetting(turnOf(it), it.office).n).toBe(4);
    it.office.former = null;
    expect(openingSetting(turnOf(it), it.office).n).toBe(5);
  });
});

describe("the first in line", () => {
  const names = (it: OneMember) => firstInLine(turnOf(it), it.office, 99).map(({ name }) => name);

  test("are never more than three, and none where nobody is left", () => {
    const it = oneMember(run, other);
    expect(names(it)).toHaveLength(3);
    for (let node = 10; node < 40; node++) store(it.state.members, known(node), { choose: () => 0 });
    expect(names(it)).toHaveLength(3);
    it.state.eligible = false;
    it.state.members.live.splice(0, Infinity, it.state.members.members.get(`m${other}`)!);
    expect(names(it)).toEqual([]);
  });

  test("are without a member that does not stand itself", () => {
    const it = oneMember(run, other);
    const own = it.state.members.members.get(`m${other}`)!;
    const one = it.state.members.members.get(`m${holder}`)!;
    it.office.claim = null;
    it.state.members.live.splice(0, Infinity, ...[own, one].sort((a, b) => (a.name < b.name ? -1 : 1)));
    expect(names(it)).toContain(`m${other}`);
    it.state.eligible = false;
    expect(names(it)).toEqual([`m${holder}`]);
  });

  test("begin with the heir, unless it is the one that had the office", () => {
    const it = oneMember(run, other);
    const heir = run.alive().find((node) => node !== holder && node !== other)!;
    it.office.claim = { ...it.office.claim!, heir: `m${heir}` };
    expect(names(it)[0]).toBe(`m${heir}`);
    it.office.claim = { ...it.office.claim, heir: `m${holder}` };
    expect(names(it)).not.toContain(`m${holder}`);
  });

  test.each([
    [true, true, true, true],
    [false, true, true, false],
    [true, false, true, false],
    [true, true, false, false],
  ])("want the office, stand, and are free to: %s, %s, %s", (wanted, eligible, free, willing) => {
    const it = oneMember(run, other);
    it.office.wanted = wanted;
    it.state.eligible = eligible;
    const turn = { ...turnOf(it), order: { isFree: () => free } } as unknown as Turn;
    expect(isWilling(turn, it.office)).toBe(willing);
  });
});

describe("what means nothing", () => {
  test.each(["unknown/leader", "stand/ghost", "ghost", "toString/leader"])("the timer %s changes nothing", (timer) => {
    const it = oneMember(run, other);
    const { version } = it.state.report;
    it.expire(timer);
    expect([it.sent, it.state.report.version, it.armed.size]).toEqual([[], version, 0]);
  });

  test.each([
    ["a word", { kind: "term", office: "leader", term: 99 }],
    [
      "a message of an election that is not under way",
      { kind: "child", office: "leader", term: 1, id: 7, message: {} },
    ],
    ["a message of an election of no office", { kind: "child", office: "ghost", term: 1, id: 7, message: {} }],
  ])("%s of this member to itself is not heard", (_, message) => {
    const it = oneMember(run, other);
    const { life } = it.state;
    const before = it.office.term;
    it.command({ ...message, from: life, to: life });
    it.receive(holder, { ...message, from: life, to: life });
    expect([it.office.term, it.sent, it.state.offices.size]).toEqual([before, [], 1]);
  });

  test("a machine without an office has elected nobody", () => {
    const it = oneMember(run, holder);
    const state = { ...it.state, offices: new Map(), report: { ...it.state.report, offices: {} } };
    expect(group().verdict(state)).toEqual({ status: "not-elected", leader: null, term: 0 });
    const none = { ...it.state, report: { ...it.state.report, offices: {} } };
    expect(group().verdict(none)).toEqual({ status: "not-elected", leader: null, term: 0 });
    const vacant = { ...it.state.report.offices.leader, leader: null, mine: false };
    const open = { ...it.state, report: { ...it.state.report, offices: { leader: vacant } } };
    expect(group().verdict(open)).toMatchObject({ status: "not-elected", leader: null });
  });
});

test.each([
  [{ trace: "run", protocol: "group" }, "group"],
  [{ trace: "run", protocol: "peterson" }, undefined],
  [{ trace: "exploration", protocol: "group" }, undefined],
])("a recording %j is of the machine %s", async (header, name) => {
  expect((await recordedMachine(header as never))?.name).toBe(name);
});
