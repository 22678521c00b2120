import { describe, expect, test } from "vitest";
import { type Toy, toy } from "../../../test/explorer/toy.ts";
import { eventually, type Property, termination, timeBound, type View } from "../../properties/properties.ts";
import { type AnyProtocol, SELF } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { breaks } from "../../trace/replay.ts";
import { explore } from "../explore.ts";

const reporting = (parts: Toy): AnyProtocol => ({ ...toy(parts), report: (state) => state });
const told = eventually("told", "node 1 is told", (view) => (view.report!(1) as { told: boolean }).told);

/** Node 0 tells node 1, if its coin says so; node 2 talks to itself for ever. */
const telling = (coin: boolean): Toy => ({
  init(node, ctx) {
    if (node === 0 && (!coin || ctx.coin(0.5))) ctx.send(NEXT, "news");
    if (node === 2) ctx.send(SELF, "again");
    return { told: false };
  },
  receive(state, message, ctx) {
    if (message === "news") state.told = true;
    else ctx.send(SELF, message);
  },
});

describe("eventually", () => {
  test("what a message brings comes, though something else goes on for ever", () => {
    const found = explore(reporting(telling(false)), { n: 3, ids: [0, 1, 2], properties: [told] });
    expect(found).toMatchObject({ complete: true, violation: null });
  });

  test("what is never sent does not: a run that goes on like that, or ends", () => {
    const { violation } = explore(reporting(telling(true)), { n: 3, ids: [0, 1, 2], properties: [told] });
    expect(violation?.what).toBe(
      "not yet: node 1 is told, and the run can go on like that for ever (its last 1 steps)",
    );
    expect(breaks(violation!.network, violation!.steps, violation!, [told])).toBe(true);
    const lost = explore(reporting(telling(false)), { n: 2, ids: [0, 1], drops: 1, properties: [told] }).violation!;
    expect(lost.what).toBe("not yet: node 1 is told, and nothing is left to happen");
    expect(breaks(lost.network, lost.steps, lost, [told])).toBe(true);
    expect(breaks(lost.network, lost.steps.slice(0, -1), lost, [told])).toBe(false);
  });

  test("a coin that is tossed again and again brings it", () => {
    const again: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(NEXT, "toss");
        return { told: false };
      },
      receive(state, message, ctx, port) {
        if (ctx.coin(0.1)) state.told = true;
        else ctx.send(port, message);
      },
    };
    const anybody = eventually("anybody", "somebody is told", (view) =>
      [0, 1].some((node) => (view.report!(node) as { told: boolean }).told),
    );
    expect(explore(reporting(again), { n: 2, ids: [0, 1], properties: [anybody] }).violation).toBeNull();
  });
});

/** Node 0 turns a switch on and off for ever; what node 1 has to say ends it, if it comes while the switch is on. */
const switching: Toy = {
  init(node, ctx) {
    if (node === 0) ctx.send(SELF, "turn");
    if (node === 1) ctx.arm("try", 1);
    return { node, on: false, told: false };
  },
  receive(state, message, ctx) {
    if (message === "end") state.told = true;
    if (message === "turn" && !state.told) {
      state.on = !state.on;
      ctx.send(SELF, message);
    }
  },
  expire: (_state, timer, ctx) => ctx.arm(timer, 1),
};

describe("fairness", () => {
  test("weak: what is possible only now and then may never happen; strong: it happens", () => {
    /** A timer that is armed and disarmed by turns: it is possible again and again, never all the time. */
    const flicker: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(SELF, "turn");
        return { armed: false, done: false };
      },
      receive(state, message, ctx) {
        if (state.done) return;
        if (state.armed) ctx.disarm("chance");
        else ctx.arm("chance", 1);
        state.armed = !state.armed;
        ctx.send(SELF, message);
      },
      expire(state) {
        state.done = true;
      },
    };
    const done = eventually("done", "the chance is taken", (view) => (view.report!(0) as { done: boolean }).done);
    const ask = (property: Property) =>
      explore(reporting(flicker), { n: 1, ids: [0], properties: [property] }).violation;
    expect(ask(done)?.property).toBe("done");
    expect(ask({ ...done, fairness: "strong" })).toBeNull();
    expect(ask(termination)?.property).toBe("termination");
    expect(ask({ ...termination, fairness: "strong" })).toBeNull();
  });

  test("strong: what goes on for ever all the same is found", () => {
    const never = { ...termination, fairness: "strong" as const };
    expect(explore(reporting(switching), { n: 2, ids: [0, 1], properties: [never] }).violation).not.toBeNull();
  });
});

describe("bounds on time", () => {
  test("are those of the slowest run, and the counterexample is one", () => {
    const ask = (most: number) => explore("chang-roberts", { n: 3, timed: 2, properties: [timeBound(most)] });
    // Twice around, each hop taking up to 2 instants.
    expect(ask(12).violation).toBeNull();
    const { violation } = ask(11);
    expect(violation?.what).toBe("12 instants have passed, more than 11");
    const ticks = violation!.steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
    expect(ticks).toBe(12);
    expect(breaks(violation!.network, violation!.steps, violation!)).toBe(true);
  });

  test("are all broken where time goes on for ever, and need time", () => {
    const { violation } = explore(reporting(switching), { n: 2, ids: [0, 1], timed: 1, properties: [timeBound(7)] });
    expect(violation?.what).toMatch(/^\d+ instants have passed, more than 7$/);
    expect(() => explore("chang-roberts", { n: 2, properties: [timeBound(7)] })).toThrow("set timed");
  });
});

describe("for ever", () => {
  /** Node 0 talks to itself for ever, and has counted to three after a while. */
  const counting: Toy = {
    init(node, ctx) {
      if (node === 0) ctx.send(SELF, "again");
      return { heard: 0 };
    },
    receive(state, message, ctx) {
      state.heard = Math.min(3, state.heard + 1);
      ctx.send(SELF, message);
    },
  };
  const heard = (name: string, wrong: (count: number) => boolean): Property => ({
    name,
    about: "of runs that never end",
    when: "forever",
    violated: (view) => (wrong((view.report!(0) as { heard: number }).heard) ? "it stays like that" : null),
  });
  const ask = (...properties: Property[]) =>
    explore(reporting(counting), { n: 1, ids: [0], properties }).violation?.property;

  test("what is wrong only for a while breaks nothing; what stays wrong does, whichever of several it is", () => {
    const [few, many] = [heard("few", (count) => count < 3), heard("many", (count) => count === 3)];
    expect([ask(few), ask(many), ask(few, many)]).toEqual([undefined, "many", "many"]);
    expect(ask({ ...few, fairness: "strong" }, { ...many, fairness: "strong" })).toBe("many");
  });
});

test("promises that fail, or say yes and no, and handlers that are no functions are refused in words", () => {
  const ask = (violated: unknown) => () =>
    explore("chang-roberts", { n: 2, properties: [{ ...told, when: "always", violated } as Property] });
  expect(ask(() => false)).toThrow('violated of "told" says false');
  expect(ask(() => undefined)).toThrow("as text, or null");
  expect(ask((view: View) => view.verdict(7).status)).toThrow('violated of "told" fails, TypeError');
  let calls = 0;
  const forgetful = toy({ init: () => ({ calls: calls++ }) });
  expect(() => explore(forgetful, { n: 2 })).toThrow("does something else when a handler is asked the same again");
});
