/** What the explorer says must have been tried: each test here stands for something that was once said without. */
import { describe, expect, test } from "vitest";
import { forever, type Toy, toy, toyProblem } from "../../../test/explorer/toy.ts";
import { messageBound, type Property, termination } from "../../properties/properties.ts";
import { type AnyProtocol, SELF, type Self } from "../../protocol.ts";
import { NEXT } from "../../topology/ring.ts";
import { explore } from "../explore.ts";
import { search } from "../search/search.ts";

const nothing: readonly Property[] = [];
const said = (list: readonly { readonly what: string }[]) => list.map(({ what }) => what).join("; ");

describe("parameters that follow from the network", () => {
  test("are filled in, as a simulation would", () => {
    const found = explore("random-walks", { n: 2, choices: 1, params: { walks: 1 }, properties: nothing });
    expect(found.params).toMatchObject({ tau: expect.any(Number), lazy: "true" });
  });

  test("or refused where they cannot work there", () => {
    const params = { lazy: "false", walks: 1 };
    expect(() => explore("random-walks", { n: 2, params, choices: 1 })).toThrow("the graph is bipartite");
  });

  test("two nodes whose ranks tie: what the missing tau hid is seen", () => {
    const { violation } = explore("random-walks", { n: 2, choices: 2, params: { walks: 1, tau: 1 } });
    expect(violation).not.toBeNull();
  });
});

describe("draws", () => {
  const draws = (values: number): AnyProtocol =>
    toy({ init: (_node, ctx) => ({ drawn: ctx.choose(values) }), receive: () => undefined });

  test("of which not every value was tried are counted, and named", () => {
    const cut = explore(draws(6), { n: 1, choices: 4, properties: nothing });
    expect(cut.draws).toEqual({ tried: 4, of: 6 });
    expect(said(cut.untried)).toContain("more than 4 of the up to 6 values of a draw");
  });

  test("all of whose values were tried are not", () => {
    const all = explore(draws(6), { n: 1, choices: 6, properties: nothing });
    expect(all.draws).toEqual({ tried: 6, of: 6 });
    expect(said(all.untried)).not.toContain("values of a draw");
    expect(said(all.tried)).toContain("every value of each draw");
  });
});

describe("runs that never end", () => {
  /** Node 0 talks to itself until it is told to stop; node 1 tosses again and again whether to tell it. */
  const coin: Toy = {
    init(node, ctx) {
      ctx.send(SELF, node === 0 ? "again" : "toss");
      return { stopped: false };
    },
    receive(state, message, ctx) {
      if (message === "stop") state.stopped = true;
      else if (message === "toss") ctx.send(...((ctx.coin(0.5) ? [NEXT, "stop"] : [SELF, "toss"]) as [number, string]));
      else if (!state.stopped) ctx.send(SELF, message);
    },
  };

  test("a coin that is tossed again and again falls the other way some time", () => {
    expect(search(toyProblem(toy(coin), 2), { properties: [termination] }).violation).toBeNull();
  });

  test("one that falls the same way both times does not", () => {
    const loaded: Toy = {
      ...coin,
      receive(state, message, ctx) {
        if (message === "toss") ctx.coin(0.5);
        coin.receive!(state, message === "toss" ? "again" : message, ctx, SELF);
      },
    };
    expect(search(toyProblem(toy(loaded), 2), { properties: [termination] }).violation).not.toBeNull();
  });

  test("whose messages have no bound break every bound", () => {
    const { violation } = search(toyProblem(toy(forever), 2), { properties: [messageBound(50)] });
    expect(violation?.what).toBe("51 messages were sent, more than 50");
    const sent = violation!.steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
    expect(sent).toBe(51);
  });

  test("and loops that cost nothing do not hide the dearest way", () => {
    /** A timer that expires for ever; beside it one message, or three. */
    const idle: Toy = {
      init(_node, ctx) {
        ctx.arm("tick", 1);
        ctx.send(SELF, 1);
        return { left: 1 };
      },
      receive(state, _message, ctx) {
        if (state.left-- > 0) for (let i = 0; i < 1 + 2 * ctx.choose(2); i++) ctx.send(SELF, 0);
      },
      expire: (_state, timer, ctx) => ctx.arm(timer, 1),
    };
    const most = (bound: number) => search(toyProblem(toy(idle), 1), { properties: [messageBound(bound)] }).violation;
    expect(most(4)).toBeNull();
    expect(most(3)?.what).toBe("4 messages were sent, more than 3");
  });

  test("with symmetry: what starves is asked where every node has its own name", () => {
    const request = { n: 3, properties: [termination] };
    /** Anonymous: a node that is told goes on forever, and one draw at the start decides who tells. */
    const anonymous: AnyProtocol = {
      ...toy({
        init: (_node, ctx) => {
          if (ctx.coin(0.5)) ctx.send(NEXT, "stop");
          ctx.send(SELF, "again");
          return { stopped: false };
        },
        receive(state, message, ctx) {
          if (message === "stop") state.stopped = true;
          else if (!state.stopped) ctx.send(SELF, message);
        },
      }),
    };
    const nameless = { ...anonymous, assumes: { ...anonymous.assumes, identity: "anonymous" as const } };
    const [folded, whole] = [true, false].map((symmetry) => explore(nameless, { ...request, symmetry }));
    expect(folded.violation?.property).toBe(whole.violation?.property);
    expect(folded.violation?.what).toBe(whole.violation?.what);
  });
});

