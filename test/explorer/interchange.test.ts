/**
 * Nodes of a complete network without ids are interchangeable if no handler tells ports apart. Then one of all permutations is searched:
 * what that search says equals what the whole search says, and a handler that tells ports apart is noticed.
 */
import { describe, expect, test } from "vitest";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import type { Property } from "../../src/properties/properties.ts";
import type { AnyProtocol, Port } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { HostStream } from "../../src/random/streams.ts";
import { complete } from "../../src/topology/complete.ts";
import { effort } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import { type Ctx, everyConfiguration, type Plain, toyProblem } from "./toy.ts";

type Handler = (state: Plain, port: Port, message: Plain, ctx: Ctx) => void;

/** Every node begins in stage 0 with words for all others; one in stage 3 leads. */
const anonymous = (receive: Handler, words: readonly string[] = ["a"]): AnyProtocol =>
  defineProtocol<object, Plain, Plain>({
    name: "anonymous",
    assumes: {
      topology: "complete",
      identity: "anonymous",
      fifo: false,
      start: "common",
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    init(_params, _self, _saved, ctx) {
      for (const word of words) for (const port of ctx.ports()) ctx.send(port, word);
      return { stage: 0, fuel: 2 };
    },
    receive,
    verdict: ({ stage }) => ({ status: stage === 3 ? "elected" : "undecided", leader: null, term: 0 }),
  }) as AnyProtocol;

interface Row {
  readonly next: number;
  readonly answer: string | null;
  readonly others: string | null;
}

/** A table of what nodes do, drawn; `tells`: what they do may depend on ports. */
function drawn(seed: number, tells: boolean): AnyProtocol {
  const random = new HostStream(seed, 0, "schedule");
  const word = () => [null, null, "a", "b"][random.choose(4)];
  const row = (): Row => ({ next: random.choose(4), answer: word(), others: word() });
  const rows = Array.from({ length: 4 }, () => Array.from({ length: tells ? 4 : 2 }, row));
  return anonymous((state, port, message, ctx) => {
    if (state.fuel === 0) return;
    state.fuel--;
    const { next, answer, others } = rows[state.stage][(message === "a" ? 0 : 1) + (tells && port === 0 ? 2 : 0)];
    state.stage = next;
    for (const each of ctx.ports()) {
      const said = each === port ? answer : others;
      if (said !== null) ctx.send(each, said);
    }
  });
}

const FAULTS: readonly Partial<ExploreRequest>[] = [
  {},
  { drops: 1 },
  { duplicates: 1 },
  { crashes: 1 },
  { crashes: 1, restarts: 1, maxStates: 60_000 },
  { late: 1 },
  { fifo: false },
];

const kept = (protocol: AnyProtocol, request: ExploreRequest) => {
  const { violation, verdict, complete: all, loops, messages } = explore(protocol, request);
  return { broken: violation?.property ?? null, verdict, all, loops, messages: violation === null ? messages : null };
};

describe("what is said of one of all permutations is said of all", () => {
  test.each([false, true])("drawn protocols, where ports are told apart: %j", (tells) => {
    let broken = 0;
    for (let seed = 0; seed < effort(7, 200); seed++) {
      const protocol = drawn(seed, tells);
      const request = { n: 3, properties: ["at-most-one-leader", "termination"], ...FAULTS[seed % FAULTS.length] };
      const whole = kept(protocol, { ...request, reduction: "never", symmetry: false });
      if (!whole.all && whole.broken === null) continue;
      for (const reduction of ["never", "always"] as const) {
        expect([seed, kept(protocol, { ...request, reduction })]).toEqual([seed, whole]);
      }
      if (whole.broken !== null) broken++;
    }
    expect(broken).toBeGreaterThan(0);
  });

  test("as many configurations are visited as there are orbits", () => {
    for (let seed = 0; seed < effort(2, 20); seed++) {
      const protocol = drawn(seed, false);
      const orbits = new Set<string>();
      const all = everyConfiguration(
        toyProblem(protocol, 3, { topology: complete(3), ids: null }),
        (network, vector) => {
          const { links, nodes } = network;
          const between = (from: number, to: number) =>
            network
              .onLink(
                vector,
                links.findIndex((link) => link.from === from && link.to === to),
              )
              .map(({ message }) => nodes.messages.value(message));
          const seen = (order: readonly number[]) =>
            JSON.stringify([
              order.map((node) => nodes.states.value(network.state(vector, node))),
              order.map((from) => order.map((to) => between(from, to))),
            ]);
          const orders = [0, 1, 2].flatMap((a) =>
            [0, 1, 2].filter((b) => b !== a).map((b) => [a, b, 3 - a - b] as const),
          );
          orbits.add(orders.map(seen).sort()[0]);
        },
      );
      const request: ExploreRequest = { n: 3, properties: [], reduction: "never" };
      expect(explore(protocol, request).states).toBe(orbits.size);
      expect(explore(protocol, { ...request, symmetry: false }).states).toBe(all);
    }
  });
});

/** Two leaders need what only somebody who tells ports apart can do. */
describe("a handler that tells ports apart is noticed", () => {
  test.each<[string, Handler]>([
    [
      "keeps the port",
      (state, port) => Object.assign(state, { stage: state.from === 0 && port === 1 ? 3 : 1, from: port }),
    ],
    [
      "sends by the first port only",
      (state, _port, message, ctx) => {
        if (message === "b") state.stage++;
        else ctx.send(0, "b");
      },
    ],
    [
      "answers by another port",
      (state, port, message, ctx) => {
        if (message === "b") state.stage++;
        else ctx.send(1 - port, "b");
        if (state.stage === 2 && port === 0) state.stage = 3;
      },
    ],
    [
      "draws a port",
      (state, port, message, ctx) => {
        if (message === "b") state.stage = port === 0 ? 3 : state.stage;
        else ctx.send(ctx.choose(2), "b");
      },
    ],
  ])("%s", (_what, receive) => {
    const protocol = anonymous(receive, ["a"]);
    const request: ExploreRequest = { n: 3, properties: ["at-most-one-leader"], reduction: "never" };
    const whole = explore(protocol, { ...request, symmetry: false });
    const found = explore(protocol, request);
    expect([found.verdict, found.complete]).toEqual([whole.verdict, whole.complete]);
    if (found.violation !== null) expectRun(found.violation);
    // Rotations remain: a third, not a sixth.
    if (found.complete) expect(found.states).toBeGreaterThan(whole.states / 4);
  });
});

test("a promise of one's own may ask for a node by its place, on networks of any kind", () => {
  const first: Property = {
    name: "first",
    about: "the first node never leads",
    when: "always",
    violated: (view) => (view.verdict(0).status === "elected" ? "it leads" : null),
  };
  /** The node that hears the one message first leads: any of them may, and one does. */
  const race = anonymous((state, _port, message, ctx) => {
    if (message === "a" && state.stage === 0) {
      state.stage = 3;
      for (const port of ctx.ports()) ctx.send(port, "b");
    } else if (message === "b" && state.stage === 0) state.stage = 1;
  });
  for (const place of [0, 1, 2]) {
    const own = {
      ...first,
      violated: (view: Parameters<Property["violated"]>[0]) =>
        view.verdict(place).status === "elected" &&
        [0, 1, 2].every((node) => node === place || view.verdict(node).status !== "elected")
          ? "it leads alone"
          : null,
    };
    expect(explore(race, { n: 3, properties: [own] }).verdict).toBe("broken");
  }
});
