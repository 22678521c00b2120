/** Records of drawn groups under faults, run again: the machine does at every member what was recorded. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GroupMachine, group } from "../../src/elector/group.ts";
import { FILE_HEAD, frame, geometryIn, readFrame, slotAt } from "../../src/flight/format.ts";
import type { FlightFile } from "../../src/flight/lives.ts";
import { type FlightReplay, replayFlight } from "../../src/flight/replay.ts";
import { VirtualEngine } from "../../src/live/group/virtual-engine.ts";
import { leaseTimes } from "../../src/protocols/lease/params.ts";
import { diagram } from "../../src/trace/diagram/diagram.ts";
import { decodeAll, encode } from "../../src/wire/codec.ts";
import { effort } from "../support/effort.ts";
import { failOver, type RecordedGroup, recordedGroup } from "./recorded-group.ts";

const NAMES = ["a", "b", "c", "d"] as const;

function inFolder<T>(act: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "sortition-flight-"));
  try {
    return act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const who = fc.constantFrom(...NAMES);
const fault = fc.oneof(
  fc.record({ do: fc.constant("crash" as const), who }),
  fc.record({ do: fc.constant("start" as const), who, saved: fc.boolean() }),
  fc.record({ do: fc.constant("pause" as const), who, ms: fc.integer({ min: 10, max: 4000 }) }),
  fc.record({ do: fc.constant("part" as const), who }),
  fc.record({ do: fc.constant("heal" as const) }),
  fc.record({ do: fc.constant("leave" as const), who }),
  fc.record({ do: fc.constant("resign" as const), who }),
  fc.record({ do: fc.constant("engine" as const), isDown: fc.boolean() }),
);
type Fault = typeof fault extends fc.Arbitrary<infer F> ? F : never;

const scenario = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  strict: fc.boolean(),
  loss: fc.constantFrom(0, 0.05, 0.3),
  duplicate: fc.constantFrom(0, 0.1),
  minutes: fc.constantFrom(1, 10),
  faults: fc.array(fc.tuple(fc.integer({ min: 50, max: 4000 }), fault), { maxLength: 8 }),
});

/** Runs it to its end; the files of all members. */
function recorded(
  folder: string,
  { seed, strict, loss, duplicate, minutes, faults }: typeof scenario extends fc.Arbitrary<infer S> ? S : never,
) {
  let engine: VirtualEngine | null = null;
  const made: RecordedGroup = recordedGroup({
    folder,
    seed,
    minutes,
    conditions: { loss, duplicate },
    params: strict ? { lease: { ...leaseTimes(1000), engine: "engine", settles: false, preemptible: false } } : {},
    peers: (name, process) => (strict ? { engine: engine!.peer(name, process) } : {}),
  });
  engine = new VirtualEngine(made.group.network, seed);
  for (const name of NAMES) made.group.start(name);
  made.group.run(3000);
  for (const [ms, fault] of faults) {
    strike(made, engine, fault);
    made.group.run(ms);
  }
  made.group.run(2000);
  expect(made.stopped).toEqual(new Map());
  return made.files();
}

function strike({ group: members }: RecordedGroup, engine: VirtualEngine, fault: Fault): void {
  const runs = (name: string) => members.peers.some((peer) => peer.name === name);
  if (fault.do === "heal") members.heal();
  else if (fault.do === "engine") fault.isDown ? engine.stop() : engine.start();
  else if (fault.do === "start") members.start(fault.who, { saved: fault.saved });
  else if (!runs(fault.who)) return;
  else if (fault.do === "crash") members.crash(fault.who);
  else if (fault.do === "pause") members.pause(fault.who, fault.ms);
  else if (fault.do === "leave") members.leave(fault.who);
  else if (fault.do === "resign") members.command(fault.who, { kind: "resign", office: null });
  else
    members.part(
      [fault.who],
      NAMES.filter((name) => name !== fault.who),
    );
}

/** What must hold of every story: each delivery after its sending, each life of a member in order. */
function checkStory({ story, lives }: FlightReplay): void {
  for (const [number, event] of story.events.entries()) {
    if (event.cause !== null) expect(event.cause).toBeLessThan(number);
    if (event.do !== "deliver") continue;
    const sending = story.events[event.cause!];
    expect(sending).toMatchObject({ do: "send", node: event.from, to: event.node });
    expect(event.at).toBeGreaterThanOrEqual(sending.at);
  }
  // All clocks are one clock here: how far the story's are from it is within what it says.
  for (const { clockWithin } of lives) expect(clockWithin ?? 0).toBeLessThan(50);
  for (const clock of story.clocks)
    expect(Math.abs(clock.add - story.clocks[0].add)).toBeLessThan(
      1 + 2 * (clock.within ?? 0) + 2 * (story.clocks[0].within ?? 0),
    );
}