describe("who starts", () => {
  test("is what the protocol says: one, any one, where it has one initiator", () => {
    const { cases, tried } = explore("epidemic-multicast", { n: 2, params: { rounds: 0 }, properties: nothing });
    expect(cases.map(({ initiators }) => initiators)).toEqual([[0], [1]]);
    expect(said(tried)).toContain("every set of 1 node that starts");
  });

  test("and all where the user says so", () => {
    const request = { n: 2, params: { rounds: 0 }, initiators: "all", properties: nothing } as const;
    expect(explore("epidemic-multicast", request).cases.map(({ initiators }) => initiators)).toEqual([[0, 1]]);
  });

  test("an adversary's wake-up is every schedule of its kind", () => {
    const wakes: (number | undefined)[] = [];
    const sleeper = (kind: "uniform" | "one-then-rest"): AnyProtocol => ({
      ...toy({ init: () => null }),
      wakes: () => ({ kind, rounds: 3 }),
      init: (_params, { wake }: Self) => {
        wakes.push(wake);
        return { wake };
      },
    });
    explore(sleeper("uniform"), { n: 1, properties: nothing });
    expect(new Set(wakes)).toEqual(new Set([1, 2, 3]));
    const { casesInAll, states } = explore(sleeper("one-then-rest"), { n: 2, ids: [1, 2], properties: nothing });
    expect([casesInAll, states]).toEqual([2, 2]);
  });
});

test("an answer of the oracle that a protocol acts on is refused, not made up", () => {
  const params = { suppression: "ideal", window: 1, rounds: 2 };
  const request = { n: 2, timed: 1, properties: nothing, maxStates: 100_000 } as const;
  expect(() => explore("filter-relay", { ...request, params, drops: 4 })).toThrow(
    "filter-relay acts on an oracle that says who is first, and the explorer has none",
  );
  expect(
    explore("filter-relay", { ...request, params: { ...params, suppression: "lossy", K: 1 } }).states,
  ).toBeGreaterThan(1);
});

describe("what was tried, and what was not", () => {
  test("is part of every result", () => {
    const { tried, untried } = explore("chang-roberts", { n: 3, crashes: 1 });
    expect(said(tried)).toBe(
      "every order of messages; every arrangement of ids 1 to 3; all nodes start, together; up to 1 crash",
    );
    expect(said(untried)).toBe(
      "links that do not keep the order; ids other than 1 to 3; fewer nodes that start; loss; restarts; duplicates; pauses; a crash between two sends; late starts; clocks that run apart; partitions; other numbers of nodes",
    );
  });

  test("names an election's number, where the protocol knows it, and limits", () => {
    const request = { n: 2, timed: 1, maxStates: 1000, params: { K: 1 }, properties: nothing } as const;
    expect(said(explore("filter-relay", request).untried)).toContain("other numbers of the election");
    const limited = explore("itai-rodeh", { n: 2, limits: { phases: 1 } });
    expect(said(limited.untried)).toContain("phases beyond 1");
  });
});
