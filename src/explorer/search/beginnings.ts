/**
 * The configurations after all who start on their own have started, one after another: there can be very many, if every node
 * draws much, and none is kept.
 */
import type { Step } from "../space/configurations.ts";
import type { StateSpace } from "../space/state-space.ts";

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
