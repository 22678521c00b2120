/**
 * Runs that never end. A schedule that starves a message for ever is none: what can happen all the time must happen at
 * some time (weak fairness), and so must every outcome of a draw that is made again and again.
 */
import type { Action, Step } from "../space/configurations.ts";
import { canonicalText } from "../space/plain.ts";
import type { StateSpace } from "../space/state-space.ts";
import type { StepGraph } from "../space/step-graph.ts";

interface ConfigurationGraph {
  vector(index: number): Int32Array;
  /** The number of the configuration that a vector stands for. */
  number(vector: Int32Array): number;
}

/** A way from a configuration back to itself on which the fairness asked for is kept. */
interface FairLoop {
  readonly from: number;
  readonly steps: readonly Step[];
  /** In words, what is possible somewhere on it and never happens. */
  readonly starves: readonly string[];
}

/** Null where no fair run stays for ever, `within` some configurations. */
export function endlessLoop(
  network: StateSpace,
  graph: StepGraph,
  all: ConfigurationGraph,
  fairness: "weak" | "strong" = "weak",
  within?: ReadonlySet<number>,
): FairLoop | null {
  const open = graph.endComponents(within).reverse();
  for (let members = open.pop(); members !== undefined; members = open.pop()) {
    const component = new EndComponent(network, members, all, fairness);
    const starving = component.starving();
    if (starving.size === 0) return component.fairLoop();
    if (fairness === "weak") continue;
    // A strongly fair run that stays here must stay where what starves is not even possible.
    const rest = members.filter(
      (index) => ![...component.at(index).possible.keys()].some((name) => starving.has(name)),
    );
    open.push(...graph.endComponents(new Set(rest)).reverse());
  }
  return null;
}

/** What a configuration of an end component offers. */
interface Offers {
  /** What can happen here, by its subject, in words. */
  readonly possible: ReadonlyMap<string, string>;
  /** The steps after which a run is still inside, whatever is drawn. */
  readonly staying: readonly { readonly step: Step; readonly subject: string | null; readonly to: number }[];
}

/** A set of configurations in which a schedule can keep a run, whatever is drawn. */
class EndComponent {
  private readonly network: StateSpace;
  private readonly members: readonly number[];
  private readonly inside: ReadonlySet<number>;
  private readonly all: ConfigurationGraph;
  private readonly fairness: "weak" | "strong";

  constructor(network: StateSpace, members: readonly number[], all: ConfigurationGraph, fairness: "weak" | "strong") {
    this.network = network;
    this.members = members;
    this.inside = new Set(members);
    this.all = all;
    this.fairness = fairness;
  }

  at(index: number): Offers {
    const vector = this.all.vector(index);
    const steps = this.network.steps(vector);
    const leaving = new Set<Action>();
    const targets = steps.map(({ action, after, outcome }) => {
      const to = outcome?.beyond === true ? -1 : this.all.number(after);
      // Whatever is drawn, the run must stay: otherwise it leaves some time, and this schedule must not take the step.
      if (!this.inside.has(to)) leaving.add(action);
      return to;
    });
    const possible = new Map<string, string>();
    const named = steps.map((step) => {
      const subject = subjectOf(this.network, vector, step);
      if (subject !== null) possible.set(subject, wordsOf(this.network, vector, step));
      return subject;
    });
    const staying = steps.flatMap((step, i) =>
      leaving.has(step.action) ? [] : [{ step, subject: named[i], to: targets[i] }],
    );
    return { possible, staying };
  }

  /** What is possible all the time (weak), or at any time (strong), and never happens without leaving. */
  starving(): Set<string> {
    const taken = new Set<string | null>();
    for (const index of this.members) for (const { subject } of this.at(index).staying) taken.add(subject);
    return new Set([...this.waiting(this.members)].filter((name) => !taken.has(name)));
  }

  /** What a fair run that goes through these configurations again and again must take some time. */
  private waiting(indices: readonly number[]): Set<string> {
    let waiting: Set<string> | null = null;
    for (const index of indices) {
      const { possible } = this.at(index);
      const before: Set<string> = waiting ?? new Set(possible.keys());
      waiting =
        this.fairness === "strong"
          ? new Set([...before, ...possible.keys()])
          : new Set([...before].filter((name) => possible.has(name)));
    }
    return waiting ?? new Set();
  }

  /** Nothing starves in this component: from one configuration around, with detours until the loop itself starves nothing. */
  fairLoop(): FairLoop {
    const [from] = this.members;
    const steps: Step[] = [];
    const visited: number[] = [];
    const taken = new Set<string | null>();
    const go = (start: number, arrives: (subject: string | null, to: number) => boolean): number => {
      const way = this.way(start, arrives);
      for (const { step, subject, to } of way) {
        steps.push(step);
        taken.add(subject);
        visited.push(to);
      }
      return way.at(-1)!.to;
    };
    go(from, (_, to) => to === from);
    for (;;) {
      const lacking = [...this.waiting(visited)].find((name) => !taken.has(name));
      if (lacking === undefined) break;
      const escapes = (to: number) => this.fairness === "weak" && !this.at(to).possible.has(lacking);
      const there = go(from, (subject, to) => subject === lacking || escapes(to));
      if (there !== from) go(there, (_, to) => to === from);
    }
    const seen = new Map(visited.flatMap((index) => [...this.at(index).possible]));
    for (const subject of taken) if (subject !== null) seen.delete(subject);
    return { from, steps, starves: [...seen.values()] };
  }

  /** The shortest way of steps that stay, to one with which it arrives. */
  private way(start: number, arrives: (subject: string | null, to: number) => boolean): Offers["staying"] {
    const before = new Map<number, { readonly at: number; readonly by: Offers["staying"][number] }>();
    const queue = [start];
    for (const at of queue) {
      for (const by of this.at(at).staying) {
        if (arrives(by.subject, by.to)) {
          const way = [by];
          for (let place = at; place !== start; place = before.get(place)!.at) way.unshift(before.get(place)!.by);
          return way;
        }
        if (by.to === start || before.has(by.to)) continue;
        before.set(by.to, { at, by });
        queue.push(by.to);
      }
    }
    throw new Error("a configuration of an end component that another one cannot reach");
  }
}

/** What a step happens to: a message, a timer, or a paused node. Faults and the passing of time starve nobody. */
export function subjectOf(network: StateSpace, vector: Int32Array, { action }: Pick<Step, "action">): string | null {
  if ("halfway" in action) return null;
  if (action.do === "start") return `start ${action.node}`;
  if (action.do === "resume") return `resume ${action.node}`;
  if (action.do === "expire") return `${action.node} ${action.timer}`;
  if (action.do !== "deliver") return null;
  return `${action.link}: ${network.onLink(vector, action.link)[action.index].message}`;
}

function wordsOf(network: StateSpace, vector: Int32Array, { action }: Pick<Step, "action">): string {
  if (action.do === "start" || action.do === "resume") return `node ${action.node} ${action.do}s`;
  if (action.do === "expire") return `timer ${action.timer} of node ${action.node} expires`;
  if (action.do !== "deliver") return action.do;
  const { from, to } = network.links[action.link];
  const message = network.nodes.messages.value(network.onLink(vector, action.link)[action.index].message);
  return `node ${to} receives ${canonicalText(message)} from node ${from}`;
}
