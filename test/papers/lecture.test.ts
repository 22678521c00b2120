/** The claims of S. Chakraborty's lecture T9, "Leader Election" (CS 60002, IIT Kharagpur), slide by slide. */
import { describe, expect, test } from "vitest";
import type { Params } from "../../src/protocols/parameters.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import {
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  hirschbergSinclairBound,
  hirschbergSinclairPhases,
  petersonBound,
  petersonPhasesBound,
} from "../../src/theory/rings.ts";
import { complaint, elect, zScore } from "../support/rings.ts";

const SIZES = [1, 2, 3, 8, 10, 100, 1000];
const RINGS_WITH_IDS = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"];

/** One run, the ids in order in the direction in which messages travel. */
const run = (protocol: string, n: number, ids: "random" | "increasing" | "decreasing", params: Params = {}) =>
  runTrial(resolve({ protocol, n, ids, host: "lockstep", seed: 3, kernel: "off", params }), 0);

describe("Leader Election in Distributed System", () => {
  test.each([...RINGS_WITH_IDS, "itai-rodeh"])(
    "%s terminates with exactly one leader, all others know that they are not",
    (protocol) => {
      for (const n of SIZES) {
        expect(run(protocol, n, "random")).toMatchObject({ outcome: "one", measures: { undecided: 0 } });
      }
    },
  );

  test.each(RINGS_WITH_IDS)("%s: (optionally) everybody knows who the leader is", (protocol) => {
    const ids = [12643, 17, 0, 999, 4];
    // Peterson: 17 and 4 stay active behind 12643 and 999, then 4 behind 12643. The slides leave open who leads.
    const leader = { "time-slice": 0, peterson: 4 }[protocol] ?? 12643;
    expect(complaint(elect({ protocol, ids }), leader)).toBeNull();
  });

  test("if all processes know the highest id, no election is needed; but that process can fail", () => {
    expect(run("known-highest", 100, "random")).toMatchObject({ outcome: "one", leader: 100, messages: 0 });
    const faults = { crashes: [{ node: 99, at: 0 }] };
    expect(runTrial(resolve({ protocol: "known-highest", n: 100, ids: "increasing", faults }), 0).outcome).toBe("none");
  });

  test("the process with the highest id and still surviving becomes the leader", () => {
    const faults = { crashes: [{ node: 99, at: 0 }] };
    const trial = runTrial(resolve({ protocol: "chang-roberts", n: 100, ids: "increasing", faults }), 0);
    expect(trial).toMatchObject({ outcome: "one", leader: 99 });
  });
});

describe("Chang and Roberts Algorithm", () => {
  test("worst case O(n²), when ids decrease in the direction of travel: n + (n-1) + ... + 1", () => {
    for (const n of SIZES) {
      expect(run("chang-roberts", n, "decreasing").messages).toBe(changRobertsWorst(n) + n);
    }
  });

  test("best case O(n), when ids increase in the direction of travel: 2n - 1", () => {
    for (const n of SIZES) expect(run("chang-roberts", n, "increasing").messages).toBe(changRobertsBest(n) + n);
  });

  // The mean of 300 runs is normal to a good approximation: |z| > 4.5 has probability 7e-6, and the seed is fixed.
  test("average case n(1 + 1/2 + ... + 1/n)", () => {
    const settings = resolve({ protocol: "chang-roberts", n: 500, host: "lockstep", seed: 3 });
    const elections = Array.from({ length: 300 }, (_, trial) => runTrial(settings, trial).messages - 500);
    expect(Math.abs(zScore(elections, changRobertsMean(500)))).toBeLessThan(4.5);
  });

  test('erratum: "every process sends max(own, received)", taken literally, costs n² in the best case too', () => {
    for (const ids of ["increasing", "decreasing", "random"] as const) {
      expect(run("chang-roberts", 50, ids, { reading: "printed" })).toMatchObject({ leader: 50, messages: 2500 + 50 });
    }
  });

  test("erratum: the largest id wins only if it takes part; passive=join makes the slide's claim true", () => {
    const ids = [3, 9, 4, 1];
    expect(complaint(elect({ protocol: "chang-roberts", ids, initiators: [0, 2] }), 4)).toBeNull();
    const joined = elect({ protocol: "chang-roberts", ids, initiators: [0, 2], params: { passive: "join" } });
    expect(complaint(joined, 9)).toBeNull();
  });
});

