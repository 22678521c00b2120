/** The testers tested: every planted bug is found by the explorer at small n, and by property tests on the simulators. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explore } from "../../src/explorer/explore.ts";
import { runEvents } from "../../src/host/events.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import type { Observer } from "../../src/host/observer.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { type Params, resolveParameters } from "../../src/protocols/parameters.ts";
import { ring } from "../../src/topology/ring.ts";
import { lines } from "../../src/trace/describe.ts";
import { tracePath } from "../../src/trace/exploration.ts";
import { type PlantedBug, plantedBugs } from "./planted-bugs.ts";

const soundOnes = plantedBugs.map((bug) => ({ ...bug, sound: protocolNamed(bug.protocol.name) }));

/** More deliveries than any election of ten nodes needs. */
const ENDLESS = 5000;

const impatient = (): Observer => {
  let deliveries = 0;
  const ignore = () => {};
  return {
    started: ignore,
    sent: ignore,
    lost: ignore,
    delivered: () => {
      if (++deliveries > ENDLESS) throw new Error("the run does not end");
    },
    expired: ignore,
    roundEnded: ignore,
    settled: ignore,
  };
};

const anyElection = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 10 }),
  seed: fc.nat(),
  spread: fc.constantFrom("fixed", "exponential"),
});

/** Exactly one leader that everybody knows of, within the bound: what each of these protocols promises. */
function promise(protocol: AnyProtocol, given: Params, bound: (n: number) => number) {
  return fc.property(anyElection, ({ ids, seed, spread }) => {
    const n = ids.length;
    const { identity, timing, fifo } = protocol.assumes;
    const setup = {
      protocol,
      params: resolveParameters(protocol, given, n),
      topology: ring(n),
      ids: identity === "anonymous" ? null : Float64Array.from(ids),
      initiators: null,
      crashed: [],
      faults: NO_FAULTS,
      seed,
      trial: 0,
      observer: impatient(),
    };
    const delay =
      spread === "fixed" ? ({ kind: "fixed", value: 1 } as const) : ({ kind: "exponential", mean: 1 } as const);
    const { census, messages } = timing === "synchronous" ? runLockstep(setup) : runEvents({ ...setup, delay, fifo });
    expect(census).toMatchObject({ elected: 1, notElected: n - 1 });
    expect(census.beliefs.size).toBe(1);
    expect(messages).toBeLessThanOrEqual(bound(n));
  });
}

const unbounded = () => Infinity;

describe.each(soundOnes)("$mistake", ({ protocol, sound, request, violates, bound = unbounded }) => {
  test("the explorer finds it", () => {
    const { violation } = explore(protocol, request);
    expect(violation?.property).toBe(violates);
  });

  test("the explorer finds nothing if the mistake is fixed", () => {
    const { fifo, ...fixed } = request;
    const result = explore(sound, sound.assumes.fifo ? fixed : request);
    expect(result).toMatchObject({ complete: true, violation: null });
  });

  test("a property test finds it, and nothing if it is fixed", () => {
    const { range: _, ...params } = request.params ?? {};
    const found = fc.check(promise(protocol, params, bound), { seed: 1, numRuns: 300 });
    expect(found.failed).toBe(true);
    const control = fc.check(promise(sound, params, bound), { seed: 1, numRuns: 300 });
    expect(control.failed, String(control.errorInstance)).toBe(false);
  });
});

describe("what went wrong can be read off the counterexample", () => {
  const story = (mistake: string) => {
    const { protocol, request } = plantedBugs.find((bug: PlantedBug) => bug.mistake === mistake)!;
    const { network, steps, what } = explore(protocol, request).violation!;
    return [what, ...lines(tracePath(network, steps))];
  };

  test("a smaller id is forwarded and comes home", () => {
    expect(story("chang-roberts forwards smaller ids")).toMatchInlineSnapshot(`
      [
        "nodes 0 and 1 both lead",
        " #0  t=0    node 0  starts",
        " #1  t=0    node 0  sends elect (id 2) to node 1  ← #0",
        " #2  t=0    node 1  starts",
        " #3  t=0    node 1  sends elect (id 1) to node 0  ← #2",
        " #4  t=1    node 1  receives elect (id 2) from node 0  ← #1",
        " #5  t=1    node 1  sends elect (id 2) to node 0  ← #4",
        " #6  t=2    node 0  receives elect (id 1) from node 1  ← #3",
        " #7  t=2    node 0  sends elect (id 1) to node 1  ← #6",
        " #8  t=3    node 1  receives elect (id 1) from node 0  ← #7",
        " #9  t=3    node 1  sends announce (id 1) to node 0  ← #8",
        "#10  t=3    node 1  IS ELECTED  ← #8",
        "#11  t=4    node 0  receives elect (id 2) from node 1  ← #5",
        "#12  t=4    node 0  sends announce (id 2) to node 1  ← #11",
        "#13  t=4    node 0  IS ELECTED  ← #11",
      ]
    `);
  });

  test("both of two nodes that drew the same id believe that they are alone", () => {
    expect(story("itai-rodeh has no bit for ties")).toMatchInlineSnapshot(`
      [
        "nodes 0 and 1 both lead",
        " #0  t=0    node 0  starts",
        " #1  t=0    node 0  sends lot (phase 1, id 1, hop 1, unique true) to node 1  ← #0",
        " #2  t=0    node 1  starts",
        " #3  t=0    node 1  sends lot (phase 1, id 1, hop 1, unique true) to node 0  ← #2",
        " #4  t=1    node 1  receives lot (phase 1, id 1, hop 1, unique true) from node 0  ← #1",
        " #5  t=1    node 1  sends lot (phase 1, id 1, hop 2, unique false) to node 0  ← #4",
        " #6  t=2    node 0  receives lot (phase 1, id 1, hop 1, unique true) from node 1  ← #3",
        " #7  t=2    node 0  sends lot (phase 1, id 1, hop 2, unique false) to node 1  ← #6",
        " #8  t=3    node 1  receives lot (phase 1, id 1, hop 2, unique false) from node 0  ← #7",
        " #9  t=3    node 1  sends announce to node 0  ← #8",
        "#10  t=3    node 1  IS ELECTED  ← #8",
        "#11  t=4    node 0  receives lot (phase 1, id 1, hop 2, unique false) from node 1  ← #5",
        "#12  t=4    node 0  sends announce to node 1  ← #11",
        "#13  t=4    node 0  IS ELECTED  ← #11",
      ]
    `);
  });

  test("an announcement goes round and round", () => {
    expect(story("chang-roberts never takes the announcement off the ring").slice(-6)).toMatchInlineSnapshot(`
      [
        "#11  t=4    node 1  sends announce (id 2) to node 0  ← #10",
        "#12  t=4    node 1  is not elected, follows id 2  ← #10",
        "#13  t=5    node 0  receives announce (id 2) from node 1  ← #11",
        "#14  t=5    node 0  sends announce (id 2) to node 1  ← #13",
        "#15  t=6    node 1  receives announce (id 2) from node 0  ← #14",
        "#16  t=6    node 1  sends announce (id 2) to node 0  ← #15",
      ]
    `);
  });
});
