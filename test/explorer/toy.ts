/** Tiny protocols for tests of the explorer, and every way in which a run of one can end. */

import type { Problem } from "../../src/explorer/problem.ts";
import { isFault } from "../../src/explorer/space/faults.ts";
import { StateSpace } from "../../src/explorer/space/state-space.ts";
import { type AnyProtocol, type Context, type Port, SELF } from "../../src/protocol.ts";
import { NEXT, ring } from "../../src/topology/ring.ts";

// biome-ignore lint/suspicious/noExplicitAny: toys have states and messages of any kind
export type Plain = any;
export type Ctx = Context<Plain, string>;

export interface Toy {
  init(node: number, ctx: Ctx, saved: Plain): Plain;
  receive?(state: Plain, message: Plain, ctx: Ctx, port: Port): void;
  expire?(state: Plain, timer: string, ctx: Ctx): void;
  endRound?(state: Plain, round: number, ctx: Ctx): void;
  saved?(state: Plain): Plain;
  readonly measures?: Readonly<Record<string, "sum" | "max">>;
}

/** Nodes know their numbers: they are their ids. */
export function toy({ init, receive, expire, measures = {}, ...rest }: Toy): AnyProtocol {
  return {
    name: "toy",
    title: "a toy",
    citation: "none",
    cost: "none",
    assumes: {
      topology: "ring",
      identity: "ids",
      timing: rest.endRound === undefined ? "asynchronous" : "synchronous",
      start: "any",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: [],
    },
    parameters: [],
    measures,
    init: (_params, self, saved, ctx) => init(self.id!, ctx, saved),
    receive: (state, port, message, ctx) => receive?.(state, message, ctx, port),
    expire: (state, timer, ctx) => expire?.(state, timer, ctx),
    verdict: () => ({ status: "undecided", leader: null, term: 0 }),
    bits: () => 0,
    ...rest,
  };
}

/** A node's verdict is what its state says. */
export const showing = (own: Toy): AnyProtocol => ({
  ...toy(own),
  verdict: ({ leads }) => ({ status: leads ? "elected" : "undecided", leader: null, term: 0 }),
});

/** Node 0 turns in a circle for ever; the others lead some time. */
export const circle: Toy = {
  init(node, ctx) {
    ctx.send(SELF, "go");
    return { node, leads: false };
  },
  receive(state, message, ctx) {
    if (state.node === 0) ctx.send(SELF, message);
    else state.leads = true;
  },
};

export function toyProblem(protocol: AnyProtocol, n: number, changes: Partial<Problem> = {}): Problem {
  const everybody = Array.from({ length: n }, (_, node) => node);
  return {
    protocol,
    params: {},
    topology: ring(n),
    ids: everybody,
    initiators: everybody,
    fifo: true,
    maxDelay: null,
    budget: { drops: 0, crashes: 0, restarts: 0 },
    choices: 4,
    limits: {},
    ...changes,
  };
}

/** Calls `visit` once for each configuration that can be reached; `ended` where nothing is left to happen. Says how many. */
export function everyConfiguration(
  problem: Problem,
  visit: (network: StateSpace, vector: Int32Array, ended: boolean) => void,
): number {
  const network = new StateSpace(problem);
  const seen = new Set<string>();
  let open = [network.blank()];
  for (const starter of network.starters()) {
    open = open.flatMap((vector) => network.start(vector, starter).map(({ after }) => after));
  }
  for (let vector = open.pop(); vector !== undefined; vector = open.pop()) {
    if (seen.has(vector.join())) continue;
    seen.add(vector.join());
    const steps = network.steps(vector);
    visit(
      network,
      vector,
      steps.every(({ action }) => isFault(action)),
    );
    open.push(...steps.filter(({ outcome }) => outcome?.beyond !== true).map(({ after }) => after));
  }
  return seen.size;
}

/** A node's state in a configuration; null if it has crashed. */
export const stateOf = (network: StateSpace, vector: Int32Array, node: number): Plain =>
  network.crashed(vector, node) ? null : network.nodes.states.value(network.state(vector, node));

/** Every state of a node, null if it has crashed, in the ends of all runs; each once, as text. */
export function endings(problem: Problem, node: number): string[] {
  const found = new Set<string>();
  everyConfiguration(problem, (network, vector, ended) => {
    if (ended) found.add(JSON.stringify(stateOf(network, vector, node)));
  });
  return [...found].sort();
}

/** Node 0 sends itself one message for ever, unless the word of another stops it. */
export const forever: Toy = {
  init(node, ctx) {
    ctx.send(node === 0 ? SELF : NEXT, node === 0 ? "again" : "stop");
    return { stopped: false };
  },
  receive(state, message, ctx) {
    if (message === "stop") state.stopped = true;
    else if (!state.stopped) ctx.send(SELF, message);
  },
};
