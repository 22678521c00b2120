/** A guardian in virtual time: what it sends to the command, and when. The grace is 300 ms. */
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { VirtualNetwork } from "../virtual-world.ts";
import type { GuardianWord, Why } from "./guardian-link.ts";
import type { SystemProcess } from "./processes.ts";
import { deadlineAfter } from "./times.ts";
import { CommandWatch } from "./watch.ts";

const GRACE = 300;
const COMMAND = 100;
const GUARDIAN = 50;

interface Known extends SystemProcess {
  /** Signals that end it. */
  readonly endsOn: readonly string[];
}

const known = (pid: number, group: number, endsOn = ["SIGTERM", "SIGKILL"]): Known => ({
  pid,
  state: "S",
  parent: GUARDIAN,
  group,
  session: group,
  threads: 1,
  started: 1,
  endsOn,
});

function scene(cgroup: string | null = null) {
  const network = new VirtualNetwork(1);
  const machine = network.machine({ host: "10.0.0.1", port: 1 });
  const { world } = machine;
  const clocks = { mono: () => world.now(), wall: () => world.wall() };
  const said: GuardianWord[] = [];
  const sent: string[] = [];
  let there: Known[] = [];
  /** Something that forks all the time lives in the cgroup, and no list of processes shows it. */
  let isUnseen = false;
  let isOver = false;
  const child = Object.assign(new EventEmitter(), { pid: COMMAND });
  const exit = (code: number | null, signal: NodeJS.Signals | null) => {
    there = there.filter(({ pid }) => pid !== COMMAND);
    child.emit("exit", code, signal);
  };
  const watch = new CommandWatch({
    clocks,
    set: (ms, callback) => world.set(ms, callback),
    find: (_quarry, found) => found(there),
    killCgroup(folder) {
      isUnseen = false;
      sent.push(`${Math.round(world.now())} SIGKILL ${folder}`);
    },
    isPopulated: () => isUnseen || there.length > 0,
    kill(pid, signal) {
      if (signal === 0) return true;
      sent.push(`${Math.round(world.now())} ${signal} ${pid}`);
      const ended = there.filter((it) => (it.pid === pid || it.group === -pid) && it.endsOn.includes(signal));
      there = there.filter((it) => !ended.includes(it));
      if (ended.some((it) => it.pid === COMMAND)) world.soon(() => exit(null, signal));
      return true;
    },
    say: (word) => void said.push(word),
    start() {
      there.push(known(COMMAND, COMMAND));
      return { child, bound: true, inCgroup: cgroup !== null };
    },
    read: (pid) => there.find((it) => it.pid === pid) ?? null,
    self: GUARDIAN,
    over() {
      isOver = true;
    },
  });
  const start = { file: "sh", args: [], env: {}, marker: "m", grace: GRACE, cgroup };
  let numbers = 0;
  return {
    network,
    machine,
    watch,
    said,
    sent,
    exit,
    child,
    begin: (ms: number | null) =>
      watch.obey({
        order: "start",
        number: ++numbers,
        start,
        deadline: ms === null ? null : deadlineAfter(ms, clocks),
      }),
    until: (ms: number) => watch.obey({ order: "deadline", number: ++numbers, deadline: deadlineAfter(ms, clocks) }),
    stubborn: (...endsOn: string[]) => {
      there = there.map((it) => ({ ...it, endsOn }));
    },
    forksAllTheTime: () => {
      isUnseen = true;
    },
    besides: (it: Known) => there.push(it),
    why: () => said.find((word) => word.said === "ending")?.why as Why | undefined,
    words: () => said.map((word) => word.said),
    isOver: () => isOver,
  };
}

