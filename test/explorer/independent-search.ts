/**
 * The number of configurations that a ring can reach, found without the explorer: depth first, by nothing but the
 * protocol's handlers and JSON. A configuration is every node's state and, for each link, what is on its way.
 */
import type { AnyProtocol, Context, Self } from "../../src/protocol.ts";
import type { Params } from "../../src/protocols/parameters.ts";

interface Configuration {
  /** By node; null where nothing has touched it. */
  readonly states: unknown[];
  /** By node and port: what it has sent and the neighbour has not received. */
  readonly links: unknown[][];
}

export interface Ring {
  readonly protocol: AnyProtocol;
  readonly params: Params;
  readonly ids: readonly number[] | null;
  readonly n: number;
  readonly initiators: readonly number[];
  readonly fifo: boolean;
  readonly phases?: number;
}

class TooManyPhases extends Error {}

export function countConfigurations(ring: Ring): number {
  const { n, protocol, params, ids, initiators, fifo, phases = Infinity } = ring;
  const seen = new Set<string>();

  /** Every outcome of a handler at a node: draws are answered by all sequences of values, shortest first. */
  function outcomes(from: Configuration, node: number, handler: (own: unknown, ctx: Context<unknown>) => unknown) {
    const results: Configuration[] = [];
    const scripts: number[][] = [[]];
    for (let script = scripts.pop(); script !== undefined; script = scripts.pop()) {
      const next: Configuration = JSON.parse(JSON.stringify(from));
      const answers = [...script];
      let range = 0;
      const ctx = {
        degree: 2,
        send: (port: number, message: unknown) => next.links[2 * node + port].push(message),
        choose(values: number) {
          if (answers.length > 0) return answers.shift();
          range = values;
          throw new Error("a draw that the script does not answer");
        },
        measure(name: string, value: number) {
          if (name === "phases" && value > phases) throw new TooManyPhases();
        },
      };
      try {
        next.states[node] = handler(next.states[node], ctx as unknown as Context<unknown>);
      } catch (error) {
        if (range === 0 && !(error instanceof TooManyPhases)) throw error;
        for (let value = 0; value < range; value++) scripts.push([...script, value]);
        continue;
      }
      results.push(next);
    }
    return results;
  }

  const init = (node: number, ctx: Context<unknown>) => {
    const self = { id: ids === null ? null : ids[node], initiator: initiators.includes(node), n };
    return protocol.init(params, self as Self, null, ctx);
  };

  function visit(configuration: Configuration): void {
    if (!fifo)
      for (const link of configuration.links) link.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const key = JSON.stringify(configuration);
    if (seen.has(key)) return;
    seen.add(key);
    for (const [link, messages] of configuration.links.entries()) {
      const from = link >> 1;
      const port = link & 1;
      const to = (from + (port === 0 ? 1 : n - 1)) % n;
      for (let place = 0; place < (fifo ? Math.min(1, messages.length) : messages.length); place++) {
        const taken: Configuration = JSON.parse(key);
        const [message] = taken.links[link].splice(place, 1);
        for (const next of outcomes(taken, to, (own, ctx) => {
          const state = own ?? init(to, ctx);
          protocol.receive(state, 1 - port, message, ctx);
          return state;
        })) {
          visit(next);
        }
      }
    }
  }

  const blank = { states: Array(n).fill(null), links: Array.from({ length: 2 * n }, () => []) };
  let begun: Configuration[] = [blank];
  for (const node of initiators)
    begun = begun.flatMap((before) => outcomes(before, node, (_own, ctx) => init(node, ctx)));
  for (const beginning of begun) visit(beginning);
  return seen.size;
}
