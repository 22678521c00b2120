/** What a group that lasts needs of its hosts, shown with one that is small enough to see through. */
import { describe, expect, test } from "vitest";
import { type LastingState, lasting, lastingSetup } from "../../test/support/lasting.ts";
import { letHandlersWrite } from "../../test/support/writing-handlers.ts";
import { atMostOneLeader, type History, someLeader, termsGrow } from "../properties/properties.ts";
import { type Context, SELF } from "../protocol.ts";
import { runEvents } from "./events.ts";
import { type FaultPlan, NO_FAULTS } from "./faults/faults.ts";
import { runLockstep } from "./lockstep.ts";
import type { Observer } from "./observer.ts";
import type { EventsSetup } from "./setup.ts";
import { openRun } from "./stepping/stepping.ts";
import { Watch } from "./watch.ts";

letHandlersWrite();

/** The states at the horizon. */
function states(faults: Partial<FaultPlan>, changes: Partial<EventsSetup> = {}, n = 4): LastingState[] {
  const run = openRun(lastingSetup(n, faults, changes));
  run.seek(Infinity);
  return Array.from({ length: n }, (_, node) => run.state(node) as LastingState);
}

const command = (node: number, at: number, kind: string) => ({ node, at, message: { kind } });

describe("open links", () => {
  test("members make them by address; a stranger's message comes in on a new port; own address is SELF", () => {
    const [, first, second, third] = states({});
    expect(first.heard).toEqual({ "2": 9, "3": 9 });
    // 2 and 3 know the seeds only: they never hear of each other.
    expect(second.heard).toEqual({ "1": 9 });
    expect(third.heard).toEqual({ "1": 9 });
  });

  test("an address where nobody is swallows what is sent there", () => {
    const missed: string[] = [];
    const observer: Observer = { lost: (_flight, _to, _time, why) => void missed.push(why) };
    const { messages } = runEvents(lastingSetup(3, {}, { seeds: ["1", "7", "nowhere"], until: 2.5, observer }));
    // Both members multicast twice; each beat for 7 and for nowhere is lost.
    expect(messages).toBe(4);
    expect(missed).toEqual(Array(8).fill("nobody"));
  });

  test("labels are never used again, and degree, ports and samples go by live links", () => {
    const log: unknown[] = [];
    const probe: typeof lasting = {
      ...lasting,
      init(params, self, saved, ctx) {
        if (self.id === 101) {
          const ports = ["0", "2", "3"].map((address) => ctx.link(address));
          ctx.unlink(ports[1]);
          log.push(ports, ctx.ports(), ctx.degree, ctx.link("2"), ctx.link("0"), ctx.ports());
          log.push(ctx.sample(3).sort(), ctx.link("1"), ctx.address(2), ctx.address(-1), ctx.peer(2));
          expect(() => ctx.send(1, { kind: "bye" })).toThrow("it uses port 1, but this node has links 0, 2, 3");
        }
        return lasting.init(params, { ...self, seeds: [] }, saved, ctx);
      },
    };
    runEvents(lastingSetup(4, {}, { protocol: probe, until: 0 }));
    expect(log).toEqual([[0, 1, 2], [0, 2], 2, 3, 0, [0, 2, 3], [0, 2, 3], -1, "3", "1", 103]);
  });
});

