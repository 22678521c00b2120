/**
 * Commuting steps in one order only: whatever the full search says of a promise, the reduced one says too. It visits fewer
 * configurations, but every end, and runs cost the same. The proof is in docs/decisions/reduction.md.
 */
import { describe, expect, test } from "vitest";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import type { Problem } from "../../src/explorer/problem.ts";
import { Judge } from "../../src/explorer/search/judge.ts";
import { Pass } from "../../src/explorer/search/pass.ts";
import { Reduction } from "../../src/explorer/search/reduction.ts";
import { search } from "../../src/explorer/search/search.ts";
import { finished } from "../../src/explorer/search/search-terms.ts";
import { StateSpace } from "../../src/explorer/space/state-space.ts";
import { atMostOneLeader, type Property, propertyNames } from "../../src/properties/properties.ts";
import { type AnyProtocol, SELF } from "../../src/protocol.ts";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { NEXT } from "../../src/topology/ring.ts";
import { effort } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import { plantedBugs } from "./planted-bugs.ts";
import { circle, showing, type Toy, toyProblem } from "./toy.ts";

/** More than this is for the long tests. */
const MOST = effort(4_000, 300_000);

function compare(protocol: AnyProtocol, request: ExploreRequest): "compared" | "too large" {
  const searched = (reduction: "never" | "always", properties: readonly string[]) =>
    explore(protocol, { ...request, properties, reduction, maxStates: MOST });
  const full = searched("never", []);
  if (!full.complete) return "too large";
  const reduced = searched("always", []);
  expect(reduced.complete).toBe(true);
  expect(reduced.ends).toBe(full.ends);
  expect(reduced.messages.min).toBe(full.messages.min);
  if (full.messages.max !== null) expect(reduced.messages).toEqual(full.messages);
  expect(reduced.states).toBeLessThanOrEqual(full.states);
  const all = Object.keys(propertyNames);
  // Where nothing breaks any promise, the full search need not be asked for each of them.
  const nothing = searched("never", all);
  for (const property of all) {
    const whole = nothing.violation === null ? nothing : searched("never", [property]);
    const less = searched("always", [property]);
    expect(less.violation?.property, property).toBe(whole.violation?.property);
    expect(less.complete, property).toBe(whole.complete);
  }
  return "compared";
}

describe("reduced and full search agree on every promise", () => {
  /** Draws and phases without end are cut, or nothing could be compared. */
  const cut: Readonly<Record<string, ExploreRequest>> = {
    "itai-rodeh": { n: 3, limits: { phases: 2 }, params: { range: 2 } },
  };
  /** Its first eight draws alone have more outcomes than are searched here. */
  const endless = "quorum-estimated";
  const untimed = catalogue.filter(
    ({ name, assumes }) => name !== endless && (assumes.topology === "ring" || assumes.topology === "complete"),
  );
  const sizes = untimed.flatMap((protocol) => effort([2], [2, 3]).map((n) => [protocol.name, n] as const));

  test("in enough protocols to be worth the name", () => {
    const compared = new Set<string>();
    for (const [name, n] of sizes) {
      for (const fifo of effort([true], [true, false])) {
        const request = { choices: 2, elections: 1, ...cut[name], n, fifo };
        const protocol = protocolNamed(name);
        if (!fifo && protocol.assumes.fifo) continue;
        if (compare(protocol, request) === "compared") compared.add(name);
      }
    }
    // With time there is nothing to leave out, but the answer must be the same.
    expect(compared.size).toBeGreaterThanOrEqual(untimed.length - 2);
  });

  test.each<ExploreRequest>([
    { n: 1 },
    { n: 3, drops: 1 },
    { n: 3, crashes: 1 },
    { n: 3, crashes: 1, restarts: 1 },
    { n: 3, duplicates: 1 },
    { n: 3, pauses: 1 },
    { n: 3, halfway: 1 },
    { n: 3, late: 2 },
    { n: 3, partitions: 1 },
    { n: 3, initiators: "any" },
    { n: 3, params: { spread: 1 } },
    { n: 3, params: { passive: "join" }, initiators: "any" },
  ])("on rings, %j", (request) => {
    for (const name of effort(["chang-roberts", "peterson"], ["chang-roberts", "peterson", "hirschberg-sinclair"])) {
      if (name === "hirschberg-sinclair" && request.restarts === 1) continue;
      expect(compare(protocolNamed(name), request)).toBe("compared");
    }
  });

  test("on an anonymous ring, with its rotations as one", () => {
    for (const range of [2, 3]) {
      const request = { n: 3, params: { range }, limits: { phases: 2 } };
      expect(compare(protocolNamed("itai-rodeh"), request)).toBe("compared");
    }
  });

  test.each(plantedBugs)("$mistake", ({ protocol, request }) => {
    const [full, reduced] = (["never", "always"] as const).map((reduction) =>
      explore(protocol, { ...request, reduction }),
    );
    expect(reduced.violation === null).toBe(full.violation === null);
  });
});

