/** The watch alone (see test/support/watched.ts): who is declared dead, when, and at what price. Times in milliseconds. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Scene, SEALING, type Seen, watched } from "../../../test/support/watched.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { encodedSize } from "../../wire/codec.ts";
import { PULSE } from "../council/messages.ts";
import { WATCH_PROFILES } from "./profiles.ts";
import { isolated, watchersOf } from "./watch.ts";

letHandlersWrite();

const NEVER: readonly unknown[] = [];
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const crashOf = (node: number, at: number) => ({ crashes: [{ node, at }] });
const deaf = (from: number, to: number, since = 5000, until: number | null = null) => ({
  rate: 1,
  kind: "both" as const,
  link: [from, to] as const,
  from: since,
  to: until,
});

/** How long after a crash of the holder two watchers knew, over some seeds and moments; ascending. */
function knownAfter(scene: Omit<Scene, "until">, runs = effort(8, 100)): number[] {
  const times = Array.from({ length: runs }, (_, i) => {
    const at = 10_000 + 37 * i;
    const seen = watched({ ...scene, seed: i + 1, until: at + 8000, faults: { ...scene.faults, ...crashOf(0, at) } });
    expect(new Set(seen.verdicts.map(({ name }) => name))).toEqual(new Set(["m0"]));
    return seen.verdicts[0].at - at;
  });
  return times.sort((a, b) => a - b);
}

describe("a holder that crashes is known to be dead", () => {
  test.each([3, 4, 6, 25, 200])("within grace + 4 ticks in a group of %i: lan, 350 to 550 ms", (n) => {
    const times = knownAfter({ n });
    expect(times[0]).toBeGreaterThan(340);
    expect(times.at(-1)).toBeLessThan(550);
  });

  test("within 2.3 s over the internet, with round trips of up to 300 ms", () => {
    const times = knownAfter({ n: 25, profile: WATCH_PROFILES.wan, delay: { kind: "uniform", min: 10, max: 150 } });
    expect(times.at(-1)).toBeLessThan(2300);
  });

  test("also with a twentieth of all messages lost, and clocks that drift by a tenth", () => {
    const times = knownAfter({ n: 25, faults: { loss: 0.05, drift: 0.1 } }, effort(20, 200));
    expect(times.at(-1)).toBeLessThan(1000);
  });

  test("after two windows in a group of two: there is one watcher", () => {
    const times = knownAfter({ n: 2 });
    expect(times[0]).toBeGreaterThan(800);
    expect(times.at(-1)).toBeLessThan(1050);
  });

  test("by the only watcher that is left, after two windows, if it has heard somebody else since", () => {
    const scene = { n: 12, seed: 3 };
    const [last, ...dead] = watchersOf(watched({ ...scene, until: 9999 }).states[0]!.watch);
    expect(dead.length).toBeGreaterThanOrEqual(3);
    const crashes = ["m0", ...dead].map((name) => ({ node: Number(name.slice(1)), at: 10_000 }));
    const deaths = (probes: object, faults: object = {}) =>
      watched({ ...scene, ...probes, until: 15_000, faults: { crashes, ...faults } }).verdicts;
    expect(deaths({})).toEqual(NEVER);
    // Nor does it matter that others heard the holder just before: what they said lapses.
    const alreadyDeaf = { losses: [deaf(0, Number(last.slice(1)), 8000)] };
    for (const faults of [{}, alreadyDeaf]) {
      const [verdict, ...more] = deaths({ probes: 100 }, faults);
      expect([verdict.by, more]).toEqual([last, []]);
      expect(verdict.at - 10_000).toBeLessThan(1500);
    }
  });
});

describe("the load of a holder", () => {
  const second = (seen: Seen, before: Seen) => (sum(seen.bytes) - sum(before.bytes)) / 60;
  const load = (n: number, faults = {}) =>
    second(watched({ n, until: 70_000, faults }), watched({ n, until: 10_000, faults }));

  test("is below 1 kB/s of sealed datagrams in both directions together, and does not depend on n", () => {
    const loads = [6, 25, 200, 1000].map((n) => load(n));
    for (const bytes of loads) expect(bytes).toBeLessThan(900);
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThan(90);
    expect(load(25, { loss: 0.05 })).toBeLessThan(1000);
  });

  test("a sealed pulse takes 46 to 48 bytes", () => {
    const sealed = (version: number) => SEALING + encodedSize([PULSE.beat, 0xdead_beef, version]);
    expect([sealed(5), sealed(50), sealed(60_000)]).toEqual([46, 47, 48]);
  });
});

