import { describe, expect, test } from "vitest";
import { type Ctx, type Plain, toy } from "../../test/explorer/toy.ts";
import { runEvents } from "../host/events.ts";
import { NO_FAULTS } from "../host/faults/faults.ts";
import type { EventsSetup } from "../host/setup.ts";
import { type AnyProtocol, SELF, type Self } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { protocolNamed } from "./catalogue.ts";
import { ordered } from "./ordered.ts";
import { resolveParameters } from "./parameters.ts";
import { reliable } from "./reliable.ts";

const COUNT = 100;

/** Every node says 0, 1, ... to every neighbour and itself, and writes down what it hears, by port. */
const talker = toy({
  init(_node, ctx) {
    for (const port of [SELF, ...ctx.ports()]) for (let i = 0; i < COUNT; i++) ctx.send(port, i);
    return {};
  },
  receive(heard, message, _ctx, port) {
    heard[port] ??= [];
    heard[port].push(message);
  },
});

function run(protocol: AnyProtocol, seed: number, changes: Partial<EventsSetup> = {}) {
  const states: Plain[] = [];
  const n = 3;
  const result = runEvents({
    protocol,
    params: {},
    topology: complete(n),
    ids: Float64Array.from([0, 1, 2]),
    initiators: null,
    crashed: [],
    faults: NO_FAULTS,
    seed,
    trial: 0,
    delay: { kind: "uniform", min: 0, max: 1 },
    fifo: false,
    observer: {
      started() {},
      sent() {},
      lost() {},
      delivered() {},
      expired() {},
      roundEnded() {},
      settled: (node, _time, state) => {
        states[node] = state;
      },
    },
    ...changes,
  });
  return { ...result, heard: states.map(({ child }) => child as Record<number, number[]>), states };
}

const everything = Array.from({ length: COUNT }, (_, i) => i);
const sorted = (heard: readonly number[]) => [...heard].sort((a, b) => a - b);

describe("reliable", () => {
  test.each([1, 2, 3])("everything arrives once and in order, half of it lost on the way (seed %i)", (seed) => {
    const { heard, messages, measures } = run(reliable(talker), seed, { faults: { ...NO_FAULTS, loss: 0.5 } });
    for (const node of heard) expect([node[0], node[1]]).toEqual([everything, everything]);
    expect(messages).toBe(3 * 3 * COUNT);
    expect(measures.retransmissions).toBeGreaterThan(COUNT);
    expect([measures.undeliverable, measures.overflow]).toEqual([0, 0]);
  });

  test("without loss nothing is sent twice, disorder or not", () => {
    const { heard, measures } = run(reliable(talker), 1);
    expect(heard[0][0]).toEqual(everything);
    expect(measures.retransmissions).toBe(0);
  });

  test("a window is not sent again in a burst", () => {
    const { measures } = run(reliable(talker, { timeout: 0.1, window: 64 }), 1);
    expect(measures.retransmissions).toBeLessThan(6 * COUNT);
  });

  test("what has no room and what nobody answers is counted, and the link goes on with new numbers", () => {
    const { measures, states } = run(reliable(talker, { patience: 5, queue: 60 }), 1, {
      faults: { ...NO_FAULTS, loss: 1 },
    });
    expect(measures).toMatchObject({ overflow: 6 * (COUNT - 60), undeliverable: 6 * 60, attempts: 5 });
    expect(states[0].links[0].sending).toMatchObject({ stream: 1, first: 0, queue: [] });
  });

  test("a sender that was paused sends again, and does not take its own silence for that of others", () => {
    const pauses = [{ node: 0, from: 0.5, to: 5000 }];
    const { heard, measures } = run(reliable(talker, { patience: 3, longest: 4 }), 1, {
      faults: { ...NO_FAULTS, loss: 0.1, pauses },
    });
    expect([heard[1][0], heard[2][0]]).toEqual([everything, everything]);
    expect(measures.attempts).toBeLessThanOrEqual(4);
  });

  test.each(["peterson", "quorum"])("%s elects as on the links that it assumes", (name) => {
    const child = protocolNamed(name);
    const params = resolveParameters(child, {}, 3);
    const setup = { params, faults: { ...NO_FAULTS, loss: 0.3 } };
    expect(run(reliable(child), 5, setup).census).toMatchObject({ elected: 1 });
  });

  test("what has not the shape of its messages is refused at the door, and so is what the child refuses", () => {
    const even = reliable({ ...talker, accepts: (message: unknown) => (message as number) % 2 === 0 });
    const head = { life: 1, epoch: 0, to: null, echo: 0, heard: null };
    const data = { kind: "data", ...head, stream: 0, number: 0, again: false, message: 4 };
    expect(even.accepts!(data)).toBe(true);
    expect(even.accepts!({ kind: "ack", ...head })).toBe(true);
    for (const wrong of [
      null,
      5,
      "ack",
      { ...data, message: 3 },
      { ...data, number: -1 },
      { ...data, number: undefined },
      { ...data, heard: { stream: 0 } },
      { ...data, life: "1" },
      { ...data, kind: "nack" },
    ]) {
      expect(even.accepts!(wrong)).toBe(false);
    }
  });

  test("a child that ends a link gives up what waits there, also while it is handed something", () => {
    const leaver = reliable({
      ...talker,
      assumes: { ...talker.assumes, topology: "open" as const },
      receive: (_state: unknown, port: number, _message: unknown, ctx: Ctx) => ctx.unlink(port),
    });
    const did: string[] = [];
    const ctx = {
      degree: 1,
      ports: () => [0],
      send() {},
      arm() {},
      unlink: (port: number) => did.push(`unlink ${port}`),
      disarm: (timer: string) => did.push(`disarm ${timer}`),
      measure: (name: string, value: number) => did.push(`${name} ${value}`),
    } as unknown as Ctx;
    const state = leaver.init({}, { life: 7 } as Self, null, ctx);
    const head = { life: 1, epoch: 0, to: null, echo: 0, heard: null };
    leaver.receive(state, 0, { kind: "data", ...head, stream: 0, number: 0, again: false, message: 4 }, ctx);
    expect(did).toEqual(["unlink 0", `undeliverable ${COUNT}`, "disarm resend/0"]);
    expect(state.links).toEqual({});
  });

  test("a synchronous protocol is refused: what is sent again misses its round", () => {
    expect(() => reliable(protocolNamed("time-slice"))).toThrow(/wrap synchronise\(\)/);
  });
});

