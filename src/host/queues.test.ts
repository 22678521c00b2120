import fc from "fast-check";
import { expect, test } from "vitest";
import { EventFifo } from "./fifo.ts";
import { EventHeap } from "./heap.ts";
import { TimerQueue } from "./timers.ts";

test("the heap gives events by time, then by order, whatever is pushed in between", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: null }), { maxLength: 300 }), (script) => {
      const heap = new EventHeap<number>();
      let reference: { time: number; order: number }[] = [];
      for (const [order, time] of script.entries()) {
        if (time !== null) {
          heap.push(time, order, order * 2, order * 3, order);
          reference.push({ time, order });
        } else if (reference.length > 0) {
          reference = reference.sort((a, b) => a.time - b.time || a.order - b.order);
          const first = reference.shift()!;
          expect(heap.next).toBe(first.time);
          heap.pop();
          const { order } = first;
          expect([heap.time, heap.order, heap.node, heap.port, heap.item]).toEqual([
            first.time,
            order,
            order * 2,
            order * 3,
            order,
          ]);
        }
        expect(heap.size).toBe(reference.length);
      }
    }),
    { seed: 1 },
  );
});

test("the ring buffer keeps its order through growth and wrapping", () => {
  const fifo = new EventFifo<number>();
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
