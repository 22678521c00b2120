/** What an election by a growing spanning tree costs (Gallager, Humblet, Spira): bounds, and about what it is. */
import { cannotSay, type Prediction, type Question } from "./prediction.ts";

/** Theorem of the paper, and the announcement: every link outside the tree is refused once, at two messages. */
export const treeMost = (n: number, links: number): number => 2 * links + 5 * n * Math.log2(n) + n - 1;

/** Links outside the tree two, links of the tree at least: connect, initiate, report and the announcement. */
export const treeLeast = (n: number, links: number): number => 2 * (links - n + 1) + 4 * (n - 1);

export function predictTree({ n, initiators, loss, crash, graph }: Question): Prediction {
  if (graph === undefined || graph === null) return cannotSay("the question has no network");
  const links = graph.links();
  const atMost = treeMost(n, links);
  const success = initiators === 0 ? 0 : (1 - crash) ** n * (1 - loss) ** atMost;
  return {
    method: "bound",
    success,
    pNone: 1 - success,
    pMany: 0,
    messages: atMost,
    // The paper's bound where all wake at once; elsewhere each step at least delivers a message.
    rounds: initiators === n ? 5 * n * Math.log2(n) : atMost,
    factors: { links, atLeast: treeLeast(n, links), atMost },
    optimum: null,
  };
}