test("the record of every member of a drawn group is a run of the machine", () => {
  let lives = 0;
  fc.assert(
    fc.property(scenario, (drawn) =>
      inFolder((folder) => {
        const replay = replayFlight(recorded(folder, drawn));
        for (const { member, difference, missing, threw, steps } of replay.lives) {
          expect({ member, difference, missing, threw }).toEqual({ member, difference: null, missing: 0, threw: null });
          expect(steps).toBeGreaterThan(0);
        }
        expect(replay.notes).toEqual([]);
        if (drawn.strict) expect(replay.incidents).toEqual([]);
        checkStory(replay);
        lives += replay.lives.length;
      }),
    ),
    { numRuns: effort(4, 100), seed: 30, endOnFailure: true },
  );
  expect(lives).toBeGreaterThan(effort(15, 400));
});

/** The group's machine with another handler. */
const changed = (change: (machine: GroupMachine) => Partial<GroupMachine>): GroupMachine => {
  const machine = group();
  return { ...machine, ...change(machine) };
};

/** All methods of a context, which are those of its class. */
function bound<C extends object>(ctx: C): C {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(ctx)) as (keyof C)[];
  const methods = names
    .filter((name) => typeof ctx[name] === "function")
    .map((name) => [name, (ctx[name] as () => void).bind(ctx)]);
  return Object.fromEntries(methods);
}

describe("another machine", () => {
  const files = inFolder(failOver);

  test("is told by the first step that it does not make, with what was recorded and what it does", () => {
    let handled = 0;
    const machine = changed(({ receive }) => ({
      receive(state, port, message, ctx) {
        receive(state, port, message, ctx);
        if (++handled === 40) ctx.disarm("stand/leader");
      },
    }));
    const [first] = replayFlight(files.slice(0, 1), { machine }).lives;
    const heard = first.difference!;
    expect(heard.now).toMatch(/it calls disarm\("stand\/leader"\)$/);
    expect(heard.recorded).toBe("other calls");
    expect(heard.step).toBe(first.steps);
  });

  test("that does the same with other values is told by the number of its step", () => {
    const machine = changed(({ receive }) => ({
      receive(state, port, message, ctx) {
        receive(state, port, message, { ...bound(ctx), send: (to, sent) => ctx.send(to, changedOnce(sent)) });
      },
    }));
    let sent = 0;
    const changedOnce = <T>(message: T): T => (++sent === 3 ? { another: 1, ...message } : message);
    const [{ difference, steps }] = replayFlight(files.slice(0, 1), { machine }).lives;
    expect(difference).toMatchObject({ step: steps, recorded: "other calls" });
    expect(difference!.now).toContain('{"another":1,');
    expect(sent).toBeGreaterThanOrEqual(3);
  });

  test("that keeps another state is told by the next snapshot, also where its calls are the same", () => {
    const long = inFolder((folder) => {
      const made = recordedGroup({ folder, minutes: 1 });
      for (const name of NAMES) made.group.start(name);
      made.group.run(30_000);
      return made.files();
    });
    const machine = changed(({ expire }) => ({
      expire(state, timer, ctx) {
        expire!(state, timer, ctx);
        state.settlings += 1;
      },
    }));
    const [first] = replayFlight(long.slice(0, 1), { machine }).lives;
    expect(first.difference!.recorded).toBe('the state after this step has another "settlings"');
  });

  test("that fails where it did not is an incident; one that no longer fails where it did is none", () => {
    const failing = changed(({ receive }) => ({
      receive(state, port, message, ctx) {
        receive(state, port, message, ctx);
        if ((message as { kind?: string }).kind === "stand") throw new Error("a planted fault");
      },
    }));
    const { lives, incidents } = replayFlight(files, { machine: failing, goesOn: true });
    expect(incidents).toEqual(
      expect.arrayContaining([expect.stringMatching(/^a handler of \w fails in step \d+: a planted fault$/)]),
    );
    expect(lives.some(({ difference }) => difference?.now === "the handler fails: a planted fault")).toBe(true);
    // Recorded by the faulty machine, and run by the sound one.
    const planted = inFolder((folder) => {
      const made = recordedGroup({ folder, machine: failing });
      for (const name of NAMES) made.group.start(name);
      made.group.run(5000);
      made.group.crash(made.leader()!);
      expect(() => made.group.run(5000)).toThrow("a planted fault");
      return made.files();
    });
    const { length } = replayFlight(planted, { machine: failing }).incidents;
    expect(length).toBeGreaterThan(0);
    const sound = replayFlight(planted, { goesOn: true });
    expect(sound.incidents).toEqual([]);
    const differences = sound.lives.flatMap(({ difference }) => (difference === null ? [] : [difference.recorded]));
    expect(differences).toEqual(new Array(length).fill("the handler fails: a planted fault"));
  });

  test("that never gives an office up is an incident of two leaders, as it was when it ran", () => {
    // After a partition the member that was cut off goes on in a term that it made up.
    const stubborn = changed(({ report }) => ({
      report(state) {
        const told = report!(state);
        const offices = Object.fromEntries(
          Object.entries(told.offices).map(([seat, office]) => [
            seat,
            office.term > 0 ? { ...office, mine: true } : office,
          ]),
        );
        return { ...told, offices };
      },
    }));
    const { incidents } = replayFlight(files, { machine: stubborn, goesOn: true });
    expect(incidents).toEqual(expect.arrayContaining([expect.stringMatching(/both lead leader in term 1/)]));
    expect(replayFlight(files, { goesOn: true }).incidents).toEqual([]);
  });
});

