/** The hosts' own promises, watched through a protocol that only writes down what happens to it. */
import { describe, expect, test } from "vitest";
import { letHandlersWrite } from "../../test/support/writing-handlers.ts";
import type { Context, Protocol } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import { runEvents } from "./events.ts";
import { type FaultPlan, NO_FAULTS } from "./faults/faults.ts";
import { runLockstep } from "./lockstep.ts";
import type { EventsSetup } from "./setup.ts";

letHandlersWrite();

type Log = string[];
type Script = (node: number, ctx: Context<string, string>) => void;

/** Node i runs `script(i)` at its start; everything it experiences goes into `log`. */
function scribe(log: Log, script: Script): Protocol<null, { id: number }, string, string> {
  return {
    name: "scribe",
    title: "",
    citation: "",
    cost: "",
    assumes: {
      topology: "connected",
      identity: "ids",
      timing: "asynchronous",
      start: "any",
      knows: [],
      fifo: false,
      multicast: true,
      tolerates: [],
    },
    parameters: [],
    measures: {},
    init(_params, self, _saved, ctx) {
      if (self.initiator) script(self.id!, ctx);
      return { id: self.id! };
    },
    receive(state, port, message, ctx) {
      log.push(`${state.id} gets ${message} from ${ctx.peer(port)}`);
    },
    expire(state, timer) {
      log.push(`${state.id} ${timer}`);
    },
    endRound(state, round) {
      log.push(`${state.id} ends ${round}`);
    },
    verdict: () => ({ status: "undecided", leader: null, term: 0 }),
    bits: (message) => message.length,
  };
}

function setup(
  log: Log,
  script: Script,
  changes: Partial<Omit<EventsSetup, "faults">> & { faults?: Partial<FaultPlan> } = {},
): EventsSetup {
  const topology = changes.topology ?? complete(3);
  return {
    protocol: scribe(log, script),
    params: null,
    ids: Float64Array.from({ length: topology.size }, (_, node) => node),
    initiators: [0],
    crashed: [],
    seed: 1,
    trial: 0,
    delay: { kind: "fixed", value: 1 },
    fifo: true,
    ...changes,
    topology,
    faults: { ...NO_FAULTS, ...changes.faults },
  };
}

const times = (n: number, act: (i: number) => void) => Array.from({ length: n }, (_, i) => act(i));

describe("order of an instant", () => {
  const script: Script = (_node, ctx) => {
    ctx.arm("timer", 1);
    ctx.deadline("deadline", 1);
    ctx.send(-1, "message");
  };

  test("deadlines, then messages, then timers, then the end of the round", () => {
    const log: Log = [];
    runLockstep(setup(log, script));
    expect(log).toEqual(["0 deadline", "0 gets message from 0", "0 timer", "0 ends 1"]);
  });

  test("the events host keeps the same order and has no rounds", () => {
    const log: Log = [];
    runEvents(setup(log, script));
    expect(log).toEqual(["0 deadline", "0 gets message from 0", "0 timer"]);
  });
});

test("a node that nobody has touched is created by its first message; idle rounds are skipped", () => {
  const log: Log = [];
  const result = runLockstep(setup(log, (_node, ctx) => ctx.arm("late", 1e9)));
  expect(log).toEqual(["0 late", "0 ends 1000000000"]);
  expect(result).toMatchObject({ messages: 0, time: 0, census: { alive: 3, undecided: 3 } });
});

test("a run ends at its horizon, with everything up to it, and says that it was cut", () => {
  const script: Script = (_node, ctx) => times(5, (i) => ctx.arm(`tick ${i}`, i));
  for (const run of [runEvents, runLockstep]) {
    const log: Log = [];
    const ticks = () => log.filter((line) => line.includes("tick")).length;
    expect(run(setup(log, script, { until: 2 })).cut).toBe(true);
    expect(ticks()).toBe(3);
    expect(run(setup(log, script, { until: 4 })).cut).toBeUndefined();
    expect(ticks()).toBe(8);
  }
});

