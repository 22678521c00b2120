import { describe, expect, test } from "vitest";
import { endings, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import type { Property } from "../../properties/properties.ts";
import type { AnyProtocol, Self } from "../../protocol.ts";
import { byRole } from "../../protocols/by-role.ts";
import { protocolNamed } from "../../protocols/catalogue.ts";
import { NEXT } from "../../topology/ring.ts";
import { tracePath } from "../../trace/exploration.ts";
import { explore } from "../explore.ts";
import { Player } from "../player.ts";
import type { Budget, Problem } from "../problem.ts";
import { search } from "../search/search.ts";

const with_ = (budget: Partial<Budget>, changes: Partial<Problem> = {}): Partial<Problem> => ({
  budget: { drops: 0, crashes: 0, restarts: 0, ...budget },
  ...changes,
});
const text = (...diaries: unknown[]) => diaries.map((pages) => JSON.stringify(pages)).sort();

/** Node 0 says a and b; node 1 keeps a diary, and may set timers at its start. */
const diary = (prepare: Toy["init"] = () => []): AnyProtocol =>
  toy({
    init(node, ctx, saved) {
      if (node === 0) for (const message of ["a", "b"]) ctx.send(NEXT, message);
      return node === 0 ? [] : prepare(node, ctx, saved);
    },
    receive: (pages, message) => pages.push(message),
    expire: (pages, timer) => pages.push(timer),
  });

describe("duplicates", () => {
  test("a message may arrive twice: at once where links keep the order, at any time where they do not", () => {
    const ordered = toyProblem(diary(), 2, with_({ duplicates: 1 }));
    expect(endings(ordered, 1)).toEqual(text(["a", "b"], ["a", "a", "b"], ["a", "b", "b"]));
    const any = endings(toyProblem(diary(), 2, with_({ duplicates: 1 }, { fifo: false })), 1);
    const both = [
      ["a", "b"],
      ["a", "a", "b"],
      ["a", "b", "a"],
      ["a", "b", "b"],
    ];
    expect(any).toEqual(text(...both, ...both.map((pages) => pages.map((page) => (page === "a" ? "b" : "a")))));
  });

  test("in timed runs the copy is as old as the message, and in time as it is", () => {
    const timer = diary((_node, ctx) => {
      ctx.arm("t", 2);
      return [];
    });
    const found = endings(toyProblem(timer, 2, with_({ duplicates: 1 }, { maxDelay: 1 })), 1);
    expect(found).toEqual(text(["a", "b", "t"], ["a", "a", "b", "t"], ["a", "b", "b", "t"]));
  });
});

describe("pauses", () => {
  const watched = diary((_node, ctx) => {
    ctx.deadline("deadline", 2);
    ctx.arm("timer", 1);
    return [];
  });

  test("without a pause: messages at 1, then the timer, the deadline at 2", () => {
    const plain = ["a", "b", "timer", "deadline"];
    expect(endings(toyProblem(watched, 2, with_({}, { maxDelay: 1 })), 1)).toEqual(text(plain));
  });

  test("a pause that lasts long enough: the overdue deadline first, then messages, then timers", () => {
    const found = endings(toyProblem(watched, 2, with_({ pauses: 1 }, { maxDelay: 1, longestPause: 2 })), 1);
    expect(found).toEqual(
      text(
        ["a", "b", "timer", "deadline"],
        ["a", "b", "deadline", "timer"],
        ["a", "deadline", "b", "timer"],
        ["deadline", "a", "b", "timer"],
      ),
    );
  });

  test("a short one delays no more than it lasts", () => {
    const found = endings(toyProblem(watched, 2, with_({ pauses: 1 }, { maxDelay: 1, longestPause: 1 })), 1);
    expect(found).not.toContain(JSON.stringify(["deadline", "a", "timer", "b"]));
    expect(found).toContain(JSON.stringify(["a", "b", "timer", "deadline"]));
  });

  test("without time: nothing happens at a node until it goes on, and then its deadlines come first", () => {
    const player = new Player(toyProblem(watched, 2, with_({ pauses: 1 })));
    for (const line of ["start", "deliver 0->1", "pause 1"]) player.move(line);
    expect(() => player.move("deliver 0->1")).toThrow('"deliver 0->1" cannot happen now');
    expect(() => player.move("timer 1 deadline")).toThrow("cannot happen now");
    player.move("resume 1");
    expect(() => player.move("deliver 0->1")).toThrow("cannot happen now");
    player.move("timer 1 deadline");
    player.move("run");
    const events = tracePath(player.network, player.steps).map((event) => event.do);
    expect(events.slice(4)).toEqual(["deliver", "pause", "resume", "timer", "deliver", "timer"]);
  });

  test("a handler that sets its deadline again does not get it at once", () => {
    const again = toy({
      init(node, ctx) {
        if (node === 0) ctx.deadline("d", 1);
        return { count: 0 };
      },
      expire(state, timer, ctx) {
        if (++state.count < 3) ctx.deadline(timer, 1);
      },
    });
    expect(endings(toyProblem(again, 2, with_({ pauses: 1 })), 0)).toEqual(text({ count: 3 }));
  });

  test("a ring bears pauses: it waits", () => {
    const found = explore(protocolNamed("chang-roberts"), { n: 3, pauses: 1 });
    expect([found.violation, found.complete]).toEqual([null, true]);
  });
});

describe("crashes halfway through a handler", () => {
  const counter: Toy = {
    init(node, ctx, saved) {
      if (node === 0 && saved === null) ctx.send(NEXT, "ask");
      return { answered: saved ?? 0 };
    },
    receive(state, message, ctx, port) {
      if (message !== "ask") return;
      state.answered++;
      ctx.send(port, "answer");
    },
    saved: ({ answered }) => answered,
  };

  test("what was done is saved, and nothing of it has left", () => {
    const problem = toyProblem(toy(counter), 2, with_({ halfway: 1, restarts: 1 }));
    // Not answered where the one that asks had crashed in its start.
    expect(endings(problem, 1)).toEqual(text(null, { answered: 0 }, { answered: 1 }));
    const player = new Player(problem);
    player.move("start");
    const cut = player.network.steps(player.vector).find(({ action }) => "halfway" in action)!;
    const events = tracePath(player.network, [...player.steps, cut]);
    expect(events.slice(-2).map((event) => event.do)).toEqual(["deliver", "crash"]);
    expect(player.network.nodes.states.value(player.network.state(cut.after, 1))).toEqual({ answered: 1 });
    expect(player.network.links.every((_, link) => player.network.onLink(cut.after, link).length === 0)).toBe(true);
  });
});

test("each start of a process is another life", () => {
  const lives: AnyProtocol = { ...toy({ init: () => null }), init: (_params, { life }: Self) => ({ life }) };
  const found = endings(toyProblem(lives, 2, with_({ crashes: 2, restarts: 2 })), 0);
  expect(found).toEqual(text(null, { life: 0 }, { life: 1 }, { life: 2 }));
});

test("what has not the shape of a message is refused at the door, unless a node sends it to itself", () => {
  const picky: AnyProtocol = { ...diary(), accepts: (message) => message !== "a" };
  expect(endings(toyProblem(picky, 2), 1)).toEqual(text(["b"]));
  const player = new Player(toyProblem(picky, 2));
  for (const line of ["start", "deliver 0->1"]) player.move(line);
  expect(tracePath(player.network, player.steps).at(-1)).toMatchObject({ do: "refuse", node: 1, message: "a" });
});

describe("roles", () => {
  const role = (says: string) => toy({ init: () => says });
  const both = byRole({ member: role("m"), engine: role("e") });

  test("each node plays what it was given, and the first role where nothing is said", () => {
    const ends = (roles?: readonly string[]) => endings(toyProblem(both, 2, { roles }), 1);
    expect(ends(["member", "engine"])).toEqual(text({ role: "engine", state: "e" }));
    expect(ends()).toEqual(text({ role: "member", state: "m" }));
  });

  test("roles that the protocol has not, or too few, are refused", () => {
    const ask = (roles: readonly string[]) => () => explore(both, { n: 2, roles, properties: [] });
    expect(ask(["member", "guard"])).toThrow('toy has no role "guard"; it has member, engine');
    expect(ask(["member"])).toThrow("1 roles were given for 2 nodes: give one for each");
  });
});

test("a property may look at reports, and must not remember", () => {
  const counting: AnyProtocol = { ...diary(), report: (pages) => pages.length };
  const short: Property = {
    name: "short",
    about: "nobody hears two things",
    when: "always",
    violated: (view) => (view.report!(1) === 2 ? "two things" : null),
  };
  expect(explore(counting, { n: 2, ids: [0, 1], properties: [short] }).violation).toMatchObject({ what: "two things" });
  const history = { name: "grows", about: "", begin: () => () => null } as unknown as Property;
  expect(() => explore(counting, { n: 2, properties: [history] })).toThrow('the explorer cannot check "grows"');
});

test("links by address are refused in words", () => {
  const open: AnyProtocol = { ...diary(), assumes: { ...diary().assumes, topology: "open" } };
  expect(() => explore(open, { n: 2 })).toThrow("toy makes its links by address");
});

describe("drifts", () => {
  test("the clock of a node is an instant behind or ahead, once", () => {
    const ticks = (drifts: number) => {
      const clock = toy({
        init(node, ctx) {
          if (node === 0) for (let at = 1; at <= 4; at++) ctx.arm(`at ${at}`, at);
          else ctx.deadline("deadline", 2);
          return { heard: [] };
        },
        expire(state, timer, ctx) {
          if (timer === "deadline") ctx.send(NEXT, timer);
          else state.heard.push(timer);
        },
        receive: (state, message) => state.heard.push(message),
      });
      return endings(toyProblem(clock, 2, with_({ drifts }, { maxDelay: 1 })), 0);
    };
    const between = (count: number) => {
      const all = [1, 2, 3, 4].map((at) => `at ${at}`);
      return { heard: [...all.slice(0, count), "deadline", ...all.slice(count)] };
    };
    expect(ticks(0)).toEqual(text(between(2)));
    expect(ticks(1)).toEqual(text(between(1), between(2), between(3)));
    expect(ticks(2)).toEqual(text(between(0), between(1), between(2), between(3), between(4)));
  });
});

test("a node that is paused, or wakes to an overdue deadline, is alive but not awake", () => {
  const holder = toy({
    init(node, ctx) {
      if (node === 0) ctx.deadline("over", 2);
      else ctx.arm("later", 3);
      return { done: false };
    },
    expire(state) {
      state.done = true;
    },
  });
  const problem = toyProblem(
    { ...holder, report: (state: unknown) => state },
    2,
    with_({ pauses: 1 }, { maxDelay: 1, longestPause: 6 }),
  );
  const inTime = (who: "alive" | "awake"): Property => ({
    name: "in-time",
    about: "the deadline at 2 has come before the timer at 3",
    when: "always",
    violated(view) {
      const [first, second] = [0, 1].map((node) => (view.report!(node) as { done: boolean }).done);
      return view[who]!(0) && second && !first ? "it has not" : null;
    },
  });
  expect(search(problem, { properties: [inTime("alive")] }).violation?.what).toBe("it has not");
  expect(search(problem, { properties: [inTime("awake")] })).toMatchObject({ violation: null, complete: true });
});