describe("a guardian", () => {
  test("starts the command once it knows until when, and answers whatever asks for it", () => {
    const it = scene();
    it.begin(1000);
    it.watch.obey({ order: "ask", number: 7 });
    expect(it.words()).toEqual(["started", "known", "known"]);
    expect(it.said.at(-1)).toEqual({ said: "known", number: 7 });
  });

  test("sends SIGTERM a grace before the deadline, SIGKILL at it, and says when nothing is left", () => {
    const it = scene();
    it.begin(1000);
    it.stubborn("SIGKILL");
    it.network.runFor(690);
    expect(it.sent).toEqual([]);
    it.network.runFor(100);
    expect(it.sent).toEqual(["700 SIGTERM -100", "700 SIGCONT -100"]);
    it.network.runFor(200);
    expect(it.sent).toHaveLength(2);
    it.network.runFor(100);
    expect(Number(it.sent[2].split(" ")[0])).toBeGreaterThanOrEqual(1000);
    expect(Number(it.sent[2].split(" ")[0])).toBeLessThanOrEqual(1020);
    expect(it.sent[2]).toContain("SIGKILL -100");
    it.network.runFor(300);
    expect([it.why(), it.words().at(-1), it.isOver()]).toEqual(["deadline", "gone", true]);
  });

  test("does not when it knows a later one in time", () => {
    const it = scene();
    it.begin(1000);
    for (let i = 0; i < 20; i++) {
      it.network.runFor(600);
      it.until(1000);
    }
    expect([it.sent, it.why()]).toEqual([[], undefined]);
  });

  test("goes by the clock on the wall where that is first: the machine was asleep", () => {
    const it = scene();
    it.begin(1000);
    it.network.runFor(50);
    it.machine.suspend(800);
    it.network.runFor(900);
    expect(it.sent[0]).toBe("100 SIGTERM -100");
    expect(it.why()).toBe("deadline");
  });

  test("that was paused takes no later deadline for one that has passed", () => {
    const it = scene();
    it.begin(1000);
    it.machine.standStill(800);
    it.until(2000);
    expect(it.sent[0]).toBe("800 SIGTERM -100");
  });

  test("kills the whole cgroup before anything else, and only then", () => {
    const it = scene("/c");
    it.begin(1000);
    it.stubborn("SIGKILL");
    it.watch.orphaned();
    it.network.runFor(500);
    const kills = it.sent.filter((line) => line.includes("SIGKILL")).map((line) => line.split(" ").slice(1).join(" "));
    expect(kills.slice(0, 2)).toEqual(["SIGKILL /c", "SIGKILL -100"]);
    expect(it.sent.filter((line) => line.includes("SIGTERM"))).toEqual(["0 SIGTERM -100"]);
    expect(it.said.find((word) => word.said === "started")).toMatchObject({ inCgroup: true });
  });

  test("goes on while its cgroup is populated, though lists of its processes show none", () => {
    const it = scene("/c");
    it.begin(1000);
    it.forksAllTheTime();
    it.watch.orphaned();
    it.network.runFor(290);
    expect([it.sent, it.isOver()]).toEqual([["0 SIGTERM -100", "0 SIGCONT -100"], false]);
    it.network.runFor(210);
    expect([it.sent.slice(2, 3), it.isOver()]).toEqual([[expect.stringMatching(/ SIGKILL \/c$/)], true]);
  });

  test("whose orders end sends SIGTERM at once and SIGKILL after the grace, or at the deadline if that is sooner", () => {
    for (const [deadline, killed] of [
      [1000, 300],
      [400, 300],
    ]) {
      const it = scene();
      it.begin(deadline);
      it.stubborn("SIGKILL");
      it.watch.orphaned();
      it.network.runFor(500);
      expect(it.sent[0]).toBe("0 SIGTERM -100");
      const kill = it.sent.find((line) => line.includes("SIGKILL"))!;
      expect(Math.abs(Number(kill.split(" ")[0]) - killed)).toBeLessThan(25);
      expect(it.isOver()).toBe(true);
    }
    const late = scene();
    late.begin(310);
    late.network.runFor(9);
    late.stubborn("SIGKILL");
    late.watch.orphaned();
    late.network.runFor(500);
    expect(Number(late.sent.find((line) => line.includes("SIGKILL"))!.split(" ")[0])).toBeLessThan(335);
  });

  test("does not start what would have to end at once", () => {
    const it = scene();
    it.begin(GRACE);
    expect([it.words(), it.isOver()]).toEqual([["ending", "known"], true]);
  });

  test("without a deadline goes by its orders alone", () => {
    const it = scene();
    it.begin(null);
    it.network.runFor(100_000);
    expect(it.sent).toEqual([]);
    it.watch.obey({ order: "end", signal: "SIGINT" });
    expect(it.sent).toEqual(["100000 SIGINT -100", "100000 SIGCONT -100"]);
    it.network.runFor(1000);
    expect([it.why(), it.isOver()]).toEqual(["told", true]);
  });

  test("ends what the command has left behind, also outside its group, before it says that nothing is left", () => {
    const it = scene();
    it.begin(10_000);
    it.besides(known(200, 200, ["SIGKILL"]));
    it.exit(3, null);
    expect(it.words().slice(-2)).toEqual(["ending", "exit"]);
    expect([it.why(), it.said.at(-1)]).toEqual(["exit", { said: "exit", code: 3, signal: null }]);
    it.network.runFor(GRACE - 20);
    expect(it.sent).toEqual(["0 SIGTERM 200", "0 SIGCONT 200"]);
    it.network.runFor(200);
    expect(it.sent.at(-1)).toContain("SIGKILL 200");
    expect([it.words().at(-1), it.isOver()]).toEqual(["gone", true]);
  });

  test("kills what appears later, again and again", () => {
    const it = scene();
    it.begin(10_000);
    it.watch.obey({ order: "kill" });
    it.besides(known(300, 300));
    it.network.runFor(30);
    it.besides(known(301, 301));
    it.network.runFor(100);
    expect(it.sent.filter((line) => line.includes("SIGKILL")).map((line) => line.split(" ")[2])).toEqual([
      "-100",
      "300",
      "301",
    ]);
    expect(it.isOver()).toBe(true);
  });

  test("passes a signal on to the command or to its whole group, while the command runs and not otherwise", () => {
    const it = scene();
    const signal = (group: boolean) => it.watch.obey({ order: "signal", signal: "SIGHUP", group });
    signal(true);
    expect(it.sent).toEqual([]);
    it.begin(10_000);
    signal(true);
    signal(false);
    expect(it.sent.splice(0)).toEqual(["0 SIGHUP -100", "0 SIGHUP 100"]);
    it.exit(0, null);
    it.sent.splice(0);
    signal(true);
    expect(it.sent).toEqual([]);
  });

  test("says the first reason of an end, and no other", () => {
    const ends: [Why, (it: ReturnType<typeof scene>) => void][] = [
      ["agent", ({ watch }) => watch.orphaned()],
      ["told", ({ watch }) => watch.told()],
      ["told", ({ watch }) => watch.kill()],
      ["told", ({ watch }) => watch.obey({ order: "end", signal: "SIGTERM" })],
      ["exit", ({ exit }) => exit(1, null)],
    ];
    for (const [why, end] of ends) {
      const it = scene();
      it.begin(10_000);
      it.besides(known(200, 200, ["SIGKILL"]));
      end(it);
      it.watch.orphaned();
      it.watch.told();
      it.network.runFor(1000);
      expect(it.said.filter((word) => word.said === "ending")).toEqual([{ said: "ending", why }]);
      expect(it.isOver()).toBe(true);
    }
  });

  test("that has not started anything ends when it is told to, or when nobody gives orders", () => {
    for (const end of ["told", "orphaned"] as const) {
      const it = scene();
      it.watch.kill();
      expect(it.isOver()).toBe(false);
      it.watch[end]();
      expect([it.isOver(), it.said, it.sent]).toEqual([true, [], []]);
      it.begin(10_000);
      expect(it.words()).toEqual(["known"]);
    }
  });

  test("starts one command, however often it is ordered to", () => {
    const it = scene();
    it.begin(10_000);
    it.begin(10_000);
    expect(it.words()).toEqual(["started", "known", "known"]);
  });

  test.each([
    ["ENOENT", 127],
    ["EACCES", 126],
  ])("a command that cannot be started (%s) has failed with the status of a shell, %i", (code, status) => {
    const it = scene();
    Object.assign(it.child, { pid: undefined });
    it.begin(10_000);
    it.child.emit("error", Object.assign(new Error("spawn sh"), { code }));
    expect(it.said.slice(1)).toEqual([{ said: "failed", status, why: "spawn sh" }]);
    expect(it.isOver()).toBe(true);
    const running = scene();
    running.begin(10_000);
    running.child.emit("error", new Error("a signal could not be sent"));
    expect([running.words(), running.isOver()]).toEqual([["started", "known"], false]);
  });
});
