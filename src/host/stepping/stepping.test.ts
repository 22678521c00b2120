import { describe, expect, test } from "vitest";
import { lastingSetup } from "../../../test/support/lasting.ts";
import { faultPlan } from "../../../test/support/swarm.ts";
import { InputError } from "../../errors.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { HostStream } from "../../random/streams.ts";
import { type HostName, type Request, resolve } from "../../simulation/settings.ts";
import { setUp } from "../../simulation/trial.ts";
import { runEvents } from "../events.ts";
import { runLockstep } from "../lockstep.ts";
import type { EventsSetup, Result, Setup } from "../setup.ts";
import type { StepEvent } from "./step-recorder.ts";
import { events, type Intervention, KeyFrames, openRun, type SteppedRun } from "./stepping.ts";

const N = 6;

/** The setups of a protocol on the hosts that take it, calm and under faults. */
function setupsOf(protocol: string): (Setup | EventsSetup)[] {
  const rough = { ...faultPlan(3, N), loss: 0.1, duplicate: 0.1, pauses: [{ node: 1, from: 1, to: 4 }] };
  const requests: (Partial<Request> & { readonly host: HostName })[] = [
    { host: "lockstep" },
    { host: "lockstep", faults: rough },
    { host: "events", delay: { kind: "uniform", min: 0.5, max: 1.5 } },
    { host: "events", delay: { kind: "exponential", mean: 1 }, faults: { ...rough, reorder: 0.1, drift: 0.1 } },
  ];
  return requests.flatMap((request) => {
    try {
      const settings = resolve({ protocol, n: N, kernel: "off", ...request });
      const setup = setUp(settings, 1);
      return [request.host === "lockstep" ? setup : { ...setup, delay: settings.delay, fifo: settings.fifo }];
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      return [];
    }
  });
}

const runThrough = (setup: Setup | EventsSetup): Result =>
  "delay" in setup ? runEvents(setup) : runLockstep(setup as Setup);

const picture = (run: SteppedRun, nodes: number) =>
  JSON.stringify([run.event, run.time, run.inFlight(), Array.from({ length: nodes }, (_, node) => run.state(node))]);

/** Every event of a run, and what it looked like before the first and after each. */
function walk(run: SteppedRun, nodes: number): { events: StepEvent[]; pictures: string[] } {
  const log: StepEvent[] = [];
  const pictures = [picture(run, nodes)];
  for (let event = run.step(); event !== null; event = run.step()) {
    log.push(event);
    pictures.push(picture(run, nodes));
  }
  return { events: log, pictures };
}

describe.each(catalogue.map(({ name }) => name))("%s", (name) => {
  test("walks through the very run of the host that runs through, and back to any event of it", () => {
    const setups = setupsOf(name);
    expect(setups.length).toBeGreaterThan(0);
    for (const setup of setups) {
      const nodes = setup.topology.size;
      const run = openRun(setup, { frames: 5 });
      const straight = walk(run, nodes);
      expect(run.result()).toEqual(runThrough(setup));
      const places = new HostStream(7, 0, "losses");
      for (let i = 0; i < 6; i++) {
        const place = places.choose(straight.events.length + 1);
        expect(run.seek(place)).toBe(place);
        expect(picture(run, nodes)).toBe(straight.pictures[place]);
        const next = run.step();
        expect(JSON.stringify(next)).toBe(JSON.stringify(straight.events[place] ?? null));
      }
      run.seek(Infinity);
      expect(run.result()).toEqual(runThrough(setup));
    }
  });
});

