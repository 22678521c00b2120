/** Queues alone: take the first event, put one in at an exponential distance (the "hold" model of the literature). */
import { EventHeap } from "../src/host/queues/heap.ts";
import { EventLadder } from "../src/host/queues/ladder.ts";
import { HostStream } from "../src/random/streams.ts";
import { BinaryHeap } from "./binary-heap.ts";

const HOLDS = 1_000_000;
const delays = new Float64Array(1 << 20);
const source = new HostStream(1, 0, "delays");
for (let i = 0; i < delays.length; i++) delays[i] = source.exponential();

/** Nanoseconds for one pop and one push with `waiting` events on the way. */
function hold(queue: EventHeap<number> | BinaryHeap<number> | EventLadder<number>, waiting: number): number {
  for (let i = 0; i < waiting; i++) queue.push(delays[i], i, i, 0, i);
  const start = performance.now();
  for (let i = waiting; i < waiting + HOLDS; i++) {
    const now = queue.next;
    queue.pop();
    queue.push(now + delays[i & (delays.length - 1)], i, i, 0, i);
  }
  return ((performance.now() - start) / HOLDS) * 1e6;
}

export function compareQueues(): Record<string, Record<string, string>> {
  const queues = { ladder: EventLadder<number>, "four-ary heap": EventHeap<number>, "binary heap": BinaryHeap<number> };
  return Object.fromEntries(
    Object.entries(queues).map(([name, Queue]) => [
      name,
      Object.fromEntries(
        [10, 1000, 100_000, 1_000_000].map((waiting) => [
          `${waiting} waiting`,
          `${hold(new Queue(), waiting).toFixed(0)} ns`,
        ]),
      ),
    ]),
  );
}
