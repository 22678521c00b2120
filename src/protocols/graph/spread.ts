/** Where a number of walks go in one step. */
import type { Context, Port } from "../../protocol.ts";

interface Step {
  /** Walks that stay (lazy walks: each with probability 1/2). */
  readonly resting: number;
  /** How many leave through each port. */
  readonly leaving: ReadonlyMap<Port, number>;
}

/** Each walk chooses for itself; only the numbers travel, because a link carries one message per round. */
export function spreadWalks(walks: number, lazy: boolean, ctx: Pick<Context<never>, "choose" | "degree">): Step {
  const leaving = new Map<Port, number>();
  let resting = 0;
  const { degree } = ctx;
  for (let i = 0; i < walks; i++) {
    if (lazy && ctx.choose(2) === 0) resting++;
    else {
      const port = ctx.choose(degree);
      leaving.set(port, (leaving.get(port) ?? 0) + 1);
    }
  }
  return { resting, leaving };
}
