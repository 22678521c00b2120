/** A command as `sortition run` holds it, in virtual time: what it does when the guardian does not do its part. */
import { describe, expect, test } from "vitest";
import { VirtualNetwork } from "../virtual-world.ts";
import type { GuardianListener, GuardianOrder } from "./guardian-link.ts";
import { type CommandOutcome, HeldCommand } from "./held-command.ts";
import type { SystemProcess } from "./processes.ts";
import { type Deadline, deadlineAfter } from "./times.ts";

const TIMES = { renewEvery: 200, answerWithin: 50 };
const GRACE = 100;
const COMMAND: SystemProcess = { pid: 9, state: "S", parent: 5, group: 9, session: 9, threads: 1, started: 1 };

/** `cgroup`: the command flees in it, so no list of processes shows it, and only the end of the cgroup ends it. */
function scene(lasts: number | null = 10_000, isReady = true, cgroup: string | null = null) {
  const network = new VirtualNetwork(1);
  const machine = network.machine({ host: "10.0.0.1", port: 1 });
  const { world } = machine;
  const clocks = { mono: () => world.now(), wall: () => world.wall() };
  const orders: GuardianOrder[] = [];
  const sent: string[] = [];
  const told: string[] = [];
  let listener!: GuardianListener;
  let there: SystemProcess[] = cgroup === null ? [COMMAND] : [];
  let isPopulated = cgroup !== null;
  const searched: boolean[] = [];
  let isStubborn = false;
  let isAnswering = true;
  let deadline: Deadline | null = lasts === null ? null : deadlineAfter(lasts, clocks);
  let outcome: CommandOutcome | null = null;
  const held = new HeldCommand({
    world,
    times: TIMES,
    ending: {
      clocks,
      set: (ms, callback) => world.set(ms, callback),
      find({ mayBeOutside = false }, found) {
        searched.push(mayBeOutside);
        found(there);
      },
      killCgroup(folder) {
        sent.push(`${Math.round(world.now())} kills ${folder}`);
        isPopulated = false;
      },
      isPopulated: () => isPopulated,
      read: () => there[0] ?? null,
      kill(pid, signal) {
        sent.push(`${Math.round(world.now())} ${signal} ${pid}`);
        if (signal === "SIGKILL" || (signal === "SIGTERM" && !isStubborn)) there = [];
        return true;
      },
    },
    order: { file: "sh", args: [], env: {}, marker: "m", grace: GRACE, cgroup },
    deadline: () => deadline,
    open(given) {
      listener = given;
      return {
        pid: 5,
        send(order) {
          orders.push(order);
          if (!isAnswering || !("number" in order)) return;
          world.set(1, () => {
            if (order.order === "start")
              listener.heard({ said: "started", pid: 9, started: 1, bound: true, inCgroup: cgroup !== null });
            listener.heard({ said: "known", number: order.number });
          });
        },
        kill: () => void sent.push("guardian killed"),
      };
    },
    tell: (_level, message) => void told.push(message),
  });
  void held.ended.then((ended) => {
    outcome = ended;
  });
  if (isReady) listener.heard({ said: "ready" });
  network.runFor(2);
  return {
    network,
    machine,
    held,
    listener,
    orders,
    sent,
    searched,
    told,
    world,
    outcome: async () => {
      await Promise.resolve();
      return outcome;
    },
    silence: () => {
      isAnswering = false;
    },
    stubborn: () => {
      isStubborn = true;
    },
    /** Nothing of the command is left. */
    vanish: () => {
      there = [];
    },
    extend: (ms: number, known: () => void) => {
      deadline = deadlineAfter(ms, clocks);
      held.confirmed(deadline, known);
    },
  };
}

