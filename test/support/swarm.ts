/** Random fault plans, the same for the same number: for tests that nothing hangs whatever goes wrong. */
import type { FaultPlan } from "../../src/host/faults/faults.ts";
import { HostStream } from "../../src/random/streams.ts";

export function faultPlan(number: number, n: number): Partial<FaultPlan> {
  const source = new HostStream(number, 0, "losses");
  const window = () => {
    const from = source.choose(12);
    return { from, to: from + 1 + source.choose(8) };
  };
  return {
    loss: source.coin(0.5) ? 0.3 * source.uniform() : 0,
    crash: source.coin(0.5) ? 0.3 * source.uniform() : 0,
    crashes: Array.from({ length: source.choose(3) }, () => ({ node: source.choose(n), at: source.choose(15) })),
    pauses: Array.from({ length: source.choose(3) }, () => ({ node: source.choose(n), ...window() })),
    partitions: source.coin(0.3) ? [{ groups: [Array.from({ length: n >> 1 }, (_, i) => i)], ...window() }] : [],
  };
}
