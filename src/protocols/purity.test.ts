/** Handlers that are no functions of state, input and context are told so, in explorations and simulations alike. */
import { describe, expect, test, vi } from "vitest";
import { simulate } from "../campaign/campaign.ts";
import { ProtocolError } from "../errors.ts";
import { explore } from "../explorer/explore.ts";
import type { Context, Self } from "../protocol.ts";
import type { GivenProtocol } from "./check.ts";

// biome-ignore lint/suspicious/noExplicitAny: states that a protocol should not have
type Loose = any;
type Own = GivenProtocol<object, Loose, Loose, string>;

/** Chang and Roberts, without announcement. */
const honest: Own = {
  name: "own",
  assumes: { topology: "ring", direction: "unidirectional" },
  init(_params, self: Self, _saved, ctx: Context<Loose, string>) {
    ctx.send(0, self.id!);
    return { id: self.id!, leads: false };
  },
  receive(state, _port, id, ctx) {
    if (id > state.id) ctx.send(0, id);
    else if (id === state.id) state.leads = true;
  },
  verdict: ({ leads }) => ({ status: leads ? "elected" : "not-elected", leader: null, term: 0 }),
};

let counter = 0;
let kept: Context<Loose, string> | null = null;
const known = new Map<number, number>();

const cheats: readonly (readonly [string, Partial<Own>, RegExp])[] = [
  [
    "Math.random in receive",
    {
      receive: (state) => {
        state.x = Math.random();
      },
    },
    /it calls random: draw with ctx/,
  ],
  [
    "Math.random in verdict",
    { verdict: () => ({ status: Math.random() < 0.5 ? "elected" : "undecided", leader: null, term: 0 }) },
    /in verdict: it calls random/,
  ],
  [
    "the clock",
    {
      receive: (state) => {
        state.at = Date.now();
      },
    },
    /it reads the clock with Date/,
  ],
  [
    "a new Date",
    {
      receive: (state) => {
        state.at = String(new Date());
      },
    },
    /it reads the clock with Date/,
  ],
  [
    "performance",
    {
      receive: (state) => {
        state.at = performance.now();
      },
    },
    /it calls now: time comes as timers/,
  ],
  [
    "what comes later",
    { receive: (_state, _port, id, ctx) => void setTimeout(() => ctx.send(0, id), 0) },
    /it calls setTimeout: what comes later is a timer/,
  ],
  [
    "a context kept for the next handler",
    {
      receive(state, port, id, ctx) {
        (kept ?? ctx).send(0, id);
        kept = ctx;
        honest.receive(state, port, id, ctx);
      },
    },
    /uses the context of a handler that has returned/,
  ],
  [
    "a counter that nodes share",
    {
      receive: (state) => {
        state.number = counter++;
      },
    },
    /it does something else when a handler is asked the same again/,
  ],
  [
    "a table that nodes share",
    {
      receive(state, port, id, ctx) {
        known.set(state.id, id);
        state.known = known.size;
        honest.receive(state, port, id, ctx);
      },
    },
    /it does something else when a handler is asked the same again/,
  ],
  [
    "a state in a circle",
    {
      receive: (state) => {
        state.self = state;
      },
    },
    /nested deeper than 64, or in a circle/,
  ],
  [
    "NaN",
    {
      receive: (state) => {
        state.sum += state.missing;
      },
    },
    /its state holds NaN at state\.sum/,
  ],
  [
    "a date",
    {
      receive: (state) => {
        state.at = new Date(0);
      },
    },
    /its state holds a Date at state\.at/,
  ],
];

describe.each(cheats)("%s", (_what, part, message) => {
  const fresh = () => {
    [counter, kept] = [0, null];
    known.clear();
    return { ...honest, ...part } as Own;
  };

  test("in an exploration", () => {
    expect(() => explore(fresh(), { n: 3 })).toThrow(message);
    expect(() => explore(fresh(), { n: 3 })).toThrow(ProtocolError);
  });

  test("in a simulation", async () => {
    await expect(simulate({ protocol: fresh(), n: 20, trials: 2 })).rejects.toThrow(message);
    await expect(simulate({ protocol: fresh(), n: 20, trials: 2 })).rejects.toThrow(ProtocolError);
  });
});

test("an honest one is left alone, and the world is as it was", async () => {
  expect(explore(honest, { n: 3, properties: ["at-most-one-leader"] }).verdict).toBe("holds");
  expect((await simulate({ protocol: honest, n: 50, trials: 20 })).outcomes.one).toBe(20);
  expect([Date.now(), Math.random(), performance.now()].every(Number.isFinite)).toBe(true);
  expect(new Date().getFullYear()).toBeGreaterThan(2000);
  expect(String(setTimeout)).not.toContain("it calls");
});

test("dates that are given are data", () => {
  const dated = {
    ...honest,
    receive: (state: Loose) => {
      state.at = new Date(5).getTime();
    },
  } as Own;
  expect(explore(dated, { n: 2, properties: ["at-most-one-leader"] }).violation).toBeNull();
});

describe("what a handler prints", () => {
  const prints: Own = {
    ...honest,
    name: "prints",
    receive(state, port, id, ctx) {
      // biome-ignore lint/suspicious/noConsole: what somebody looks for who debugs a protocol
      console.log(`${state.id} hears ${id}`);
      honest.receive(state, port, id, ctx);
    },
  };
  const printed = (work: () => void): unknown[] => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    try {
      work();
      return log.mock.calls.map(([line]) => line);
    } finally {
      log.mockRestore();
    }
  };

  test("is printed once, where the same is asked again too", () => {
    // Each id is heard by the next node, and passed on by smaller ones: 3 + 2 + 1 messages, where ids fall.
    const run = printed(() => void explore(prints, { n: 3, ids: [1, 2, 3], properties: ["at-most-one-leader"] }));
    expect(run).toHaveLength(new Set(run).size);
    expect(run.length).toBeGreaterThan(4);
    const ids = printed(() => void simulate({ protocol: prints, n: 3, trials: 1 }));
    expect(ids).toHaveLength(new Set(ids).size);
  });
});
