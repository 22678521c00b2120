/** What an engine remembers of jobs, request by request. */
import { beforeEach, describe, expect, test } from "vitest";
import type { LeaseRequest } from "./messages.ts";
import { carryOut } from "./register.ts";
import { oneClock } from "./register-clock.ts";
import { FIRST_RETRY, LONGEST_RETRY } from "./register-records.ts";
import { noRows, type PlainRows, rowsOf } from "./register-rows.ts";

const TOKEN = 1_000_000;
const LEASE = { seat: "leader", lease: "l1" };
let rows: PlainRows;
/** Milliseconds since 1970. */
let now: number;

function ask(request: object) {
  const asked = { id: 1, life: 7, ...request } as LeaseRequest;
  return carryOut(rowsOf(rows), asked, oneClock(now, now, "one"));
}

beforeEach(() => {
  rows = noRows();
  now = TOKEN;
  ask({ kind: "acquire", session: "s1", name: "ann", ttl: 9e6, floor: 0, preemptible: false, ...LEASE });
});

const JOB = { key: "backup", token: TOKEN, name: "ann", keep: 5e6 };
const begin = (attempt: string, changes: object = {}) =>
  ask({ kind: "begin", ...LEASE, ...JOB, attempt, occurrence: 5, repeat: null, attempts: 2, noted: false, ...changes });
const finish = (attempt: string, outcome: "done" | "failed", changes: object = {}) =>
  ask({ kind: "finish", ...JOB, attempt, occurrence: 5, outcome, status: 3, ...changes });
const recall = (key = "backup") => ask({ kind: "recall", key });

describe("an attempt", () => {
  test("begins under the lease that is held, and under no other", () => {
    expect(begin("a", { lease: "l2" })).toMatchObject({ verdict: "refused", record: null });
    expect(begin("a", { token: 1 })).toMatchObject({ verdict: "refused" });
    expect(begin("a")).toMatchObject({
      verdict: "begun",
      wait: 0,
      record: {
        state: "running",
        attempts: 1,
        failures: 0,
        occurrence: 5,
        name: "ann",
        token: TOKEN,
        status: null,
        ago: 0,
      },
    });
    expect(begin("b", { lease: "l2" })).toMatchObject({ verdict: "refused", record: { state: "running" } });
  });

  test("that is asked for again, because the answer was lost, is the same one", () => {
    begin("a");
    expect(begin("a")).toMatchObject({ verdict: "begun", record: { attempts: 1 } });
    expect(begin("b")).toMatchObject({ verdict: "begun", record: { attempts: 2 } });
  });

  test("of an occurrence that is done, or of an earlier one, does not begin; of a later one it does", () => {
    begin("a");
    finish("a", "done");
    expect(begin("b")).toMatchObject({ verdict: "done", record: { state: "done", status: 3 } });
    expect(begin("b", { occurrence: 4 })).toMatchObject({ verdict: "later" });
    expect(begin("b", { occurrence: 6 })).toMatchObject({ verdict: "begun", record: { attempts: 1, failures: 0 } });
  });

  test("of a schedule that nobody has heard of is noted, once", () => {
    expect(begin("a", { noted: true })).toMatchObject({ verdict: "noted", record: { state: "noted", attempts: 0 } });
    expect(begin("a", { noted: true })).toMatchObject({ verdict: "done" });
    expect(begin("a", { noted: true, occurrence: 6 })).toMatchObject({ verdict: "begun" });
  });

  test("after a failure waits, twice as long each time, and not at all after too many", () => {
    for (const [failures, wait] of [
      [1, FIRST_RETRY],
      [2, 2 * FIRST_RETRY],
      [3, 4 * FIRST_RETRY],
    ]) {
      begin(`a${failures}`, { attempts: 9 });
      expect(finish(`a${failures}`, "failed")).toMatchObject({ verdict: "recorded", record: { failures } });
      expect(begin("b", { attempts: 9 })).toMatchObject({ verdict: "wait", wait });
      now += wait - 1;
      expect(begin("b", { attempts: 9 })).toMatchObject({ verdict: "wait", wait: 1, record: { ago: wait - 1 } });
      now += 1;
    }
    expect(begin("b", { attempts: 3 })).toMatchObject({ verdict: "failed" });
    expect(begin("b", { attempts: 4 })).toMatchObject({ verdict: "begun", record: { attempts: 4, failures: 3 } });
  });

  test("waits for a minute at most, also where the clock was stepped back", () => {
    begin("a");
    finish("a", "failed");
    rows.records.set("backup", { ...rows.records.get("backup")!, failures: 40 });
    expect(begin("b", { attempts: 99 })).toMatchObject({ verdict: "wait", wait: LONGEST_RETRY });
    now -= 500;
    expect(begin("b", { attempts: 99 })).toMatchObject({ verdict: "wait", wait: LONGEST_RETRY, record: { ago: 0 } });
  });

  test("of a job that repeats begins so long after its last end, whatever its occurrence", () => {
    const again = { repeat: 700, occurrence: 0 };
    begin("a", again);
    expect(rows.records.get("backup")?.occurrence).toBe(now);
    finish("a", "done", { occurrence: now });
    expect(begin("b", again)).toMatchObject({ verdict: "wait", wait: 700 });
    now += 700;
    expect(begin("b", again)).toMatchObject({ verdict: "begun", record: { attempts: 1, occurrence: now } });
    now += 10;
    expect(begin("c", again)).toMatchObject({ verdict: "begun", record: { attempts: 2, occurrence: now - 10 } });
  });
});

describe("the end of an attempt", () => {
  test("counts once; said again it is answered as before", () => {
    begin("a");
    expect(finish("a", "failed")).toMatchObject({ verdict: "recorded", record: { state: "failed", failures: 1 } });
    expect(finish("a", "done")).toMatchObject({ verdict: "recorded", record: { state: "failed", failures: 1 } });
  });

  test("counts for nothing once another attempt of that occurrence, or of a later one, has begun", () => {
    begin("a");
    begin("b");
    expect(finish("a", "done")).toMatchObject({ verdict: "superseded", record: { state: "running" } });
    expect(finish("b", "done")).toMatchObject({ verdict: "recorded", record: { attempts: 2, failures: 0 } });
    expect(finish("z", "done", { occurrence: 6 })).toMatchObject({ verdict: "recorded", record: { attempts: 1 } });
  });

  test("of an attempt of which nothing is known is recorded", () => {
    expect(finish("a", "failed")).toMatchObject({ verdict: "recorded", wait: 0, record: { attempts: 1, failures: 1 } });
  });
});

test("a record is remembered as long as was asked, and removed by the next job", () => {
  begin("a", { keep: 100 });
  now += 100;
  expect(recall()).toMatchObject({ verdict: "seen", record: { key: "backup", ago: 100 } });
  now += 1;
  expect(recall()).toMatchObject({ verdict: "seen", record: null });
  expect(rows.records.size).toBe(1);
  begin("a", { key: "other" });
  expect([...rows.records.keys()]).toEqual(["other"]);
});

test("a schedule that is noted has been tried, and has failed, not once", () => {
  expect(begin("a", { noted: true })).toMatchObject({ verdict: "noted", record: { attempts: 0, failures: 0 } });
});

test("a failed job waits for a second, and after many failures for a minute", () => {
  expect([FIRST_RETRY, LONGEST_RETRY]).toEqual([1000, 60_000]);
});
