/** More of what was once said without having been tried: of networks, of what promises read, of walks. */
import { describe, expect, test } from "vitest";
import { type Plain, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import { eventually, messageBound, type Property, timeBound } from "../../properties/properties.ts";
import { type AnyProtocol, SELF } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { explore } from "../explore.ts";
import { countCases } from "./cases.ts";
import { search } from "./search.ts";

const nothing: readonly Property[] = [];
const said = (list: readonly { readonly what: string }[]) => list.map(({ what }) => what).join("; ");

/** On any connected graph. */
const anywhere = (own: Toy, identity: "ids" | "anonymous" = "ids"): AnyProtocol => {
  const { assumes, ...rest } = toy(own);
  return { ...rest, assumes: { ...assumes, topology: "connected", identity } };
};

describe("a network that looks different from its nodes", () => {
  const seen = (topology: string) => {
    const middle: Property = {
      name: "middle",
      about: "the largest id is not at node 1",
      when: "end",
      violated: (view) => (view.id(1) === view.size ? "it is" : null),
    };
    return explore(anywhere({ init: () => ({}) }), { n: 3, topology, properties: [middle] });
  };

  test("has every arrangement of ids, also those with the largest id elsewhere", () => {
    expect(seen("star").violation?.problem.ids?.[1]).toBe(3);
    expect(explore(anywhere({ init: () => ({}) }), { n: 3, topology: "star", properties: nothing }).casesInAll).toBe(6);
  });

  test("and one that does not has one rotation of each", () => {
    expect(seen("complete")).toMatchObject({ violation: null, casesInAll: 2 });
    const asked = { n: 4, ids: "all", initiators: undefined } as never;
    const counted = [true, false].map((round) => countCases(anywhere({ init: () => ({}) }), {}, asked, round));
    expect(counted).toEqual([6, 24]);
  });

  test("has no rotations either where nodes have no ids", () => {
    /** A node with two links tells itself, and leads. */
    const centre = anywhere(
      {
        init(_node, ctx) {
          if (ctx.degree === 2) ctx.send(SELF, "me");
          return { leads: false };
        },
        receive: (state) => Object.assign(state, { leads: true }),
      },
      "anonymous",
    );
    const whole = explore(centre, { n: 3, topology: "star", properties: nothing, symmetry: false });
    const folded = explore(centre, { n: 3, topology: "star", properties: nothing });
    expect(folded.states).toBe(whole.states);
  });
});

describe("a promise that reads more than verdicts and reports", () => {
  /** Both send themselves a word; nobody else hears of it. */
  const quiet: Toy = {
    init(_node, ctx) {
      ctx.send(SELF, "go");
      return 0;
    },
  };
  const asleep: Property = {
    name: "asleep",
    about: "the second does not wake before the first",
    when: "always",
    violated: (view) => (view.awake!(1) && !view.awake!(0) ? "it does" : null),
  };

  test("such as who is awake is seen in a reduced search too", () => {
    const problem = toyProblem(toy(quiet), 2, { budget: { late: 2 } });
    const [full, reduced] = (["never", "always"] as const).map((reduction) =>
      search(problem, { properties: [asleep], reduction }),
    );
    expect(full.violation?.property).toBe("asleep");
    expect(reduced.violation?.property).toBe("asleep");
  });

  test("or how many messages there were", () => {
    const request = { n: 3, reduction: "always", properties: [messageBound(100)] } as const;
    expect(explore("chang-roberts", request)).toMatchObject({
      reduced: false,
      unreduced: "a promise reads how many messages were sent",
    });
    expect(explore("chang-roberts", { n: 3, reduction: "always" }).unreduced).toBeNull();
    expect(explore("chang-roberts", { n: 3, reduction: "always", timed: 1 }).unreduced).toContain("time");
  });
});

describe("random walks", () => {
  /** A word goes once around, three instants long. */
  const once: Toy = {
    init(node, ctx) {
      if (node === 1) ctx.send(NEXT, "go");
      return { heard: false };
    },
    receive(state: Plain, message, ctx) {
      if (!state.heard) ctx.send(NEXT, message);
      state.heard = true;
    },
  };
  const walk = (properties: readonly Property[], more = {}) =>
    explore(toy(once), { n: 3, walks: 4, properties, ...more }).violation;
  const never = eventually("never", "node 0 leads", (view) => view.verdict(0).status === "elected");
  const soon = eventually("soon", "nobody leads", () => true);

  test("check what is to happen eventually where they end", () => {
    expect(walk([never])?.what).toBe("not yet: node 0 leads, and nothing is left to happen");
    expect(walk([soon])).toBeNull();
  });

  test("check bounds on time, and refuse them where there is none", () => {
    expect(walk([timeBound(3)], { timed: 1 })?.what).toBe("4 instants have passed, more than 3");
    expect(walk([timeBound(4)], { timed: 1 })).toBeNull();
    expect(() => walk([timeBound(3)])).toThrow('"time-bound" counts time, but steps have no time');
  });

  test("name the faults that could come on them, and those that could not", () => {
    const { tried, untried } = explore("chang-roberts", { n: 3, walks: 2, crashes: 1, properties: nothing });
    expect(said(tried)).toBe("2 random schedules; every order of messages is possible; up to 1 crash");
    expect(said(untried)).toContain("every other schedule");
    expect(said(untried)).toContain("loss");
    expect(said(untried)).not.toContain("crashes");
  });
});

describe("what was not tried", () => {
  test("ids that are not 1 to n, messages that outlive a restart, other ways to fall apart", () => {
    const request = { n: 3, crashes: 1, restarts: 1, partitions: 1, properties: nothing };
    const { tried, untried } = explore("chang-roberts", request);
    expect(said(untried)).toContain("ids other than 1 to 3");
    expect(said(untried)).toContain("messages on their way to a node that crashes, after its restart");
    expect(said(tried)).toContain("up to 1 partition into two sides");
  });

  test("how late a start, and how long a pause, where there is time", () => {
    const { tried } = explore("chang-roberts", { n: 2, timed: 1, late: 1, pauses: 1, properties: nothing });
    expect(said(tried)).toContain("up to 1 pause, of at most 2 instants; up to 1 late start, by at most 2 instants");
  });

  test("clocks that drift where there is no time, and restarts where nothing crashes", () => {
    const { tried, untried } = explore("chang-roberts", { n: 2, drifts: 1, restarts: 1, properties: nothing });
    expect(said(tried)).not.toMatch(/drift|restart/);
    expect(untried).toContainEqual({ what: "clocks that run apart", setting: "timed" });
    expect(untried).toContainEqual({ what: "restarts", setting: "crashes" });
    const timed = explore("chang-roberts", { n: 2, timed: 1, drifts: 1, halfway: 1, restarts: 1, properties: nothing });
    expect(said(timed.tried)).toMatch(/up to 1 restart; .*up to 1 instant by which clocks drift/);
  });

  test("ways to fall apart that are too many are refused", () => {
    expect(() => explore("chang-roberts", { n: 40, partitions: 1 })).toThrow("40 nodes can fall apart in 2^39 ways");
  });
});
