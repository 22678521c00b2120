/** What may go wrong, within the budgets of a problem: steps that a run can do without. */
import { PAUSED, UP } from "./layout.ts";
import type { Action, StateSpace, Step } from "./state-space.ts";

const FAULTS: readonly Action["do"][] = ["drop", "duplicate", "crash", "restart", "pause"];

/** What may happen but need not: a run can end without it. A pause ends some time. */
export const isFault = (action: Action): boolean => FAULTS.includes(action.do) || "halfway" in action;

/** `ahead`: the nodes whose turn in this instant has not passed. */
export function faultSteps(network: StateSpace, vector: Int32Array, ahead?: readonly number[]): Step[] {
  const { layout } = network;
  const steps: Step[] = [];
  for (const [kind, verb] of [
    ["drops", "drop"],
    ["duplicates", "duplicate"],
  ] as const) {
    if (layout.left(vector, kind) === 0) continue;
    for (let link = 0; link < network.links.length; link++) {
      for (const index of network.deliverable(vector, link)) {
        const after = verb === "drop" ? network.without(vector, link, index) : twice(network, vector, link, index);
        layout.spend(after, kind);
        steps.push({ action: { do: verb, link, index }, after, outcome: null });
      }
    }
  }
  const restarts = layout.left(vector, "restarts");
  for (let node = 0; node < layout.size; node++) {
    const down = network.crashed(vector, node);
    if (!down && layout.left(vector, "crashes") > 0) {
      const after = network.fallen(vector, node);
      layout.spend(after, "crashes");
      steps.push({ action: { do: "crash", node }, after, outcome: null });
    }
    if (down && restarts > 0) {
      const up = withStatus(network, vector, node, UP);
      layout.spend(up, "restarts");
      // No two starts of a process have one number: restarts of all nodes are counted together.
      const life = network.problem.budget.restarts! - restarts + 1;
      steps.push(...network.handlerSteps(up, { do: "restart", node }, node, { kind: "restart", life }));
    }
    const idle = !layout.ends || vector[layout.touchedAt(node)] === 0;
    if (!down && !network.paused(vector, node) && idle && (ahead?.includes(node) ?? true)) {
      if (layout.left(vector, "pauses") > 0) steps.push(pause(network, vector, node));
    }
  }
  return steps;
}

/** The pauses of these nodes, of all where missing, that can end now. */
export function resumeSteps(network: StateSpace, vector: Int32Array, nodes?: readonly number[]): Step[] {
  const { layout, armed, timed } = network;
  return (nodes ?? network.everybody)
    .filter((node) => network.paused(vector, node))
    .filter((node) => !timed || vector[layout.statusAt(node)] < longestPause(network))
    .map((node) => {
      const after = withStatus(network, vector, node, UP);
      if (!timed) after[layout.timersAt(node)] = armed.overdue(after[layout.timersAt(node)]);
      return { action: { do: "resume", node }, after, outcome: null };
    });
}

function pause(network: StateSpace, vector: Int32Array, node: number): Step {
  const after = withStatus(network, vector, node, network.timed ? longestPause(network) : PAUSED);
  network.layout.spend(after, "pauses");
  return { action: { do: "pause", node }, after, outcome: null };
}

/** The status of a node whose pause has just begun: it counts down. */
const longestPause = ({ problem }: StateSpace): number => PAUSED + (problem.longestPause ?? 1);

function twice(network: StateSpace, vector: Int32Array, link: number, index: number): Int32Array {
  const after = Int32Array.from(vector);
  const at = network.layout.linkAt(link);
  after[at] = network.contents.repeat(vector[at], index);
  return after;
}

function withStatus({ layout }: StateSpace, vector: Int32Array, node: number, status: number): Int32Array {
  const after = Int32Array.from(vector);
  after[layout.statusAt(node)] = status;
  return after;
}
