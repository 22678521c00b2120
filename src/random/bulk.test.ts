import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assembledBulk, bulk, MOST_BLOCKS, plainBulk, type StreamKey } from "./bulk.ts";
import { Coins } from "./coins.ts";
import { HostStream, NodeStream, NodeStreams } from "./streams.ts";
import { threefry } from "./threefry.ts";

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const key = fc.tuple(word, word, word, word) as fc.Arbitrary<StreamKey>;
const blocks = fc.integer({ min: 1, max: MOST_BLOCKS / 8 }).map((eighth) => 8 * eighth);

describe.each([
  ["WebAssembly", assembledBulk],
  ["JavaScript", plainBulk],
])("many blocks at once by %s are those of Threefry one by one", (_, make) => {
  const many = make();

  test("counters that follow each other", () => {
    fc.assert(
      fc.property(key, word, word, fc.boolean(), blocks, (k, low, high, alongHigh, count) => {
        many.words(k, low, high, alongHigh, count);
        const out = new Uint32Array(4);
        for (const i of [0, 1, 4, 7, count - 1]) {
          threefry(out, ...k, low + (alongHigh ? 0 : i), high + (alongHigh ? i : 0), 0, 0);
          expect(many.out.slice(4 * i, 4 * i + 4)).toEqual(out);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("keys by turns", () => {
    const keys: StreamKey[] = [
      [1, 2, 3, 4],
      [1, 2, 3, 5],
    ];
    const fresh = make();
    for (const k of [...keys, ...keys]) {
      const out = new Uint32Array(4);
      threefry(out, ...k, 6, 7, 0, 0);
      fresh.words(k, 6, 7, false, 8);
      expect(fresh.out.slice(0, 4)).toEqual(out);
    }
  });

  test("counters that are given", () => {
    fc.assert(
      fc.property(key, fc.array(fc.tuple(word, word), { minLength: 8, maxLength: 8 }), (k, counters) => {
        for (const [i, [low, high]] of counters.entries()) {
          many.lows[i] = low;
          many.highs[i] = high;
        }
        many.wordsOfEach(k, 8);
        const out = new Uint32Array(4);
        for (const [i, [low, high]] of counters.entries()) {
          threefry(out, ...k, low, high, 0, 0);
          expect(many.out.slice(4 * i, 4 * i + 4)).toEqual(out);
        }
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("coins, also where only the lower bits of the limit decide", () => {
    fc.assert(
      fc.property(key, word, blocks, fc.nat(511), fc.integer({ min: -2, max: 2 }), (k, low, count, coin, off) => {
        many.words(k, low, 3, false, 256);
        // A limit next to a coin that was drawn.
        const value = (many.out[2 * coin] >>> 5) * 2 ** 26 + (many.out[2 * coin + 1] >>> 6);
        const limit = Math.min(2 ** 53, Math.max(0, value + off));
        many.words(k, low, 3, false, count);
        const places: number[] = [];
        for (let i = 0; i < 2 * count; i++) {
          if ((many.out[2 * i] >>> 5) * 2 ** 26 + (many.out[2 * i + 1] >>> 6) < limit) places.push(i);
        }
        const found = many.coins(k, low, 3, count, Math.floor(limit / 2 ** 26), limit % 2 ** 26);
        expect([...many.out.subarray(0, found)]).toEqual(places);
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

test("where there is WebAssembly it is taken", () => {
  expect(bulk().out.buffer.byteLength).toBe(assembledBulk().out.buffer.byteLength);
});

test.each([0, 1e-300, 0.003, 0.5, 0.97, 1 - 2 ** -53, 1])(
  "coins of chance %d are those of the stream, in order",
  (p) => {
    const coins = new Coins(2 ** 40 + 3, 7, "losses", p);
    const stream = new HostStream(2 ** 40 + 3, 7, "losses");
    const drawn = Array.from({ length: 20_000 }, () => [coins.flip(), stream.coin(p)]);
    expect(drawn.findIndex(([flipped, coin]) => flipped !== coin)).toBe(-1);
  },
);

test("a stream read in order is that of single blocks, and goes back to where it was", () => {
  const stream = new NodeStream(5, 2, 77);
  const nodes = new NodeStreams(5, 2, 78);
  nodes.node = 77;
  let back = stream.save();
  const seen: number[] = [];
  for (let i = 0; i < 5000; i++) {
    if (i === 1234) back = stream.save();
    seen.push(stream.word());
    expect(seen[i]).toBe(nodes.word());
  }
  back();
  expect(Array.from({ length: 3000 }, () => stream.word())).toEqual(seen.slice(1234, 4234));
});

test("what is prepared are the next draws of each node, also of one whose counter has begun anew", () => {
  const nodes = new NodeStreams(5, 2, 4);
  const alone = Array.from({ length: 4 }, (_, node) => new NodeStream(5, 2, node));
  const draw = (node: number, count: number) =>
    Array.from({ length: count }, () => [nodes.word(), alone[node].word()]).filter(([one, other]) => one !== other);
  for (const [node, count] of [
    [1, 2 ** 16 + 5],
    [2, 7],
  ]) {
    nodes.node = node;
    expect(draw(node, count)).toEqual([]);
  }
  const list = Int32Array.of(3, 1, 2, 0);
  expect(nodes.prepare(list, 0, 4, 2)).toBe(4);
  for (const [i, node] of list.entries()) {
    nodes.turnTo(node, i);
    // More of them than were prepared.
    expect(draw(node, 12)).toEqual([]);
  }
});

test("the bytes were made of the source that is here", async () => {
  const script = new URL("../../scripts/assemble.js", import.meta.url).href;
  const { isAssembled } = (await import(script)) as { isAssembled(): boolean };
  expect(isAssembled(), "npm run build").toBe(true);
});
