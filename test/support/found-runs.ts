/** What an exploration has found is a run of the network, and not only a list of steps. */
import { expect } from "vitest";
import type { Violation } from "../../src/explorer/search/search-terms.ts";

/** Follows it from the blank network, step by step: each leads to where it says. */
export function expectRun({ network, steps }: Violation): void {
  let vector = network.blank();
  for (const { action, after } of steps) {
    const possible =
      action.do === "start" || action.do === "late"
        ? [...network.start(vector, action.node), ...network.steps(vector)]
        : network.steps(vector);
    expect(possible.map((step) => step.after.join())).toContain(after.join());
    vector = after;
  }
}
