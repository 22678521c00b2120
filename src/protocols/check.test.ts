import { describe, expect, test } from "vitest";
import { simulate } from "../campaign/campaign.ts";
import { InputError, ProtocolError } from "../errors.ts";
import { explore } from "../explorer/explore.ts";
import type { Context, Self } from "../protocol.ts";
import { resolve } from "../simulation/settings.ts";
import { openTrial } from "../simulation/trial.ts";
import { byRole } from "./by-role.ts";
import { checkProtocol, defineProtocol } from "./check.ts";
import { ordered } from "./ordered.ts";
import { reliable } from "./reliable.ts";
import { synchronise } from "./synchroniser.ts";

interface State {
  readonly id: number;
  leader: number | null;
}
type Message = { readonly id: number };

const mine = {
  name: "mine",
  assumes: { topology: "ring", direction: "unidirectional" },
  init(_params: unknown, self: Self, _saved: null, ctx: Context<Message>): State {
    ctx.send(0, { id: self.id! });
    return { id: self.id!, leader: null };
  },
  receive(state: State, _port: number, { id }: Message, ctx: Context<Message>) {
    if (id === state.id) state.leader = id;
    else if (id > state.id) ctx.send(0, { id });
  },
  verdict: ({ id, leader }: State) => ({ status: leader === id ? "elected" : "not-elected", leader, term: 0 }) as const,
} as const;

test("what only studies need has defaults, and the same object gives the same answer", async () => {
  const protocol = defineProtocol(mine);
  expect(protocol).toMatchObject({ title: "mine", citation: "", parameters: [], measures: {} });
  expect(protocol.assumes).toMatchObject({ identity: "ids", timing: "asynchronous", knows: [], multicast: false });
  expect(checkProtocol(mine)).toBe(protocol);
  expect(checkProtocol(protocol)).toBe(protocol);
  expect(await simulate({ protocol: mine, n: 9, trials: 5 })).toMatchObject({ outcomes: { one: 5 } });
});

test("an object of a class is a protocol too, and its handlers find it", async () => {
  class Ring {
    readonly name = "of-a-class";
    readonly assumes = { topology: "ring" } as const;
    private readonly port = 0;
    init(_: unknown, self: Self, __: null, ctx: Context<Message>): State {
      ctx.send(this.port, { id: self.id! });
      return { id: self.id!, leader: null };
    }
    receive(state: State, port: number, message: Message, ctx: Context<Message>) {
      mine.receive(state, port, message, ctx);
    }
    verdict(state: State) {
      return mine.verdict(state);
    }
  }
  expect(await simulate({ protocol: new Ring(), n: 9, trials: 5 })).toMatchObject({ outcomes: { one: 5 } });
});

test("a wrapper takes a protocol as its author wrote it", async () => {
  const wrapped = [reliable(mine), synchronise(mine, { rounds: 30 }), ordered(mine), byRole({ member: mine })];
  for (const protocol of wrapped) {
    expect(await simulate({ protocol, n: 5, trials: 3 })).toMatchObject({ outcomes: { one: 3 } });
  }
  expect(() => reliable({ ...mine, assumes: { topology: "ring", timing: "synchronous" } })).toThrow(InputError);
});

