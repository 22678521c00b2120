/** Work and its scope, under a member that says what the test wants it to say. */
import { describe, expect, test } from "vitest";
import type { GroupEvent, GroupReport, OfficeReport } from "../../elector/report.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";
import { InputError } from "../../errors.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { Leading } from "./leading.ts";
import type { Leadership, WorkFailure } from "./scope.ts";
import { NotLeading } from "./scope.ts";

const FREE: OfficeReport = {
  term: 0,
  leader: null,
  mine: false,
  epsilon: null,
  loss: null,
  lossLow: null,
  lossFrom: null,
  protocol: null,
  token: null,
  lease: null,
  lapse: null,
  unreachable: false,
  settling: false,
  asker: null,
};
const granted = (token: number, term = 1): Partial<OfficeReport> => ({
  mine: true,
  term,
  token,
  lease: `lease ${token}`,
  lapse: "lease/lapse#1",
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function scene({ strict = true, offices = ["leader"] }: { strict?: boolean; offices?: string[] } = {}) {
  const network = new VirtualNetwork(1);
  const log: string[] = [];
  const commands: GroupCommand[] = [];
  let left: number | null = 1000;
  let looks = () => {};
  let report: GroupReport = {
    version: 0,
    news: [],
    self: "a",
    refused: null,
    joined: true,
    members: 1,
    policy: "available",
    quorate: true,
    offices: {},
    engine: { state: "none", why: null },
  };
  const leading: Leading = new Leading({
    world: network.machine({ host: "10.0.0.1", port: 1 }).world,
    offices,
    settleWithin: 500,
    releaseWithin: strict ? 250 : null,
    report: () => report,
    command: (command) => void commands.push(command),
    left: () => left,
    look: () => looks(),
    fence: ({ token }) => (token === null ? null : `fence ${token}`),
    threw: (why, { seat }) => void log.push(`threw ${seat}: ${why}`),
    unsettled: (seat, why) => void log.push(`unsettled ${seat}: ${why}`),
  });
  /** As the host does: the report first, then the rest. */
  const say = (changes: Record<string, Partial<OfficeReport>>, news: GroupEvent[] = []) => {
    const changed = Object.entries(changes).map(([seat, office]) => [seat, { ...FREE, ...office }]);
    report = {
      ...report,
      version: report.version + 1,
      news,
      offices: { ...report.offices, ...Object.fromEntries(changed) },
    };
    leading.follow(report);
    log.push("messages leave");
    leading.proceed();
  };
  /** Work that ends when it is told to, or when the test says so. */
  const works: (Leadership & { finish(error?: unknown): void })[] = [];
  const work = (leadership: Leadership) =>
    new Promise<void>((resolve, reject) => {
      const { seat, token, signal } = leadership;
      log.push(`begins ${seat} ${token}`);
      signal.addEventListener("abort", () => log.push(`signal ${seat} ${token}`));
      works.push({ ...leadership, finish: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  return {
    leading,
    network,
    log,
    commands,
    works,
    work,
    say,
    saidOf: (kind: GroupCommand["kind"]) => commands.filter((command) => command.kind === kind),
    setLeft: (ms: number | null, look = () => {}) => {
      left = ms;
      looks = look;
    },
  };
}

describe("a scope", () => {
  test("begins after everything has left, and its signal fires before anything does", async () => {
    const { leading, log, say, work, works, saidOf } = scene();
    leading.lead("leader", work);
    await turn();
    expect(log).toEqual([]);
    say({ leader: granted(7) });
    expect(log).toEqual(["messages leave", "begins leader 7"]);
    expect(works[0]).toMatchObject({ office: "leader", seat: "leader", term: 1, token: 7n, lease: "lease 7" });
    works[0].check();
    say({ leader: {} }, [{ event: "lapsed", office: "leader" }]);
    expect(log.slice(2)).toEqual(["signal leader 7", "messages leave"]);
    expect(works[0].signal.reason).toBeInstanceOf(NotLeading);
    expect(works[0].check).toThrow("leader: this process does not lead it any more: its lease has run out");
    expect(saidOf("settled")).toEqual([]);
    works[0].finish();
    await turn();
    expect(saidOf("settled")).toEqual([{ kind: "settled", office: "leader", token: 7 }]);
  });

  test("a renewed lease and a higher term are the same leadership; another token is another", async () => {
    const { leading, log, say, work, works } = scene();
    leading.lead("leader", work);
    say({ leader: granted(7) });
    say({ leader: { ...granted(7, 2), lapse: "lease/lapse#2" } });
    expect(log.filter((line) => line !== "messages leave")).toEqual(["begins leader 7"]);
    say({ leader: granted(9, 3) });
    expect(log.slice(-2)).toEqual(["signal leader 7", "messages leave"]);
    works[0].finish();
    await turn();
    expect(log.at(-1)).toBe("begins leader 9");
  });

  test("the same work does not begin again while the former has not ended, however often this member leads", async () => {
    const { leading, say, work, works, saidOf } = scene({ strict: false });
    leading.lead("leader", work);
    const leads = (term: number) => say({ leader: { mine: true, term } });
    leads(1);
    for (const term of [2, 3]) {
      say({ leader: { term } });
      leads(term);
    }
    expect(works).toHaveLength(1);
    works[0].finish();
    await turn();
    expect(works.map(({ term, token }) => [term, token])).toEqual([
      [1, null],
      [3, null],
    ]);
    expect(saidOf("settled")).toEqual([]);
  });

  test("check() goes by the clocks, before any report", () => {
    const { leading, say, work, works, setLeft, log } = scene();
    leading.lead("leader", work);
    say({ leader: granted(7) });
    setLeft(0.5);
    works[0].check();
    const looked: string[] = [];
    setLeft(0, () => looked.push("looked"));
    expect(works[0].check).toThrow(NotLeading);
    expect([looked, works[0].signal.aborted]).toEqual([["looked"], true]);
    setLeft(1000);
    expect(works[0].check).toThrow("its lease has run out");
    // The machine learns of it later: the signal does not fire twice.
    say({ leader: {} });
    expect(log.filter((line) => line.startsWith("signal"))).toHaveLength(1);
  });

  test("check() of a member that has stopped throws, and so does one whose deadline is not there", () => {
    const { leading, say, work, works, setLeft } = scene();
    leading.lead("leader", work);
    say({ leader: granted(7) });
    setLeft(null);
    expect(works[0].check).toThrow(NotLeading);
    const other = scene();
    other.leading.lead("leader", other.work);
    other.say({ leader: granted(7) });
    other.leading.abandon("its member has stopped");
    expect(other.works[0].check).toThrow("its member has stopped");
    expect(() => other.leading.lead("leader", other.work)).toThrow("has left the group");
  });

  test("a listener of a signal may call back: stop, lead again, check", async () => {
    const { leading, say, works, saidOf } = scene({ offices: ["leader", "other"] });
    const handle = leading.lead("leader", (leadership) => {
      leadership.signal.addEventListener("abort", () => {
        void handle.stop();
        leading.lead("other", () => {});
        expect(leadership.check).toThrow(NotLeading);
      });
    });
    say({ leader: granted(7) });
    say({ leader: {}, other: granted(8) });
    await turn();
    await handle.done;
    expect(works).toEqual([]);
    expect(saidOf("settled")).toContainEqual({ kind: "settled", office: "leader", token: 7 });
  });
});

describe("the end of work", () => {
  test("that returns of itself gives the office up, and leads again only if asked", async () => {
    const { leading, say, work, works, commands, network } = scene();
    const handle = leading.lead("leader", work);
    say({ leader: granted(7) });
    commands.length = 0;
    works[0].finish();
    await handle.done;
    expect(commands).toEqual([{ kind: "eligible", eligible: false, office: "leader" }]);
    say({ leader: { settling: true } });
    expect(commands.at(-1)).toEqual({ kind: "settled", office: "leader", token: 7 });
    say({ leader: granted(8) });
    expect(works).toHaveLength(1);
    leading.lead("leader", work);
    expect(commands.at(-1)).toEqual({ kind: "eligible", eligible: true, office: "leader" });
    network.runFor(1);
    expect(works.map(({ token }) => token)).toEqual([7n, 8n]);
  });

  test("that throws under restart: false gives all its seats up, and the lead rejects with it", async () => {
    const { leading, say, work, works, log, commands } = scene({ offices: ["shards:2"] });
    const handle = leading.lead("shards", work, { restart: false });
    say({ "shards#1": granted(7), "shards#2": granted(8) });
    expect(works.map(({ office, seat, token }) => [office, seat, token])).toEqual([
      ["shards", "shards#1", 7n],
      ["shards", "shards#2", 8n],
    ]);
    commands.length = 0;
    works[0].finish(new Error("of the work"));
    await turn();
    expect(log.slice(-2)).toEqual(["threw shards#1: of the work", "signal shards#2 8"]);
    expect(commands).toContainEqual({ kind: "eligible", eligible: false, office: "shards#2" });
    works[1].finish(works[1].signal.reason);
    await expect(handle.done).rejects.toThrow("of the work");
    expect(log.filter((line) => line.startsWith("threw"))).toHaveLength(1);
  });

  test("that throws gives its seat up, and this member stands for it again after 1 s, 2 s, 4 s ... with jitter, up to a minute", async () => {
    const { leading, say, work, works, log, commands, network } = scene({ offices: ["shards:2"] });
    const failures: WorkFailure[] = [];
    let isOver = false;
    const onError = (error: unknown, failure: WorkFailure) => {
      expect(error).toMatchObject({ message: "of the work" });
      failures.push(failure);
    };
    const handle = leading.lead("shards", work, { onError });
    void handle.done.finally(() => {
      isOver = true;
    });
    say({ "shards#1": granted(7), "shards#2": granted(8) });
    for (let token = 10, wait = 1000; token < 18; token++, wait = Math.min(60_000, 2 * wait)) {
      commands.length = 0;
      works.at(token === 10 ? 0 : -1)!.finish(new Error("of the work"));
      await turn();
      expect(log.at(-1)).toBe("threw shards#1: of the work");
      expect(commands).toEqual([{ kind: "eligible", eligible: false, office: "shards#1" }]);
      say({ "shards#1": {} });
      network.runFor(0.79 * wait);
      expect(commands.filter(({ kind }) => kind === "eligible")).toHaveLength(1);
      network.runFor(0.42 * wait);
      expect(commands.at(-1)).toEqual({ kind: "eligible", eligible: true, office: "shards#1" });
      say({ "shards#1": granted(token) });
    }
    expect(failures.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(works[1].signal.aborted).toBe(false);
    expect(isOver).toBe(false);
    // Work that ran for a while begins to count anew, and so does work that was told to stop.
    network.runFor(10_001);
    works.at(-1)!.finish(new Error("of the work"));
    await turn();
    expect(failures.at(-1)).toMatchObject({ seat: "shards#1", failures: 1 });
    say({ "shards#1": {} });
    void handle.stop();
    commands.length = 0;
    network.runFor(100_000);
    expect(commands.filter((command) => "eligible" in command && command.eligible)).toEqual([]);
  });

  test("of one of several seats leaves the others, and takes no new one", async () => {
    const { leading, say, work, works, commands } = scene({ offices: ["shards:3"] });
    leading.lead("shards", work);
    say({ "shards#1": granted(7), "shards#2": granted(8) });
    commands.length = 0;
    works[0].finish();
    await turn();
    expect(commands).toEqual(["shards#1", "shards#3"].map((office) => ({ kind: "eligible", eligible: false, office })));
    expect(works[1].signal.aborted).toBe(false);
    say({ "shards#3": granted(9) });
    expect(works).toHaveLength(2);
  });

  test("of at most one seat at a time: others are left to others until it has ended", async () => {
    const { leading, say, work, works, commands } = scene({ offices: ["shards:3"] });
    const want = (eligible: boolean, ...numbers: number[]) =>
      numbers.map((number) => ({ kind: "eligible", eligible, office: `shards#${number}` }));
    leading.lead("shards", work, { maxSeats: 1 });
    commands.length = 0;
    say({ "shards#2": granted(7), "shards#3": granted(8) });
    expect(works.map(({ seat }) => seat)).toEqual(["shards#2"]);
    expect(commands).toEqual([...want(false, 1, 3), ...want(false, 3)]);
    commands.length = 0;
    say({ "shards#2": {}, "shards#3": {} });
    works[0].finish();
    await turn();
    expect(commands.filter(({ kind }) => kind === "eligible")).toEqual(want(true, 1, 2, 3));
    say({ "shards#1": granted(9) });
    expect(works.map(({ seat }) => seat)).toEqual(["shards#2", "shards#1"]);
  });

  test("that was told to stop: its errors are told unless they say just that", async () => {
    for (const [error, told] of [
      [new DOMException("aborted", "AbortError"), []],
      [new Error("no disk"), ["threw leader: no disk"]],
    ] as const) {
      const { leading, say, work, works, log, saidOf } = scene();
      leading.lead("leader", work);
      say({ leader: granted(7) });
      say({ leader: {} });
      works[0].finish(error);
      await turn();
      expect(log.slice(4)).toEqual(told);
      expect(saidOf("settled")).toHaveLength(1);
      say({ leader: granted(8) });
      expect(works).toHaveLength(2);
    }
  });

  test("refused by a guard that knows a newer leader: its token is a floor, and this member asks again", async () => {
    const { leading, say, work, works, saidOf, commands } = scene();
    const push = commands.push.bind(commands);
    commands.push = (...given) => {
      const count = push(...given);
      if (given[0].kind === "floor") say({ leader: { settling: true } });
      return count;
    };
    leading.lead("leader", work);
    say({ leader: granted(7) });
    works[0].finish(Object.assign(new Error("a newer leader was here"), { name: "FenceRefused", newest: 9n }));
    await turn();
    expect(saidOf("floor")).toEqual([{ kind: "floor", office: "leader", token: 9 }]);
    expect(saidOf("settled")).toEqual([{ kind: "settled", office: "leader", token: 7 }]);
    say({ leader: granted(10) });
    expect(works.at(-1)?.token).toBe(10n);
  });

  test("refused by what pretends to be a guard, with a token that nobody can have yet: that is no floor", async () => {
    for (const newest of [2n ** 52n, 2n ** 62n]) {
      const { leading, say, work, works, saidOf } = scene();
      const { done } = leading.lead("leader", work, { restart: false });
      say({ leader: granted(7) });
      works[0].finish(Object.assign(new Error("a newer leader was here"), { name: "FenceRefused", newest }));
      await expect(done).rejects.toThrow("a newer leader was here");
      expect(saidOf("floor")).toEqual([]);
    }
  });

  test("that does not come in time is complained about; the lease is not given back", async () => {
    const { leading, say, work, works, log, network, saidOf } = scene();
    leading.lead("leader", work);
    say({ leader: granted(7) });
    say({ leader: { settling: true } });
    network.runFor(499);
    expect(log).not.toContainEqual(expect.stringMatching("unsettled"));
    network.runFor(2);
    expect(log.at(-1)).toBe(
      "unsettled leader: the work has not ended within 500 ms of being told to; its lease is not given back, but runs out",
    );
    expect(saidOf("settled")).toEqual([]);
    works[0].finish();
    await turn();
    expect(saidOf("settled")).toHaveLength(1);
  });

  test("where nobody works: the machine is told at once, and need not wait", () => {
    const { say, saidOf } = scene();
    say({ leader: granted(7) });
    expect(saidOf("settled")).toEqual([]);
    say({ leader: { settling: true } });
    expect(saidOf("settled")).toEqual([{ kind: "settled", office: "leader", token: 7 }]);
  });
});

describe("stopping", () => {
  test("under a lease: the seat is given up at once, since its lease is kept until the work has ended", async () => {
    const { leading, say, work, works, commands } = scene();
    const handle = leading.lead("leader", work);
    say({ leader: granted(7) });
    commands.length = 0;
    void handle.stop();
    expect(works[0].signal.aborted).toBe(true);
    expect(commands).toEqual([{ kind: "eligible", eligible: false, office: "leader" }]);
    expect(() => leading.lead("leader", work)).toThrow("stop that, and wait until it has ended");
    works[0].finish();
    await handle.done;
    expect(commands).toContainEqual({ kind: "settled", office: "leader", token: 7 });
  });

  test("without one: the office is kept until the work has ended, or its time is over", async () => {
    for (const isInTime of [true, false]) {
      const { leading, say, work, works, commands, network } = scene({ strict: false });
      const handle = leading.lead("leader", work);
      say({ leader: { mine: true, term: 1 } });
      commands.length = 0;
      void handle.stop();
      expect([works[0].signal.aborted, commands]).toEqual([true, []]);
      if (isInTime) works[0].finish();
      else network.runFor(501);
      await turn();
      expect(commands).toEqual([{ kind: "eligible", eligible: false, office: "leader" }]);
    }
  });

  test("of a member that leaves: signals, then the leases; and what does not end is not waited for long", async () => {
    const { leading, say, work, works, commands, network, log } = scene();
    const handle = leading.lead("leader", work);
    say({ leader: granted(7) });
    commands.length = 0;
    let isOver = false;
    void leading.close()!.then(() => {
      isOver = true;
    });
    expect(log.at(-1)).toBe("signal leader 7");
    expect(commands).toEqual([{ kind: "eligible", eligible: false }]);
    say({ leader: { settling: true, lease: "lease 7" } });
    works[0].finish();
    await handle.done;
    expect(isOver).toBe(false);
    say({ leader: {} });
    await turn();
    expect(isOver).toBe(true);

    const late = scene();
    late.leading.lead("leader", late.work);
    late.say({ leader: granted(7) });
    const closed = late.leading.close();
    late.network.runFor(751);
    await closed;
    expect(network.now).toBe(0);
    expect(late.log.at(-1)).toMatch("unsettled leader");
  });

  test("nothing is waited for where nothing is led", () => {
    const { leading, work } = scene();
    leading.lead("leader", work);
    expect(leading.close()).toBeNull();
  });
});

test("an office that this member does not stand for, and one that is led already, are refused in words", () => {
  const { leading, work } = scene({ offices: ["leader", "shards:3"] });
  expect(() => leading.lead("boss", work)).toThrow(InputError);
  expect(() => leading.lead("boss", work)).toThrow(
    'this member does not stand for "boss": add it to its offices, which are leader, shards',
  );
  leading.lead("leader", work);
  expect(() => leading.lead("leader", work)).toThrow("other work of this process leads it");
  leading.add("boss");
  leading.lead("boss", work);
});
