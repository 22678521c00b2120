/** What processes hold, for the stage: how far probes reach, and who has drawn the same number. */
import type { Standing } from "../run/record.ts";
import type { Facts } from "../run/types.ts";
import type { Geometry } from "./geometry.ts";

/** An arc inside the ring for each process that still probes, as far as its probes go to both sides. */
export function reachesIn(
  nodes: readonly Standing[],
  geometry: Geometry,
): { readonly node: number; readonly path: string; readonly radius: number }[] {
  if (geometry.layout !== "ring") return [];
  const step = (2 * Math.PI) / Math.max(1, nodes.length);
  return nodes.flatMap(({ part, held }, node) => {
    if (held?.reach === undefined || part !== "contends") return [];
    const half = Math.min(held.reach * step, Math.PI * 0.999);
    const inside = geometry.size + 5 + 4.5 * (held.phase ?? 0);
    const r = Math.max(12, geometry.radius - inside);
    const angle = geometry.angle(node);
    const [a, b] = [geometry.onCircle(angle - half, r), geometry.onCircle(angle + half, r)];
    const isLong = half > Math.PI / 2 ? 1 : 0;
    const path = `M${a.x.toFixed(1)},${a.y.toFixed(1)}A${r},${r} 0 ${isLong} 1 ${b.x.toFixed(1)},${b.y.toFixed(1)}`;
    return [{ node, path, radius: r }];
  });
}

/** Where processes draw numbers: those that are still in and hold the same one in the same phase. */
export function tiesIn(nodes: readonly Standing[], { ids }: Pick<Facts, "ids">): ReadonlySet<number> {
  if (ids !== null) return new Set();
  const drawn = new Map<string, number[]>();
  for (const [node, { part, held }] of nodes.entries()) {
    if (part !== "contends" || held?.value === undefined) continue;
    const key = `${held.phase} ${held.value}`;
    drawn.set(key, [...(drawn.get(key) ?? []), node]);
  }
  return new Set([...drawn.values()].filter((same) => same.length > 1).flat());
}