describe("a held command", () => {
  test("asks the guardian every renewal interval, whether or not anything is renewed", () => {
    const it = scene();
    it.network.runFor(1000);
    expect(it.orders.map(({ order }) => order)).toEqual(["start", "ask", "ask", "ask", "ask", "ask"]);
    expect(it.sent).toEqual([]);
  });

  test("says that a deadline is known when the guardian has said so, and not before", () => {
    const it = scene();
    const known: string[] = [];
    it.extend(20_000, () => known.push("first"));
    expect(known).toEqual([]);
    it.network.runFor(2);
    expect(known).toEqual(["first"]);
    it.silence();
    it.extend(30_000, () => known.push("second"));
    it.network.runFor(1000);
    expect(known).toEqual(["first"]);
  });

  test("that has ended by itself keeps its status, though its guardian is too busy to answer and something is left to end", async () => {
    const it = scene();
    it.listener.heard({ said: "ending", why: "exit" });
    it.listener.heard({ said: "exit", code: 3, signal: null });
    it.silence();
    it.network.runFor(400);
    expect(it.sent).toContain("250 SIGTERM -9");
    expect(await it.outcome()).toEqual({ how: "exited", status: 3, why: "exit" });
  });

  test("that flees, and whose guardian has not told of its start: it is looked for outside, and its cgroup is killed too", async () => {
    const it = scene(10_000, false, "its cgroup");
    it.silence();
    it.listener.heard({ said: "ready" });
    it.network.runFor(11_000);
    const killed = it.sent.filter((what) => what.endsWith("kills its cgroup"));
    expect(killed.length).toBeGreaterThan(0);
    expect(new Set(it.searched)).toEqual(new Set([true]));
    expect(await it.outcome()).toMatchObject({ how: "ended" });
    const told = scene(10_000, true, "its cgroup");
    told.silence();
    told.network.runFor(11_000);
    expect(told.sent).toContainEqual(expect.stringMatching(/kills its cgroup$/));
    expect(new Set(told.searched)).toEqual(new Set([false]));
    expect(await told.outcome()).toMatchObject({ how: "ended" });
  });

  test("that has gone before anybody told it to: the word of its starved guardian is awaited", async () => {
    const it = scene();
    it.silence();
    it.vanish();
    it.network.runFor(5000);
    expect(it.sent).toEqual([]);
    expect(await it.outcome()).toBeNull();
    it.listener.heard({ said: "ending", why: "exit" });
    it.listener.heard({ said: "exit", code: 0, signal: null });
    expect(await it.outcome()).toEqual({ how: "exited", status: 0, why: "exit" });
    const other = scene();
    other.silence();
    other.vanish();
    other.network.runFor(11_000);
    expect(await other.outcome()).toMatchObject({ how: "ended", why: "guardian" });
  });

  test("that its starved guardian has ended was ended, also if the guardian's words come last", async () => {
    const it = scene(500);
    it.silence();
    it.vanish();
    it.network.runFor(700);
    it.listener.heard({ said: "ending", why: "deadline" });
    it.listener.heard({ said: "exit", code: null, signal: "SIGKILL" });
    expect(await it.outcome()).toEqual({ how: "ended", status: 137, why: "deadline" });
    const other = scene();
    other.listener.heard({ said: "ending", why: "deadline" });
    other.listener.heard({ said: "exit", code: null, signal: "SIGTERM" });
    other.silence();
    other.vanish();
    other.network.runFor(400);
    expect(await other.outcome()).toEqual({ how: "ended", status: 143, why: "deadline" });
  });

  test("of a guardian that does not answer is ended from here, and the guardian after it", async () => {
    const it = scene();
    it.stubborn();
    it.silence();
    it.network.runFor(260);
    expect(it.told.at(-1)).toContain("does not answer within 50 ms");
    expect(it.sent.slice(0, 2)).toEqual(["250 SIGTERM -9", "250 SIGCONT -9"]);
    it.network.runFor(GRACE + 100);
    expect(it.sent[2]).toMatch(/^3[56]\d SIGKILL -9$/);
    expect(it.sent.at(-1)).toBe("guardian killed");
    expect(await it.outcome()).toMatchObject({ how: "ended", why: "guardian" });
  });

  test("of a guardian that has ended is ended from here", async () => {
    const it = scene();
    it.listener.closed();
    it.network.runFor(100);
    expect(it.sent[0]).toBe("2 SIGTERM -9");
    expect(await it.outcome()).toMatchObject({ how: "ended", why: "guardian" });
  });

  test("is killed from here at its deadline, whatever the guardian says", async () => {
    const it = scene(500);
    it.stubborn();
    it.network.runFor(700);
    expect(it.sent.find((line) => line.includes("SIGKILL"))).toMatch(/^[56]\d\d SIGKILL -9$/);
    expect(await it.outcome()).toMatchObject({ how: "ended", why: "guardian" });
  });

  test("is killed at a deadline that has passed, although a later one comes while what has arrived is read", () => {
    const it = scene(500);
    it.stubborn();
    it.network.runFor(490);
    it.world.set(500 - it.network.now, () => it.extend(10_000, () => {}));
    it.network.runFor(100);
    expect(it.sent).toContain("500 SIGKILL -9");
  });

  test("of which something is left after SIGKILL: the log says so", () => {
    const it = scene();
    it.listener.heard({ said: "lingers", pids: [9] });
    expect(it.told.at(-1)).toBe("what was killed is still there: the office is not given up before it has gone");
  });

  test("of a process that was paused: what the guardian has said meanwhile is read before it is missed", () => {
    const it = scene();
    it.network.runFor(190);
    it.machine.standStill(500);
    it.network.runFor(1000);
    expect(it.sent).toEqual([]);
  });

  test("that is to be killed, of a guardian that does not hear it: there is no grace from here either", () => {
    const it = scene();
    it.stubborn();
    it.silence();
    it.held.kill();
    it.network.runFor(300);
    expect(it.sent[0]).toBe("250 SIGKILL -9");
  });

  test("of a guardian that does not come up is not started, whatever that says later", async () => {
    const it = scene(null, false);
    it.network.runFor(10_500);
    expect(it.told).toEqual(["the guardian did not start: the command is ended from here"]);
    expect(await it.outcome()).toMatchObject({ how: "ended", why: "guardian" });
    it.listener.heard({ said: "ready" });
    it.network.runFor(1000);
    expect(it.orders).toEqual([]);
  });

  test("that is to end before its guardian is ready is not started, and nobody waits for it", async () => {
    for (const [end, status] of [
      ["stop", 143],
      ["kill", 137],
    ] as const) {
      const it = scene(10_000, false);
      it.held[end]();
      expect(await it.outcome()).toEqual({ how: "ended", status, why: "told" });
      it.listener.heard({ said: "ready" });
      it.network.runFor(1000);
      expect(it.orders.filter(({ order }) => order !== "kill")).toEqual([]);
      expect(it.sent).toEqual(["guardian killed"]);
    }
  });

  test("is over when the guardian has seen that nothing is left, with the status that it had", async () => {
    for (const [word, status] of [
      [{ code: 3, signal: null }, 3],
      [{ code: null, signal: "SIGSEGV" }, 139],
    ] as const) {
      const it = scene();
      it.listener.heard({ said: "ending", why: "exit" });
      it.listener.heard({ said: "exit", ...word });
      expect(await it.outcome()).toBeNull();
      it.listener.heard({ said: "gone" });
      expect(await it.outcome()).toEqual({ how: "exited", status, why: "exit" });
      it.listener.closed();
      it.network.runFor(1000);
      expect(it.sent).toEqual(["guardian killed"]);
    }
  });
});
