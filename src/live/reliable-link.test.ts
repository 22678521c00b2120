/** Two links, with a network between them that loses, repeats and reorders; time is virtual. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HostStream } from "../random/streams.ts";
import { Counters } from "./counters.ts";
import type { Frame } from "./frames.ts";
import { ReliableLink } from "./reliable-link.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

class Side {
  readonly counters = new Counters();
  readonly arrived: string[] = [];
  readonly link: ReliableLink;
  life = 1;
  other!: Side;

  constructor(draws: HostStream, rates: { loss: number; repeat: number; delay: number }) {
    const carry = (frame: Frame, life: number) =>
      setTimeout(() => this.other.link.receive(frame, life, true), rates.delay * draws.uniform());
    this.link = new ReliableLink({
      counters: this.counters,
      tau: 1000,
      ready: () => true,
      send: (frame, kind) => {
        this.counters.sent[kind]++;
        if (!draws.coin(rates.loss)) carry(frame, this.life);
        if (draws.coin(rates.repeat)) carry(frame, this.life);
      },
      deliver: (port, body) => this.arrived.push(`${port} ${Buffer.from(body)}`),
    });
  }
}

function connect(seed: number, rates: { loss: number; repeat: number; delay: number }): [Side, Side] {
  const draws = new HostStream(seed, 0, "losses");
  const sides: [Side, Side] = [new Side(draws, rates), new Side(draws, rates)];
  sides[0].other = sides[1];
  sides[1].other = sides[0];
  return sides;
}

const text = (i: number) => Buffer.from(`message ${i}`);
const expected = (n: number) => Array.from({ length: n }, (_, i) => `${i % 3} message ${i}`);

test.each([1, 2, 3, 4, 5])("everything arrives once and in order (seed %i)", async (seed) => {
  const [a, b] = connect(seed, { loss: 0.3, repeat: 0.2, delay: 40 });
  for (let i = 0; i < 300; i++) {
    a.link.send(i % 3, text(i));
    b.link.send(i % 3, text(i));
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(b.arrived).toEqual(expected(300));
  expect(a.arrived).toEqual(expected(300));
  expect([a.link.idle, b.link.idle]).toEqual([true, true]);
  expect(a.counters.sent.message).toBe(300);
  expect(a.counters.drops.undeliverable).toBeUndefined();
});

test("without loss nothing is sent twice", async () => {
  const [a, b] = connect(1, { loss: 0, repeat: 0, delay: 5 });
  for (let i = 0; i < 300; i++) a.link.send(i % 3, text(i));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(b.arrived).toEqual(expected(300));
  expect(a.counters.sent.retransmission).toBe(0);
});

test("what a restarted neighbour had not acknowledged is sent to its new life", async () => {
  const [a, old] = connect(1, { loss: 0, repeat: 0, delay: 5 });
  a.link.send(0, text(0));
  await vi.advanceTimersByTimeAsync(100);
  expect(old.arrived).toEqual(["0 message 0"]);
  const draws = new HostStream(2, 0, "losses");
  const reborn = new Side(draws, { loss: 0, repeat: 0, delay: 5 });
  reborn.life = 2;
  reborn.other = a;
  a.other = reborn;
  a.link.send(1, text(1));
  a.link.restarted();
  reborn.link.send(2, text(9));
  await vi.advanceTimersByTimeAsync(1000);
  expect(reborn.arrived).toEqual(["1 message 1"]);
  expect(a.arrived).toEqual(["2 message 9"]);
  expect([a.link.idle, reborn.link.idle]).toEqual([true, true]);
});

test("a neighbour that never answers is given up, and everything is counted", async () => {
  const [a] = connect(1, { loss: 1, repeat: 0, delay: 5 });
  for (let i = 0; i < 5000; i++) a.link.send(0, text(i));
  await vi.advanceTimersByTimeAsync(90_000);
  expect(a.link.idle).toBe(true);
  expect(a.counters.drops).toEqual({ overflow: 5000 - 4096, undeliverable: 4096 });
});
