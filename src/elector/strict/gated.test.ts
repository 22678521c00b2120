/** Strict mode with gated leases: what a holder does that has to acknowledge each confirmation. Milliseconds, `lan`. */
import { describe, expect, test } from "vitest";
import { runStrict } from "../../../test/support/strict-run.ts";

const TTL = 2000;

describe("a gated holder", () => {
  const begun = () => {
    const run = runStrict({ n: 3, lease: { gated: true } });
    run.settle(5000);
    const leader = run.agreed()!;
    return { run, leader };
  };

  test("reports which confirmation is to be acknowledged, and leads on where it is", () => {
    const { run, leader } = begun();
    const { token } = run.office(leader)!;
    const seen = new Set<number>();
    for (let i = 0; i < 400; i++) {
      const number = run.office(leader)!.confirmation!;
      if (!seen.has(number)) run.command(leader, { kind: "acknowledged", office: "leader", number });
      seen.add(number);
      run.pass(25);
    }
    expect(seen.size).toBeGreaterThan(8);
    expect(run.office(leader)).toMatchObject({ mine: true, token });
    expect(run.events("lapsed")).toEqual([]);
  });

  test("that nobody acknowledges to loses its lease, and another one leads", () => {
    const { run, leader } = begun();
    const { token, confirmation } = run.office(leader)!;
    run.pass(TTL / 2);
    expect(run.office(leader)!.confirmation).toBe(confirmation);
    run.pass(TTL);
    expect(run.events("lapsed")).toMatchObject([{ node: leader, token }]);
  });
});

test("without the gate reports say nothing of it", () => {
  const run = runStrict({ n: 3 });
  run.settle(5000);
  expect(run.office(run.agreed()!)).not.toHaveProperty("confirmation");
});
