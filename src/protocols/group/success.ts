/** When a group election has succeeded (Gupta et al., section 5): strongly, weakly, or not. */
import type { Census, Outcome } from "../../protocol.ts";

/** Exactly one live process considers itself the leader, and every live process knows it. */
export function strong({ leaders, beliefs, alive }: Census): boolean {
  return leaders.length === 1 && beliefs.get(leaders[0]) === alive;
}

/** The share of the live processes that hold the most common leader; whoever knows none counts against it. */
export function weak({ beliefs, alive }: Census): number {
  let most = 0;
  for (const [leader, believers] of beliefs) if (leader !== null && believers > most) most = believers;
  return alive === 0 ? 0 : most / alive;
}

/** one: strong success. many: live processes follow different leaders. none: anything else. */
export function outcome(census: Census): Outcome {
  if (strong(census)) return "one";
  return census.beliefs.size - (census.beliefs.has(null) ? 1 : 0) > 1 ? "many" : "none";
}
