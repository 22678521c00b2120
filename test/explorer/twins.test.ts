/** Arrangements of ids that a protocol cannot tell apart are searched once; whether it can is checked, not believed. */
import { describe, expect, test } from "vitest";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { atMostOneLeader, propertyNames } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { effort } from "../support/effort.ts";
import { type Plain, type Toy, toy } from "./toy.ts";

const MOST = effort(50_000, 300_000);

/** Every node has drawn, or is told, who it is: on a complete network, where port 0 leads to the next node. */
const complete = (parts: Toy, changes: Partial<AnyProtocol> = {}): AnyProtocol => {
  const made = toy(parts);
  return {
    ...made,
    assumes: { ...made.assumes, topology: "complete" },
    verdict: ({ leads }: Plain) => ({ status: leads ? "elected" : "not-elected", leader: null, term: 0 }),
    ...changes,
  };
};

describe("with them and without, an exploration says the same", () => {
  const small: Readonly<Record<string, ExploreRequest>> = {
    quorum: { n: 3, params: { s: 1, ask: 1 }, choices: 1, initiators: [0, 1] },
    "tournament-async": { n: 3, params: { s: 1, ask: 1, J: 0 }, choices: 1, initiators: [0, 1] },
    "filter-relay": { n: 3, params: { rounds: 1 }, choices: 1, reduction: "always" },
    "epidemic-multicast": { n: 3, params: { rounds: 1 }, choices: 2 },
  };
  /** Its first eight draws alone have more outcomes, even with two nodes of which one starts, than come to an end here. */
  const endless = ["quorum-estimated"];
  const dear = effort(["filter-relay"], []);
  const named = catalogue.filter(
    ({ name, assumes }) =>
      assumes.topology === "complete" && assumes.identity === "ids" && ![...endless, ...dear].includes(name),
  );

  test.each(named.map(({ name }) => name))("%s", (name) => {
    const request = { reduction: "never", ...(small[name] ?? { n: 2, choices: 1 }), maxStates: MOST } as const;
    const large = request.reduction === "always";
    const all = Object.keys(propertyNames);
    const every = explore(name, { ...request, properties: all, symmetry: false });
    for (const property of [null, ...effort(["agreement"], all)]) {
      const properties = property === null ? [] : [property];
      const folded = explore(name, { ...request, properties });
      // A full search in which nothing breaks any promise is the same for each of them.
      const same = !large && every.violation === null;
      const whole = same ? every : explore(name, { ...request, properties, symmetry: false });
      expect(folded.violation?.what).toBe(whole.violation?.what);
      expect([folded.ends, folded.messages]).toEqual([whole.ends, whole.messages]);
      if (!whole.reduced) expect(folded.states).toBe(whole.states);
      expect([folded.complete, whole.alike]).toEqual([whole.complete, 0]);
      if (small[name] !== undefined && whole.complete) expect(folded.alike).toBeGreaterThan(0);
      if (property === null) expect(whole.complete).toBe(true);
    }
  });
});

describe("a protocol that can tell ports apart", () => {
  /** Each node tells its id to all. A node that hears id 1 through port 0 and id 2 through port 1 leads, and so does id 3. */
  const ported = complete({
    init(id, ctx) {
      for (const port of [0, 1]) ctx.send(port, id);
      return { id, heard: [0, 0], leads: id === 3 };
    },
    receive(state, id, _ctx, port) {
      state.heard[port] = id;
      state.leads ||= state.heard.join() === "3,2";
    },
  });

  test("has every arrangement searched, also the one that is wrong", () => {
    const found = [{}, { symmetry: false }].map((given) =>
      explore(ported, { n: 3, properties: [atMostOneLeader], ...given }),
    );
    expect(found.map(({ violation }) => violation?.problem.ids)).toEqual([
      [3, 2, 1],
      [3, 2, 1],
    ]);
    expect(found.map(({ alike }) => alike)).toEqual([0, 0]);
  });

  test("even if only a message, a timer or a report shows it", () => {
    const tells = (what: Toy): AnyProtocol => complete(what, { report: ({ shown }: Plain) => shown ?? null });
    const start: Toy["init"] = (id, ctx) => {
      if (id === 3) for (const port of [0, 1]) ctx.send(port, id);
      return { id, leads: id === 3 };
    };
    const ways: NonNullable<Toy["receive"]>[] = [
      (_state, message, ctx, port) => message === 3 && ctx.send(port, { port }),
      (state, _message, ctx, port) => state.id === 1 && port === 0 && ctx.arm("t", 1),
      (state, _message, _ctx, port) => {
        state.shown = port;
      },
    ];
    for (const receive of ways)
      expect(explore(tells({ init: start, receive }), { n: 3, properties: [] }).alike).toBe(0);
    const blind: NonNullable<Toy["receive"]> = (state, _message, ctx, port) => {
      state.from = port;
      ctx.send(port, "thanks");
    };
    expect(explore(tells({ init: start, receive: blind }), { n: 3, properties: [] }).alike).toBe(1);
  });
});

test("a custom promise may name a node: then every arrangement is searched", () => {
  const own = { ...atMostOneLeader, name: "own" };
  const request = { n: 3, params: { rounds: 1 }, choices: 2 };
  expect(explore("epidemic-multicast", { ...request, properties: [own] }).alike).toBe(0);
  expect(explore("epidemic-multicast", { ...request, properties: [atMostOneLeader] }).alike).toBe(3);
});
