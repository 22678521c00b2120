/** Strict mode as users see it: who leads holds the lease, from the first election to a holder's end. Milliseconds, `lan`. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runStrict } from "../../../test/support/strict-run.ts";
import type { Chance } from "../../host/faults/faults.ts";
import { lapseTimer } from "../../protocols/lease/parent.ts";
import { group } from "../group.ts";
import { timesFor } from "../times.ts";

const TTL = 2000;
const SEEDS = Array.from({ length: effort(3, 50) }, (_, i) => i + 1);

describe("the first election", () => {
  test.each([1, 2, 5, 25])("among %i: who comes first leads, with a token that everybody knows", (n) => {
    const run = runStrict({ n });
    expect(run.settle(5000)).toBeLessThan(2500);
    const leader = run.agreed()!;
    const { token, lease, lapse } = run.office(leader)!;
    expect(run.holder()).toMatchObject({ name: `m${leader}`, token, lease });
    expect(lapse).toMatch(/^lease\/lapse#\d$/);
    for (const node of run.alive()) expect(run.office(node)).toMatchObject({ token, unreachable: false, asker: null });
    expect(run.report(leader)!.engine).toEqual({ state: "answers", why: null });
    run.pass(10_000);
    expect(run.agreed()).toBe(leader);
    expect(run.office(leader)!.token).toBe(token);
    expect(run.events("leads")).toHaveLength(1);
    expect(run.events("resigned")).toEqual([]);
  });

  test("who has won says so before it leads", () => {
    const run = runStrict({ n: 3 });
    run.until(() => run.office(0)?.asker === "m0", 5000);
    expect(run.office(0)).toMatchObject({ mine: false, leader: null, term: 1, asker: "m0" });
    run.pass(3);
    expect(run.events("requesting").map(({ node }) => node)).toEqual([0]);
    expect(run.office(0)!.mine).toBe(true);
  });
});

describe("a holder that", () => {
  test.each(SEEDS)("crashes is followed right after its lease has run out, seed %i", (seed) => {
    const run = runStrict({ n: 5, seed });
    const first = run.begin();
    run.pass(37 * seed);
    const { token } = run.office(first)!;
    run.run.inject({ crash: first });
    run.pass(1);
    run.until(() => run.holder() === null, run.run.time + 3 * TTL);
    expect(run.settle(1000)).toBeLessThan(60);
    expect(run.office(run.agreed()!)!.token).toBeGreaterThan(token!);
    // One election: the winner waited, and said for whom.
    expect(new Set(run.events("requesting").map(({ term }) => term)).size).toBe(2);
    const unreachable = run.events("unreachable");
    expect(new Set(unreachable.map(({ leader }) => leader))).toEqual(new Set([`m${first}`]));
    expect(unreachable.length).toBe(4);
  });

  test.each(SEEDS)("is followed while a member hears nobody: that one asks who leads now, seed %i", (seed) => {
    const deaf = 3;
    const followed = (losses: Chance[]) => {
      const run = runStrict({ n: 5, seed, faults: { losses } });
      run.run.inject({ crash: run.begin() });
      run.pass(1);
      run.until(() => run.leaders().length === 1, 30_000);
      return run;
    };
    // A first run says when the next one leads.
    const at = followed([]).run.time;
    const lost = [1, 2, 4].map(
      (from) => ({ rate: 1, kind: "both", link: [from, deaf], from: at - 1, to: at + 1500 }) as const,
    );
    const run = followed(lost);
    const [next] = run.leaders();
    run.pass(1600);
    // In some seeds it is the one that has crashed.
    if (!run.alive().includes(deaf)) return;
    // In the first seeds it has not heard; in some others it has won itself, or was told before.
    if (seed <= 3) expect(run.office(deaf)).toMatchObject({ leader: `m0`, unreachable: true, asker: `m${next}` });
    const { unknown } = timesFor("lan");
    run.pass(2 * (unknown + TTL));
    expect(run.office(deaf)!.leader).toBe(`m${run.agreed()}`);
  });

  test.each(SEEDS)("resigns is followed at once, seed %i", (seed) => {
    const run = runStrict({ n: 5, seed });
    const first = run.begin();
    run.command(first, { kind: "resign", office: null });
    run.pass(1);
    expect(run.office(first)!.mine).toBe(false);
    expect(run.settle(1000)).toBeLessThan(200);
    expect(run.agreed()).not.toBe(first);
    expect(run.events("resigned").filter(({ node }) => node === first)).toHaveLength(1);
  });

  test.each(SEEDS)("hands over is followed by the one it names, without an election, seed %i", (seed) => {
    const run = runStrict({ n: 5, seed });
    const first = run.begin();
    const heir = 1 + (seed % 4);
    run.command(first, { kind: "transfer", office: "leader", to: `m${heir}` });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(30);
    expect(run.agreed()).toBe(heir);
    const elected = run.alive().filter((node) => run.state(node).offices.get("leader")!.election !== null);
    expect(elected).toEqual([]);
    run.pass(5000);
    expect(run.agreed()).toBe(heir);
  });

  test("hands over to one who takes no office only resigns: nothing is reserved for that one", () => {
    const run = runStrict({ n: 5 });
    run.begin();
    run.command(3, { kind: "eligible", eligible: false });
    run.pass(3000);
    const first = run.agreed()!;
    run.command(first, { kind: "transfer", office: "leader", to: "m3" });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(200);
    expect([first, 3]).not.toContain(run.agreed());
  });

  test.each(SEEDS)(
    "hands over to one who does not want this office: it is reserved for nobody for long, seed %i",
    (seed) => {
      const run = runStrict({ n: 5, seed });
      const first = run.begin();
      const heir = 1 + (seed % 4);
      run.command(heir, { kind: "eligible", eligible: false, office: "leader" });
      run.pass(10);
      run.command(first, { kind: "transfer", office: "leader", to: `m${heir}` });
      run.pass(1);
      expect(run.settle(3000)).toBeLessThan(500);
      expect(run.agreed()).not.toBe(heir);
    },
  );

  test("hands over to nobody who is there only resigns", () => {
    const run = runStrict({ n: 3 });
    const first = run.begin();
    run.command(first, { kind: "transfer", office: "leader", to: "nobody" });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(200);
  });

  test.each(SEEDS)("leaves is followed within 200 ms, seed %i", (seed) => {
    const run = runStrict({ n: 5, seed });
    const first = run.begin();
    run.run.inject({ leave: first });
    run.pass(1);
    expect(run.settle(1000)).toBeLessThan(200);
  });

  test("starts again is a new member: its old lease runs out, and no token comes back", () => {
    for (const saved of [true, false]) {
      const run = runStrict({ n: 3 });
      const first = run.begin();
      const { token } = run.office(first)!;
      run.run.inject({ restart: first, saved });
      run.pass(100);
      expect(run.leaders()).toEqual([]);
      run.settle(2 * TTL + 3000);
      expect(run.office(run.agreed()!)!.token).toBeGreaterThan(token!);
      expect(run.state(first).kept.tokens!.leader).toBe(run.office(run.agreed()!)!.token);
    }
  });

  test("was paused for longer than its lease does not lead when it wakes, and follows", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    run.run.inject({ pause: first, for: 3 * TTL });
    run.pass(2.5 * TTL);
    const [second] = run.leaders().filter((node) => node !== first);
    expect(second).toBeDefined();
    run.until(() => run.office(first)!.mine === false, run.run.time + TTL);
    expect(run.run.time).toBeLessThan(run.told.at(-1)!.at + 1);
    run.pass(100);
    expect(run.agreed()).toBe(second);
    expect(run.events("lapsed").map(({ node }) => node)).toEqual([first]);
    expect(run.events("conflict")).toEqual([]);
  });
});

test("the deadline that is reported is the one that ends the lease, at every moment: check() goes by it", () => {
  const run = runStrict({ n: 3 });
  const first = run.begin();
  const names = new Set<string>();
  const isWrong = () => {
    const { lapse } = run.office(first)!;
    names.add(lapse!);
    return lapse !== `lease/${lapseTimer(run.state(first).lease!, "leader")}`;
  };
  expect(run.until(isWrong, run.run.time + 3 * TTL)).toBe(false);
  expect(names.size).toBe(2);
});

test("a leader that was paused for less than its lease leads on under the same token, though others had begun to elect", () => {
  const run = runStrict({ n: 5, lease: { ttl: 5000 } });
  const first = run.begin();
  const { token } = run.office(first)!;
  run.run.inject({ pause: first, for: 1500 });
  run.pass(1400);
  expect(run.events("unreachable").length).toBeGreaterThan(0);
  run.pass(4000);
  expect(run.agreed()).toBe(first);
  expect(run.office(first)!.token).toBe(token);
  expect(run.events("leads")).toHaveLength(1);
  expect(run.alive().map((node) => run.state(node).applications.size)).toEqual([0, 0, 0, 0, 0]);
  expect(new Set(run.alive().map((node) => run.office(node)!.term)).size).toBe(1);
});

test("a term in which nobody has won is the holder's too: all come to know the same one, under the same token", () => {
  const run = runStrict({ n: 5 });
  const first = run.begin();
  const { token } = run.office(first)!;
  const other = (first + 1) % 5;
  const between = { from: run.state(first).life, to: run.state(other).life };
  run.command(other, { kind: "term", office: "leader", term: 17, ...between } as never);
  run.pass(10);
  expect(run.office(other)).toMatchObject({ term: 17, leader: `m${first}` });
  run.command(first, { kind: "office", office: "reports" });
  run.run.inject({ restart: (first + 2) % 5, saved: true });
  run.pass(10_000);
  expect(run.agreed()).toBe(first);
  for (const node of run.alive()) expect(run.office(node)).toMatchObject({ term: 17, token });
});

test("what was saved before there were tokens still loads", () => {
  const run = runStrict({ n: 1 });
  run.begin();
  const { kept } = run.state(0);
  expect(kept).toEqual({ name: "m0", terms: { leader: 1 }, tokens: { leader: 1 } });
  const context = {
    address: () => "0",
    link: () => 0,
    send() {},
    arm() {},
    deadline() {},
    disarm() {},
    choose: () => 0,
  };
  const self = {
    life: 9,
    seeds: [],
    role: "member",
    id: null,
    initiator: true,
    candidate: false,
    n: null,
    highest: null,
  };
  const { params } = run.state(0);
  for (const [tokens, floor] of [
    [{}, undefined],
    [{ tokens: { leader: 7 } }, 7],
  ] as const) {
    const saved = { name: "m0", terms: { leader: 3 }, ...tokens };
    const state = group().init(params, { ...self, election: null }, saved, context as never);
    expect(state.offices.get("leader")!.term).toBe(3);
    expect(state.lease!.floors.get("leader")).toBe(floor);
  }
});

test("answers of leases that do not come through the engine's port are dropped", () => {
  const run = runStrict({ n: 2 });
  run.until(() => run.office(0)?.asker === "m0", 5000);
  const state = run.state(0);
  const { attempt } = state.lease!.seats.get("leader") as { attempt: { id: number; lease: string } };
  const { id, lease } = attempt;
  const grant = { kind: "granted", id, to: state.life, seat: "leader", lease, token: 99 } as const;
  const machine = group();
  expect(machine.accepts!(grant)).toBe(true);
  const context = { link: () => 5, send() {}, arm() {}, deadline() {}, disarm() {}, linked: () => true };
  machine.receive(state, 3, grant, context as never);
  expect(state.report.offices.leader.mine).toBe(false);
});
