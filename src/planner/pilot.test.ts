import { expect, test } from "vitest";
import { findProtocol } from "../protocols/registry.ts";
import { attempt } from "./attempt.ts";
import { carriageOf } from "./carriage.ts";
import { linkedPilot } from "./pilot.ts";
import { checkPlan, type PlanRequest } from "./setting.ts";

/** What theory tells of an election whose messages are acknowledged, and what the pilot makes of it. */
async function costsOf(name: string, network: PlanRequest) {
  const { protocol } = findProtocol(name);
  const asked = checkPlan({ ...network, success: 0.9, loss: 0.05, reliable: true });
  const carriage = carriageOf(asked, protocol);
  const told = attempt(carriage, protocol, {})!;
  return { told, costs: await linkedPilot(asked, carriage, told) };
}

test("of a large ring a smaller one shows what losses add to what theory knows", async () => {
  const { told, costs } = await costsOf("chang-roberts", { n: 64 });
  expect(costs).toMatchObject({ messages: told.messages, rounds: told.rounds });
  expect(costs.datagrams).toBeGreaterThan(2 * told.messages);
});

test("any other network is simulated as large as it is: theory may know only bounds", async () => {
  const { told, costs } = await costsOf("tree-election", { n: 64, topology: "hypercube" });
  expect(told.method).toBe("bound");
  // A token crosses every link at least once.
  expect(costs.messages).toBeGreaterThanOrEqual((64 * 6) / 2);
  expect(costs.messages).toBeLessThan(told.messages);
});