describe("nobody is declared dead", () => {
  test("because one watcher hears nothing", () => {
    for (const n of [3, 4, 6]) {
      for (let seed = 1; seed <= effort(20, 100); seed++) {
        const scene = { n, seed, until: 30_000, probes: 300, faults: { losses: [deaf(0, 1)] } };
        expect(watched(scene).verdicts, `seed ${seed}, n ${n}`).toEqual(NEVER);
      }
    }
  });

  test("because one watcher heard nothing for a while, and then another one", () => {
    const lapsed = [deaf(0, 1, 10_000, 11_500), deaf(1, 2, 11_400, 13_000), deaf(0, 2, 12_500, 14_000)];
    const takenBack = [deaf(0, 1, 10_000, 10_900), deaf(0, 2, 10_620, 13_000)];
    for (let seed = 1; seed <= effort(5, 50); seed++) {
      for (const losses of [lapsed, takenBack]) {
        expect(
          watched({ n: 3, seed, until: 15_000, faults: { losses } }).verdicts,
          `seed ${seed}, ${losses === lapsed ? "lapsed" : "taken back"}`,
        ).toEqual(NEVER);
      }
    }
  });

  test("because the holder does not hear its watchers", () => {
    const losses = [1, 2, 3, 4, 5].map((node) => deaf(node, 0));
    expect(watched({ n: 6, until: 30_000, probes: 500, faults: { losses } }).verdicts).toEqual(NEVER);
  });

  test("because a watcher is cut off from everybody, in groups of three and more", () => {
    for (const n of [3, 6]) {
      const partitions = [{ groups: [[1]], from: 10_000, to: null }];
      const byCutOff = watched({ n, until: 30_000, probes: 500, faults: { partitions } }).verdicts;
      expect(byCutOff).toEqual(NEVER);
    }
  });

  test("because a twentieth of all messages is lost", () => {
    const seen = watched({ n: 25, until: effort(600_000, 14_400_000), faults: { loss: 0.05 } });
    expect(seen.verdicts).toEqual(NEVER);
  });

  test("because clocks differ by a tenth and messages are late, double and out of order", () => {
    const faults = {
      drift: 0.1,
      duplicate: 0.1,
      reorder: 0.2,
      loss: 0.02,
      spikes: [{ rate: 0.05, delay: 200, link: null, from: 0, to: null }],
    };
    expect(watched({ n: 25, until: effort(120_000, 3_600_000), faults }).verdicts).toEqual(NEVER);
  });
});

test("two watchers that hear nothing are enough, and only they say so", () => {
  const seen = watched({ n: 6, until: 12_000, faults: { losses: [deaf(0, 1), deaf(0, 2)] } });
  expect(seen.verdicts.map(({ by }) => by).sort()).toEqual(["m1", "m2"]);
});

test("with no watcher left the ordinary detector decides", () => {
  const crashes = [0, 1, 2].map((node) => ({ node, at: 10_000 }));
  expect(watched({ n: 3, until: 30_000, faults: { crashes } }).verdicts).toEqual(NEVER);
});

describe("a holder that starts again", () => {
  test("is not killed by reports about its former life", () => {
    const faults = { restarts: [{ node: 0, at: 10_400, saved: false }], ...crashOf(0, 10_000) };
    const { verdicts, oracle, states } = watched({ n: 6, until: 20_000, faults });
    expect(verdicts).toEqual(NEVER);
    expect(states[0]!.life).toBe(oracle.members.get("m0")!.life);
    expect(watchersOf(states[0]!.watch)).toHaveLength(5);
  });
});

describe("isolated", () => {
  const probe = (n: number, faults: Scene["faults"], detection?: number) => {
    const seen: boolean[] = [];
    const look: Scene["look"] = (time, node, { watch }, company) => {
      if (node === 0 && time > 19_000) seen.push(isolated(watch, 100, company));
    };
    const scene = { n, until: 20_000, faults: faults ?? {}, look };
    watched(detection === undefined ? scene : { ...scene, detection });
    return new Set(seen);
  };
  const cut = { partitions: [{ groups: [[0]], from: 10_000, to: null }] };

  test("a holder that hears none of at least two watchers that live", () => {
    expect(probe(6, cut)).toEqual(new Set([true]));
    expect(probe(3, cut)).toEqual(new Set([true]));
  });

  test("but not a healthy one, nor one with a single watcher, nor one whose watchers have failed", () => {
    expect(probe(6, {})).toEqual(new Set([false]));
    expect(probe(2, cut)).toEqual(new Set([false]));
    expect(probe(3, { crashes: [1, 2].map((node) => ({ node, at: 10_000 })) }, 3000)).toEqual(new Set([false]));
  });
});
