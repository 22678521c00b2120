/** Asking for a term: it shortens what nobody needs to wait for, and changes nothing else. */
import { expect, test } from "vitest";
import { runGroup } from "../../test/support/group-run.ts";
import { runStrict } from "../../test/support/strict-run.ts";

const ELECT = { kind: "elect", office: "leader" } as const;

test("an office that a live member holds is left alone", () => {
  const group = runGroup({ n: 5 });
  group.settle(5000);
  const first = group.agreed()!;
  const { term } = group.office(first)!;
  for (let node = 0; node < 5; node++) group.command(node, ELECT);
  group.pass(5000);
  expect(group.agreed()).toBe(first);
  expect(group.office(first)!.term).toBe(term);
});

test("a member that waits for its next try does not wait any longer", () => {
  // Nobody stands, so all wait longer and longer.
  const taken = [false, true].map((asks) => {
    const group = runGroup({ n: 3 });
    for (let node = 0; node < 3; node++) group.command(node, { kind: "eligible", eligible: false });
    group.pass(30_000);
    expect(group.leaders()).toEqual([]);
    for (let node = 0; node < 3; node++) group.command(node, { kind: "eligible", eligible: true });
    if (asks) for (let node = 0; node < 3; node++) group.command(node, ELECT);
    return group.settle(60_000);
  });
  expect(taken[1]).toBeLessThan(500);
  expect(taken[1]).toBeLessThanOrEqual(taken[0]);
});

test.each([1, 2, 3, 4])(
  "everybody asks at any time, with seed %i: one holder at a time, and one in the end",
  (seed) => {
    const run = runStrict({ n: 5, seed, until: 120_000 });
    const first = run.begin();
    run.run.inject({ crash: first });
    for (let round = 0; round < 40; round++) {
      for (const node of run.alive()) if ((round * 7 + node * seed) % 3 === 0) run.command(node, ELECT);
      run.pass(100);
      expect(run.leaders().length).toBeLessThanOrEqual(1);
    }
    run.settle(10_000);
    expect(run.holder()?.name).toBe(`m${run.agreed()}`);
  },
);
