/**
 * Runs that never end. A schedule that starves a message for ever is none: what can happen all the time must happen at
 * some time (weak fairness), and so must every outcome of a draw that is made again and again.
 */
import type { Action, Step } from "../space/configurations.ts";
import type { StateSpace } from "../space/state-space.ts";
import type { StepGraph } from "../space/step-graph.ts";

export interface ConfigurationGraph {
  vector(index: number): Int32Array;
  /** The number of the configuration that a vector stands for. */
  number(vector: Int32Array): number;
}

/** A way from a configuration, the first of its kind, back to itself; null where no fair run stays for ever, `within` some of them. */
export function endlessLoop(
  network: StateSpace,
  graph: StepGraph,
  all: ConfigurationGraph,
  fairness: "weak" | "strong" = "weak",
  within?: ReadonlySet<number>,
): readonly number[] | null {
  const open = graph.endComponents(within).reverse();
  for (let members = open.pop(); members !== undefined; members = open.pop()) {
    const starving = starvingIn(network, members, all, fairness);
    if (starving.size === 0) return shortestLoop(network, members, all);
    if (fairness === "weak") continue;
    // A strongly fair run that stays here must stay where what starves is not even possible.
    const rest = members.filter((index) => {
      const vector = all.vector(index);
      return !network.steps(vector).some((step) => starving.has(subject(network, vector, step) ?? ""));
    });
    open.push(...graph.endComponents(new Set(rest)).reverse());
  }
  return null;
}

/** What is possible all the time (weak), or at any time (strong), and never happens without leaving. */
function starvingIn(
  network: StateSpace,
  members: readonly number[],
  all: ConfigurationGraph,
  fairness: "weak" | "strong",
): Set<string> {
  const inside = new Set(members);
  let waiting: Set<string> | null = null;
  const taken = new Set<string>();
  for (const index of members) {
    const vector = all.vector(index);
    const possible = new Set<string>();
    const leaving = new Set<Action>();
    const steps = network.steps(vector);
    // Whatever is drawn, the run stays inside: otherwise it leaves some time, and this schedule must not take it.
    for (const { action, after, outcome } of steps) {
      if (outcome?.beyond === true || !inside.has(all.number(after))) leaving.add(action);
    }
    for (const step of steps) {
      const name = subject(network, vector, step);
      if (name === null) continue;
      possible.add(name);
      if (!leaving.has(step.action)) taken.add(name);
    }
    const before: Set<string> = waiting ?? possible;
    waiting = new Set(
      fairness === "strong" ? [...before, ...possible] : [...before].filter((name) => possible.has(name)),
    );
  }
  return new Set([...waiting!].filter((name) => !taken.has(name)));
}

/** What a step happens to: a message, a timer, or a node that stands still. Faults and the passing of time starve nobody. */
export function subject(network: StateSpace, vector: Int32Array, { action }: Pick<Step, "action">): string | null {
  if ("halfway" in action) return null;
  if (action.do === "start") return `start ${action.node}`;
  if (action.do === "resume") return `resume ${action.node}`;
  if (action.do === "expire") return `${action.node} ${action.timer}`;
  if (action.do !== "deliver") return null;
  return `${action.link}: ${network.onLink(vector, action.link)[action.index].message}`;
}

function shortestLoop(network: StateSpace, members: readonly number[], all: ConfigurationGraph): readonly number[] {
  const inside = new Set(members);
  const start = members[0];
  let ways: number[][] = [[start]];
  const seen = new Set<number>();
  for (;;) {
    const longer: number[][] = [];
    for (const way of ways) {
      for (const { after, outcome } of network.steps(all.vector(way[way.length - 1]))) {
        if (outcome?.beyond === true) continue;
        const next = all.number(after);
        if (next === start) return [...way, start];
        if (!inside.has(next) || seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
}