test.each<Request>([
  { protocol: "chang-roberts", n: 400, faults: { pauses: [{ node: 7, from: 1, to: 20 }], loss: 0.01 } },
  { protocol: "tournament-async", n: 300, params: { tau: 10 } },
  { protocol: "flood-max", n: 40, topology: "complete", faults: { reorder: 0.2 } },
])(
  "$protocol with hundreds of messages on their way ends alike, whether they wait in a heap or on a ladder",
  (request) => {
    const settings = resolve({ host: "events", delay: { kind: "exponential", mean: 1 }, kernel: "off", ...request });
    const setup = { ...setUp(settings, 0), delay: settings.delay, fifo: settings.fifo };
    const stepped = events(setup);
    let last = stepped.next();
    let sent = 0;
    for (; last.done !== true; last = stepped.next()) sent += last.value.sends.length;
    expect(sent).toBeGreaterThan(1_000);
    expect(runEvents(setup)).toEqual(last.value);
  },
);

test("a group that lasts, under all faults at once, can be walked back too", () => {
  const faults = {
    loss: 0.05,
    duplicate: 0.1,
    reorder: 0.1,
    drift: 0.05,
    crashes: [
      { node: 2, at: 3 },
      { node: 3, at: 4, sends: 0 },
    ],
    pauses: [{ node: 1, from: 2, to: 5, sends: 1 }],
    restarts: [
      { node: 2, at: 5, saved: true },
      { node: 3, at: 6, saved: false },
    ],
    joins: [{ node: 5, at: 4 }],
    leaves: [{ node: 4, at: 7 }],
    commands: [{ node: 2, at: 6, message: { kind: "campaign" } }],
    spikes: [{ rate: 0.2, delay: 3, link: null, from: 0, to: null }],
    partitions: [{ groups: [[1]], oneWay: true, from: 6, to: 7 }],
  };
  const setup = lastingSetup(6, faults, { delay: { kind: "exponential", mean: 0.3 }, until: 30 });
  const run = openRun(setup, { frames: 6 });
  const straight = walk(run, 6);
  const kinds = new Set(straight.events.map((event) => event.do));
  for (const kind of ["restart", "join", "leave", "command", "resume", "crash", "lose"] as const) {
    expect(kinds).toContain(kind);
  }
  expect(straight.events.map(({ struck }) => struck)).toEqual(expect.arrayContaining(["crash", "pause"]));
  expect(run.result()).toEqual(runEvents(setup));
  for (let place = straight.events.length; place >= 0; place -= 7) {
    run.seek(place);
    expect(picture(run, 6)).toBe(straight.pictures[place]);
    expect(JSON.stringify(run.step())).toBe(JSON.stringify(straight.events[place] ?? null));
  }
});

const ring = (n: number, changes: Partial<Request> = {}): EventsSetup => {
  const settings = resolve({ protocol: "chang-roberts", n, ids: "increasing", ...changes });
  return { ...setUp(settings, 0), delay: settings.delay, fifo: settings.fifo };
};

test("events are numbered from 1 and say what happened, to which node, and what the node sent", () => {
  const run = openRun(ring(3));
  expect(run.step()).toMatchObject({ number: 1, time: 0, do: "start", node: 0, sends: [{ flight: 0, to: 1 }] });
  run.seek(3);
  expect(run.inFlight().map(({ from, to, sent, due }) => [from, to, sent, due])).toEqual([
    [0, 1, 0, 1],
    [1, 2, 0, 1],
    [2, 0, 0, 1],
  ]);
  expect(run.step()).toMatchObject({ number: 4, time: 1, do: "deliver", node: 1, from: 0, flight: 0, sends: [] });
  expect(run.verdict(2).status).toBe("undecided");
  expect(run.seek(Infinity)).toBeGreaterThan(4);
  expect(run.verdict(2)).toMatchObject({ status: "elected" });
  expect(run.step()).toBeNull();
});

test("the generator gives the same events, and returns the result", () => {
  const setup = ring(5);
  const all = walk(openRun(setup), 5).events;
  const generator = events(setup);
  const given: StepEvent[] = [];
  let step = generator.next();
  for (; step.done !== true; step = generator.next()) given.push(step.value);
  expect(given).toEqual(all);
  expect(step.value).toEqual(runThrough(setup));
});

