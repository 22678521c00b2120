import fc from "fast-check";
import { expect, test } from "vitest";
import { HostStream } from "../../random/streams.ts";
import { EventFifo } from "./fifo.ts";
import { EventHeap } from "./heap.ts";
import { EventLadder } from "./ladder.ts";
import { LookAhead } from "./look-ahead.ts";
import { TimerQueue } from "./timers.ts";

type Queue = EventHeap<number> | EventLadder<number>;

/** Pushes events at the times of a script and takes one out at each null; they must come as a plain sort puts them. */
function followsScript(queue: Queue, script: Iterable<number | null>): void {
  const waiting: { time: number; order: number }[] = [];
  let order = 0;
  for (const time of script) {
    if (time !== null) {
      queue.push(time, order, order * 2, order * 3, order);
      let at = waiting.length;
      while (at > 0 && waiting[at - 1].time > time) at--;
      waiting.splice(at, 0, { time, order: order++ });
    } else if (waiting.length > 0) takesFirst(queue, waiting.shift()!);
    if (queue.size !== waiting.length) expect(queue.size).toBe(waiting.length);
  }
  for (const first of waiting) takesFirst(queue, first);
  expect(queue.next).toBe(Infinity);
}

function takesFirst(queue: Queue, { time, order }: { time: number; order: number }): void {
  const { next } = queue;
  queue.pop();
  const taken = [next, queue.time, queue.order, queue.node, queue.port, queue.item];
  if (taken.join() !== [time, time, order, order * 2, order * 3, order].join()) {
    expect(taken).toEqual([time, time, order, order * 2, order * 3, order]);
  }
}

const queues = { heap: EventHeap<number>, ladder: EventLadder<number> };

for (const [name, Queue] of Object.entries(queues)) {
  test(`the ${name} gives events by time, then by order, whatever is pushed in between`, () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20), { nil: null }), { maxLength: 300 }), (script) => {
        followsScript(new Queue(), script);
      }),
      { seed: 1 },
    );
  });
}

/** How far ahead of the present an event lies. */
const distances: Record<string, (source: HostStream) => number> = {
  exponential: (source) => source.exponential(),
  uniform: (source) => 1 + source.uniform(),
  "all equal": () => 1,
  "equal or not": (source) => source.choose(3),
  "heavy tail": (source) => source.uniform() ** -4,
  "scales from 1e-300 to 1e300": (source) => 10 ** (600 * source.uniform() - 300),
  "two clusters": (source) => (source.coin(0.5) ? 1e-9 : 1e9) * (1 + 1e-6 * source.uniform()),
  "now, or nearly": (source) => (source.coin(0.5) ? 0 : 5e-324 * source.choose(4)),
};

for (const [name, distance] of Object.entries(distances)) {
  test(`the ladder keeps the order of thousands of events at distances: ${name}`, () => {
    for (const waiting of [60, 1_000, 3_000]) {
      const source = new HostStream(1, waiting, "delays");
      const queue = new EventLadder<number>(LookAhead.over(new Array(1 << 16)));
      // It fills, holds its size and empties, twice.
      const script = function* () {
        for (let round = 0; round < 2; round++) {
          for (let i = 0; i < waiting; i++) yield queue.time + distance(source);
          for (let i = 0; i < 2 * waiting; i++) {
            yield null;
            yield queue.time + distance(source);
          }
          for (let i = 0; i < waiting; i++) yield null;
        }
      };
      followsScript(queue, script());
    }
  });
}

test("the ladder puts an event back where its old order has it", () => {
  const queue = new EventLadder<number>();
  for (let order = 0; order < 500; order++) queue.push(order % 5, order, 0, 0, order);
  const orders: number[] = [];
  for (let taken = 0; taken < 600; taken++) {
    queue.pop();
    orders.push(queue.order);
    // Those of time 0 wait until time 3, as if their nodes had been paused.
    if (queue.time === 0) queue.push(3, queue.order, 0, 0, queue.item);
  }
  const of = (...rests: number[]) => Array.from(Array(500).keys()).filter((order) => rests.includes(order % 5));
  expect(orders).toEqual([...of(0), ...of(1), ...of(2), ...of(0, 3), ...of(4)]);
});

test.each([
  ["", null],
  [", looking ahead", LookAhead.over(Array.from({ length: 1 << 14 }, () => ({})))],
])("the ring buffer keeps its order through growth and wrapping%s", (_, ahead) => {
  const fifo = new EventFifo<number>(ahead);
  let pushed = 0;
  let popped = 0;
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < round % 17; i++) fifo.push(pushed, 0, pushed, 1, pushed++);
    for (let i = 0; i < round % 7 && fifo.size > 0; i++) {
      expect(fifo.next).toBe(popped);
      fifo.pop();
      expect([fifo.node, fifo.item]).toEqual([popped, popped++]);
    }
  }
  expect(pushed).toBeGreaterThan(64 + popped);
  expect(new EventFifo().next).toBe(Infinity);
});

test("nothing is looked at ahead where states are few enough for the cache", () => {
  expect(LookAhead.over(new Array(1000))).toBe(null);
  expect(LookAhead.over(new Array(100_000))).not.toBe(null);
});

test("timers: arming again replaces, disarming removes, postponing keeps the turn", () => {
  const timers = new TimerQueue();
  const take = () => {
    const time = timers.next;
    timers.pop();
    return [time, timers.node, timers.timer];
  };
  timers.arm(1, "a", 5);
  timers.arm(1, "a", 9);
  timers.arm(1, "b", 7);
  timers.arm(2, "a", 7);
  timers.arm(3, "c", 1);
  timers.disarm(3, "c");
  timers.disarm(4, "never armed");
  expect(take()).toEqual([7, 1, "b"]);
  timers.postpone(7);
  expect(take()).toEqual([7, 1, "b"]);
  expect(take()).toEqual([7, 2, "a"]);
  expect(take()).toEqual([9, 1, "a"]);
  expect(timers.next).toBe(Infinity);
});
