/** The adversary's schedule, drawn: when each node wakes on its own. Only candidates act then, so only theirs are drawn. */
import type { WakeSchedule } from "../protocol.ts";
import type { Source } from "../random/source.ts";

export function drawWakes(
  { kind, rounds }: WakeSchedule,
  candidates: Iterable<number> | null,
  n: number,
  source: Source,
): (node: number) => number {
  if (kind === "one-then-rest") {
    const first = source.choose(n);
    return (node) => (node === first ? 1 : rounds);
  }
  const drawn = new Map<number, number>();
  for (const node of candidates ?? Array(n).keys()) drawn.set(node, 1 + source.choose(rounds));
  return (node) => drawn.get(node) ?? rounds;
}
