import { expect, test } from "vitest";
import type { TraceEvent } from "./events.ts";
import { pathHeadline } from "./headline.ts";
import type { Story } from "./story.ts";

const elected = (node: number) => ({ do: "verdict", node, status: "elected" }) as TraceEvent;

const SCENE = { n: 6, name: (node: number) => `node ${node}`, id: (node: number) => (node === 0 ? 7 : null) };

const outcome = (...events: TraceEvent[]): string =>
  pathHeadline("ring", 6, false, { events, scene: SCENE, told: new Map() } as unknown as Story).title;

test("the outcome names who is elected in the end; more than a few are counted", () => {
  expect(outcome()).toBe("ring, n = 6: nobody is elected");
  expect(outcome(elected(0))).toBe("ring, n = 6: node 0 (id 7) is elected");
  expect(outcome(elected(2), elected(1))).toBe("ring, n = 6: node 1 and node 2 are elected");
  expect(outcome(elected(1), elected(2), elected(3))).toBe("ring, n = 6: node 1, node 2 and node 3 are elected");
  expect(outcome(...[1, 2, 3, 4, 5].map(elected))).toBe("ring, n = 6: 5 are elected");
  expect(outcome(elected(1), { do: "crash", node: 1 } as TraceEvent)).toBe("ring, n = 6: nobody is elected");
});