describe("what is missing or wrong is said", () => {
  const { receive: _, ...deaf } = mine;
  test.each<[unknown, string]>([
    [{ ...mine, measures: null }, 'protocol mine has measures that are no object, such as { walks: "sum" }'],
    [{ ...mine, parameters: [null] }, "protocol mine has a parameter without a name"],
    [{ ...mine, roles: "member" }, 'protocol mine has roles that are no list of names, such as ["member", "engine"]'],
    [{ ...mine, crash: "late" }, 'protocol mine has crash "late"; choose start or round'],
    [{ ...mine, initiators: -3 }, "protocol mine has -3 initiators, which must be a whole number of at least 1"],
    [7, "a protocol must be its name or an object, not number"],
    [{ ...mine, name: "two words" }, 'a protocol needs a name in one word, such as my-ring, not "two words"'],
    [deaf, "protocol mine has no receive handler"],
    [
      { ...deaf, recieve: mine.receive },
      'protocol mine has no receive handler; did you mean "receive" where it says "recieve"?',
    ],
    [{ ...mine, endround() {} }, 'protocol mine has "endround", which no host knows; did you mean "endRound"?'],
    [{ ...mine, expire: "soon" }, "protocol mine has a expire that is not a function"],
    [
      { ...mine, assumes: undefined },
      'protocol mine does not say what it assumes: give it assumes: { topology: "ring" } or another',
    ],
    [{ ...mine, assumes: { topology: "rings" } }, 'protocol mine assumes topology "rings"; did you mean'],
    [
      { ...mine, assumes: { topology: "ring", timing: "slow" } },
      'protocol mine assumes timing "slow"; choose one of asynchronous',
    ],
    [{ ...mine, assumes: { topology: "ring", knows: ["N2"] } }, 'protocol mine assumes knows "N2"'],
    [{ ...mine, measures: { hops: "mean" } }, 'protocol mine has a measure hops that is "mean"; choose sum or max'],
    [{ ...mine, parameters: [{ name: "k", type: "number" }] }, "protocol mine has a parameter k without a default"],
  ])("%#", (given, message) => {
    expect(() => checkProtocol(given)).toThrow(InputError);
    expect(() => checkProtocol(given)).toThrow(message);
  });
});

