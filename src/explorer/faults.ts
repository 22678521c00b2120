/** What may go wrong, within the budgets of a problem: steps that a run can do without. */
import { PAUSED, UP } from "./layout.ts";
import type { Action, StateSpace, Step } from "./state-space.ts";

const FAULTS: readonly Action["do"][] = ["drop", "duplicate", "crash", "restart", "pause", "part", "heal"];

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
  return [...steps, ...partitionSteps(network, vector)];
}

/** The network falls into two sides, in every way, or heals. What was on its way before arrives. */
function partitionSteps({ layout }: StateSpace, vector: Int32Array): Step[] {
  const { sidesAt, size } = layout;
  if (sidesAt === null) return [];
  const with_ = (sides: number): Step => {
    const after = Int32Array.from(vector);
    after[sidesAt] = sides;
    if (sides !== 0) layout.spend(after, "partitions");
    return { action: sides === 0 ? { do: "heal" } : { do: "part", sides }, after, outcome: null };
  };
  if (vector[sidesAt] !== 0) return [with_(0)];
  if (layout.left(vector, "partitions") === 0) return [];
  // Node 0 is on the side without a bit.
  return Array.from({ length: 2 ** (size - 1) - 1 }, (_, i) => with_(2 * (i + 1)));
}

/** The status of a node that starts on its own, but later. */
export const latest = ({ problem, timed }: StateSpace): number => (timed ? -1 - (problem.latestStart ?? 1) : -1);

/** Instead of its start: the node waits for it. */
export function lateStep(network: StateSpace, vector: Int32Array, node: number): Step {
  const after = withStatus(network, vector, node, latest(network));
  network.layout.spend(after, "late");
  return { action: { do: "late", node }, after, outcome: null };
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
