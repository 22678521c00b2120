/** The steps that lead out of a configuration: of the protocol, of time and of faults. */
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
