/** The seams on which groups that last are built: embedded elections, terms, offices and commands, under every fault. */
import { describe, expect, test } from "vitest";
import { runEvents } from "../../src/host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import { openRun } from "../../src/host/stepping/stepping.ts";
import { Watch } from "../../src/host/watch.ts";
import { atMostOneLeader, type History, type Property, termsGrow } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { resolveParameters } from "../../src/protocols/parameters.ts";
import { HostStream } from "../../src/random/streams.ts";
import { open } from "../../src/topology/topology.ts";
import { majority, type TermsState, terms } from "../support/terms.ts";

const N = 5;
const RUNS = 40;
/** The last fault is over by then. */
const HEALED = 40;

const ofMajority = terms(majority, N);

function setupOf(protocol: AnyProtocol, seed: number, faults: Partial<FaultPlan> = {}, child: unknown = {}) {
  return {
    protocol,
    params: { beat: 1, patience: 4, child },
    topology: open(N),
    seed,
    trial: 0,
    ids: Float64Array.from({ length: N }, (_, node) => 10 + node),
    initiators: null,
    crashed: [],
    seeds: ["0", "1"],
    until: 80,
    fifo: false,
    faults: { ...NO_FAULTS, ...faults },
    delay: { kind: "uniform", min: 0.05, max: 0.2 },
  } satisfies EventsSetup;
}

/** Everything that can go wrong, and heals. Nodes 0 and 1, whose addresses are known, stay. */
function trouble(seed: number, saved = true): Partial<FaultPlan> {
  const draws = new HostStream(seed, 0, "losses");
  const moment = () => 3 + 30 * draws.uniform();
  const some = <T>(most: number, make: () => T) => Array.from({ length: draws.choose(most + 1) }, make);
  const span = () => {
    const from = moment();
    return { from, to: Math.min(HEALED, from + 8 * draws.uniform()) };
  };
  const cut = () => ({ groups: [[0, draws.choose(4) + 1]], oneWay: draws.coin(0.3), ...span() });
  const reboots = some(3, () => ({
    node: draws.choose(4),
    at: moment(),
    sends: draws.coin(0.5) ? draws.choose(4) : undefined,
  }));
  return {
    losses: [{ rate: 0.1, kind: "both", link: null, from: 0, to: HEALED }],
    crashes: reboots,
    restarts: reboots.map(({ node, at }) => ({ node, at: at + 4 * draws.uniform(), saved })),
    joins: [{ node: 4, at: moment() }],
    leaves: draws.coin(0.5) ? [{ node: 3, at: HEALED }] : [],
    pauses: some(2, () => ({ node: draws.choose(4), ...span() })),
    partitions: some(2, cut),
    commands: some(2, () => ({ node: draws.choose(4), at: moment(), message: { kind: "resign" } })),
    duplicate: 0.2,
    reorder: 0.2,
    drift: 0.1,
    spikes: [{ rate: 0.05, delay: 3, link: null, from: 0, to: HEALED }],
  };
}

function watched(setup: EventsSetup, properties: readonly (Property | History)[] = [atMostOneLeader, termsGrow]) {
  const watch = new Watch(properties);
  const { census } = runEvents({ ...setup, observer: watch });
  return { breach: watch.breach, census };
}

const seeds = Array.from({ length: RUNS }, (_, seed) => seed);

/** At the horizon: one leads, and all who are there follow. */
const settled: Property = {
  name: "settled",
  about: "at the horizon one leads and all follow",
  when: "end",
  violated(view) {
    const there = Array.from({ length: view.size }, (_, node) => node).filter((node) => view.alive(node));
    const holders = new Set(there.map((node) => view.verdict(node).leader));
    return holders.size === 1 && !holders.has(null) ? null : `leaders: ${[...holders].join(", ")}`;
  },
};

describe("a leader for every term, by a child on a frozen view", () => {
  test("whatever goes wrong and heals: never two of one term, terms only grow, in the end all follow one", () => {
    for (const seed of seeds) {
      const { breach } = watched(setupOf(ofMajority, seed, trouble(seed)), [atMostOneLeader, termsGrow, settled]);
      expect({ seed, breach }).toEqual({ seed, breach: null });
    }
  });

  test("planted: members that forget their term are caught", () => {
    const breaches = seeds.map((seed) => watched(setupOf(ofMajority, seed, trouble(seed, false))).breach?.property);
    expect(breaches).toContain(termsGrow.name);
  });

  test("planted: a restarted member that takes part again in a term it had seen makes two leaders", () => {
    const eager: typeof ofMajority = {
      ...ofMajority,
      init: (params, self, saved, ctx) =>
        ofMajority.init(params, self, saved && { term: Math.max(0, saved.term - 1) }, ctx),
    };
    // So little patience that members open the same term again and again, and so many restarts that voters forget.
    const restless = (protocol: AnyProtocol, seed: number) => {
      const restarts = Array.from({ length: 100 }, (_, i) => ({ node: i % N, at: 3 + 0.3 * i, saved: true }));
      const setup = setupOf(protocol, seed, { restarts });
      const impatient = { ...setup, until: 36, params: { ...setup.params, patience: 0.3 } };
      return watched(impatient, [atMostOneLeader]).breach;
    };
    expect(seeds.slice(0, 10).map((seed) => restless(ofMajority, seed))).toEqual(Array(10).fill(null));
    expect(seeds.slice(0, 10).map((seed) => restless(eager, seed) !== null)).toContain(true);
  });

  test("a command to resign leaves the office empty until the next term", () => {
    const run = openRun(setupOf(ofMajority, 1, { leaves: [{ node: 4, at: 30 }] }));
    const leader = () => [0, 1, 2, 3].find((node) => run.alive(node) && run.verdict(node).status === "elected");
    while (leader() === undefined) run.step();
    const first = leader()!;
    const { term } = run.verdict(first);
    run.inject({ command: first, message: { kind: "resign" } });
    expect(run.step()).toMatchObject({ do: "command", node: first });
    expect(run.report(first)).toEqual({ offices: { leader: { term, holder: null, mine: false } } });
    run.seek(Infinity);
    expect(run.verdict(leader()!).term).toBeGreaterThan(term);
    // The view of the last term's child was frozen before 4 left; nobody fell over it.
    expect((run.state(leader()!) as TermsState).election!.ports).toHaveLength(4);
  });

  test("stepped through, back and forth, it is the same run to the last bit", () => {
    for (const seed of seeds.slice(0, 8)) {
      const setup = setupOf(ofMajority, seed, trouble(seed));
      const run = openRun(setup);
      const last = run.seek(Infinity);
      const half = last >> 1;
      run.seek(half);
      const before = JSON.stringify([0, 1, 2, 3, 4].map((node) => run.state(node)));
      run.seek(Infinity);
      expect(run.result()).toEqual(runEvents(setup));
      run.seek(half);
      expect(JSON.stringify([0, 1, 2, 3, 4].map((node) => run.state(node)))).toBe(before);
    }
  });
});

describe("children of the catalogue", () => {
  test.each(["quorum", "tournament-async", "filter-relay", "random-walks"])("%s, term after term", (name) => {
    const child = protocolNamed(name);
    const params = resolveParameters(child, {}, N, { maxDelay: 0.2 });
    for (const seed of seeds.slice(0, 10)) {
      const setup = setupOf(terms(child), seed, trouble(seed), params);
      expect(watched(setup, [termsGrow]).breach).toBeNull();
    }
  });
});
