/** The steps that lead out of a configuration: of the protocol, of time and of faults. */

import { InputError } from "../../errors.ts";
import { census } from "../../host/census.ts";
import type { View } from "../../properties/properties.ts";
import { Configurations, type Step, type Visit } from "./configurations.ts";
import { crashStep, faultSteps, lateStep, lossSteps, resumeSteps } from "./faults.ts";
import { timedSteps } from "./instants.ts";

/** A small network as the explorer sees it: configurations, and the steps between them. */
export class StateSpace extends Configurations {
  /** Every way in which the node can start, or not start yet. */
  start(vector: Int32Array, node: number): Step[] {
    return this.copies(vector, (visit) => this.visitStart(node, visit));
  }

  visitStart(node: number, visit: Visit): void {
    this.startNow(node, visit);
    if (this.layout.left(this.draft.cells, "late") > 0) lateStep(this, node, visit);
  }

  /** All steps out of a configuration, each with a configuration of its own. */
  steps(vector: Int32Array): Step[] {
    return this.copies(vector, (visit) => this.visitSteps(visit));
  }

  private copies(vector: Int32Array, work: (visit: Visit) => void): Step[] {
    const { draft } = this;
    const steps: Step[] = [];
    draft.load(vector);
    work((action, outcome) => steps.push({ action, after: Int32Array.from(draft.cells), outcome }));
    return steps;
  }

  /** Visits all steps out of the configuration that the draft holds. */
  visitSteps(visit: Visit): void {
    if (this.problem.maxDelay === null) this.untimedSteps(visit);
    else timedSteps(this, visit, this.problem.maxDelay);
  }

  private untimedSteps(visit: Visit): void {
    const { cells } = this.draft;
    const overdue = this.due(true, -1);
    if (overdue !== null) {
      this.expire(overdue.node, overdue.timer, visit);
      return;
    }
    for (let link = 0; link < this.links.length; link++) {
      if (cells[this.layout.linkAt(link)] !== this.contents.empty) this.deliverAll(link, visit);
    }
    for (let node = 0; node < this.layout.size; node++) this.actAlone(node, visit);
    resumeSteps(this, visit);
    faultSteps(this, visit);
  }

  /** Untimed: visits the steps of one node out of the configuration that the draft holds, and what can go wrong with it. */
  visitNode(node: number, visit: Visit): void {
    const links = this.layout.inLinks[node];
    for (const link of links) this.deliverAll(link, visit);
    this.actAlone(node, visit);
    lossSteps(this, visit, links);
    crashStep(this, node, visit);
  }
}

/** One of them: the starts that lead to it, in order. Equal ones may come again. */
export function* beginnings(network: StateSpace): Generator<readonly Step[]> {
  const starters = network.starters();
  const blank = network.blank();
  const taken: Step[] = [];
  /** The ways in which each starter up to the present one can go on that have not been taken. */
  const open: Step[][] = [];
  for (;;) {
    while (taken.length < starters.length) {
      const ways = network.start(taken.at(-1)?.after ?? blank, starters[taken.length]).reverse();
      taken.push(ways.pop()!);
      open.push(ways);
    }
    yield taken;
    while (open.length > 0 && open[open.length - 1].length === 0) {
      open.pop();
      taken.pop();
    }
    if (open.length === 0) return;
    taken[taken.length - 1] = open[open.length - 1].pop()!;
  }
}

export function viewOf(network: StateSpace, vector: Int32Array, messages: number | (() => number)): View {
  const { ids, topology, protocol, params } = network.problem;
  const view: View & { readonly __proto__: object } = {
    __proto__: TIMELESS,
    size: topology.size,
    alive: (node) => !network.crashed(vector, node),
    awake: (node) => network.awake(vector, node),
    id: (node) => ids?.[node] ?? null,
    verdict: (node) => network.nodes.verdict(node, network.state(vector, node)),
    report: (node) => network.nodes.report(node, network.state(vector, node)),
    get messages() {
      return typeof messages === "number" ? messages : messages();
    },
    outcome: () => {
      const found = census(view);
      const byLeaders = found.elected === 0 ? "none" : found.elected === 1 ? "one" : "many";
      return protocol.judge?.(params, found) ?? byLeaders;
    },
  };
  return view;
}

/** When a configuration is reached depends on the way to it: a property that reads it without saying so would see nothing at all. */
const TIMELESS = {
  get time(): never {
    throw new InputError('a promise reads time, which a configuration does not have: declare counts: "time"');
  },
};

/** The view after this many instants. */
export const atTime = (view: View, time: number): View => Object.create(view, { time: { value: time } });
