import { describe, expect, test } from "vitest";
import { endings, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import { protocolNamed } from "../../protocols/catalogue.ts";
import { NEXT } from "../../topology/ring.ts";
import { tellPath } from "../../trace/replay.ts";
import { explore } from "../explore.ts";
import { pathOrdinals } from "../ordinals.ts";

const text = (...pages: unknown[]) => pages.map((page) => JSON.stringify(page)).sort();

/** Everybody greets its successor at its start and notes what comes. */
const greeting: Toy = {
  init(node, ctx) {
    ctx.send(NEXT, `from ${node}`);
    return [];
  },
  receive: (pages, message) => pages.push(message),
};

/** Wrong only where somebody starts late: a node that hears of a smaller id before it has started gives up. */
const impatient: Toy = {
  init: (node, ctx) => ({ node, started: ctx.send(NEXT, "hello") === undefined, heard: 0 }),
  receive: (state, _message) => state.heard++,
};

describe("late starts", () => {
  test("a message wakes who has not started: it starts, then receives", () => {
    const order: Toy = {
      init: (node, ctx) => {
        if (node === 0) ctx.send(NEXT, "hello");
        return [`${node} starts`];
      },
      receive: (pages, message) => pages.push(message),
    };
    for (const maxDelay of [null, 1, 2]) {
      const problem = toyProblem(toy(order), 2, { budget: { late: 2 }, maxDelay, latestStart: 3 });
      expect(endings(problem, 1)).toEqual(text(["1 starts", "hello"]));
    }
  });

  test("a late start comes some time, and may come when all else is over", () => {
    const asks: Toy = {
      init: (node, ctx) => {
        if (node === 1) ctx.send(NEXT, "anybody?");
        return { node, answers: 0 };
      },
      receive: (state, message, ctx, port) => {
        if (message === "anybody?") ctx.send(port, "yes");
        else state.answers++;
      },
    };
    expect(endings(toyProblem(toy(asks), 2, { budget: { late: 1 } }), 1)).toEqual(text({ node: 1, answers: 1 }));
    const all = endings(toyProblem(toy(greeting), 3, { budget: { late: 1 } }), 0);
    expect(all).toEqual(text(["from 2"]));
  });

  test("in timed runs a start is late by no more instants than it may be", () => {
    const clock: Toy = {
      init(node, ctx) {
        if (node === 0) for (const at of [1, 2, 3, 4]) ctx.arm(`${at}`, at);
        else ctx.send(NEXT, "now");
        return [];
      },
      receive: (pages, message) => pages.push(message),
      expire: (pages, timer) => pages.push(Number(timer)),
    };
    const problem = toyProblem(toy(clock), 2, { budget: { late: 1 }, maxDelay: 1, latestStart: 2 });
    expect(endings(problem, 0)).toEqual(text(["now", 1, 2, 3, 4], [1, "now", 2, 3, 4], [1, 2, "now", 3, 4]));
  });

  test("with a crash: one that never starts", () => {
    const problem = toyProblem(toy(greeting), 2, { budget: { late: 1, crashes: 1 } });
    expect(endings(problem, 0)).toEqual(text(null, [], ["from 1"]));
    expect(endings(toyProblem(toy(greeting), 2, { budget: { crashes: 1 } }), 0)).toEqual(text(null, ["from 1"]));
  });

  test("change nothing of Chang-Roberts: its promises hold", () => {
    const found = explore("chang-roberts", { n: 3, late: 2 });
    expect(found).toMatchObject({ complete: true, violation: null });
    expect(explore("chang-roberts", { n: 3 }).states).toBeLessThan(found.states);
  });

  test("a path with one is told and found again", () => {
    const lost = explore(toy(impatient), { n: 2, late: 1, properties: ["some-leader"] }).violation!;
    expect(pathOrdinals(lost).every((ordinal) => ordinal >= 0)).toBe(true);
    const { violation } = explore("chang-roberts", { n: 3, late: 1, crashes: 1 });
    expect(pathOrdinals(violation!).every((ordinal) => ordinal >= 0)).toBe(true);
    expect(tellPath(violation!.problem, violation!.network, violation!.steps).events.length).toBeGreaterThan(2);
  });
});

test("halfway: any number of a handler's messages may have left when its node crashes, at its start as well", () => {
  const calls: Toy = {
    init(node, ctx) {
      if (node === 0) for (const call of ["a", "b", "c"]) ctx.send(NEXT, call);
      return [];
    },
    receive: (pages, message) => pages.push(message),
  };
  const found = endings(toyProblem(toy(calls), 2, { budget: { halfway: 1 } }), 1);
  expect(found).toEqual(text(null, [], ["a"], ["a", "b"], ["a", "b", "c"]));
});

describe("ties of one instant", () => {
  /** Node 1 has a timer when the message of node 0 comes. */
  const both: Toy = {
    init(node, ctx) {
      if (node === 0) ctx.send(NEXT, "message");
      else ctx.arm("timer", 1);
      return [];
    },
    receive: (pages, message) => pages.push(message),
    expire: (pages, timer) => pages.push(timer),
  };

  test("messages come before timers, and with ties either may", () => {
    const at = (ties: boolean) => endings(toyProblem(toy(both), 2, { maxDelay: 1, ties }), 1);
    expect(at(false)).toEqual(text(["message", "timer"]));
    expect(at(true)).toEqual(text(["message", "timer"], ["timer", "message"]));
  });

  test("nodes come in any order: what one sees of another within an instant", () => {
    const go: Toy = {
      init: (_node, ctx) => {
        ctx.arm("go", 1);
        return [];
      },
      expire: (pages, timer) => pages.push(timer),
    };
    const found = (ties: boolean) => explore(toy(go), { n: 2, ids: [0, 1], timed: 1, ties, properties: [] }).states;
    // Before, after the tick, after either node's turn, and after both.
    expect([found(false), found(true)]).toEqual([4, 5]);
  });

  test("rounds still end after all of them", () => {
    const round: Toy = { ...both, endRound: (pages, number) => pages.push(number) };
    const found = endings(toyProblem(toy(round), 2, { maxDelay: 1, ties: true }), 1);
    expect(found).toEqual(text(["message", "timer", 1], ["timer", "message", 1]));
  });
});

describe("partitions", () => {
  test("what is sent across is lost, what was on its way arrives, and it may heal or not", () => {
    const pair: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(NEXT, 0);
        return [];
      },
      receive(pages, message, ctx, port) {
        pages.push(message);
        if (message < 3) ctx.send(port, message + 1);
      },
    };
    const found = endings(toyProblem(toy(pair), 2, { budget: { partitions: 1 } }), 1);
    expect(found).toEqual(text([0], [0, 2]));
    expect(endings(toyProblem(toy(pair), 2, { budget: { partitions: 1 } }), 0)).toEqual(text([], [1], [1, 3]));
  });

  test("every way to fall apart: three nodes have three", () => {
    const found = explore(protocolNamed("chang-roberts"), { n: 3, partitions: 1, ids: [3, 1, 2], properties: [] });
    const whole = explore(protocolNamed("chang-roberts"), { n: 3, ids: [3, 1, 2], properties: [] });
    expect(found.states).toBeGreaterThan(3 * whole.states);
    expect(explore("chang-roberts", { n: 3, partitions: 1 }).violation?.property).toBe("some-leader");
  });
});

test.each(["chang-roberts", "peterson", "itai-rodeh"])(
  "reduction changes no verdict of %s under any of these",
  (name) => {
    const limits = name === "itai-rodeh" ? { phases: 1 } : {};
    for (const budget of [
      { late: 1 },
      { late: 2, crashes: 1 },
      { partitions: 1 },
      { halfway: 1 },
      { late: 1, pauses: 1 },
    ]) {
      const [full, reduced] = (["never", "always"] as const).map((reduction) =>
        explore(name, { n: 3, ...budget, limits, reduction, params: name === "itai-rodeh" ? { range: 2 } : {} }),
      );
      expect(reduced.violation?.property).toBe(full.violation?.property);
      if (full.violation === null) expect([reduced.ends, reduced.messages]).toEqual([full.ends, full.messages]);
    }
  },
);
