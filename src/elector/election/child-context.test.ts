/** What an election's child sees of its group: neighbours, time in tau, and no links. */
import { describe, expect, test } from "vitest";
import { known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { SELF } from "../../protocol.ts";
import { type Election, newOffice, type Turn } from "../state.ts";
import { ChildContext } from "./child-context.ts";
import type { Child } from "./children.ts";

const TAU = 50;

/** The child at m0, among m1, m2 and m3, in its third election; on a ring of lives 101, 100 and 103 where it has a list. */
function child(
  changes: { begins?: boolean; identity?: string; listed?: boolean; pace?: number; counts?: boolean } = {},
) {
  const { begins = false, identity = "ids", listed = false, pace, counts } = changes;
  const member = new LoneMember(4);
  const sent: { to: number; message: { from: number; to: number; port?: number } }[] = [];
  const timers: string[] = [];
  const measured: string[] = [];
  const ctx = {
    ...member.ctx,
    send: (to: number, message: never) => void sent.push({ to, message }),
    arm: (timer: string, least: number, most: number) => void timers.push(`${timer} ${least} ${most}`),
    deadline: (timer: string, after: number) => void timers.push(`by ${timer} ${after}`),
    disarm: (timer: string) => void timers.push(`no ${timer}`),
    measure: (name: string, value: number) => void measured.push(`${name} ${value}`),
  };
  const turn = {
    state: { name: "m0", life: lifeOf(0), members: member.state },
    ctx,
    times: { tau: TAU },
  } as unknown as Turn;
  const election = {
    term: 4,
    id: 9,
    setting: pace === undefined ? {} : { pace },
    generation: 3,
    names: ["m1", "m2", "m3"],
    ids: [11, 12, 13],
    ownId: 10,
    answered: false,
    waits: {},
    list: listed ? { lives: [lifeOf(1), lifeOf(0), lifeOf(3)] } : null,
  } as unknown as Election;
  const own = {
    bare: { name: "p", assumes: { identity } },
    protocol: counts === undefined ? {} : { counts: () => counts },
    listed,
  } as unknown as Child;
  const context = new ChildContext(turn, newOffice("leader", true, 4), election, own, begins);
  return { member, context, election, sent, timers, measured };
}

describe("its neighbours", () => {
  test("are the others of its view, each at a port, and itself", () => {
    const { context } = child();
    expect([context.degree, context.ports()]).toEqual([3, [0, 1, 2]]);
    expect([SELF - 1, SELF, 0, 2, 3].map((port) => context.linked(port))).toEqual([false, true, true, true, false]);
    expect([SELF, 0, 2].map((port) => context.peer(port))).toEqual([10, 11, 13]);
  });

  test("have no ids where they are anonymous, and are two on a ring", () => {
    const { context } = child({ identity: "anonymous", listed: true });
    expect([context.peer(0), context.peer(SELF), context.degree]).toEqual([null, null, 2]);
  });

  test("can be drawn, all of them where more are asked for; this member only where it is wanted", () => {
    const { context } = child();
    expect([context.sample(2).length, context.sample(9).length, context.sample(9, SELF).length]).toEqual([2, 3, 4]);
    expect(context.sample(9)).not.toContain(SELF);
    expect(context.sample(9, SELF)).toContain(SELF);
  });

  test("cannot be linked to", () => {
    const { context } = child();
    for (const act of [() => context.link(), () => context.unlink(), () => context.address()]) {
      expect(act).toThrow("p handles links by address");
    }
    expect(context.enter()).toBe(true);
  });
});

describe("a message", () => {
  test("to another one is counted, and is an answer unless the child begins", () => {
    for (const begins of [false, true]) {
      const { context, sent, election, measured } = child({ begins });
      context.send(1, "x");
      expect(sent).toEqual([
        {
          to: 2,
          message: {
            kind: "child",
            office: "leader",
            term: 4,
            id: 9,
            setting: {},
            message: "x",
            from: lifeOf(0),
            to: lifeOf(2),
          },
        },
      ]);
      expect([election.answered, measured]).toEqual([!begins, ["electionMessages 1"]]);
    }
  });

  test("that the protocol does not count is not counted", () => {
    const { context, measured } = child({ counts: false });
    context.send(0, "x");
    expect(measured).toEqual([]);
  });

  test("to itself is no answer and counts nothing; one to one who has gone is not sent", () => {
    const { member, context, sent, election, measured } = child();
    context.send(SELF, "x");
    expect([sent.map(({ to }) => to), sent[0].message.to, election.answered, measured]).toEqual([
      [SELF],
      lifeOf(0),
      false,
      [],
    ]);
    member.state.members.delete("m2");
    context.send(1, "x");
    expect(sent).toHaveLength(1);
    expect(() => context.send(3, "x")).toThrow("p has no port 3: it has 3");
    context.multicast("y");
    expect(sent.slice(1).map(({ to }) => to)).toEqual([1, 3]);
  });

  test("on a ring goes to the next of the list, and names the port at which it arrives", () => {
    const { context, sent } = child({ listed: true });
    context.multicast("x");
    expect(sent.map(({ to }) => to).sort()).toEqual([1, 3]);
    const ports = sent.map(({ message }) => message.port);
    expect([...ports].sort()).toEqual([0, 1]);
    // Back by the port at which it arrived.
    context.send(SELF, "x");
    expect(sent[2].message.port).toBeUndefined();
  });
});

describe("its time", () => {
  test("is in tau, at the pace of the election; timers carry the election's number", () => {
    const { context, timers } = child();
    context.arm("try", 2, 3);
    context.arm("again", 2);
    context.deadline("end", 4);
    context.disarm("try");
    expect(timers).toEqual([
      "election#3/try 100 150",
      "election#3/again 100 100",
      "by election#3/end 200",
      "no election#3/try",
    ]);
    const slow = child({ pace: 4 });
    slow.context.arm("try", 2);
    expect(slow.timers).toEqual(["election#3/try 400 400"]);
  });

  test("is noted as the longest of each wait, of eight of a kind", () => {
    const { context, election } = child();
    for (let phase = 1; phase <= 10; phase++) context.arm(`try ${phase}`, 1, 2);
    context.deadline("end", 4);
    expect(election.waits).toEqual({ "try #": { sum: 8 * 2 * TAU, count: 8 }, end: { sum: 4 * TAU, count: 1 } });
  });
});

test("a member that has started again is told in its present life", () => {
  const { member, context, sent } = child();
  member.state.members.set("m1", known(1, { life: 77, incarnation: 1 }));
  context.send(0, "x");
  expect(sent[0].message.to).toBe(77);
});
