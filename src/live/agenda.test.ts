import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Agenda } from "./agenda.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function agenda(
  log: string[],
  options: { deliveries?: () => number; onExpire?: (name: string, moment: number) => void } = {},
) {
  return new Agenda({
    expire: (timer, moment) => {
      log.push(`${timer} at ${Math.round(moment)}`);
      options.onExpire?.(timer, moment);
    },
    look: () => performance.now(),
    deliveries: options.deliveries ?? (() => 0),
    tolerance: 50,
  });
}

test("timers fire by time, then in the order of asking; setting again replaces", async () => {
  const log: string[] = [];
  const timers = agenda(log);
  const start = performance.now();
  timers.set("b", start + 20, false);
  timers.set("a", start + 20, false);
  timers.set("c", start + 5, false);
  timers.set("gone", start + 7, false);
  timers.set("c", start + 30, false);
  timers.clear("gone");
  await vi.advanceTimersByTimeAsync(100);
  expect(log.map((line) => line.split(" ")[0])).toEqual(["b", "a", "c"]);
});

test("a periodic timer does not drift: its handler runs at the moment that was asked for", async () => {
  const log: string[] = [];
  const start = performance.now();
  const timers: Agenda = agenda(log, {
    onExpire: (_name, moment) => {
      // The handler takes three milliseconds each time.
      vi.advanceTimersByTime(3);
      if (moment < start + 99) timers.set("tick", moment + 10, false);
    },
  });
  timers.set("tick", start + 10, false);
  await vi.advanceTimersByTimeAsync(200);
  expect(log).toEqual(Array.from({ length: 10 }, (_, i) => `tick at ${Math.round(start + 10 * (i + 1))}`));
});

test("after a pause, deadlines come first; then messages that wait; then timers, at the present", async () => {
  const log: string[] = [];
  let delivered = 0;
  const timers = agenda(log, { deliveries: () => delivered });
  const start = performance.now();
  timers.set("timer", start + 10, false);
  timers.set("limit", start + 20, true);
  // The process stands still for a second; then the first to run is a datagram.
  vi.setSystemTime(Date.now() + 1000);
  timers.fireDeadlines(performance.now() + 1000);
  expect(log).toEqual([`limit at ${Math.round(start + 1000)}`]);
  setTimeout(() => {
    delivered++;
    log.push("message");
  }, 10);
  await vi.advanceTimersByTimeAsync(50);
  expect(log.map((line) => line.split(" ")[0])).toEqual(["limit", "message", "timer"]);
});

test("a stopped agenda fires nothing", async () => {
  const log: string[] = [];
  const timers = agenda(log);
  timers.set("a", performance.now() + 5, false);
  timers.stop();
  await vi.advanceTimersByTimeAsync(50);
  expect(log).toEqual([]);
});
