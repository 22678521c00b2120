/** The claims of S. Chakraborty's lecture T9, "Leader Election" (CS 60002, IIT Kharagpur), slide by slide. */
import { describe, expect, test } from "vitest";
import type { Params } from "../../src/protocols/parameters.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import {
  changRobertsBest,
  changRobertsWorst,
  hirschbergSinclairBound,
  hirschbergSinclairPhases,
  petersonBound,
  petersonPhasesBound,
} from "../../src/theory/rings/rings.ts";
import { complaint, elect } from "../support/rings.ts";

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