test("messages count when sent, multicasts once; time is the last delivery in units of the delay", () => {
  const log: Log = [];
  const script: Script = (_node, ctx) => {
    ctx.send(0, "abc");
    ctx.multicast("de");
  };
  const result = runEvents(setup(log, script, { delay: { kind: "fixed", value: 5 } }));
  expect(result).toMatchObject({ messages: 2, bits: 5, time: 1 });
  expect(log).toEqual(["1 gets abc from 0", "1 gets de from 0", "2 gets de from 0"]);
});

test("steps of a delay that is not exact in binary still count as whole steps", () => {
  const relay: Script = (_node, ctx) => ctx.send(0, "x");
  const result = runEvents(setup([], relay, { delay: { kind: "fixed", value: 0.1 } }));
  expect(result.time).toBe(1);
});

describe("channels under random delays", () => {
  const script: Script = (_node, ctx) => times(50, (i) => ctx.send(0, String(i)));
  const delay = { kind: "exponential", mean: 1 } as const;
  const inOrder = Array.from({ length: 50 }, (_, i) => `1 gets ${i} from 0`);

  test("keep the order with fifo", () => {
    for (const topology of [ring(3), complete(3)]) {
      const log: Log = [];
      runEvents(setup(log, script, { delay, topology }));
      expect(log).toEqual(inOrder);
    }
  });

  test("and do not without", () => {
    const log: Log = [];
    runEvents(setup(log, script, { delay, fifo: false }));
    expect(log).not.toEqual(inOrder);
    expect([...log].sort()).toEqual([...inOrder].sort());
  });
});

describe("faults", () => {
  test("loss: unicasts and multicasts apart, at their rates", () => {
    const script: Script = (_node, ctx) => {
      times(4000, () => ctx.send(0, "u"));
      times(4000, () => ctx.multicast("m"));
    };
    const log: Log = [];
    runEvents(setup(log, script, { faults: { loss: 0.25, multicastLoss: 0.5 } }));
    const share = (what: string, of: number) => log.filter((line) => line.includes(what)).length / of;
    // Five standard errors at most: a false alarm has probability 6e-7 each.
    expect(Math.abs(share("gets u", 4000) - 0.75)).toBeLessThan(5 * Math.sqrt((0.25 * 0.75) / 4000));
    expect(Math.abs(share("1 gets m", 4000) - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / 4000));
    expect(Math.abs(share("2 gets m", 4000) - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / 4000));
  });

  test("loss on one link and for a while", () => {
    const script: Script = (_node, ctx) => {
      ctx.send(0, "to 1");
      ctx.send(1, "to 2");
    };
    const log: Log = [];
    const loss = { rate: 1, kind: "both", link: [0, 1], from: 0, to: null } as const;
    runEvents(setup(log, script, { faults: { losses: [loss] } }));
    expect(log).toEqual(["2 gets to 2 from 0"]);
    runEvents(setup(log, script, { faults: { losses: [{ ...loss, from: 1 }] } }));
    expect(log.slice(1)).toEqual(["1 gets to 1 from 0", "2 gets to 2 from 0"]);
  });

  test("a crash ends what a node does, and its verdict no longer counts", () => {
    const script: Script = (_node, ctx) => {
      ctx.send(0, "x");
      ctx.arm("tick", 5);
    };
    const log: Log = [];
    const crashes = [
      { node: 0, at: 3 },
      { node: 1, at: 1 },
    ];
    for (const run of [runEvents, runLockstep]) {
      expect(run(setup(log, script, { faults: { crashes } })).census.alive).toBe(1);
      expect(log).toEqual([]);
    }
  });

  test("a process that crashed before the run is skipped by the ring and never starts", () => {
    const log: Log = [];
    const script: Script = (_node, ctx) => ctx.send(0, "hello");
    const result = runEvents(setup(log, script, { topology: ring(4, [1]), crashed: [1], initiators: null }));
    expect(log).toEqual(["2 gets hello from 0", "3 gets hello from 2", "0 gets hello from 3"]);
    expect(result.census.alive).toBe(3);
  });

  test("after a pause: overdue deadlines, then messages in their order, then timers", () => {
    const script: Script = (_node, ctx) => {
      ctx.arm("timer", 2);
      ctx.deadline("deadline", 4);
      ctx.send(-1, "first");
      ctx.send(-1, "second");
    };
    const paused = {
      faults: {
        pauses: [
          { node: 0, from: 1, to: 6 },
          { node: 0, from: 5, to: 9.5 },
        ],
      },
    };
    const events: Log = [];
    const expected = ["0 deadline", "0 gets first from 0", "0 gets second from 0", "0 timer"];
    expect(runEvents(setup(events, script, paused)).time).toBe(9.5);
    expect(events).toEqual(expected);
    const rounds: Log = [];
    expect(runLockstep(setup(rounds, script, paused)).time).toBe(10);
    expect(rounds).toEqual([...expected, "0 ends 10"]);
  });

  test("a node paused at the start starts when it resumes", () => {
    const log: Log = [];
    const script: Script = (_node, ctx) => ctx.send(0, "late");
    const pauses = [{ node: 0, from: 0, to: 7 }];
    for (const run of [runEvents, runLockstep]) expect(run(setup(log, script, { faults: { pauses } })).time).toBe(8);
  });

  test("a crash planned for after the end of the run has not happened", () => {
    const script: Script = (_node, ctx) => ctx.send(0, "x");
    const crashes = [{ node: 0, at: 1000 }];
    for (const run of [runEvents, runLockstep])
      expect(run(setup([], script, { faults: { crashes } })).census.alive).toBe(3);
  });

  test("a partition loses what is sent across it until it heals; unnamed nodes stay together", () => {
    const log: Log = [];
    const script: Script = (_node, ctx) => times(3, (port) => ctx.send(port, "x"));
    const partitions = [{ groups: [[0, 1]], from: 0, to: 1 }];
    runEvents(setup(log, script, { topology: complete(4), faults: { partitions } }));
    expect(log).toEqual(["1 gets x from 0"]);
    log.length = 0;
    runEvents(setup(log, script, { topology: complete(4), initiators: [2], faults: { partitions } }));
    expect(log).toEqual(["3 gets x from 2"]);
    log.length = 0;
    runEvents(
      setup(log, script, { topology: complete(4), faults: { partitions: [{ ...partitions[0], from: -2, to: 0 }] } }),
    );
    expect(log).toHaveLength(3);
  });
});

