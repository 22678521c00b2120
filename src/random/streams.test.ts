import { describe, expect, test } from "vitest";
import { HostStream, NodeStream, NodeStreams, PURPOSE, type Purpose } from "./streams.ts";

const SAMPLES = 20_000;

/** Pearson correlation of two sequences of uniform numbers; for independent ones, r·sqrt(SAMPLES) is standard normal. */
function correlation(a: () => number, b: () => number): number {
  let sum = 0;
  for (let i = 0; i < SAMPLES; i++) sum += (a() - 0.5) * (b() - 0.5);
  return (12 * sum) / Math.sqrt(SAMPLES);
}

// Each |z| < 5 fails by chance with probability 6e-7; there are about 120 of them here: 7e-5 in all, once, at fixed seeds.
const LIMIT = 5;

describe("neighbouring keys give uncorrelated draws", () => {
  const seeds = [0, 1, 2, 3, 1000, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];

  test("seeds", () => {
    for (const [i, seed] of seeds.entries()) {
      for (const other of seeds.slice(i + 1)) {
        const a = new HostStream(seed, 0, "ids");
        const b = new HostStream(other, 0, "ids");
        expect(
          Math.abs(
            correlation(
              () => a.uniform(),
              () => b.uniform(),
            ),
          ),
        ).toBeLessThan(LIMIT);
      }
    }
  });

  test("trials", () => {
    for (let trial = 0; trial < 20; trial++) {
      const a = new HostStream(1, trial, "ids");
      const b = new HostStream(1, trial + 1, "ids");
      expect(
        Math.abs(
          correlation(
            () => a.uniform(),
            () => b.uniform(),
          ),
        ),
      ).toBeLessThan(LIMIT);
    }
  });

  test("seed and trial do not stand for each other", () => {
    const a = new HostStream(1, 2, "ids");
    const b = new HostStream(2, 1, "ids");
    expect(
      Math.abs(
        correlation(
          () => a.uniform(),
          () => b.uniform(),
        ),
      ),
    ).toBeLessThan(LIMIT);
  });

  test("purposes", () => {
    const purposes = Object.keys(PURPOSE) as Purpose[];
    for (const [i, purpose] of purposes.entries()) {
      for (const other of purposes.slice(i + 1)) {
        const a = new HostStream(1, 0, purpose);
        const b = new HostStream(1, 0, other);
        expect(
          Math.abs(
            correlation(
              () => a.uniform(),
              () => b.uniform(),
            ),
          ),
        ).toBeLessThan(LIMIT);
      }
    }
  });

  test("nodes, each read at its first draws only", () => {
    const streams = new NodeStreams(1, 0, 1 << 20);
    const first = (node: number) => {
      streams.node = node;
      return streams.uniform();
    };
    let node = 0;
    expect(
      Math.abs(
        correlation(
          () => first(2 * node),
          () => first(2 * node++ + 1),
        ),
      ),
    ).toBeLessThan(LIMIT);
  });
});

test("a node's draws do not depend on what other nodes draw in between", () => {
  const alone = new NodeStreams(7, 3, 20);
  alone.node = 5;
  const expected = Array.from({ length: 11 }, () => alone.word());
  const mixed = new NodeStreams(7, 3, 20);
  const drawn = expected.map((_, i) => {
    mixed.node = i;
    mixed.word();
    mixed.node = 5;
    return i === 5 ? 0 : mixed.word();
  });
  // Node 5 itself drew once more, at i = 5: from there on it is one ahead.
  expect(drawn.slice(0, 5)).toEqual(expected.slice(0, 5));
  expect(drawn.slice(6)).toEqual(expected.slice(6));
});

test("one node read alone gives the same draws", () => {
  const all = new NodeStreams(7, 3, 20);
  all.node = 5;
  const one = new NodeStream(7, 3, 5);
  for (let i = 0; i < 20; i++) expect(one.word()).toBe(all.word());
  // A node's counter has 16 bits; one that draws more often goes on.
  for (let i = 20; i < 200_000; i++) if (one.word() !== all.word()) expect.unreachable(`draw ${i}`);
  const back = all.save();
  const next = all.word();
  for (let i = 0; i < 100_000; i++) all.word();
  back();
  expect(all.word()).toBe(next);
  all.node = 4;
  expect(all.word()).toBe(new NodeStream(7, 3, 4).word());
});

test("pinned: everything measured depends on these", () => {
  const stream = new HostStream(1, 0, "ids");
  expect(Array.from({ length: 5 }, () => stream.word())).toMatchInlineSnapshot(`
    [
      726272191,
      1134335181,
      1923968473,
      4243366737,
      1311741830,
    ]
  `);
  const nodes = new NodeStreams(1, 0, 10);
  nodes.node = 3;
  expect([nodes.word(), nodes.choose(100), nodes.choose(2 ** 40), nodes.uniform()]).toMatchInlineSnapshot(`
    [
      1978882852,
      73,
      303743138719,
      0.023705699343129383,
    ]
  `);
});
