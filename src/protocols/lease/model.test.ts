import { beforeEach, expect, test } from "vitest";
import { loneEngine } from "../../../test/support/lone-engine.ts";
import { life } from "../../../test/support/register.ts";
import { encodedSize } from "../../wire/codec.ts";
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

test("what waits is numbered from 0 again once nothing waits, and a wait of 1 is one", () => {
  engine.obey({ kind: "slow", before: 1, after: 0 });
  for (const lease of ["A1", "A2"]) {
    expect(engine.ask(A.acquire("leader", lease))).toBeUndefined();
    expect([...engine.timers.keys()].filter((timer) => timer !== "tick")).toEqual(["wait#0"]);
    engine.pass(1);
  }
  engine.ask(A.renew());
  engine.ask(A.renew());
  expect([...engine.timers.keys()].filter((timer) => timer !== "tick")).toEqual(["wait#0", "wait#1"]);
});

test("a copy that is restored at once is what was there, in another life of the engine if that is noticed", () => {
  engine.ask(A.acquire("leader", "A1"));
  const before = structuredClone(engine.state.rows);
  engine.obey({ kind: "snapshot" });
  engine.obey({ kind: "restore", noticed: false });
  expect([engine.state.rows, engine.state.incarnation]).toEqual([before, "1"]);
  engine.obey({ kind: "restore", noticed: true });
  engine.obey({ kind: "restore", noticed: true });
  expect(engine.state.incarnation).toBe("1+1+2");
});

test("after its rows come back to life, it ticks again", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "snapshot" });
  const rest = () => {
    engine.pass(TTL + TICK + 600);
    expect(engine.timers.size).toBe(0);
  };
  rest();
  engine.obey({ kind: "step", by: -1000 });
  expect(engine.timers.size).toBe(1);
  engine = loneEngine({ tick: TICK, keep: 500 });
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "snapshot" });
  engine.pass(TTL + TICK + 490);
  engine.timers.clear();
  engine.state.ticking = false;
  engine.obey({ kind: "restore", noticed: false });
  expect(engine.timers.size).toBe(1);
  engine.restart();
  expect([...engine.timers.keys()]).toEqual(["tick"]);
});

test("it ticks for a reservation too, which may outlast the session", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.pass(50);
  engine.ask(A.release("leader", "A1", 1, { name: "B", ms: TTL }));
  engine.pass(580);
  expect(engine.timers.size).toBe(1);
  engine.pass(30);
  expect(engine.timers.size).toBe(0);
});

test("a lease is reported until its last millisecond has passed", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.obey({ kind: "step", by: TTL + TICK - 1 });
  expect(engine.report()).toMatchObject({ seats: [{ holder: { name: "A" } }] });
  engine.obey({ kind: "step", by: 1 });
  expect(engine.report()).toMatchObject({ seats: [{ holder: null }] });
});

test("it counts its requests, weighs its messages, and is elected for nothing", () => {
  const machine = engineModel();
  const measured: unknown[] = [];
  const ctx = { arm() {}, linked: () => false, measure: (...of: unknown[]) => void measured.push(of) } as never;
  const state = machine.init({}, { life: 1, role: "engine" } as never, null, ctx);
  const request = A.acquire("leader", "A1");
  machine.receive(state, 0, request, ctx);
  expect(measured).toEqual([["requests", 1]]);
  expect(machine.bits(request)).toBe(8 * encodedSize(request));
  expect(machine.verdict(state)).toEqual({ status: "not-elected", leader: null, term: 0 });
});

test("it assumes little of its network", () => {
  expect(engineModel().assumes).toMatchObject({ fifo: false, multicast: false, start: "any", topology: "open" });
});