describe("restarts", () => {
  const crash = { crashes: [{ node: 2, at: 3.05 }] };

  test("with what was saved it goes on where it was, without it begins again; the others notice", () => {
    const remembered = states({ ...crash, restarts: [{ node: 2, at: 5, saved: true }] });
    expect(remembered[2]).toMatchObject({ life: 6, count: 3 + 5 });
    expect(remembered[1].forgetful).toEqual([]);
    const forgot = states({ ...crash, restarts: [{ node: 2, at: 5, saved: false }] });
    expect(forgot[2]).toMatchObject({ life: 6, count: 5 });
    expect(forgot[1].forgetful).toEqual(["2", "2", "2"]);
  });

  test("a process that runs is ended first; its timers are gone, messages on the network find the new life", () => {
    const [, first, second] = states({ restarts: [{ node: 2, at: 3.05, saved: true }] });
    // 1's third beat was on its way at 3.05; its own timer began anew at 3.05.
    expect(second).toMatchObject({ life: 6, count: 3 + 6, heard: { "1": 9 } });
    expect(second.forgetful).toEqual([]);
    expect(first.heard).toMatchObject({ "2": 9 });
  });

  test("what waited at a paused process ends with it", () => {
    const pauses = [{ node: 2, from: 2.5, to: 5 }];
    const restarts = [{ node: 2, at: 4.05, saved: true }];
    const missed: unknown[] = [];
    const observer: Observer = { lost: (_flight, to, time, why) => void missed.push([to, time, why]) };
    runEvents(lastingSetup(3, { pauses, restarts }, { observer, until: 6 }));
    // The beat of 3 waited and is gone at 5; that of 4 was still on the network at 4.05.
    expect(missed).toEqual([[2, 5, "crash"]]);
  });

  test("a restart is waited for, a crash is not", () => {
    const faults = { ...NO_FAULTS, crashes: [{ node: 1, at: 50 }] };
    const quiet = { ...lasting, expire: () => {} };
    const setup = lastingSetup(3, faults, { protocol: quiet, until: undefined });
    expect(runEvents(setup).census.alive).toBe(3);
    const restarts = [{ node: 2, at: 60, saved: true }];
    expect(runEvents({ ...setup, faults: { ...faults, restarts } }).census.alive).toBe(2);
  });
});

describe("joins and leaves", () => {
  test("a joiner is not there before; a leaver says so and is gone", () => {
    const [, first, second, third] = states({ joins: [{ node: 3, at: 4 }], leaves: [{ node: 2, at: 6.5 }] });
    expect(third).toMatchObject({ life: 3, count: 6, heard: { "1": 9 } });
    expect(first).toMatchObject({ heard: { "2": 6, "3": 5 }, gone: ["2"] });
    expect(second.count).toBe(6);
    const { census } = runEvents(lastingSetup(4, { leaves: [{ node: 2, at: 6.5 }], joins: [{ node: 3, at: 20 }] }));
    expect(census.alive).toBe(2);
  });
});

describe("save, report, then effects leave", () => {
  test("a crash between saving and sending: the term is used up, nobody was told", () => {
    const ask = { commands: [command(1, 2.5, "campaign"), command(2, 5.5, "campaign")] };
    const restarts = [{ node: 0, at: 4, saved: true }];
    const [engine, first, second] = states({ ...ask, crashes: [{ node: 0, at: 2.55, sends: 0 }], restarts });
    expect(first).toMatchObject({ leads: false, term: 0 });
    expect(second).toMatchObject({ leads: true, term: 2 });
    expect(engine).toMatchObject({ life: 4, term: 2 });
    // Without what was saved the engine grants the same term again.
    const forgot = states({
      ...ask,
      crashes: [{ node: 0, at: 2.55, sends: 1 }],
      restarts: [{ ...restarts[0], saved: false }],
    });
    expect([forgot[1].term, forgot[2].term]).toEqual([1, 1]);
  });

  test("after so many messages, a multicast being one; a pause lets the rest leave later", () => {
    const chatty: typeof lasting = {
      ...lasting,
      expire(state, _timer, ctx) {
        state.count++;
        for (let i = 0; i < 3 && state.id === 102; i++)
          ctx.send(1, { kind: "beat", count: 10 * state.count + i, life: 0 });
      },
    };
    const heardAt: [number, number][] = [];
    const observer: Observer = {
      delivered: (_flight, node, message, time) =>
        void (node === 1 && heardAt.push([Math.round(10 * time), (message as { count: number }).count])),
    };
    const run = (faults: Partial<FaultPlan>) => {
      heardAt.length = 0;
      runEvents(lastingSetup(3, faults, { protocol: chatty, observer }));
      return heardAt.filter(([, count]) => count >= 10);
    };
    expect(run({ crashes: [{ node: 2, at: 0.5, sends: 2 }] })).toEqual([
      [11, 10],
      [11, 11],
    ]);
    expect(run({ pauses: [{ node: 2, from: 0.5, to: 4, sends: 1 }] })).toEqual([
      [11, 10],
      [41, 11],
      [41, 12],
    ]);
  });

  test("observers see saved and reported before anything leaves", () => {
    const order: string[] = [];
    const note = (what: string) => (node: number, time: number) => void (node === 2 && time === 1 && order.push(what));
    runEvents(
      lastingSetup(
        3,
        {},
        {
          until: 1,
          observer: {
            saved: note("saved"),
            reported: note("reported"),
            settled: note("settled"),
            sent: (_flight, from, _to, _message, time) => void (from === 2 && time === 1 && order.push("sent")),
          },
        },
      ),
    );
    expect(order).toEqual(["saved", "reported", "sent", "sent", "settled"]);
  });
});

