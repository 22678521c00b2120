import fc from "fast-check";
import { expect, test } from "vitest";
import { components, StepGraph } from "./step-graph.ts";

const VERTICES = 7;
const anyGraph = fc.array(fc.array(fc.nat({ max: VERTICES - 1 }), { maxLength: 3 }), {
  minLength: VERTICES,
  maxLength: VERTICES,
});

/** Which vertices can be reached, by repeated squaring of nothing: just Warshall. */
function closure(graph: readonly (readonly number[])[]): boolean[][] {
  const reach = graph.map((targets) => graph.map((_, target) => targets.includes(target)));
  for (const k of graph.keys()) {
    for (const i of graph.keys()) for (const j of graph.keys()) reach[i][j] ||= reach[i][k] && reach[k][j];
  }
  return reach;
}

function stepGraph(graph: readonly (readonly number[])[], choice: (edge: number) => number): StepGraph {
  const steps = new StepGraph();
  for (const targets of graph) {
    for (const [edge, target] of targets.entries()) steps.add(target, edge, choice(edge));
    steps.expanded();
  }
  return steps;
}

test("two vertices share a component when each reaches the other", () => {
  const property = fc.property(anyGraph, (graph) => {
    const found = components(VERTICES, (vertex) => graph[vertex]);
    const reach = closure(graph);
    for (const a of graph.keys()) {
      for (const b of graph.keys()) expect(found[a] === found[b]).toBe(a === b || (reach[a][b] && reach[b][a]));
    }
  });
  fc.assert(property, { seed: 1, numRuns: 300 });
});

test("where the schedule chooses, every loop is endless; an order exists where there is none", () => {
  const property = fc.property(anyGraph, (graph) => {
    const steps = stepGraph(graph, (edge) => edge);
    const reach = closure(graph);
    const looping = [...graph.keys()].filter((vertex) => reach[vertex][vertex]);
    expect(steps.endComponents().flat().sort()).toEqual(looping);
    expect(steps.order().length === VERTICES).toBe(looping.length === 0);
  });
  fc.assert(property, { seed: 2, numRuns: 300 });
});

/** Where chance chooses among all edges of a vertex, a run stays in a set for ever if no edge leads out of it. */
test("where chance chooses, only what cannot be left is endless", () => {
  const property = fc.property(anyGraph, (graph) => {
    const steps = stepGraph(graph, () => 0);
    const reach = closure(graph);
    const trapped = [...graph.keys()].filter(
      (vertex) => reach[vertex][vertex] && graph.every((_, other) => !reach[vertex][other] || reach[other][vertex]),
    );
    expect(steps.endComponents().flat().sort()).toEqual(trapped);
  });
  fc.assert(property, { seed: 3, numRuns: 300 });
});

test("the least and the most weight of ways, against all ways", () => {
  // Edges lead to larger numbers only, so there are no loops and all ways can be walked.
  const property = fc.property(anyGraph, (any) => {
    const graph = any.map((targets, vertex) => targets.filter((target) => target > vertex));
    const ways: number[][] = graph.map(() => []);
    const walk = (vertex: number, weight: number) => {
      ways[vertex].push(weight);
      for (const [edge, target] of graph[vertex].entries()) walk(target, weight + edge);
    };
    walk(0, 0);
    const steps = stepGraph(graph, (edge) => edge);
    const reached = [...graph.keys()].filter((vertex) => ways[vertex].length > 0);
    const least = Int32Array.from(ways, (weights) => (weights.length > 0 ? weights[0] : 1000));
    const most = Int32Array.from(ways, (weights) => (weights.length > 0 ? weights[0] : -1000));
    const again = least.slice();
    const order = steps.order();
    steps.weigh(order, least, most);
    steps.weighLeast(again);
    for (const vertex of reached) {
      expect(least[vertex]).toBe(Math.min(...ways[vertex]));
      expect(again[vertex]).toBe(least[vertex]);
      expect(most[vertex]).toBe(Math.max(...ways[vertex]));
      const starts = Int32Array.from(graph, (_, start) => (start === 0 ? -1 : 0));
      const way = steps.dearest(most, new Int32Array(VERTICES), starts, vertex);
      expect([way[0], way.at(-1)]).toEqual([0, vertex]);
    }
  });
  fc.assert(property, { seed: 4, numRuns: 300 });
});