describe("what is done by hand", () => {
  const kinds = (run: SteppedRun) => walk(run, 0).events.map((event) => event.do);

  test.each<[string, Intervention, string]>([
    ["a crash", { crash: 2 }, "crash"],
    ["a pause", { pause: 2, for: 3 }, "pause"],
    ["a restart", { restart: 2 }, "restart"],
    ["a lost message", { drop: 4 }, "lose"],
    ["a cut", { cut: [[0, 1]] }, "cut"],
    ["a leave", { leave: 2 }, "leave"],
  ])("%s is the next event, stays part of the run, and going back and forth replays it", (_name, action, kind) => {
    const setup = ring(8, { delay: { kind: "exponential", mean: 1 } });
    const run = openRun(setup, { frames: 4 });
    run.seek(12);
    run.inject(action);
    expect(run.step()).toMatchObject({ number: 13, do: kind });
    const before = walk(run, 8);
    run.seek(5);
    run.seek(13);
    expect(walk(run, 8)).toEqual(before);
    const opened = openRun(setup, { injected: [{ event: 12, action }] });
    opened.seek(13);
    expect(walk(opened, 8)).toEqual(before);
    expect(opened.injected).toEqual(run.injected);
  });

  test("uses no draw: what was on its way arrives when it would have", () => {
    const setup = ring(8, { delay: { kind: "exponential", mean: 1 } });
    const run = openRun(setup);
    run.seek(8);
    const due = run.inFlight();
    run.inject({ drop: due[3].flight });
    run.step();
    expect(run.inFlight()).toEqual(due.filter((_, i) => i !== 3));
  });

  test("a cut heals", () => {
    const run = openRun(ring(4));
    run.inject({ cut: [[0, 1]] });
    expect(kinds(run)).toContain("deliver");
    expect(run.verdict(3)).toMatchObject({ status: "undecided" });
    run.seek(2);
    run.inject({ heal: true });
    run.seek(Infinity);
    expect(run.verdict(3)).toMatchObject({ status: "elected" });
  });

  test("a command is a message from itself; what the protocol cannot read it may refuse as it likes", () => {
    const run = openRun(ring(4));
    run.seek(4);
    run.inject({ command: 1, message: { kind: "leader", id: 2 } });
    expect(run.step()).toMatchObject({ do: "command", node: 1 });
  });

  test("at the end of a run it can go on", () => {
    const run = openRun(ring(4));
    const end = run.seek(Infinity);
    run.inject({ restart: 0 });
    expect(run.step()).toMatchObject({ number: end + 1, do: "restart", node: 0 });
    const second = run.seek(Infinity);
    expect(second).toBeGreaterThan(end + 1);
    const result = run.result();
    run.seek(1);
    expect([run.seek(Infinity), run.result()]).toEqual([second, result]);
  });
});

test("looking at the result changes nothing", () => {
  const setup = ring(6, { initiators: 2 });
  const looked = openRun(setup);
  const states = () => Array.from({ length: 6 }, (_, node) => looked.state(node));
  for (let event = looked.step(); event !== null; event = looked.step()) {
    const before = JSON.stringify(states());
    looked.result();
    expect(JSON.stringify(states())).toBe(before);
  }
  expect(looked.result()).toEqual(runThrough(setup));
});

test("key frames are bounded by what they take together, and the beginning is kept", () => {
  let at = 0;
  const back: number[] = [];
  const frames = new KeyFrames(64, 1, {
    weigh: () => (at === 0 ? 1_000 : 15 * 2 ** 20),
    save: () => {
      const event = at;
      return () => back.push(event);
    },
  });
  for (; at <= 10_000; at++) frames.at(at);
  for (let event = 0; event <= 10_000; event += 10) frames.restore(event);
  const kept = [...new Set(back)];
  expect(kept[0]).toBe(0);
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.length).toBeLessThan(6);
});