describe("commands and reports", () => {
  test("after a pause a deadline that was due comes before a command that has waited", () => {
    const log: string[] = [];
    const probe: typeof lasting = {
      ...lasting,
      init(params, self, saved, ctx) {
        if (self.id === 102) (ctx as Context<never, string>).deadline("over", 5);
        return lasting.init(params, self, saved, ctx);
      },
      receive(state, port, message, ctx) {
        if (port === SELF) log.push(message.kind);
        lasting.receive(state, port, message, ctx);
      },
      expire(state, timer: string, ctx) {
        if (timer === "over") log.push(timer);
        else lasting.expire!(state, timer as "beat", ctx);
      },
    };
    const faults = { pauses: [{ node: 2, from: 4, to: 6 }], commands: [command(2, 4.5, "campaign")] };
    runEvents(lastingSetup(3, faults, { protocol: probe }));
    expect(log).toEqual(["over", "campaign"]);
  });

  test("a command comes through SELF, whatever strangers may send; one to a paused process waits", () => {
    const faults = {
      commands: [command(1, 2, "campaign"), command(1, 4, "resign"), command(2, 4.5, "campaign")],
      pauses: [{ node: 2, from: 4, to: 6 }],
    };
    const run = openRun(lastingSetup(3, faults));
    while (run.time < 3) run.step();
    expect(run.report(1)).toMatchObject({ leads: true });
    while (run.time < 5.9) run.step();
    expect([run.report(1), run.report(2)]).toMatchObject([{ leads: false }, { leads: false }]);
    run.seek(Infinity);
    expect(run.report(2)).toMatchObject({ leads: true });
  });

  test("commands that wait for the end of pauses which overlap keep their order", () => {
    const faults = {
      commands: [command(2, 4.5, "campaign"), command(2, 6.5, "resign")],
      pauses: [
        { node: 2, from: 4, to: 5 },
        { node: 2, from: 4.8, to: 7 },
        { node: 2, from: 6, to: 8 },
      ],
    };
    const told: unknown[] = [];
    const probe: typeof lasting = {
      ...lasting,
      receive(state, port, message, ctx) {
        if (port === SELF) told.push(message.kind);
        lasting.receive(state, port, message, ctx);
      },
    };
    runEvents(lastingSetup(3, faults, { protocol: probe }));
    expect(told).toEqual(["campaign", "resign"]);
  });

  test("commands that wait for the end of a pause are lost if the process crashes before, as those that come while it is down", () => {
    const faults = {
      commands: [command(2, 4.5, "campaign"), command(2, 5.5, "campaign"), command(2, 6.5, "resign")],
      crashes: [{ node: 2, at: 5 }],
      restarts: [{ node: 2, at: 6, saved: true }],
      pauses: [{ node: 2, from: 4, to: 7 }],
    };
    const told: unknown[] = [];
    const observer: Observer = { commanded: (_node, message, time) => void told.push([message, time]) };
    runEvents(lastingSetup(3, faults, { observer }));
    expect(told).toEqual([[{ kind: "resign" }, 7]]);
  });

  test("what has not the shape of a message is refused at the door and counted", () => {
    const rude: typeof lasting = {
      ...lasting,
      expire: (_state, _timer, ctx) => ctx.send(0, { kind: "resign" }),
    };
    const missed: unknown[] = [];
    const observer: Observer = { lost: (_flight, to, _time, why, message) => void missed.push([to, why, message]) };
    const { measures } = runEvents(lastingSetup(2, {}, { protocol: rude, observer }));
    expect(missed).toEqual([[0, "refused", { kind: "resign" }]]);
    expect(measures.refused).toBe(1);
  });

  test("a role that the protocol does not have is refused", () => {
    expect(() => runEvents(lastingSetup(2, {}, { roles: ["king", "member"] }))).toThrow(
      'lasting has no role "king"; it has member, engine',
    );
    expect(() => runEvents(lastingSetup(2, {}, { roles: ["engine"] }))).toThrow("1 roles were given for 2 nodes");
  });
});