test("timers drawn from a range stay inside it, in whole rounds in lock-step", () => {
  const fired = (run: typeof runLockstep, trial: number) => {
    const log: Log = [];
    const script: Script = (_node, ctx) => {
      ctx.arm("x", 2.5, 5.5);
      ctx.arm("before", 2.4);
      ctx.arm("after", 5.6);
    };
    run(setup(log, script, { trial }) as never);
    return log.filter((line) => !line.includes("ends"));
  };
  for (let trial = 0; trial < 20; trial++) {
    expect(fired(runEvents as never, trial)).toEqual(["0 before", "0 x", "0 after"]);
    expect(fired(runLockstep, trial)).toContain("0 x");
  }
});

describe.each([runEvents, runLockstep])("a run that does not end, %o", (run) => {
  const echo = (mostMessages?: number): EventsSetup => {
    const given = setup([], (_, ctx) => ctx.send(0, "echo"), { mostMessages, until: 50, seed: 7, trial: 3 });
    const receive = (_: unknown, port: number, message: string, ctx: Context<string, string>) =>
      ctx.send(port, message);
    return { ...given, protocol: { ...given.protocol, receive } };
  };

  test("ends in words with its seed and trial when it has sent more messages than allowed", () => {
    expect(() => run(echo(20))).toThrow(
      "trial 3 of scribe with seed 7 has sent 20 messages by time 20 and has not ended: set until, or raise mostMessages",
    );
  });

  test("sends all messages that are allowed", () => {
    expect(run(echo(51)).messages).toBe(51);
    expect(run(echo()).messages).toBe(51);
    expect(() => run(echo(50))).toThrow("has sent 50 messages");
  });
});