describe("reliable, whatever happens: loss, duplicates, disorder, pauses, drift, and processes that start again", () => {
  const LAST = 30;

  /** Says 0, 1, ... one a unit of time, in each life anew, and keeps what it hears. */
  const chatter = (saves: boolean): AnyProtocol => ({
    ...toy({ init: () => null }),
    ...(saves && { saved: () => "something" }),
    init(_params, { life }: Self, _saved, ctx) {
      ctx.arm("next", 0, 1);
      return { life, said: 0, heard: [] };
    },
    expire(state, _timer, ctx) {
      for (const port of ctx.ports()) ctx.send(port, { life: state.life, index: state.said });
      if (state.said++ < LAST) ctx.arm("next", 1);
    },
    receive: ({ heard }, port, message) => heard.push({ port, ...message }),
  });

  test.each([1, 2, 3, 4, 5, 6].flatMap((seed) => [false, true].map((saves) => ({ seed, saves }))))("%o", (given) => {
    const { heard, measures, states } = run(reliable(chatter(given.saves), { patience: 200 }), given.seed, {
      faults: {
        ...NO_FAULTS,
        loss: 0.3,
        duplicate: 0.3,
        reorder: 0.3,
        drift: 0.2,
        crashes: [{ node: 1, at: 7, sends: 1 }],
        restarts: [
          { node: 1, at: 9.5, saved: given.saves },
          { node: 2, at: 12, saved: given.saves },
          { node: 1, at: 12.3, saved: given.saves },
        ],
        pauses: [{ node: 0, from: 3, to: 11 }],
      },
    });
    const lives = states.map(({ life }) => life);
    expect(lives).toEqual([0, 2, 1]);
    for (const [node, diary] of heard.entries()) {
      for (const port of [0, 1]) {
        const other = complete(3).neighbour(node, port);
        const mine = (diary as Plain).heard.filter((told: Plain) => told.port === port);
        for (const life of new Set<number>(mine.map((told: Plain) => told.life))) {
          const indices: number[] = mine.filter((told: Plain) => told.life === life).map((told: Plain) => told.index);
          expect(indices).toEqual(indices.map((_, i) => indices[0] + i));
        }
        expect(mine.at(-1)).toMatchObject({ life: lives[other], index: LAST });
      }
    }
    expect(measures.overflow).toBe(0);
    if (given.saves) expect(measures.undeliverable).toBe(0);
  });
});

describe("ordered", () => {
  test("what has been overtaken counts as lost", () => {
    const { heard, measures, messages } = run(ordered(talker), 1);
    for (const node of heard) {
      for (const port of [0, 1]) {
        expect(node[port]).toEqual([...new Set(sorted(node[port]))]);
        expect(node[port].length).toBeLessThan(COUNT);
      }
      expect(node[SELF]).toHaveLength(COUNT);
    }
    const delivered = heard.flatMap((node) => [node[0], node[1]]).flat().length;
    expect(measures.overtaken).toBe(6 * COUNT - delivered);
    expect(messages).toBe(9 * COUNT);
  });

  test("a neighbour that starts again is heard from its first number on, in whatever order its lives come", () => {
    const node = ordered(talker);
    const ctx = { degree: 1, ports: () => [0], send() {}, measure() {} } as never;
    const state = node.init({}, { life: 7 } as never, null, ctx);
    const hear = (life: number, number: number) => node.receive(state, 0, { life, number, message: number }, ctx);
    for (const [life, number] of [
      [1, 0],
      [1, 1],
      [2, 0],
      [1, 2],
      [2, 0],
      [2, 1],
    ] as const)
      hear(life, number);
    expect((state.child as Plain)[0]).toEqual([0, 1, 0, 2, 1]);
  });
});
