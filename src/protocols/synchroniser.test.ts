import { describe, expect, test } from "vitest";
import { runEvents } from "../host/events.ts";
import { NO_FAULTS } from "../host/faults/faults.ts";
import { runLockstep } from "../host/lockstep.ts";
import type { Setup } from "../host/setup.ts";
import type { Context, Protocol, Verdict } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import { catalogue, protocolNamed } from "./catalogue.ts";
import { resolveParameters } from "./parameters.ts";
import { synchronise, type Tagged } from "./synchroniser.ts";

const N = 9;

function setupOf(name: string, seed: number): Setup {
  const protocol = protocolNamed(name);
  return {
    protocol,
    params: resolveParameters(protocol, {}, N),
    topology: protocol.assumes.topology === "ring" ? ring(N) : complete(N),
    ids: protocol.assumes.identity === "anonymous" ? null : Float64Array.from([5, 3, 8, 1, 9, 2, 7, 6, 4]),
    initiators: null,
    crashed: [],
    faults: NO_FAULTS,
    seed,
    trial: 0,
  };
}

const delays = [
  { kind: "fixed", value: 0.5 },
  { kind: "uniform", min: 0, max: 1 },
] as const;

describe("delays below a round give what lock-step gives", () => {
  const names = catalogue
    .filter(({ assumes }) => assumes.topology === "ring" && assumes.identity === "ids")
    .map(({ name }) => name);
  test.each(names.flatMap((name) => delays.map((delay) => [name, delay] as const)))("%s, %o", (name, delay) => {
    const setup = setupOf(name, 3);
    const lockstep = runLockstep(setup);
    const protocol = synchronise(setup.protocol, { rounds: lockstep.time + 2 });
    const events = runEvents({ ...setup, protocol, delay, fifo: false });
    expect(events.census).toEqual(lockstep.census);
    expect(events.messages).toBe(lockstep.messages);
    expect(events.measures).toEqual({ ...lockstep.measures, late: 0, refused: 0 });
  });
});

test("messages that come after their round are lost, and counted", () => {
  const setup = setupOf("time-slice", 1);
  const protocol = synchronise(setup.protocol, { rounds: 100 });
  const { census, measures } = runEvents({ ...setup, protocol, delay: { kind: "fixed", value: 1.5 }, fifo: false });
  expect(measures.late).toBeGreaterThan(0);
  expect(census.elected).toBe(0);
});

test("a node that was paused catches up with the rounds of its neighbours, and misses nothing", () => {
  const talker: Protocol<object, string[], string, "speak"> = {
    ...(witness as unknown as Protocol<object, string[], string, "speak">),
    name: "talker",
    init(_params, { initiator }, _saved, ctx) {
      if (initiator) ctx.arm("speak", 1);
      return [];
    },
    expire: (notes, _timer, ctx) => {
      notes.push("spoke");
      ctx.send(0, String(notes.length));
      if (notes.length < 10) ctx.arm("speak", 1);
    },
    receive: (notes, _port, message) => {
      notes.push(message);
    },
    endRound: () => {},
  };
  const heard: string[][] = [];
  const { measures } = runEvents({
    ...setupOf("chang-roberts", 1),
    protocol: synchronise(talker, { rounds: 20 }),
    params: {},
    topology: complete(2),
    ids: null,
    initiators: [0],
    faults: { ...NO_FAULTS, pauses: [{ node: 1, from: 3.5, to: 8.2 }] },
    observer: {
      started() {},
      sent() {},
      lost() {},
      delivered() {},
      expired() {},
      roundEnded() {},
      settled: (node, _time, state) => {
        heard[node] = (state as { child: string[] }).child;
      },
    },
    delay: { kind: "uniform", min: 0, max: 0.9 },
    fifo: false,
  });
  expect(heard[1]).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  expect(measures.late).toBe(0);
});

