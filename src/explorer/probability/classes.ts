/**
 * A Markov decision process made ready for solving: sets of vertices within which a schedule can keep the run are one class, which
 * a fair schedule leaves some time, by any way out it likes, unless it may stay for ever; and classes that lead to one
 * another are one layer, after all layers that it leads to.
 */
import { components, StepGraph } from "../space/step-graph.ts";
import type { DecisionProcess, Edge, Vertex } from "./graph.ts";

export interface Classes {
  readonly of: Int32Array;
  /** By class: what leads out of it, one entry for each thing that can happen. */
  readonly ways: readonly (readonly (readonly Edge[])[])[];
  /** By class: whether a fair schedule may keep the run in it for ever. */
  readonly stays: readonly boolean[];
  /** By class: one of its vertices; the only one where runs end. */
  readonly first: readonly number[];
  readonly layers: readonly (readonly number[])[];
  /** Whether a schedule, fair or not, can keep a run somewhere for ever. */
  readonly endless: boolean;
}

export function classesOf(model: DecisionProcess): Classes {
  const { vertices } = model;
  const sets = endlessSets(model);
  const of = new Int32Array(vertices.length).fill(-1);
  for (const [number, members] of sets.entries()) for (const vertex of members) of[vertex] = number;
  const first = sets.map(([vertex]) => vertex);
  for (const vertex of vertices.keys()) {
    if (of[vertex] < 0) of[vertex] = first.push(vertex) - 1;
  }
  const ways = first.map((vertex, own) =>
    own < sets.length
      ? sets[own].flatMap((member) =>
          waysOf(vertices[member]).filter((edges) => edges.some(({ target }) => of[target] !== own)),
        )
      : waysOf(vertices[vertex]),
  );
  const stays = first.map((_, own) => own < sets.length && isFair(sets[own], vertices, of, own));
  return { of, ways, stays, first, layers: layersOf(of, ways), endless: sets.length > 0 };
}

const waysOf = ({ choices }: Vertex) => choices.map(({ edges }) => edges);

function endlessSets({ vertices }: DecisionProcess): number[][] {
  const graph = new StepGraph();
  for (const { choices } of vertices) {
    for (const [choice, { edges }] of choices.entries()) for (const { target } of edges) graph.add(target, 0, choice);
    graph.expanded();
  }
  return graph.order().length === vertices.length ? [] : graph.endComponents();
}

function layersOf(of: Int32Array, ways: Classes["ways"]): number[][] {
  const next = (own: number) => [...new Set(ways[own].flatMap((edges) => edges.map(({ target }) => of[target])))];
  const layers: number[][] = [];
  for (const [own, layer] of components(ways.length, next).entries()) {
    layers[layer] ??= [];
    layers[layer].push(own);
  }
  return layers;
}

/** Nothing that can happen all the time is left out by staying. */
function isFair(
  members: readonly number[],
  vertices: DecisionProcess["vertices"],
  of: Int32Array,
  own: number,
): boolean {
  let waiting: Set<string> | null = null;
  const taken = new Set<string>();
  for (const vertex of members) {
    const possible = new Set<string>();
    for (const { subject, edges } of vertices[vertex].choices) {
      if (subject === null) continue;
      possible.add(subject);
      if (edges.every(({ target }) => of[target] === own)) taken.add(subject);
    }
    const before: Set<string> = waiting ?? possible;
    waiting = new Set([...before].filter((name) => possible.has(name)));
  }
  return [...(waiting ?? [])].every((name) => taken.has(name));
}
