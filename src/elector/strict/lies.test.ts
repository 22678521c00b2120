/** A member with the key who lies about tokens: what is said of a lease does not take the office from everybody for good. */
import { describe, expect, test } from "vitest";
import { runStrict } from "../../../test/support/strict-run.ts";
import type { Claim } from "../talk/messages.ts";

const TTL = 2000;

/** Said to `node`, as by another member. */
function lie(run: ReturnType<typeof runStrict>, node: number, claim: Partial<Claim>): void {
  const liar = run.alive().find((other) => other !== node)!;
  const { term } = run.state(node).offices.get("leader")!;
  const whole: Claim = {
    office: "leader",
    term,
    number: 0,
    holder: null,
    life: 1,
    setting: null,
    former: null,
    heir: null,
    invitation: null,
    ...claim,
  };
  const between = { from: run.state(liar).life, to: run.state(node).life };
  run.command(node, { kind: "claim", claim: whole, passes: 2, ...between } as never);
}

describe("somebody says", () => {
  test("of a leader that it has a larger token", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    const { token } = run.office(first)!;
    lie(run, first, { holder: `m${first}`, life: run.state(first).life, token: token! + 5 });
    run.pass(2 * TTL);
    run.settle(2 * TTL);
    const leader = run.agreed()!;
    expect(run.holder()!.name).toBe(`m${leader}`);
    expect(run.office(leader)!.token).toBe(run.holder()!.token);
    expect(run.holder()!.token).toBeGreaterThan(token! + 5);
  });

  test("of a follower that it leads", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    const follower = (first + 1) % 5;
    const holder = `m${follower}`;
    const { life } = run.state(follower);
    for (const node of run.alive()) lie(run, node, { holder, life, token: 50, number: 2 ** 40 });
    run.pass(2 * TTL);
    run.settle(2 * TTL);
    expect(run.holder()).toMatchObject({ name: `m${run.agreed()!}` });
    expect(run.office(run.agreed()!)!.token).toBeGreaterThan(50);
  });

  test("that a leader has given its token back", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    const { token } = run.office(first)!;
    lie(run, first, { holder: null, former: `m${first}`, life: run.state(first).life, token: token!, number: 7 });
    run.pass(2 * TTL);
    run.settle(2 * TTL);
    const leader = run.agreed()!;
    expect(run.holder()!.name).toBe(`m${leader}`);
    expect(run.holder()!.token).toBeGreaterThan(token!);
  });

  test("to one who asks that a larger token was there", () => {
    const run = runStrict({ n: 5, lease: { settles: true } });
    run.until(() => run.office(0)?.asker === "m0", 5000);
    lie(run, 0, { holder: "ghost", life: 99, token: 1000 });
    run.pass(2 * TTL);
    run.settle(4 * TTL);
    const leader = run.agreed()!;
    expect(run.holder()!.name).toBe(`m${leader}`);
    expect(run.holder()!.token).toBeGreaterThan(1000);
    // Nobody worked under what it was given: there is nothing that would have to end.
    expect(run.office(0)!.settling).toBe(false);
  });

  test("to a leader that a guard has seen a token that cannot be", () => {
    const run = runStrict({ n: 5 });
    const first = run.begin();
    run.command(first, { kind: "floor", office: "leader", token: 2 ** 52 });
    run.pass(2 * TTL);
    run.settle(4 * TTL);
    const leader = run.agreed()!;
    expect(leader).not.toBe(first);
    expect(run.holder()!.name).toBe(`m${leader}`);
    run.run.inject({ crash: leader });
    run.pass(2 * TTL);
    run.settle(30_000);
    expect(run.agreed()).not.toBe(first);
  });

  test("to all that there was a token that cannot be: nobody leads, until all have stopped and forgotten it", () => {
    const run = runStrict({ n: 3 });
    run.begin();
    for (const node of run.alive()) lie(run, node, { holder: "ghost", life: 99, token: 2 ** 52 });
    run.pass(30_000);
    expect(run.holder()).toBeNull();
    expect(run.events("denied").some(({ why }) => why?.includes("remove its saved state"))).toBe(true);
    for (const node of run.alive()) run.run.inject({ crash: node });
    run.pass(1000);
    for (const node of [0, 1, 2]) run.run.inject({ restart: node, saved: false });
    run.settle(30_000);
    expect(run.holder()!.name).toBe(`m${run.agreed()!}`);
  });
});