test("a round from far ahead costs what the node has armed itself, not the rounds between", () => {
  const sleeper: Protocol<object, string[], string, "soon" | "late"> = {
    ...(witness as unknown as Protocol<object, string[], string, "soon" | "late">),
    name: "sleeper",
    init(_params, _self, _saved, ctx) {
      ctx.arm("soon", 3);
      ctx.deadline("late", 50_000);
      return [];
    },
  };
  const node = synchronise(sleeper);
  const measured: number[] = [];
  const armed: number[] = [];
  const ctx = new Proxy({} as Context<Tagged<string>, string>, {
    get: (_, asked) => {
      if (asked === "measure") return (_name: string, value: number) => measured.push(value);
      return asked === "arm" ? (_timer: string, delay: number) => armed.push(delay) : asked === "degree" ? 2 : () => 0;
    },
  });
  const self = { id: null, initiator: true, candidate: false, n: null, highest: null, election: null };
  const state = node.init({}, { ...self, life: 0, role: "member", seeds: [] }, null, ctx);
  let rounds = 0;
  let round = 0;
  Object.defineProperty(state, "sent", { get: () => 0, set: () => rounds++ });
  Object.defineProperty(state, "round", { get: () => round, set: (next: number) => (round = next) });
  node.receive(state, 0, { round: 1, index: 0, message: "early" }, ctx);
  node.receive(state, 0, { round: 65_536, index: 0, message: "forged" }, ctx);
  expect(state.child).toEqual(["0 early", "end 2", "soon", "end 3", "late", "end 50000"]);
  expect([round, rounds, measured]).toEqual([65_536, 4, []]);
  node.receive(state, 0, { round: 65_536 + 2 ** 16 + 1, index: 0, message: "further" }, ctx);
  expect([round, measured]).toEqual([65_536, [1]]);
});

/** Notes what happens to it, and when. */
const witness: Protocol<object, string[], string, "soon" | "limit"> = {
  name: "witness",
  title: "",
  citation: "",
  cost: "",
  assumes: {
    topology: "complete",
    identity: "anonymous",
    timing: "synchronous",
    start: "any",
    knows: [],
    fifo: false,
    multicast: true,
    tolerates: [],
  },
  parameters: [],
  measures: {},
  init(_params, { initiator }, _saved, ctx) {
    if (initiator) {
      ctx.send(1, "b");
      ctx.send(0, "a");
      ctx.send(0, "a again");
      ctx.multicast("all");
      ctx.arm("soon", 1);
      ctx.deadline("limit", 1);
    }
    return [];
  },
  receive(notes, port, message, ctx) {
    notes.push(`${port} ${message}`);
    if (message === "a again") ctx.send(port, "answer");
  },
  expire: (notes, timer) => {
    notes.push(timer);
  },
  endRound: (notes, round) => {
    notes.push(`end ${round}`);
  },
  verdict: (notes): Verdict => ({ status: "undecided", leader: notes.length, term: 0 }),
  bits: () => 1,
};

test("a round hands over deadlines, messages by port and number, timers, and then ends", () => {
  const logs = (run: "lockstep" | "events") => {
    const states: unknown[] = [];
    const setup: Setup = {
      protocol: run === "lockstep" ? witness : synchronise(witness, { rounds: 4 }),
      params: {},
      topology: complete(3),
      ids: null,
      initiators: [0],
      crashed: [],
      faults: NO_FAULTS,
      seed: 5,
      trial: 0,
      observer: {
        started() {},
        sent() {},
        lost() {},
        delivered() {},
        expired() {},
        roundEnded() {},
        settled: (node, _time, state) => {
          states[node] = run === "lockstep" ? state : (state as { child: unknown }).child;
        },
      },
    };
    if (run === "lockstep") runLockstep(setup);
    else runEvents({ ...setup, delay: { kind: "uniform", min: 0, max: 1 }, fifo: false });
    return structuredClone(states);
  };
  expect(logs("events")).toEqual(logs("lockstep"));
  expect(logs("events")).toEqual([
    ["limit", "soon", "end 1", "0 answer", "end 2"],
    ["1 a", "1 a again", "1 all", "end 1"],
    ["0 b", "0 all", "end 1"],
  ]);
});
