/** A tick is earned: each test here stands for a ✓, or a status 0, that was once given for nothing. */
import { describe, expect, test } from "vitest";
import { type Plain, showing, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import {
  agreement,
  eventually,
  leaderKnown,
  type Property,
  someLeader,
  termination,
} from "../../properties/properties.ts";
import { type AnyProtocol, SELF } from "../../protocol.ts";
import { protocolNamed } from "../../protocols/catalogue.ts";
import { referees } from "../../protocols/complete/referees.ts";
import { refereesAsync } from "../../protocols/complete/referees-async.ts";
import { NEXT } from "../../topology/ring.ts";
import { type Exploration, type ExploreRequest, explore } from "../explore.ts";
import { isEqual } from "../space/visited.ts";
import { deepening } from "./deepen.ts";
import { subjectOf } from "./endless.ts";
import { search } from "./search.ts";
import { finished } from "./search-terms.ts";

/** As the command does, with a clock that goes on by a millisecond whenever somebody looks. */
function deepen(protocol: AnyProtocol, request: ExploreRequest, budget: number) {
  let looks = 0;
  return finished(deepening(protocol, request, { budget, now: () => looks++ }));
}

const standings = ({ verdicts }: Exploration) =>
  Object.fromEntries(verdicts.map(({ promise, standing }) => [promise, standing]));
const reasonOf = ({ verdicts }: Exploration, name: string) => verdicts.find(({ promise }) => promise === name)?.reason;

describe("a search that had to stop", () => {
  test.each([10, 40, 150])(
    "never ends with a tick, nor with fewer values than were to be tried (%i looks)",
    (budget) => {
      const { result, stopped, levels } = deepen(referees, { n: 4, properties: ["at-most-one-leader"] }, budget);
      expect(result.verdict).toBe("not evaluated");
      expect(stopped).toBe(true);
      expect(levels.map(({ choices }) => choices)).not.toContain(1);
    },
  );

  test("and walks beside it find what it has not come to: a referee that forgets that it has spoken", () => {
    const forgets: AnyProtocol = {
      ...referees,
      endRound(state, round, ctx) {
        referees.endRound!(state, round, ctx);
        state.spoken = false;
      },
    };
    const params = { wakeup: "adversarial" };
    const { result } = deepen(forgets, { n: 4, params, properties: ["at-most-one-leader"] }, 400);
    expect(result.violation?.property).toBe("at-most-one-leader");
    expect(result.verdict).toBe("broken");
  });

  test("is told apart from one with more values that had to stop", () => {
    const { result, stopped } = deepen(refereesAsync, { n: 2, timed: 1, properties: ["at-most-one-leader"] }, 60);
    if (stopped) expect(reasonOf(result, "at-most-one-leader")).toMatch(/had to stop|stopped/);
    expect(result.verdict).toBe(stopped ? "not evaluated" : "holds");
  });

  test("at a number of configurations says so of every promise", () => {
    const found = explore("peterson", { n: 4, maxStates: 50 });
    expect([found.complete, found.verdict]).toEqual([false, "not evaluated"]);
    expect(new Set(Object.values(standings(found)))).toEqual(new Set(["not evaluated"]));
  });

  test("random walks that find nothing evaluate nothing", () => {
    expect(explore("peterson", { n: 3, walks: 2 })).toMatchObject({ verdict: "not evaluated", violation: null });
  });
});

describe("where a limit cut", () => {
  test("no end was reached, and nothing beyond the limit is known", () => {
    const found = explore("hirschberg-sinclair", { n: 4, limits: { phases: 1 } });
    expect([found.ends, found.complete, found.verdict]).toEqual([0, true, "not evaluated"]);
    expect(reasonOf(found, "some-leader")).toBe("no run ends within phases=1");
    expect(reasonOf(found, "termination")).toContain("nothing is wrong up to phases=1");
    expect(Object.values(standings(found))).not.toContain("holds");
  });

  test("some runs ended, and termination is not established", () => {
    const found = explore("itai-rodeh", { n: 2, limits: { phases: 2 } });
    expect(found.ends).toBeGreaterThan(0);
    expect(standings(found)).toMatchObject({ termination: "not evaluated", "some-leader": "not evaluated" });
  });

  test("a limit that cuts nothing takes nothing away", () => {
    expect(explore("hirschberg-sinclair", { n: 3, limits: { phases: 9 } }).verdict).toBe("holds");
  });

  test("what is to happen eventually is open only if it has not happened before the limit", () => {
    const counting = (from: number): AnyProtocol =>
      toy({
        measures: { laps: "max" },
        init(_node, ctx) {
          ctx.send(SELF, from);
          return { laps: 0 };
        },
        receive(state, lap, ctx) {
          state.laps = lap;
          ctx.measure("laps", lap);
          ctx.send(SELF, lap + 1);
        },
      });
    const lapped = (protocol: AnyProtocol) => ({ ...protocol, report: (state: Plain) => state.laps });
    const third = eventually("third", "node 0 is in its third lap", (view) => (view.report!(0) as number) >= 3);
    const asked = (most: number) =>
      explore(lapped(counting(1)), { n: 1, properties: [third], limits: { laps: most } }).verdict;
    expect([asked(2), asked(5)]).toEqual(["not evaluated", "holds"]);
  });
});

/** A token goes around for ever; nobody decides. */
const token: Toy = {
  init(node, ctx) {
    if (node === 1) ctx.send(NEXT, "token");
    return {};
  },
  receive: (_state, message, ctx) => ctx.send(NEXT, message),
};

describe("runs that never end", () => {
  test("a promise about ends is not kept by a token that circulates", () => {
    const only = explore(toy(token), { n: 3, properties: [someLeader] });
    expect(only).toMatchObject({ ends: 0, verdict: "not evaluated" });
    expect(reasonOf(only, "some-leader")).toBe("no run comes to an end");
    expect(explore(toy(token), { n: 3 }).violation?.property).toBe("termination");
  });

  test.each([{ timed: 1 }, { timed: 2, ties: true }, { reduction: "always" }, { symmetry: false }] as const)(
    "termination is broken by it, however it is searched: %o",
    (request) => {
      const found = explore(toy(token), { n: 3, properties: [termination, someLeader], ...request });
      expect(found.violation?.property).toBe("termination");
    },
  );

  test("nor is it established by some runs that end where others go on", () => {
    const either: Toy = {
      ...token,
      init(node, ctx) {
        if (node === 1) ctx.send(NEXT, ctx.choose(2) === 0 ? "token" : "stop");
        return { leads: false };
      },
      receive(state, message, ctx) {
        if (message === "token") ctx.send(NEXT, message);
        else state.leads = true;
      },
    };
    const found = explore(showing(either), { n: 2, properties: [someLeader] });
    expect(found.ends).toBeGreaterThan(0);
    expect(reasonOf(found, "some-leader")).toContain("add termination");
    expect(found.verdict).toBe("not evaluated");
  });

  test("no promise at all is no tick", () => {
    expect(explore("peterson", { n: 3, properties: [] }).verdict).toBe("not evaluated");
  });

  test("a promise about ids says nothing of nodes that have none", () => {
    const found = explore("itai-rodeh", {
      n: 2,
      choices: 2,
      limits: { phases: 1 },
      properties: [leaderKnown, agreement],
    });
    expect(reasonOf(found, "leader-known")).toContain("these nodes have none");
    expect(explore("itai-rodeh", { n: 2, limits: { phases: 1 } }).properties).not.toContain("leader-known");
  });
});

describe("the run that never ends", () => {
  /** Two words go around a ring each by itself; a third is answered for ever. */
  const busy: Toy = {
    init(node, ctx) {
      ctx.send(SELF, `again ${node}`);
      if (node === 1) ctx.send(NEXT, "token");
      return {};
    },
    receive: (_state, message, ctx) => ctx.send(message === "token" ? NEXT : SELF, message),
  };

  test.each([
    ["several at once", busy, 3],
    ["one token", token, 3],
  ])("takes every step that stays possible: %s", (_name, own, n) => {
    const { violation } = search(toyProblem(toy(own as Toy), n), { properties: [termination] });
    const { steps, network, loop } = violation!;
    const before = steps.at(-1 - loop!.steps)?.after ?? network.blank();
    expect(isEqual(before, steps.at(-1)!.after)).toBe(true);
    const taken = new Set<string | null>();
    let always: Set<string | null> | undefined;
    let vector = before;
    for (const step of steps.slice(-loop!.steps)) {
      const possible = new Set(network.steps(vector).map((each) => subjectOf(network, vector, each)));
      always = always === undefined ? possible : new Set([...always].filter((subject) => possible.has(subject)));
      taken.add(subjectOf(network, vector, step));
      vector = step.after;
    }
    expect([...always!].filter((subject) => subject !== null && !taken.has(subject))).toEqual([]);
    expect(loop!.starves).toEqual([]);
  });

  test("names what weak fairness lets starve, and strong fairness does not", () => {
    /** A way out that is there in every other configuration only. */
    const flicker: AnyProtocol = toy({
      init(_node, ctx) {
        ctx.send(SELF, "go");
        return { open: false, out: false };
      },
      receive(state, message, ctx) {
        if (state.out) return;
        state.open = !state.open;
        if (state.open) ctx.arm("exit", 1);
        else ctx.disarm("exit");
        ctx.send(SELF, message);
      },
      expire: (state) => Object.assign(state, { out: true }),
    });
    const { violation } = search(toyProblem(flicker, 1), { properties: [termination] });
    expect(violation?.loop).toEqual({ steps: 2, starves: ["timer exit of node 0 expires"] });
    const strong: Property = { ...termination, name: "strong", fairness: "strong" };
    expect(explore(flicker, { n: 1, properties: [strong] }).verdict).toBe("holds");
  });
});

describe("a promise that is expected to be broken", () => {
  const bad: Property = { ...someLeader, name: "bad", when: "end", violated: () => "it is always broken" };
  const worse: Property = { ...bad, name: "worse", violated: () => "so is this one" };

  test("is noted once, and the search goes on to another kind", () => {
    const found = explore("peterson", { n: 3, properties: [bad, worse], expect: ["bad"] });
    expect(found.expected.map(({ property }) => property)).toEqual(["bad"]);
    expect(found.violation?.property).toBe("worse");
  });

  test.each([{}, { reduction: "always" }, { timed: 1 }] as const)(
    "and does not count where the others hold: %o",
    (how) => {
      const found = explore("chang-roberts", {
        n: 3,
        properties: [bad, agreement, termination],
        expect: ["bad"],
        ...how,
      });
      expect(found.verdict).toBe("holds");
      expect(standings(found)).toEqual({ bad: "broken", agreement: "holds", termination: "holds" });
    },
  );

  test("an endless run that is expected, and a promise with a search of its own", () => {
    const never = eventually("never", "somebody decides", () => false);
    const found = explore(toy(token), { n: 2, properties: [termination, never], expect: ["termination", "never"] });
    expect(found.expected.map(({ property }) => property)).toEqual(["termination", "never"]);
    expect(found.violation).toBeNull();
  });

  test("must be one that is checked", () => {
    expect(() => explore("peterson", { n: 3, expect: ["some-leadr"] })).toThrow('did you mean "some-leader"');
  });

  test("a leader that was elected and crashed is no failure of the election, and one that nobody elected is", () => {
    const found = explore("chang-roberts", { n: 3, ids: [1, 2, 3], crashes: 1, expect: ["some-leader"] });
    expect(found.properties).toContain("leader-elected");
    expect(found.violation?.property).toBe("leader-elected");
    const alone = { n: 1, crashes: 1, properties: ["some-leader", "leader-elected"], expect: ["some-leader"] };
    const leads = showing({ init: () => ({ leads: true }) });
    expect(explore(leads, alone)).toMatchObject({ verdict: "holds", expected: [{ property: "some-leader" }] });
  });

  test("too few do not hide too many in a council", () => {
    const drawn = showing({
      init: () => ({ leads: false }),
      receive: (state) => Object.assign(state, { leads: true }),
    });
    const council: AnyProtocol = {
      ...drawn,
      assumes: { ...drawn.assumes, topology: "star", identity: "anonymous" },
      init(_params, self, _saved, ctx) {
        if (self.initiator) for (const port of ctx.sample(ctx.choose(4))) ctx.send(port, "you");
        return { leads: false };
      },
      judge: (_params, { elected }) => (elected < 1 ? "none" : elected > 2 ? "many" : "one"),
    };
    expect(explore(council, { n: 3 }).violation?.property).toBe("not-too-few");
    expect(explore(council, { n: 3, expect: ["not-too-few"] }).violation?.property).toBe("not-too-many");
  });
});

test("what the command prints as ✓ is what the library calls holds", () => {
  expect(explore(protocolNamed("peterson"), { n: 3 })).toMatchObject({ verdict: "holds", complete: true });
  expect(explore("chang-roberts", { n: 2, crashes: 1 }).verdict).toBe("broken");
});

describe("a promise that reads what a configuration does not have", () => {
  const late: Property = { ...agreement, name: "late", violated: (view) => (view.time! > 1 ? "late" : null) };
  const dear: Property = eventually("dear", "3 messages were sent", (view) => view.messages > 2);

  test("is refused, and not kept for want of it", () => {
    expect(() => explore("peterson", { n: 2, timed: 1, properties: [late] })).toThrow('declare counts: "time"');
    expect(() => explore("peterson", { n: 2, properties: [dear] })).toThrow('"dear" reads how many messages were sent');
  });
});