/** What a reduction does that chooses sets of independent steps and nothing more. */
function plain(problem: Problem, properties: readonly Property[], blind: boolean) {
  const network = new StateSpace(problem);
  const judge = new Judge(network, properties);
  const chooser = new Judge(network, properties);
  if (blind) chooser.face = () => 0;
  const reduction = new Reduction(network, chooser);
  for (;;) {
    const result = finished(new Pass(network, judge, { properties }, reduction, "commuting").run());
    if (!reduction.outdated) return result;
    reduction.again();
  }
}

describe("where a plain reduction errs, this one does not", () => {
  const properties = [atMostOneLeader];

  test("each of two nodes leads for one moment: only some orders make both lead at once", () => {
    const moment: Toy = {
      init(_node, ctx) {
        ctx.send(SELF, true);
        return { leads: false };
      },
      receive(state, message, ctx) {
        state.leads = message;
        if (message) ctx.send(SELF, false);
      },
    };
    const problem = toyProblem(showing(moment), 2);
    expect(plain(problem, properties, true)).toMatchObject({ complete: true, violation: null });
    for (const reduction of ["always", "never"] as const) {
      expect(search(problem, { properties, reduction }).violation?.property).toBe("at-most-one-leader");
    }
  });

  test("one node turns in a circle for ever, and what the others do is put off for as long", () => {
    const problem = toyProblem(showing(circle), 3);
    expect(plain(problem, properties, false)).toMatchObject({ complete: true, violation: null });
    for (const reduction of ["always", "never"] as const) {
      expect(search(problem, { properties, reduction }).violation?.property).toBe("at-most-one-leader");
    }
  });

  test("a link that nobody has used before is used at last: what was left out before is made up for", () => {
    // Node 1 hears of node 0 over one link; much later, over another, of node 2, which asked node 0 first.
    const late: Toy = {
      init(node, ctx) {
        if (node === 0) ctx.send(NEXT, "first");
        if (node === 2) ctx.send(NEXT, "ask");
        return { node, heard: [], leads: false };
      },
      receive(state, message, ctx, port) {
        if (message === "ask") ctx.send(port, "answer");
        else if (message === "answer") ctx.send(1, "second");
        else state.heard.push(message);
        state.leads = state.heard.join() === "second,first" || (state.node === 0 && message === "ask");
      },
    };
    const problem = toyProblem(showing(late), 3);
    for (const reduction of ["always", "never"] as const) {
      expect(search(problem, { properties, reduction }).violation?.property).toBe("at-most-one-leader");
    }
  });
});

test("a property that reads how many messages were sent is checked in full", () => {
  const few: Property = {
    ...atMostOneLeader,
    name: "few-messages",
    violated: ({ messages }) => (messages < 9 ? null : "many"),
  };
  for (const reduction of ["always", "never"] as const) {
    const { violation, reduced } = explore("chang-roberts", { n: 4, ids: [4, 3, 2, 1], properties: [few], reduction });
    expect([violation?.what, reduced]).toEqual(["many", false]);
  }
});

test("what it finds is a run from the blank network, step by step", () => {
  const { violation } = explore("chang-roberts", { n: 4, crashes: 1, reduction: "always" });
  expectRun(violation!);
});

test("rings of 32 are nothing: 561 configurations stand for billions", () => {
  const ids = Array.from({ length: 32 }, (_, i) => 32 - i);
  const found = explore("chang-roberts", { n: 32, ids, reduction: "always" });
  expect(found).toMatchObject({
    complete: true,
    violation: null,
    states: 561,
    ends: 1,
    messages: { min: 560, max: 560 },
  });
  expect(explore("peterson", { n: 32, ids, reduction: "always" })).toMatchObject({ complete: true, violation: null });
});