describe("damaged records never crash the reader", () => {
  const [{ bytes: whole }] = inFolder(failOver);

  /** Whatever comes out: a replay or words. */
  function open(bytes: Uint8Array): void {
    const file: FlightFile = { name: "damaged", bytes };
    try {
      const { story } = replayFlight([file]);
      diagram(story, { title: "damaged", wanted: (_, number) => number < 20 });
    } catch (error) {
      expect((error as Error).name, (error as Error).stack).toBe("InputError");
      expect((error as Error).message).toMatch(/^damaged /);
    }
  }

  const place = fc.nat({ max: whole.length - 1 });
  const damage = fc.oneof(
    fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(([at, byte]) => (bytes: Uint8Array) => {
      bytes[at] = byte;
      return bytes;
    }),
    place.map((length) => (bytes: Uint8Array) => bytes.subarray(0, length)),
    fc.tuple(place, place, fc.nat({ max: 500 })).map(([from, to, length]) => (bytes: Uint8Array) => {
      bytes.copyWithin(to, from, from + length);
      return bytes;
    }),
    fc.tuple(place, fc.nat({ max: 2000 })).map(
      ([from, length]) =>
        (bytes: Uint8Array) =>
          bytes.fill(0, from, from + length),
    ),
  );

  test("bytes that were changed, cut, moved or zeroed", () => {
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
        open(damages.reduce<Uint8Array>((bytes, act) => act(bytes), new Uint8Array(whole)));
      }),
      { numRuns: effort(40, 4000), seed: 36 },
    );
  });

  /** Frames with checksums that are right and contents that are not. */
  test("values that somebody has forged", () => {
    const geometry = geometryIn(whole)!;
    const frames: Uint8Array[] = [];
    const slot = whole.subarray(slotAt(geometry, 0));
    for (let at = 0; ; ) {
      const read = readFrame(slot, at, at === 0 ? null : 1);
      if (typeof read === "string") break;
      frames.push(read.payload);
      at = read.end;
    }
    expect(frames.length).toBeGreaterThan(10);
    const odd = fc.oneof(
      fc.constantFrom(null, -1, 2 ** 53, Number.NaN, "", "__proto__", [], {}, true, [[0], [1]], [1, 2, 3]),
      fc.anything({ maxDepth: 2, withBigInt: true, withNullPrototype: false }).filter(isEncodable),
    );
    const values = frames.map((payload) => decodeAll(payload));
    fc.assert(
      fc.property(
        fc.nat({ max: 12 }),
        fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 5 }),
        odd,
        (which, path, value) => {
          const forged = values.map((sequence, i) => {
            const all = i === which ? (replaced(sequence, path, value) as readonly unknown[]) : sequence;
            return frame(1, Buffer.concat(all.map(encode)));
          });
          open(Buffer.concat([whole.subarray(0, FILE_HEAD), ...forged]));
        },
      ),
      { numRuns: effort(40, 4000), seed: 37, examples: [[2, [3, 0, 0], "__proto__"]] },
    );
  });
});

function isEncodable(value: unknown): boolean {
  try {
    encode(value);
    return true;
  } catch {
    return false;
  }
}

/** The same value with another one somewhere inside; the path is followed as far as it goes. */
function replaced(value: unknown, [first, ...rest]: readonly number[], by: unknown): unknown {
  if (first === undefined || typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[first % keys.length];
  const inner = replaced((value as Record<string, unknown>)[key], rest, by);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? inner : item));
  return { ...value, [key]: inner };
}
