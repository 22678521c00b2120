/** Places of nodes by forces between them: links pull, all others push. The same network is always drawn the same way. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import type { Facts } from "../run/types.ts";

/** Yields after each step; the answer is in the unit square. */
export function* forcePlaces({
  size,
  links,
}: Pick<Facts, "size" | "links">): Generator<void, (readonly [number, number])[]> {
  const nodes = Array.from({ length: size }, (_, index) => {
    const angle = (2 * Math.PI * index) / size;
    return { index, x: Math.cos(angle) * 100, y: Math.sin(angle) * 100 };
  });
  let state = 1;
  const simulation = forceSimulation(nodes)
    .randomSource(() => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    })
    .force("links", forceLink(links.map(([source, target]) => ({ source, target }))).distance(24))
    .force("push", forceManyBody().strength(-60).theta(1))
    .force("apart", forceCollide(8))
    .force("x", forceX(0).strength(0.04))
    .force("y", forceY(0).strength(0.04))
    .stop();
  const steps = size > 500 ? 120 : 300;
  for (let step = 0; step < steps; step++) {
    simulation.tick();
    yield;
  }
  const [xs, ys] = [nodes.map(({ x }) => x), nodes.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const span = Math.max(Math.max(...xs) - left, Math.max(...ys) - top, 1);
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
  return nodes.map(
    ({ x, y }) => [(x - left + (span - wide) / 2) / span, (y - top + (span - high) / 2) / span] as const,
  );
}