describe("messages that come twice, late, or overtake each other", () => {
  const arrivals = (faults: Partial<FaultPlan>, changes: Partial<EventsSetup> = {}) => {
    const log: [number, number][] = [];
    const observer: Observer = {
      delivered: (_flight, node, message, time) =>
        void (node === 1 && log.push([Math.round(1000 * time) / 1000, (message as { count: number }).count])),
    };
    runEvents(lastingSetup(3, faults, { observer, ...changes }));
    return log;
  };
  const calm = arrivals({});

  test("duplicates, everywhere or on a link for a while; the others arrive when they would have", () => {
    expect(arrivals({ duplicate: 1 })).toEqual(calm.flatMap((beat) => [beat, beat]));
    const duplicates = [{ rate: 1, kind: "both", link: [2, 1], from: 2, to: 4 } as const];
    expect(arrivals({ duplicates })).toHaveLength(calm.length + 2);
    const delay = { kind: "exponential", mean: 0.1 } as const;
    const random = arrivals({}, { delay, fifo: false });
    const twice = arrivals({ duplicate: 0.5 }, { delay, fifo: false });
    expect(twice.length).toBeGreaterThan(random.length);
    expect(twice).toEqual(expect.arrayContaining(random));
  });

  test("spikes delay a message, and on a link that keeps the order those behind it", () => {
    const spikes = [{ rate: 1, delay: 2.5, link: null, from: 2, to: 3 }];
    const late = arrivals({ spikes }).map(([time, count]) => [count, time]);
    expect(late.slice(0, 5)).toEqual([
      [1, 1.1],
      [2, 4.6],
      [3, 4.6],
      [4, 4.6],
      [5, 5.1],
    ]);
    const free = arrivals({ spikes }, { fifo: false }).map(([, count]) => count);
    expect(free.slice(0, 5)).toEqual([1, 3, 4, 2, 5]);
  });

  test("reordered messages are overtaken although their link keeps the order", () => {
    const delay = { kind: "fixed", value: 1.5 } as const;
    const counts = (faults: Partial<FaultPlan>) => arrivals(faults, { delay, until: 200 }).map(([, count]) => count);
    const mixed = counts({ reorder: 0.5 });
    expect(mixed).not.toEqual([...mixed].sort((a, b) => a - b));
    expect(counts({})).toEqual([...counts({})].sort((a, b) => a - b));
  });

  test("a one-way cut loses what the first group sends, and only that", () => {
    const partitions = [{ groups: [[2]], oneWay: true, from: 3.5, to: 6.5 }];
    const [, first, second] = states({ partitions });
    expect(first.heard["2"]).toBe(9);
    expect(second.heard["1"]).toBe(9);
    expect(arrivals({ partitions })).toHaveLength(calm.length - 3);
  });
});

describe("clocks", () => {
  test("a clock at half its speed beats half as often", () => {
    const [, first, second] = states({ clocks: [{ node: 2, rate: 0.5 }] });
    expect([first.count, second.count]).toEqual([10, 5]);
  });

  test("drift gives each its own rate, within the bound, the same for the same seed", () => {
    const counts = (seed: number) =>
      states({ drift: 0.3 }, { seed, until: 100 }, 6)
        .slice(1)
        .map(({ count }) => count);
    expect(new Set(counts(1)).size).toBeGreaterThan(1);
    expect(counts(1)).toEqual(counts(1));
    expect(counts(2)).not.toEqual(counts(1));
    for (const count of counts(1)) expect(Math.abs(count - 100)).toBeLessThanOrEqual(31);
  });

  test("rounds have none of it", () => {
    for (const faults of [{ drift: 0.1 }, { reorder: 0.1 }, { clocks: [{ node: 1, rate: 2 }] }]) {
      expect(() => runLockstep(lastingSetup(3, faults))).toThrow("means nothing in rounds");
    }
  });
});

