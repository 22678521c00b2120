import { beforeEach, expect, test } from "vitest";
import { loneEngine } from "../../../test/support/lone-engine.ts";
import { life } from "../../../test/support/register.ts";
import { engineModel } from "./model.ts";

const TTL = 100;
const TICK = 10;
let engine: ReturnType<typeof loneEngine>;
let [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
beforeEach(() => {
  engine = loneEngine({ tick: TICK, keep: 500 });
  [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
});
const given = (token: number) => ({ kind: "granted", token });
const refused = (why: string, more = {}) => ({ kind: "denied", why, ...more });

test("a lease never ends early, and at most one tick late", () => {
  for (const since of [0, 1, 9]) {
    engine = loneEngine({ tick: TICK });
    engine.ask(B.acquire("other", "B0"));
    engine.pass(since);
    engine.ask(A.acquire("leader", "A1"));
    engine.pass(TTL - 1);
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held"));
    engine.pass(1 + TICK);
    expect(engine.ask(B.acquire("leader", "B2", { session: "B-3" }))).toMatchObject({ kind: "granted" });
  }
});

test("tokens follow the clock, or count", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.pass(200);
  expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(200));
  engine = loneEngine({ tick: TICK, stamps: false });
  engine.ask(A.acquire("leader", "A1"));
  engine.pass(200);
  expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
});

test("a renewal leads back to the state before it; later nothing is left that ticks", () => {
  engine = loneEngine({ tick: TICK, stamps: false, keep: 500 });
  engine.ask(A.acquire("leader", "A1"));
  const before = structuredClone(engine.state.rows);
  engine.pass(50);
  engine.ask(A.renew());
  expect(engine.state.rows).toEqual(before);
  engine.pass(TTL + TICK + 500);
  expect(engine.timers.size).toBe(0);
});

test("a session is forgotten some time after its end, unless a seat names it", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.pass(2 * TTL);
  engine.ask(B.acquire("leader", "B1"));
  expect(engine.ask(A.acquire("leader", "A2"))).toMatchObject(refused("over"));
  engine.pass(1000);
  expect([...engine.state.rows.sessions.keys()]).toEqual(["B-2"]);
});

test("a restarted one has its rows, and bars grants for one TTL", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.restart();
  expect(engine.ask(B.acquire("other", "B1"))).toMatchObject(refused("barred", { wait: TTL + TICK }));
  expect(engine.ask(A.renew())).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
  engine.pass(TTL + TICK);
  expect(engine.ask(B.acquire("other", "B1"))).toMatchObject({ kind: "granted" });
});

test("an old copy is as old as it is when it comes back, and shows as such or not", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "snapshot" });
  engine.pass(60);
  engine.ask(A.release("leader", "A1", 1));
  engine.ask(B.acquire("leader", "B1"));
  engine.restart();
  engine.obey({ kind: "restore", noticed: false });
  expect(engine.report()).toMatchObject({ seats: [{ token: 1, holder: { name: "A" } }] });
  engine.pass(TTL + TICK - 60);
  expect(engine.report()).toMatchObject({ seats: [{ token: 1, holder: null }] });

  engine = loneEngine({ tick: TICK });
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "snapshot" });
  for (const noticed of [false, true]) {
    engine.obey({ kind: "restore", noticed });
    const answer = engine.ask(B.acquire("other", "B1"));
    expect(answer).toMatchObject(noticed ? refused("barred") : given(1));
  }
});

test("its clock steps forward and back", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "step", by: -1000 });
  expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: TTL + TICK }));
  engine.obey({ kind: "step", by: TTL + TICK });
  expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "granted" });
});

test("slow: requests wait before they are carried out, answers after", () => {
  engine.obey({ kind: "slow", before: 30, after: 20 });
  expect(engine.ask(A.acquire("leader", "A1"))).toBeUndefined();
  expect(engine.report().seats).toEqual([]);
  engine.pass(30);
  expect(engine.report().seats).toHaveLength(1);
  expect(engine.answers).toEqual([]);
  engine.pass(20);
  expect(engine.answers).toMatchObject([{ kind: "granted" }]);
  expect(engine.state.waiting.size).toBe(0);
});

test("failing: it says why, and nothing is carried out", () => {
  engine.obey({ kind: "fail", why: "the disk is full" });
  expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "failed", why: "the disk is full" });
  engine.obey({ kind: "fail", why: null });
  expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "granted" });
});

test("unless told otherwise it reads its clock every 10 ms, and ticks for a minute after the end of a session", () => {
  engine = loneEngine();
  engine.ask(A.acquire("leader", "A1"));
  expect([...engine.timers.values()]).toEqual([10]);
  engine.pass(TTL + 60_000);
  expect(engine.timers.size).toBe(1);
  engine.pass(10);
  expect(engine.timers.size).toBe(0);
});

test("it assumes little of its network", () => {
  expect(engineModel().assumes).toMatchObject({ fifo: false, multicast: false, start: "any", topology: "open" });
});
