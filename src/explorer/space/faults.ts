/** What may go wrong, within the budgets of a problem: steps that a run can do without. */

import type { Action, Configurations, Visit } from "./configurations.ts";
import { PAUSED, UP } from "./layout.ts";

const FAULTS: readonly Action["do"][] = ["drop", "duplicate", "crash", "restart", "pause", "part", "heal"];

/** What may happen but need not: a run can end without it. A pause ends some time. */
export const isFault = (action: Action): boolean =>
  FAULTS.includes(action.do) || "halfway" in action || "drift" in action;

/** `ahead`: the nodes whose turn in this instant has not passed. */
export function faultSteps(network: Configurations, visit: Visit, ahead?: readonly number[]): void {
  const { layout, draft } = network;
  if (!layout.faulty) return;
  const { cells, mark } = draft;
  lossSteps(network, visit, layout.everyLink);
  const restarts = layout.left(cells, "restarts");
  for (let node = 0; node < layout.size; node++) {
    const down = network.crashed(cells, node);
    crashStep(network, node, visit);
    if (down && restarts > 0) {
      draft.set(layout.statusAt(node), UP);
      layout.spend(draft, "restarts");
      // No two starts of a process have one number: restarts of all nodes are counted together.
      const life = network.problem.budget.restarts! - restarts + 1;
      network.handle({ do: "restart", node }, node, { kind: "restart", life }, visit);
      draft.back(mark);
    }
    const idle = !layout.ends || cells[layout.touchedAt(node)] === 0;
    if (!down && !network.paused(cells, node) && idle && (ahead?.includes(node) ?? true)) {
      if (layout.left(cells, "pauses") > 0) pause(network, node, visit);
    }
  }
  partitionSteps(network, visit);
}

/** What is on these links is lost, or comes twice. */
export function lossSteps(network: Configurations, visit: Visit, links: readonly number[]): void {
  const { layout, draft } = network;
  const { cells, mark } = draft;
  for (const [kind, verb] of [
    ["drops", "drop"],
    ["duplicates", "duplicate"],
  ] as const) {
    if (layout.left(cells, kind) === 0) continue;
    for (const link of links) {
      for (const index of network.deliverable(cells, link)) {
        if (verb === "drop") network.take(link, index);
        else repeat(network, link, index);
        layout.spend(draft, kind);
        visit({ do: verb, link, index }, null);
        draft.back(mark);
      }
    }
  }
}

export function crashStep(network: Configurations, node: number, visit: Visit): void {
  const { layout, draft } = network;
  const { cells, mark } = draft;
  if (layout.left(cells, "crashes") === 0 || network.crashed(cells, node)) return;
  network.fell(node);
  layout.spend(draft, "crashes");
  visit({ do: "crash", node }, null);
  draft.back(mark);
}

/** The network falls into two sides, in every way, or heals. What was on its way before arrives. */
function partitionSteps({ layout, draft }: Configurations, visit: Visit): void {
  const { sidesAt, size } = layout;
  if (sidesAt === null) return;
  const { cells, mark } = draft;
  if (cells[sidesAt] !== 0) {
    draft.set(sidesAt, 0);
    visit({ do: "heal" }, null);
    draft.back(mark);
    return;
  }
  if (layout.left(cells, "partitions") === 0) return;
  // Node 0 is on the side without a bit.
  for (let sides = 2; sides < 2 ** size; sides += 2) {
    draft.set(sidesAt, sides);
    layout.spend(draft, "partitions");
    visit({ do: "part", sides }, null);
    draft.back(mark);
  }
}

/** The status of a node that starts on its own, but later. */
export const latest = ({ problem, timed }: Configurations): number => (timed ? -1 - (problem.latestStart ?? 1) : -1);

/** Instead of its start: the node waits for it. */
export function lateStep(network: Configurations, node: number, visit: Visit): void {
  const { layout, draft } = network;
  const { mark } = draft;
  draft.set(layout.statusAt(node), latest(network));
  layout.spend(draft, "late");
  visit({ do: "late", node }, null);
  draft.back(mark);
}

/** The pauses of these nodes, of all where missing, that can end now. */
export function resumeSteps(network: Configurations, visit: Visit, nodes?: readonly number[]): void {
  const { layout, draft, armed, timed } = network;
  if (!layout.faulty) return;
  const { cells, mark } = draft;
  for (const node of nodes ?? network.everybody) {
    if (!network.paused(cells, node)) continue;
    if (timed && cells[layout.statusAt(node)] >= longestPause(network)) continue;
    draft.set(layout.statusAt(node), UP);
    if (!timed) draft.set(layout.timersAt(node), armed.overdue(cells[layout.timersAt(node)]));
    visit({ do: "resume", node }, null);
    draft.back(mark);
  }
}

function pause(network: Configurations, node: number, visit: Visit): void {
  const { layout, draft } = network;
  const { mark } = draft;
  draft.set(layout.statusAt(node), network.timed ? longestPause(network) : PAUSED);
  layout.spend(draft, "pauses");
  visit({ do: "pause", node }, null);
  draft.back(mark);
}

/** The status of a node whose pause has just begun: it counts down. */
const longestPause = ({ problem }: Configurations): number => PAUSED + (problem.longestPause ?? 1);

function repeat({ layout, contents, draft }: Configurations, link: number, index: number): void {
  const at = layout.linkAt(link);
  draft.set(at, contents.repeat(draft.cells[at], index));
}
