import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Id } from "../../protocol.ts";
import { choiceNamed } from "./choice.ts";
import { filterValue, viewValue } from "./hash.ts";
import { addPort, forEachPort, has, portSet, preferred, relaysInView, type Viewer, viewSize } from "./view.ts";

const N = 2000;
/** Member 1 looks at 2 .. N through ports 0 .. N-2. */
const ports = { degree: N - 1, peer: (port: number): Id => port + 2 };
const viewer = (changes: Partial<Viewer> = {}): Viewer => ({
  id: 1,
  election: 77,
  view: 0.5,
  acquired: [],
  ...changes,
});
const list = (set: number[]): number[] => {
  const found: number[] = [];
  forEachPort(set, (port) => found.push(port));
  return found;
};

test("a port set is a set, listed in ascending order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(fc.nat(199)), (size, picks) => {
      const chosen = picks.filter((port) => port < size);
      const set = portSet(size);
      for (const port of chosen) addPort(set, port);
      expect(list(set)).toEqual([...new Set(chosen)].sort((a, b) => a - b));
      for (let port = 0; port < size; port++) expect(has(set, port)).toBe(chosen.includes(port));
    }),
    { seed: 1 },
  );
});

describe("hashes", () => {
  const values = (hash: (member: number) => number) => Array.from({ length: 20_000 }, (_, member) => hash(member));

  test.each([
    ["filter", (member: number) => filterValue(9, 1, member)],
    ["view", (member: number) => viewValue(9, 5, member)],
  ])("%s values are uniform in [0, 1): chi-square over 100 bins below 178, false alarm 1e-6", (_name, hash) => {
    const bins = new Array(100).fill(0);
    for (const value of values(hash)) bins[Math.floor(100 * value)]++;
    expect(bins).toHaveLength(100);
    expect(bins.reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0)).toBeLessThan(178);
  });

  test("every round and every election draws other relays; six standard deviations, false alarm 2e-9 each", () => {
    const relays = (election: number, round: number) => values((member) => filterValue(election, round, member));
    const first = relays(9, 1);
    for (const other of [relays(9, 2), relays(10, 1), relays(9 + 2 ** 40, 1)]) {
      const both = first.filter((value, i) => value < 0.5 && other[i] < 0.5).length;
      expect(Math.abs(both - 5000)).toBeLessThan(6 * Math.sqrt(20_000 * 0.25 * 0.75));
    }
  });

  test("knowing somebody is not mutual; six standard deviations", () => {
    let mutual = 0;
    for (let member = 1; member <= 20_000; member++) {
      if (viewValue(9, 0, member) < 0.5 && viewValue(9, member, 0) < 0.5) mutual++;
    }
    expect(Math.abs(mutual - 5000)).toBeLessThan(6 * Math.sqrt(20_000 * 0.25 * 0.75));
  });
});

describe("a view", () => {
  test("has its share of the group, and the member itself; six standard deviations", () => {
    expect(Math.abs(viewSize(viewer(), ports) - 1 - (N - 1) / 2)).toBeLessThan(6 * Math.sqrt(N / 4));
    expect(viewSize(viewer({ view: 1 }), ports)).toBe(N);
  });

  test("grows by members that have made themselves known", () => {
    const acquired = portSet(N - 1);
    for (let port = 0; port < N - 1; port++) if (viewValue(77, 1, port + 2) >= 0.5) addPort(acquired, port);
    expect(viewSize(viewer({ acquired }), ports)).toBe(N);
  });

  test("its relays are the members of the view that the filter admits", () => {
    const expected = Array.from({ length: N - 1 }, (_, port) => port).filter(
      (port) => filterValue(77, 3, port + 2) < 0.1 && viewValue(77, 1, port + 2) < 0.5,
    );
    expect(expected.length).toBeGreaterThan(50);
    expect(list(relaysInView(viewer(), 3, 0.1, ports))).toEqual(expected);
    expect(list(relaysInView(viewer({ view: 1 }), 3, 1, ports))).toHaveLength(N - 1);
  });

  test.each(["lowest-id", "highest-id", "least-load", "highest-weight", "zone"])("its best member by %s", (name) => {
    const choice = choiceNamed(name);
    const members = Array.from({ length: N - 1 }, (_, port) => port + 2).filter((id) => viewValue(77, 1, id) < 0.02);
    const ranked = [1, ...members].sort((a, b) => choice.rank(a) - choice.rank(b) || a - b);
    expect(preferred(viewer({ view: 0.02 }), choice, ports)).toBe(ranked[0]);
  });
});
