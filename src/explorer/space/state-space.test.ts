import { describe, expect, test } from "vitest";
import { endings, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import { NEXT } from "../../topology/ring.ts";

/** Node 0 sends what it is told to; node 1 keeps a diary. */
const diary = (messages: readonly string[], prepare: Toy["init"] = () => []): Toy => ({
  init(node, ctx, saved) {
    if (node === 0) for (const message of messages) ctx.send(NEXT, message);
    return node === 0 ? [] : prepare(node, ctx, saved);
  },
  receive: (pages, message) => pages.push(message),
  expire: (pages, timer) => pages.push(timer),
});

const timer = (at: number, latest = at) =>
  diary(["message"], (_node, ctx) => {
    ctx.arm("timer", at, latest);
    return [];
  });

const timed = (maxDelay: number, fifo = true) => ({ maxDelay, fifo });
const text = (...diaries: unknown[]) => diaries.map((pages) => JSON.stringify(pages)).sort();

describe("untimed", () => {
  test("messages and timers come in any order, messages of one link in theirs", () => {
    expect(endings(toyProblem(toy(timer(5)), 2), 1)).toEqual(text(["message", "timer"], ["timer", "message"]));
    expect(endings(toyProblem(toy(diary(["a", "b"])), 2), 1)).toEqual(text(["a", "b"]));
    const overtaking = toyProblem(toy(diary(["a", "b"])), 2, { fifo: false });
    expect(endings(overtaking, 1)).toEqual(text(["a", "b"], ["b", "a"]));
  });

  test("a node that does not start is created by its first message", () => {
    const problem = toyProblem(toy(diary(["a"], () => ["created"])), 2, { initiators: [0] });
    expect(endings(problem, 1)).toEqual(text(["created", "a"]));
  });

  test("a timer that is armed again replaces the first, one that is disarmed never expires", () => {
    const twice = diary([], (_node, ctx) => {
      ctx.arm("t", 1);
      ctx.arm("t", 2);
      ctx.deadline("u", 1);
      ctx.disarm("u");
      return [];
    });
    expect(endings(toyProblem(toy(twice), 2), 1)).toEqual(text(["t"]));
    expect(endings(toyProblem(toy(twice), 2, timed(1)), 1)).toEqual(text(["t"]));
  });
});

describe("timed", () => {
  const first = ["message", "timer"];
  const late = ["timer", "message"];
  test.each([
    { maxDelay: 1, at: 1, found: [first] },
    { maxDelay: 2, at: 2, found: [first] },
    { maxDelay: 2, at: 1, found: [first, late] },
    { maxDelay: 3, at: 0, found: [late] },
    { maxDelay: 1, at: 9, found: [first] },
  ])("messages of an instant come before its timers: delays to $maxDelay, timer at $at", ({ maxDelay, at, found }) => {
    expect(endings(toyProblem(toy(timer(at)), 2, timed(maxDelay)), 1)).toEqual(text(...found));
  });

  test("a range of delays means each whole number in it", () => {
    expect(endings(toyProblem(toy(timer(0, 1)), 2, timed(1)), 1)).toEqual(text(first, late));
    expect(endings(toyProblem(toy(timer(1, 7)), 2, timed(1)), 1)).toEqual(text(first));
  });

  test("a deadline comes before the messages of its instant", () => {
    const deadline = diary(["message"], (_node, ctx) => {
      ctx.deadline("timer", 1);
      return [];
    });
    expect(endings(toyProblem(toy(deadline), 2, timed(1)), 1)).toEqual(text(late));
  });

  test.each([1, 2, 4])("messages take 1 to %d instants", (maxDelay) => {
    const clock: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(NEXT, "message");
        else ctx.arm("tick", 1);
        return { instant: 1, arrived: 0 };
      },
      receive(state) {
        state.arrived = state.instant;
        state.instant = 0;
      },
      expire(state, _timer, ctx) {
        if (state.arrived > 0) return;
        state.instant++;
        ctx.arm("tick", 1);
      },
    };
    const instants = Array.from({ length: maxDelay }, (_, i) => ({ instant: 0, arrived: i + 1 }));
    expect(endings(toyProblem(toy(clock), 2, timed(maxDelay)), 1)).toEqual(text(...instants));
  });

  test("a slow message holds up those behind it only where channels keep the order", () => {
    expect(endings(toyProblem(toy(diary(["a", "b"])), 2, timed(2)), 1)).toEqual(text(["a", "b"]));
    expect(endings(toyProblem(toy(diary(["a", "b"])), 2, timed(2, false)), 1)).toEqual(text(["a", "b"], ["b", "a"]));
  });

  test("whatever must arrive now does, at every node, before the next instant", () => {
    const everybody: Toy = {
      init(_node, ctx) {
        ctx.send(NEXT, "a");
        return { round: 0 };
      },
      receive(state, _message, ctx) {
        if (++state.round < 3) ctx.send(NEXT, "a");
      },
    };
    for (const node of [0, 1, 2]) {
      expect(endings(toyProblem(toy(everybody), 3, timed(1)), node)).toEqual(text({ round: 3 }));
      expect(endings(toyProblem(toy(everybody), 3, timed(2)), node)).toEqual(text({ round: 3 }));
    }
  });

  test("rounds end at nodes that had a message or a timer, after both", () => {
    const rounds = toy({
      ...timer(1),
      endRound: (pages, round) => pages.push(`end of round ${round}`),
    });
    expect(endings(toyProblem(rounds, 2, timed(1)), 1)).toEqual(text(["message", "timer", "end of round 1"]));
    expect(endings(toyProblem(rounds, 2, timed(1)), 0)).toEqual(text([]));
  });
});

describe("the budget of faults", () => {
  const budget = (drops: number, crashes = 0, restarts = 0) => ({ budget: { drops, crashes, restarts } });

  test("so many messages may be lost", () => {
    const pair = toy(diary(["a", "b"]));
    expect(endings(toyProblem(pair, 2, budget(1)), 1)).toEqual(text(["a"], ["a", "b"], ["b"]));
    expect(endings(toyProblem(pair, 2, budget(2)), 1)).toEqual(text([], ["a"], ["a", "b"], ["b"]));
  });

  test("what is on its way to a node is lost when it crashes, and what comes later", () => {
    expect(endings(toyProblem(toy(diary(["a"])), 2, budget(0, 1)), 1)).toEqual(text(["a"], null));
    const echo: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(NEXT, "ping");
        return [];
      },
      receive(pages, message, ctx) {
        pages.push(message);
        if (message === "ping") ctx.send(NEXT, "pong");
      },
    };
    expect(endings(toyProblem(toy(echo), 2, budget(0, 1)), 0)).toEqual(text([], ["pong"], null));
  });

  test("a node that starts again gets what it had saved, and its timers are gone", () => {
    const forgetful: Toy = {
      init(node, ctx, saved) {
        if (node === 0 && saved === null) ctx.send(NEXT, "a");
        if (node === 1 && saved === null) ctx.arm("t", 1);
        return { heard: saved?.heard ?? 0, starts: (saved?.starts ?? 0) + 1, expired: false };
      },
      receive: (state) => {
        state.heard++;
      },
      expire: (state) => {
        state.expired = true;
      },
      saved: ({ heard, starts }) => ({ heard, starts }),
    };
    const found = endings(toyProblem(toy(forgetful), 2, budget(0, 1, 1)), 1);
    const again = [0, 1].map((heard) => ({ heard, starts: 2, expired: false }));
    expect(found).toEqual(text(null, { heard: 1, starts: 1, expired: true }, ...again));
  });
});
