/** The lease store in virtual time does what tests ask of it. */
import { expect, test } from "vitest";
import { life } from "../../../test/support/register.ts";
import { BEGINNING, VirtualNetwork } from "../virtual-world.ts";
import { VirtualEngine } from "./virtual-engine.ts";

test("a request that takes too long fails once, and is still carried out", () => {
  const network = new VirtualNetwork(1);
  const machine = network.machine({ host: "10.0.0.1", port: 1 });
  const engine = new VirtualEngine(network, 1, { before: [10, 10], patience: 5 });
  const told: string[] = [];
  engine.onAnswer = (_request, { kind }) => told.push(`${kind} at ${network.now}`);
  engine.peer("a", machine).ask(life("a", 1, 100).acquire("leader", "a1"), (answer) => {
    told.push(`told ${(answer as { kind: string }).kind} at ${network.now}`);
  });
  network.runFor(100);
  expect(told).toEqual(["told failed at 5", "granted at 10"]);
});

test("its clock goes with that of the network, and can be set", () => {
  const network = new VirtualNetwork(1);
  const engine = new VirtualEngine(network, 1);
  network.runFor(10);
  const stamps = [0, 500, -200].map((ms) => {
    engine.step(ms);
    return engine.inside.clock.stamp - BEGINNING;
  });
  expect(stamps).toEqual([10, 510, 310]);
});

test("a store that was down comes back as another incarnation; one that was not goes on", () => {
  const engine = new VirtualEngine(new VirtualNetwork(1), 1);
  const incarnation = () => engine.inside.clock.incarnation;
  engine.start();
  expect(incarnation()).toBe("1");
  engine.stop();
  engine.start();
  engine.start();
  expect(incarnation()).toBe("2");
});
