import { mock } from "node:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Leadership } from "../leading/scope.ts";
import { TestGroup, type TestProcess } from "./test-group.ts";

const untilAborted = ({ signal }: Leadership) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** Notes who works when. */
function logging(log: string[]) {
  return ({ name, member, clock }: TestProcess) => {
    member.lead(async (leadership) => {
      log.push(`${name} begins ${clock.now()}`);
      await untilAborted(leadership);
      log.push(`${name} ends ${clock.now()}`);
    });
  };
}

async function story(seed: number): Promise<string[]> {
  const log: string[] = [];
  const group = await TestGroup.start({ seed, program: logging(log), conditions: { loss: 0.05 } });
  await group.untilLed();
  group.killLeader();
  await group.run(1);
  await group.untilLed();
  const leader = group.expectOneLeader();
  group.isolate(leader);
  await group.until(() => group.leaders().length === 1 && group.leaders()[0] !== leader);
  group.heal();
  await group.run(5000);
  group.expectOneLeader();
  return log;
}

test("a check right before a request, without a fence, is found wanting by the first ten seeds", async () => {
  const charged = async (seed: number) => {
    const charges: string[] = [];
    let last = 0n;
    const group = await TestGroup.start({
      seed,
      services: {
        "http://bank": async (request) => {
          const token = BigInt(await request.text());
          if (token < last) charges.push(`${token} after ${last}`);
          last = token > last ? token : last;
          return new Response("done");
        },
      },
      program: ({ member, clock, fetch }) => {
        member.lead(async ({ token, signal, check }) => {
          while (!signal.aborted) {
            check();
            await fetch("http://bank", { method: "POST", body: String(token) });
            await clock.sleep(100);
          }
        });
      },
    });
    const leader = await group.untilLed();
    await group.run(300);
    group.pause(leader, 5000);
    await group.run(7000);
    return charges;
  };
  let found = 0;
  for (let seed = 1; seed <= 10 && found === 0; seed++) if ((await charged(seed)).length > 0) found = seed;
  expect(found).toBeGreaterThan(0);
});

test("a leader is killed, the next one isolated: a third leads; the seed replays all of it", async () => {
  const [first, again, other] = [await story(1), await story(1), await story(2)];
  expect(first).toEqual(again);
  expect(other).not.toEqual(first);
  expect(first.filter((line) => line.includes("begins")).length).toBeGreaterThan(2);
});

test("a paused leader has no clock: its program goes on after the pause, when another leads", async () => {
  const seen: string[] = [];
  const group = await TestGroup.start({
    program({ name, member, clock }) {
      member.lead(async ({ signal, check }) => {
        while (!signal.aborted) await clock.sleep(50);
        expect(check).toThrow("does not lead it any more");
        seen.push(name);
      });
    },
    always: (all) => expect(all.leaders().length).toBeLessThan(2),
  });
  const leader = await group.untilLed();
  group.pause(leader, 5000);
  await group.run(4000);
  expect(seen).toEqual([]);
  expect(group.expectOneLeader()).not.toBe(leader);
  await group.run(2000);
  expect(seen).toEqual([leader]);
});

test("a side without the engine's holder waits; services answer by fetch", async () => {
  const group = await TestGroup.start({
    lease: null,
    services: { "http://store": async (request) => new Response(`${request.method} ${await request.text()}`) },
    async program({ name, fetch, clock }) {
      await clock.sleep(100);
      const response = await fetch("http://store/x", { method: "PUT", body: name });
      expect(await response.text()).toBe(`PUT ${name}`);
      await expect(fetch("http://nobody/")).rejects.toThrow("no test service at http://nobody");
    },
  });
  await group.untilLed();
  group.partition(["a"], ["b", "c"]);
  await group.run(20_000);
  expect(() => group.expectOneLeader()).toThrow(/lead after \d+ ms of seed 1: expected one leader/);
  group.heal();
  await group.run(20_000);
  group.expectOneLeader();
});

describe("real time", () => {
  test.each<[string, () => unknown]>([
    ["setTimeout", () => setTimeout(() => {}, 1)],
    ["Date.now", () => Date.now()],
    ["fetch", () => fetch("http://127.0.0.1/")],
  ])("%s fails the run with a line", async (name, touch) => {
    const program = () => {
      try {
        touch();
      } catch {
        // A program that hides it does not hide it from the run.
      }
    };
    const group = await TestGroup.start({ members: ["a"], program });
    await expect(group.run(10)).rejects.toThrow(
      new RegExp(`uses ${name}, which is real time, at .*test-group\\.test\\.ts:\\d+:\\d+: take `),
    );
    setTimeout(() => {}, 0);
  });

  afterEach(() => {
    vi.useRealTimers();
    mock.timers.reset();
  });

  test.each([
    ["Vitest's", () => vi.useFakeTimers(), (ms: number) => vi.advanceTimersByTimeAsync(ms)],
    [
      "node:test's",
      () => mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] }),
      (ms: number) => mock.timers.tick(ms),
    ],
  ])("global timers run in step where they are fake ones: %s", async (_, fake, advance) => {
    fake();
    const times: number[] = [];
    const group = await TestGroup.start({
      members: ["a"],
      program: () => void setInterval(() => times.push(Math.round(group.now)), 100),
      advance,
    });
    await group.run(350);
    expect(times).toHaveLength(3);
    expect(times[1] - times[0]).toBe(100);
  });
});

test("what a program throws fails the run", async () => {
  const group = await TestGroup.start({
    program({ member }) {
      member.lead(() => Promise.reject(new Error("of the program")));
    },
  });
  await expect(group.run(10_000)).rejects.toThrow(/^[abc], leading "leader": of the program$/);
});