describe("what a handler does wrong is said with protocol, node, handler and event, on every host", () => {
  const acts: readonly (readonly [
    string,
    (state: State, message: Message, ctx: Context<unknown, string>) => void,
    string,
  ])[] = [
    [
      "throws",
      (state) => (state as never as { a: { b(): void } }).a.b(),
      "TypeError: Cannot read properties of undefined",
    ],
    ["unknown port", (_, m, ctx) => ctx.send(5, m), "it uses port 5, but this node has ports 0 to 1"],
    ["against the direction", (_, m, ctx) => ctx.send(1, m), 'assumes a ring with direction "unidirectional"'],
    [
      "undeclared measure",
      (_, __, ctx) => ctx.measure("hops", 1),
      'it measures "hops", which its measures do not declare',
    ],
    ["no expire", (_, __, ctx) => ctx.arm("soon", 1), 'it arms timer "soon", but has no expire handler'],
    ["a map", (_, __, ctx) => ctx.send(0, { seen: new Map() }), "it sends a Map: messages must be plain data"],
    ["nothing", (_, __, ctx) => ctx.send(0, undefined), "it sends nothing"],
    ["changed", (_, m) => Object.assign(m, { id: 0 }), "a message is immutable once sent"],
    ["no multicast", (_, m, ctx) => ctx.multicast(m), "set assumes.multicast"],
  ];
  test.each(acts)("%s", async (_what, act, message) => {
    const wrong = {
      ...mine,
      receive: (state: State, _: number, m: Message, ctx: Context<unknown, string>) => act(state, m, ctx),
    };
    const failing = () => simulate({ protocol: wrong, n: 3, trials: 1 });
    await expect(failing()).rejects.toThrow(ProtocolError);
    await expect(failing()).rejects.toThrow(message);
    await expect(failing()).rejects.toThrow(
      /^protocol mine fails in receive of node \d at time 1, at message \{"id":\d\}: /,
    );
    const { stack } = await failing().catch((error) => error);
    expect(stack).toMatch(/check\.test\.ts/);
    expect(stack).not.toMatch(/stage\.ts/);
    if (_what !== "changed") expect(() => explore(wrong, { n: 2 })).toThrow(message);
  });

  test.each([
    ["port", (_: object, ctx: Context<unknown, string>) => ctx.send(5, 0), "at time 2000, .*it uses port 5"],
    ["change", (m: object) => Object.assign(m, { id: 0 }), "at time 2\\d\\d\\d, .*a message is immutable once sent"],
    [
      "map",
      (_: object, ctx: Context<unknown, string>) => ctx.send(0, new Map()),
      "a message holds a Map, which is not plain data",
    ],
  ])("also if a wrong %s comes only after thousands of messages", async (_what, act, words) => {
    const late = {
      ...mine,
      receive(_state: State, _port: number, m: { hop: number }, ctx: Context<unknown, string>) {
        if (m.hop >= 2000) act(m, ctx);
        if (m.hop < 3000) ctx.send(0, { hop: m.hop + 1 });
      },
      init(_params: unknown, self: Self, _saved: unknown, ctx: Context<unknown, string>) {
        if (self.id === 1) ctx.send(0, { hop: 1 });
        return { id: self.id! };
      },
    };
    await expect(simulate({ protocol: late as never, n: 3, trials: 1 })).rejects.toThrow(new RegExp(words));
  });

  const handlers: readonly (readonly [object, RegExp])[] = [
    [{ receive: async () => {} }, /in receive of node 1 at time 1.*it returns a promise/],
    [{ init: async () => ({}) }, /in init.*it returns a promise/],
    [{ verdict: async () => ({}) }, /in verdict: it returns a promise/],
    [{ init: () => ({ id: 1, at: { now: new Date(0) } }) }, /its state holds a Date at state.at.now/],
    [{ init: () => ({ next: () => 1 }) }, /its state holds a function at state.next/],
    [{ wakes: () => ({ kind: "late" }) }, /in wakes: it returns {"kind":"late"}/],
    [{ judge: () => "perhaps" }, /in judge: it returns "perhaps", and must return one of none, one, many/],
    [{ summarise: () => ({ share: "half" }) }, /in summarise: it returns {"share":"half"}/],
    [{ adapt: () => null }, /in adapt: it returns null/],
    [{ timing: () => "slow" }, /in timing: it returns "slow"/],
    [{ refuse: () => true }, /in refuse: it returns true/],
    [{ candidacy: () => 1.5 }, /in candidacy: it returns 1.5, and must return a probability from 0 to 1/],
    [{ candidacy: () => -0.5 }, /in candidacy: it returns -0.5/],
  ];
  test.each(handlers)("handlers that wait, keep what is no data, or return nonsense: %o", async (handler, message) => {
    const failing = simulate({ protocol: { ...mine, ...handler } as unknown as typeof mine, n: 3, trials: 1 });
    await expect(failing).rejects.toThrow(message);
    await expect(failing).rejects.toThrow(ProtocolError);
  });

  test("a state may hold maps and sets: the explorer and a run that goes back copy them", () => {
    const heard = {
      ...mine,
      init: (_: unknown, self: Self, __: null, ctx: Context<Message>) => {
        ctx.send(0, { id: self.id! });
        return { id: self.id!, leader: null, heard: new Map<number, Set<number>>() };
      },
      receive(
        state: State & { heard: Map<number, Set<number>> },
        port: number,
        message: Message,
        ctx: Context<Message>,
      ) {
        state.heard.set(message.id, new Set([port]));
        mine.receive(state, port, message, ctx);
      },
    };
    expect(explore(heard, { n: 3 }).states).toBe(explore(mine, { n: 3 }).states);
    const run = openTrial(resolve({ protocol: heard, n: 4 }), 0);
    while (run.step() !== null);
    const [last, result] = [run.event, run.result()];
    run.seek(3);
    expect(
      [0, 1, 2, 3].map((node) => (run.state(node) as { heard: Map<number, unknown> } | null)?.heard.size),
    ).not.toContain(4);
    run.seek(last);
    expect(run.result()).toEqual(result);
  });

  test("a state, a verdict and bits that are none", async () => {
    const run = (part: object) => simulate({ protocol: { ...mine, ...part } as typeof mine, n: 3, trials: 1 });
    await expect(run({ init: () => undefined })).rejects.toThrow("must return the node's state");
    await expect(run({ verdict: () => "elected" })).rejects.toThrow("must return { status, leader, term }");
    await expect(run({ bits: () => "8" })).rejects.toThrow("must return a number");
  });
});
