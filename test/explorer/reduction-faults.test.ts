/** While a fault may still come: whatever the full search sees, the reduced one sees too. The proof is in docs/decisions/reduction.md. */
import { describe, expect, test } from "vitest";
import { explore } from "../../src/explorer/explore.ts";
import type { Problem } from "../../src/explorer/problem.ts";
import { search } from "../../src/explorer/search/search.ts";
import { type Property, termination } from "../../src/properties/properties.ts";
import { effort } from "../support/effort.ts";
import { randomProblem } from "./random-toys.ts";
import { circle, showing, toyProblem } from "./toy.ts";

const MOST = effort(3_000, 30_000);

/** All that can be seen, at any moment or in the end; null where that is too much. */
function seen(problem: Problem, reduction: "never" | "always", when: "always" | "end") {
  const looks = new Set<string>();
  const look: Property = {
    name: "look",
    about: "nothing, but looks at everything",
    when,
    violated: (view) => {
      const nodes = [0, 1, 2].map((node) => `${view.alive(node)} ${view.verdict(node).status}`);
      looks.add(nodes.join());
      return null;
    },
  };
  const properties = when === "end" ? [look, termination] : [look];
  const { violation, ...found } = search(problem, { properties, reduction, maxStates: MOST });
  return { looks, ...found, endless: violation?.property };
}

test("protocols that nobody thought of, with faults of all kinds", () => {
  let [compared, whole, visited] = [0, 0, 0];
  for (let seed = 0; seed < effort(16, 300); seed++) {
    const problem = randomProblem(seed);
    const full = seen(problem, "never", "always");
    if (!full.complete) continue;
    const less = seen(problem, "always", "always");
    expect(less.looks, `what shows of ${seed}`).toEqual(full.looks);
    expect([less.ends, less.messages.min], `ends of ${seed}`).toEqual([full.ends, full.messages.min]);
    if (full.messages.max !== null) expect(less.messages, `messages of ${seed}`).toEqual(full.messages);
    const [ends, lessEnds] = (["never", "always"] as const).map((reduction) => seen(problem, reduction, "end"));
    expect(lessEnds.looks, `what shows in the ends of ${seed}`).toEqual(ends.looks);
    expect(lessEnds.endless, `whether ${seed} ends`).toBe(ends.endless);
    compared++;
    whole += full.states;
    visited += less.states;
  }
  expect(compared).toBeGreaterThan(effort(10, 200));
  expect(visited).toBeLessThan(0.95 * whole);
});

describe("a circle that only a fault leaves", () => {
  /** Only a crash of node 0 leads to anything that is new there. */
  const both: Property = {
    name: "both",
    about: "not both of the others lead while node 0 lives",
    when: "always",
    violated: (view) =>
      view.alive(0) && [1, 2].every((node) => view.verdict(node).status === "elected") ? "both do" : null,
  };

  test.each(["never", "always"] as const)("what is put off in it is not left out: %s", (reduction) => {
    const problem = toyProblem(showing(circle), 3, { budget: { crashes: 1 } });
    expect(search(problem, { properties: [both], reduction }).violation?.property).toBe("both");
  });
});

test("a ring that may lose a message, or a node: a tenth of it stands for all", () => {
  const request = { n: 6, ids: [6, 5, 4, 3, 2, 1], properties: ["at-most-one-leader"] };
  for (const fault of [{ crashes: 1 }, { drops: 1 }]) {
    const [full, less] = (["never", "always"] as const).map((reduction) =>
      explore("chang-roberts", { ...request, ...fault, reduction }),
    );
    expect([less.ends, less.messages]).toEqual([full.ends, full.messages]);
    expect(less.states).toBeLessThan(full.states / 4);
  }
});
