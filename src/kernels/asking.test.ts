/** WebAssembly and JavaScript ask the same processes and leave the same marks, and both make the draws of Floyd's algorithm. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { NodeStream, nodesKey } from "../random/streams.ts";
import { sample } from "../random/subsets.ts";
import { type AskingMarks, type AskingSizes, assembledAsking, LOST_REQUEST, plainAsking } from "./asking.ts";
import { BitSet } from "./bit-set.ts";

const seed = 2 ** 33 + 1;

/** A stream that has been read for a while: the words before `place` are those of a rank. */
function streamOf(node: number, place: number): NodeStream {
  const stream = new NodeStream(seed, 2, node);
  for (let i = 0; i < place; i++) stream.word();
  return stream;
}

/** Everything that can be asked of one, in an order in which kernels ask it. */
function transcript(make: (sizes: AskingSizes) => AskingMarks | null, nodes: readonly number[], sizes: AskingSizes) {
  const asking = make(sizes)!;
  const { n, k } = sizes;
  const crashed = new BitSet(n);
  for (const node of nodes) crashed.add((3 * node) % n);
  asking.markAll(crashed);
  const marked = nodes.map((node, i) => asking.askAndMark(0, node, streamOf(node, i)));
  const last = asking.asked.slice(0, k);
  asking.unmarkAll(crashed);
  for (const node of last.subarray(0, k >> 1)) asking.unmark(node);
  for (const [list, node] of nodes.entries()) asking.ask(list, node, streamOf(node, 7));
  if (k > 2) asking.asked[1] = LOST_REQUEST;
  const firsts = nodes.map((_, list) => [...asking.firsts.subarray(0, asking.markFirst(list))]);
  return { marked, last, asked: asking.asked.slice(), firsts, taken: nodes.map((_, list) => asking.takeMarks(list)) };
}

const size = fc.oneof(
  fc.integer({ min: 2, max: 300 }),
  fc.integer({ min: 2 ** 20 - 2, max: 2 ** 20 + 2 }),
  fc.constantFrom(2 ** 24, 2 ** 24 + 1),
);

test("on drawn sizes", () => {
  const settings = fc.tuple(size, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), fc.array(fc.nat()));
  fc.assert(
    fc.property(settings, ([n, self, share, numbers]) => {
      const urn = self ? n : n - 1;
      const k = Math.max(1, Math.min(urn, Math.round(share * Math.min(urn, 1000))));
      const nodes = [0, n - 1, ...numbers.slice(0, 4).map((number) => number % n)];
      const sizes = { n, key: nodesKey(seed, 2), urn, k, lists: nodes.length };
      expect(transcript(assembledAsking, nodes, sizes)).toEqual(transcript(plainAsking, nodes, sizes));
    }),
    { seed: 3, numRuns: effort(8, 1000) },
  );
});

test.each([
  [1, 2, 1],
  [900, 1000, 1000],
  [1000, 1000, 1000],
  [40, 2 ** 24 + 5, 2 ** 24 + 4],
  // Sums of a node and a port pass 2^32; half a gigabyte.
  ...effort([], [[300, 2 ** 32 - 2, 2 ** 32 - 3]]),
])("%i of %i processes, by the draws of `sample`", (k, n, urn) => {
  for (const node of [0, 5 % n, n - 1]) {
    const asking = assembledAsking({ n, key: nodesKey(seed, 2), urn, k, lists: 1 })!;
    asking.ask(0, node, streamOf(node, 3));
    const stream = streamOf(node, 3);
    const ports = sample((m) => stream.choose(m), k, urn);
    expect([...asking.asked]).toEqual(ports.map((port) => (node + port + 1) % n));
  }
});