test("lock-step lasts too: restarts, joins, leaves, commands and a horizon, in rounds", () => {
  const faults = {
    crashes: [{ node: 2, at: 3 }],
    restarts: [{ node: 2, at: 5, saved: true }],
    joins: [{ node: 3, at: 4 }],
    leaves: [{ node: 1, at: 8 }],
    commands: [command(2, 6, "campaign")],
  };
  const { delay: _, fifo: __, ...rounds } = lastingSetup(4, faults);
  const run = openRun(rounds);
  run.seek(Infinity);
  expect(run.result()).toEqual(runLockstep(rounds));
  expect(run.result()).toMatchObject({ cut: true, census: { alive: 3, elected: 1 } });
  expect(run.state(2)).toMatchObject({ life: 6, leads: true });
  expect(run.state(3)).toMatchObject({ gone: ["1"] });
});

describe("properties watched at every event", () => {
  const watched = (properties: ConstructorParameters<typeof Watch>[0], faults: Partial<FaultPlan>) => {
    const watch = new Watch(properties);
    runEvents(lastingSetup(3, faults, { observer: watch }));
    return watch.breach;
  };
  const twoTerms = {
    crashes: [{ node: 0, at: 4 }],
    restarts: [{ node: 0, at: 5, saved: false }],
    commands: [command(1, 2, "campaign"), command(2, 6, "campaign"), command(1, 8, "resign")],
  };

  test("two leaders of one term in the middle of a run, though one resigned before its end", () => {
    expect(watched([atMostOneLeader], {})).toBeNull();
    const breach = watched([atMostOneLeader], twoTerms)!;
    expect(breach).toMatchObject({ property: "at-most-one-leader", what: "nodes 1 and 2 both lead" });
    expect(breach.time).toBeCloseTo(6.2);
    // The event's number is the one that a host that steps gives it.
    const run = openRun(lastingSetup(3, twoTerms));
    run.seek(breach.event - 1);
    expect(atMostOneLeader.violated(run.view)).toBeNull();
    run.step();
    expect(atMostOneLeader.violated(run.view)).toBe(breach.what);
  });

  test("right at the end of a run", () => {
    expect(watched([atMostOneLeader, someLeader], { commands: [command(1, 9, "campaign")] })).toBeNull();
    expect(watched([someLeader], { commands: [command(1, 9, "campaign"), command(1, 10, "resign")] })).toMatchObject({
      property: "some-leader",
      time: 10,
    });
    expect(
      watched([atMostOneLeader], { ...twoTerms, commands: [command(1, 2, "campaign"), command(2, 9.8, "campaign")] }),
    ).toMatchObject({
      time: 10,
    });
  });

  test("over time: terms only grow", () => {
    const faults = { restarts: [{ node: 0, at: 5, saved: false }], commands: [command(1, 2, "campaign")] };
    expect(watched([termsGrow], faults)).toMatchObject({ what: "node 0 goes back from term 1 to 0", time: 5 });
    expect(watched([termsGrow], { ...faults, restarts: [{ node: 0, at: 5, saved: true }] })).toBeNull();
  });

  test("over reports, and over the clock itself", () => {
    const counts: History = {
      name: "counts-grow",
      about: "no report takes a beat back",
      begin() {
        const seen: number[] = [];
        return (view) => {
          for (let node = 0; node < view.size; node++) {
            const { count } = (view.report!(node) ?? { count: 0 }) as { count: number };
            if (count < (seen[node] ?? 0)) return `node ${node} reports ${count} after ${seen[node]}`;
            seen[node] = count;
          }
          return null;
        };
      },
    };
    expect(watched([counts], { restarts: [{ node: 2, at: 4.5, saved: false }] })).toMatchObject({
      what: "node 2 reports 0 after 4",
      time: 4.5,
    });
    const late: History = {
      name: "in-time",
      about: "",
      begin: () => (view) => (view.time > 7 ? "too late" : null),
    };
    expect(watched([late], {})!.time).toBeCloseTo(7.1);
  });
});
