/** Many offices and seats under one session, work that has to settle, guards, and what the engine hears. Milliseconds. */
import { describe, expect, test } from "vitest";
import { groupSetup } from "../../../test/support/group-run.ts";
import { runStrict } from "../../../test/support/strict-run.ts";
import { runEvents } from "../../host/events.ts";

const TTL = 2000;

test("each seat of an office has a lease and a token of its own, and a holder of several has one session", () => {
  const offices = ["shards:3", "a", "b"];
  const run = runStrict({ n: 2, params: { offices } });
  run.pass(8000);
  const seats = ["shards#1", "shards#2", "shards#3", "a", "b"];
  expect(seats.map((seat) => run.agreed(seat))).not.toContain(null);
  const leases = seats.map((seat) => run.holder(seat)!.lease);
  expect(new Set(leases).size).toBe(5);
  for (const node of [0, 1]) {
    const { lease } = run.state(node);
    expect(lease!.openings).toBe(1);
    expect(lease!.seats.size).toBeGreaterThan(1);
  }
});

describe("work that has to settle", () => {
  const settles = { settles: true };

  test("keeps the lease until it has: then somebody else leads at once", () => {
    const run = runStrict({ n: 3, lease: settles });
    const first = run.begin();
    const { token } = run.office(first)!;
    run.command(first, { kind: "resign", office: "leader" });
    run.pass(500);
    expect(run.office(first)).toMatchObject({ mine: false, settling: true, lease: expect.any(String) });
    expect(run.holder()!.name).toBe(`m${first}`);
    expect(run.leaders()).toEqual([]);
    run.command(first, { kind: "settled", office: "leader", token: token! });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(200);
    expect(run.office(first)!.settling).toBe(false);
    expect(run.events("settling").map(({ node }) => node)).toEqual([first]);
  });

  test("hands over within 200 ms of its end", () => {
    const run = runStrict({ n: 5, lease: settles });
    const first = run.begin();
    const { token } = run.office(first)!;
    run.command(first, { kind: "transfer", office: "leader", to: "m3" });
    run.pass(400);
    run.command(first, { kind: "settled", office: "leader", token: token! });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(30);
    expect(run.agreed()).toBe(3);
  });

  test("that does not end in time is given up without being released, and other seats go on", () => {
    const run = runStrict({ n: 3, params: { offices: ["a", "b"] }, lease: settles });
    run.settle(5000, "a");
    run.pass(3000);
    const first = run.agreed("a")!;
    expect(run.agreed("b")).toBe(first);
    const { token } = run.report(first)!.offices.b;
    run.command(first, { kind: "resign", office: "a" });
    run.pass(900);
    expect(run.holder("a")!.frozen).toBe(false);
    run.pass(200);
    expect(run.holder("a")).toMatchObject({ name: `m${first}`, frozen: true });
    run.pass(TTL);
    const second = run.agreed("a");
    expect(second).not.toBe(first);
    expect(second).not.toBeNull();
    // It does not stand for it while its former work may go on.
    expect(run.report(first)!.offices.a.settling).toBe(true);
    run.run.inject({ crash: second! });
    run.pass(8000);
    expect(run.agreed("a")).not.toBe(first);
    expect(run.report(first)!.offices.b).toMatchObject({ mine: true, token });
  });

  test("under a lease that has lapsed is unsettled until its end is said", () => {
    const run = runStrict({ n: 2, lease: settles });
    const first = run.begin();
    const { token } = run.office(first)!;
    run.run.inject({ pause: first, for: 2 * TTL });
    run.pass(2 * TTL + 1500);
    const second = 1 - first;
    expect(run.agreed()).toBe(second);
    expect(run.office(first)).toMatchObject({ mine: false, settling: true });
    run.run.inject({ crash: second });
    run.pass(15_000);
    expect(run.leaders()).toEqual([]);
    run.command(first, { kind: "settled", office: "leader", token: token! });
    run.pass(3000);
    expect(run.leaders()).toEqual([first]);
  });

  test("of one who leaves without waiting is not released", () => {
    const run = runStrict({ n: 3, lease: settles });
    const first = run.begin();
    run.run.inject({ leave: first });
    run.pass(500);
    expect(run.holder()!.name).toBe(`m${first}`);
    run.settle(TTL + 1000);
  });
});

test("a guard that has seen a higher token: the holder asks for a higher one, after a TTL in which the engine gives none", () => {
  const run = runStrict({ n: 3 });
  const first = run.begin();
  const floor = run.office(first)!.token! + 100_000;
  run.command(first, { kind: "floor", office: "leader", token: floor });
  run.pass(100);
  expect(run.leaders()).toEqual([]);
  run.settle(2 * TTL);
  expect(run.office(run.agreed()!)!.token).toBeGreaterThan(floor);
  expect(run.agreed()).toBe(first);
});

test.each([10, 100])(
  "of %i members the engine hears while idle one request of each holder and renewal, and nothing of followers",
  (n) => {
    const asked: { from: number; kind: string }[] = [];
    const setup = groupSetup({ n, until: 30_000, params: { offices: ["a", "b", "c"] }, lease: { ttl: 3000 } });
    const sent = (_flight: number | null, from: number, to: number, message: unknown, time: number) => {
      if (to === n && time > 10_000) asked.push({ from, kind: (message as { kind: string }).kind });
    };
    runEvents({ ...setup, observer: { sent } });
    expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(["renew"]));
    const holders = new Set(asked.map(({ from }) => from));
    expect(holders.size).toBeLessThanOrEqual(3);
    // Every 1,000 to 1,050 ms for 20 s.
    for (const holder of holders) {
      const count = asked.filter(({ from }) => from === holder).length;
      expect(count).toBeGreaterThanOrEqual(18);
      expect(count).toBeLessThanOrEqual(21);
    }
  },
);
