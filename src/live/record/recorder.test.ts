import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { FILE_HEAD, fileHead, slotAt } from "../../flight/format.ts";
import { readRecord } from "../../flight/read.ts";
import { INPUT, type Links } from "../../flight/steps.ts";
import { FlightRecorder, geometryFor, RecordFile } from "./recorder.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-record-"));
afterAll(() => rmSync(folder, { recursive: true }));

let file = "";
let files = 0;
beforeEach(() => {
  file = join(folder, `${files++}.flight`);
});

/** A world whose clock stands where it was put. */
class Clock {
  at = 0;
  now = () => this.at;
  wall = () => 1_790_000_000_000 + this.at;
}

const WHO = { machine: "group", group: "g", member: "a", address: "127.0.0.1:7001" };

function recorder(clock: Clock, minutes = 1, calls?: ConstructorParameters<typeof FlightRecorder>[2]): FlightRecorder {
  const made = new FlightRecorder({ file, minutes }, clock, calls);
  made.begin(WHO);
  return made;
}

/** The first step, as `taped` writes it. */
function start(made: FlightRecorder, life: number): void {
  made.start(life, 0);
  const { writer } = made;
  writer!.begin(INPUT.start, 0, []);
  for (const value of [{}, { life }, null]) writer!.packed(value);
  end(made, 0, {}, []);
}

function heard(made: FlightRecorder, at: number, message: unknown, state: unknown, links: Links = []): void {
  const { writer } = made;
  if (writer === null) return;
  writer.begin(INPUT.receive, at, []);
  writer.value(3);
  writer.value(message);
  end(made, at, state, links);
}

function end(made: FlightRecorder, at: number, state: unknown, links: Links): void {
  made.writer!.end(0, null);
  if (made.step(at, true, false)) made.snapshot(state, links);
}

const read = (name = file) => readRecord(readFileSync(name), name);
const messages = () =>
  read().lives.map(({ segments }) =>
    segments.flatMap(({ steps }) => steps.flatMap((step) => (step.do === "receive" ? [step.message] : []))),
  );

/** Writes steps, a second apart, of `bytes` each. */
function write(made: FlightRecorder, clock: Clock, count: number, bytes = 10, from = 0): void {
  for (let i = 0; i < count; i++) {
    clock.at += 1000;
    heard(made, clock.at, [from + i, "x".repeat(bytes)], { count: from + i }, [[3, "127.0.0.1:7002"]]);
  }
}

describe("the ring", () => {
  test("keeps the minutes that were asked for, drops what is older, and begins with a state", () => {
    const clock = new Clock();
    const made = recorder(clock, 2);
    start(made, 7);
    write(made, clock, 600);
    made.close();
    const [{ segments, head }] = read().lives;
    const steps = segments.flatMap((segment) => segment.steps);
    const kept = (steps.at(-1)!.at - steps[0].at) / 60_000;
    expect(kept).toBeGreaterThanOrEqual(2);
    expect(kept).toBeLessThan(2.5);
    expect(head).toMatchObject({ ...WHO, life: 7, before: 601 - steps.length });
    expect(segments[0].snapshot).toEqual({ state: { count: 600 - steps.length - 1 }, links: [[3, "127.0.0.1:7002"]] });
    // Every segment goes on where the one before ended.
    let next = head.before;
    for (const segment of segments) {
      expect(segment.head.before).toBe(next);
      next += segment.steps.length;
    }
  });

  test("never grows beyond its bound, however much is written", () => {
    const clock = new Clock();
    const made = recorder(clock, 10);
    start(made, 7);
    for (let i = 0; i < 9; i++) write(made, clock, 40, 60_000, 40 * i);
    made.close();
    const geometry = geometryFor(10);
    const bound = slotAt(geometry, geometry.slots);
    expect(statSync(file).size).toBeLessThanOrEqual(bound);
    expect(bound).toBeLessThan(17e6);
    expect(messages()[0].at(-1)).toEqual([359, expect.any(String)]);
    expect(read().notes).toEqual([]);
  });

  test("a step that does not fit into a slot is missing, and the record goes on after it", () => {
    const clock = new Clock();
    const made = recorder(clock);
    start(made, 7);
    write(made, clock, 2);
    write(made, clock, 1, 3 * 2 ** 20, 2);
    write(made, clock, 2, 10, 3);
    made.close();
    expect(messages()[0].map((message) => (message as [number])[0])).toEqual([0, 1, 3, 4]);
    expect(read().lives[0].segments.map(({ head }) => head.before)).toEqual([0, 4]);
  });

  test("a process that starts again goes on after the record of the one before", () => {
    for (const life of [1, 2, 3]) {
      const clock = new Clock();
      const made = recorder(clock);
      start(made, life);
      write(made, clock, 3, 10, 10 * life);
      made.close();
    }
    expect(read().lives.map(({ head }) => head.life)).toEqual([1, 2, 3]);
    expect(messages().map((all) => all.map((message) => (message as [number])[0]))).toEqual([
      [10, 11, 12],
      [20, 21, 22],
      [30, 31, 32],
    ]);
  });
});

