import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";
import { VirtualNetwork } from "./virtual-world.ts";

interface Options {
  deliveries?: () => number;
  onExpire?: (name: string, moment: number) => void;
}

function agenda(log: string[], options: Options = {}) {
  const network = new VirtualNetwork(1);
  const machine = network.machine({ host: "10.0.0.1", port: 1 });
  const { world } = machine;
  const timers = new Agenda({
    world,
    expire: (timer, moment) => {
      log.push(`${timer} at ${Math.round(moment)}`);
      options.onExpire?.(timer, moment);
    },
    deliveries: options.deliveries ?? (() => 0),
    tolerance: 50,
  });
  return { timers, network, machine, world };
}

test("timers fire by time, then in the order of asking; setting again replaces", () => {
  const log: string[] = [];
  const { timers, network } = agenda(log);
  timers.set("b", 20, false);
  timers.set("a", 20, false);
  timers.set("c", 5, false);
  timers.set("gone", 7, false);
  timers.set("c", 30, false);
  timers.clear("gone");
  network.runFor(100);
  expect(log).toEqual(["b at 20", "a at 20", "c at 30"]);
});

test("a periodic timer does not drift: its handler runs at the moment that was asked for", () => {
  const log: string[] = [];
  const { timers, network, machine } = agenda(log, {
    onExpire: (_name, moment) => {
      machine.standStill(3);
      if (moment < 99) timers.set("tick", moment + 10, false);
    },
  });
  timers.set("tick", 10, false);
  network.runFor(200);
  expect(log).toEqual(Array.from({ length: 10 }, (_, i) => `tick at ${10 * (i + 1)}`));
});

test("after a pause, deadlines come first; then messages that wait; then timers, at the present", () => {
  const log: string[] = [];
  let delivered = 0;
  const { timers, network, machine, world } = agenda(log, { deliveries: () => delivered });
  timers.set("timer", 10, false);
  timers.set("limit", 20, true);
  machine.standStill(1000);
  network.at(1000, () => {
    timers.fireDeadlines();
    world.soon(() => {
      delivered++;
      log.push("message");
    });
  });
  network.runFor(2000);
  expect(log).toEqual(["limit at 1000", "message", "timer at 1000"]);
});

test("a timer that a deadline's handler arms again for later does not fire in the same pass", () => {
  const log: string[] = [];
  const { timers, network, machine } = agenda(log, {
    onExpire: (name) => {
      if (name === "limit") timers.set("timer", 70, false);
    },
  });
  timers.set("timer", 10, false);
  timers.set("limit", 20, true);
  machine.standStill(30);
  network.runFor(100);
  expect(log).toEqual(["limit at 20", "timer at 70"]);
});

test("timers that are armed for the past let the world have its turn in between", () => {
  const log: string[] = [];
  const atTurn: number[] = [];
  const { timers, network, machine, world } = agenda(log, {
    onExpire: (name, moment) => {
      if (log.length < 1000) timers.set(name, moment + 1e-6, name === "limit");
    },
  });
  for (const name of ["tick", "limit"]) timers.set(name, 1, name === "limit");
  const turn = () => {
    timers.fireDeadlines();
    atTurn.push(log.length);
    if (atTurn.length < 100) world.set(0, turn);
  };
  world.set(2, turn);
  machine.standStill(5);
  network.runFor(10);
  expect(atTurn.length).toBe(100);
  expect(atTurn[9]).toBeLessThan(100);
});

test("a deadline has passed as soon as either clock says so; timers go by the monotonic one", () => {
  const log: string[] = [];
  const { timers, network, machine } = agenda(log);
  const looks = () => {
    timers.fireDeadlines();
    return log.splice(0);
  };
  timers.set("limit", 100, true);
  timers.set("timer", 100, false);
  expect(timers.left("limit")).toBe(100);
  network.runFor(10);
  machine.stepWall(-1000);
  expect([timers.left("limit"), timers.left("none")]).toEqual([90, null]);
  expect(looks()).toEqual([]);
  network.runFor(80);
  expect(looks()).toEqual([]);
  network.runFor(20);
  expect(looks()).toEqual(["limit at 100", "timer at 100"]);

  timers.set("limit", 210, true);
  timers.set("timer", 210, false);
  machine.stepWall(99);
  expect([timers.left("limit"), timers.left("timer")]).toEqual([1, 100]);
  expect(looks()).toEqual([]);
  machine.stepWall(1);
  expect(looks()).toEqual(["limit at 110"]);
  network.runFor(110);
  expect(looks()).toEqual(["timer at 210"]);
});

test("a machine that was suspended finds its deadlines passed, and waits on for its timers", () => {
  const log: string[] = [];
  const { timers, network, machine, world } = agenda(log);
  timers.set("limit", 500, true);
  timers.set("timer", 30, false);
  timers.set("later", 600, false);
  network.runFor(10);
  machine.suspend(1000);
  network.runFor(1010);
  expect(world.now()).toBe(20);
  network.runFor(20);
  expect(log).toEqual(["limit at 30", "timer at 30"]);
  network.runFor(600);
  expect(log.slice(2)).toEqual(["later at 600"]);
});

test("a stopped agenda fires nothing", () => {
  const log: string[] = [];
  const { timers, network } = agenda(log);
  timers.set("a", 5, false);
  timers.stop();
  network.runFor(50);
  expect(log).toEqual([]);
});

test("messages that come all the time hold timers back for 50 ms, not for 16 slow passes", () => {
  const log: string[] = [];
  let delivered = 0;
  const { timers, network, machine } = agenda(log, {
    // Each pass over the sockets of a process with many members takes long, and finds more.
    deliveries: () => {
      machine.standStill(20);
      return delivered++;
    },
    onExpire: () => log.push(`fired at ${Math.round(network.now)}`),
  });
  timers.set("timer", 10, false);
  network.runFor(1000);
  expect(log[0]).toBe("timer at 90");
});

test("a deadline is noticed after a suspension, also where the clock on the wall was set back before", () => {
  const log: string[] = [];
  const { timers, network, machine } = agenda(log);
  timers.set("limit", 2000, true);
  network.runFor(100);
  machine.stepWall(-60_000);
  network.runFor(100);
  timers.fireDeadlines();
  timers.set("later", 3000, true);
  expect(timers.left("limit")).toBeCloseTo(1800, 0);
  machine.suspend(2500);
  expect(timers.left("limit")).toBeLessThan(0);
  network.runFor(2500);
  timers.fireDeadlines();
  expect(log).toEqual(["limit at 200"]);
  expect(timers.left("later")).toBeCloseTo(300, 0);
});