describe("Hirschberg-Sinclair Algorithm", () => {
  test.each(["random", "increasing", "decreasing"] as const)(
    "O(n log n), ids %s: at most 8n(1 + ceil(log2 n)) messages",
    (ids) => {
      for (const n of SIZES) {
        const { messages, measures } = run("hirschberg-sinclair", n, ids);
        expect(messages - n).toBeLessThanOrEqual(hirschbergSinclairBound(n));
        expect(measures.phases).toBe(hirschbergSinclairPhases(n));
      }
    },
  );

  test("when 2^i >= n/2 one process is left: knowing n saves the last phase, two ways around", () => {
    for (const n of SIZES.filter((n) => n > 1)) {
      const home = run("hirschberg-sinclair", n, "random");
      const known = run("hirschberg-sinclair", n, "random", { stop: "known-n" });
      expect(known.leader).toBe(home.leader);
      expect(home.messages - known.messages).toBe(2 * n);
    }
  });

  test("beats Chang-Roberts where that is worst, and not where that is best", () => {
    const messages = (protocol: string, ids: "increasing" | "decreasing") => run(protocol, 1000, ids).messages;
    expect(messages("hirschberg-sinclair", "decreasing")).toBeLessThan(messages("chang-roberts", "decreasing"));
    expect(messages("hirschberg-sinclair", "increasing")).toBeGreaterThan(messages("chang-roberts", "increasing"));
  });
});

describe("Can we do it in O(n log n) for a unidirectional ring? Yes, Peterson's algorithm", () => {
  test.each(["random", "increasing", "decreasing"] as const)(
    "ids %s: 2n a phase, at most floor(log2 n) + 1 phases",
    (ids) => {
      for (const n of SIZES) {
        const { messages, measures } = run("peterson", n, ids);
        expect(measures.phases).toBeLessThanOrEqual(petersonPhasesBound(n));
        expect(messages - n).toBeLessThanOrEqual(petersonBound(n));
      }
    },
  );

  test("the bound on the phases is met: a bit-reversed order halves the active nodes each time", () => {
    const bits = 10;
    const reversed = (value: number) => {
      let out = 0;
      for (let bit = 0; bit < bits; bit++) out = out * 2 + ((value >> bit) & 1);
      return out;
    };
    const ids = Array.from({ length: 2 ** bits }, (_, node) => reversed(node));
    expect(elect({ protocol: "peterson", ids }).measures.phases).toBe(petersonPhasesBound(2 ** bits));
  });
});

describe("Variable Time Algorithm in a Synchronous Ring", () => {
  test("O(n) messages: n, in n·(smallest id) + n rounds, however large the ids", () => {
    for (const n of SIZES) {
      const ids = Array.from({ length: n }, (_, node) => 12_643 + ((node * 7) % n) * 1000 + node);
      const trial = runTrial(resolve({ protocol: "time-slice", n, ids }), 0);
      const leader = Math.min(...ids);
      expect(trial).toMatchObject({ outcome: "one", leader, messages: n, rounds: n * leader + n });
    }
  });

  test("it elects the smallest id, not the largest", () => {
    expect(run("time-slice", 30, "random").leader).toBe(1);
  });
});

describe("Randomized algorithms are possible on an anonymous ring", () => {
  test("itai-rodeh: one leader in every one of 500 elections", () => {
    const settings = resolve({ protocol: "itai-rodeh", n: 16, host: "lockstep" });
    for (let trial = 0; trial < 500; trial++) expect(runTrial(settings, trial).outcome).toBe("one");
  });
});