describe("a file", () => {
  test("that was cut in the middle of a write is read up to there, and says so", () => {
    const clock = new Clock();
    const made = recorder(clock);
    start(made, 7);
    write(made, clock, 5);
    made.close();
    const whole = readFileSync(file);
    const cut = whole.subarray(0, whole.length - 5);
    const { lives, notes } = readRecord(cut, "cut");
    expect(lives[0].segments[0].steps).toHaveLength(5);
    expect(notes).toEqual([
      "after step 5 of a the record is cut: what follows was not written to the end, or is damaged",
    ]);
  });

  test("is read at every length that a kill can leave", () => {
    const clock = new Clock();
    const made = recorder(clock);
    start(made, 7);
    write(made, clock, 3);
    made.close();
    const whole = readFileSync(file);
    let most = 0;
    for (let length = 0; length <= whole.length; length++) {
      try {
        const [{ segments }] = readRecord(whole.subarray(0, length), "cut").lives;
        expect(segments[0].steps.length).toBeGreaterThanOrEqual(most);
        most = segments[0].steps.length;
      } catch (error) {
        expect((error as Error).name).toBe("InputError");
      }
    }
    expect(most).toBe(4);
  });

  test("of somebody else is not overwritten; a record that is divided otherwise is put aside", () => {
    writeFileSync(file, "my notes, which are long enough to have a head");
    expect(() => recorder(new Clock())).toThrow("exists and is not a flight record: give another file");
    expect(readFileSync(file, "utf8")).toContain("my notes");
    expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([]);
    writeFileSync(file, fileHead({ slots: 3, slotBytes: 4096 }));
    recorder(new Clock()).close();
    expect(statSync(`${file}.old`).size).toBe(FILE_HEAD);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("that cannot be opened is named before the member starts, and one that another process writes is refused", () => {
    file = join(folder, "nowhere", "a.flight");
    expect(() => recorder(new Clock())).toThrow(/nothing can be recorded in .*a\.flight \(ENOENT\)/);
    file = join(folder, "twice.flight");
    const first = new RecordFile(file, geometryFor(1));
    expect(() => recorder(new Clock())).toThrow(/says that process \d+ uses/);
    first.close();
    recorder(new Clock()).close();
  });
});

describe("a disk", () => {
  const full = Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write" });

  test("that is full stops the record with one line, and never the member", () => {
    const clock = new Clock();
    const said: string[] = [];
    let room = 3000;
    const made = recorder(clock, 1, {
      now: () => 0,
      write: (_, bytes) => {
        if (bytes.length > room) throw full;
        room -= bytes.length;
        return bytes.length;
      },
    });
    made.onStopped = (why) => said.push(why);
    start(made, 7);
    write(made, clock, 100, 50);
    made.close();
    expect(said).toEqual([`nothing is recorded any more in ${file}: the disk is full; this member goes on`]);
  });

  test("that takes its time stops it as well", () => {
    const clock = new Clock();
    const said: string[] = [];
    let now = 0;
    const made = recorder(clock, 1, {
      now: () => now,
      write: (_, bytes) => {
        now += bytes.length > 200 ? 1500 : 1;
        return bytes.length;
      },
    });
    made.onStopped = (why) => said.push(why);
    start(made, 7);
    write(made, clock, 3);
    expect(said).toEqual([]);
    write(made, clock, 3, 300);
    expect(said).toEqual([
      `nothing is recorded any more in ${file}: the disk has taken 1500 ms for one write; this member goes on`,
    ]);
  });

  test("that writes less than it was given is asked again", () => {
    const parts: number[] = [];
    const short = new RecordFile(file, geometryFor(1), {
      now: () => 0,
      write: (_, bytes, at) => {
        parts.push(at);
        return Math.min(7, bytes.length);
      },
    });
    short.close();
    expect(parts.slice(0, 3)).toEqual([0, 7, 14]);
  });
});

test("a state that is not plain data stops the record in words", () => {
  const clock = new Clock();
  const made = recorder(clock);
  const said: string[] = [];
  made.onStopped = (why) => said.push(why);
  start(made, 7);
  clock.at = 60_000;
  heard(made, clock.at, 1, { at: new Date() });
  expect(said[0]).toContain("the state holds a Date");
});

test("what is left of an earlier use of a slot is not taken for a part of the newer one", () => {
  const clock = new Clock();
  const made = recorder(clock);
  start(made, 7);
  write(made, clock, 200);
  made.close();
  const again = recorder(new Clock());
  start(again, 8);
  again.close();
  const newest = read().lives.at(-1)!;
  expect(newest.head.life).toBe(8);
  expect(newest.segments[0].steps).toHaveLength(1);
  expect(read().notes).toEqual([]);
});
