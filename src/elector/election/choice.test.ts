/**
 * The order of members. Chi-square tests have fixed inputs: over all possible hashes that are fair, each would fail in one of
 * a million (quantiles of 1 - 1e-6).
 */
import { describe, expect, test } from "vitest";
import {
  attributesIn,
  canonical,
  digestOf,
  type Eligible,
  firstOf,
  idsFor,
  keysIn,
  MOST_TOLD,
  metaOf,
  type Vacancy,
} from "./choice.ts";

const members = (count: number, meta: (i: number) => unknown = () => ({})): Eligible[] =>
  Array.from({ length: count }, (_, i) => ({ name: `m${i}`, meta: meta(i) }));

const vacancy = (term = 1, rest: Partial<Vacancy> = {}): Vacancy => ({ office: "leader", term, zone: null, ...rest });
const names = (list: readonly Eligible[]) => list.map(({ name }) => name);

function chiSquare(counts: readonly number[], shares: readonly number[]): number {
  const total = counts.reduce((a, b) => a + b, 0);
  return counts.reduce((sum, count, i) => sum + (count - total * shares[i]) ** 2 / (total * shares[i]), 0);
}

/** How often each of the members comes in a place, over so many terms. */
function places(group: readonly Eligible[], terms: number, place: number, rest: Partial<Vacancy> = {}): number[] {
  const counts = group.map(() => 0);
  for (let term = 1; term <= terms; term++) {
    counts[group.indexOf(firstOf(group, vacancy(term, rest), 3)[place])]++;
  }
  return counts;
}

describe("equal members", () => {
  const even = (n: number) => new Array(n).fill(1 / n);

  test("come first equally often, and second and third too", () => {
    // 9 degrees of freedom.
    for (const place of [0, 1, 2]) expect(chiSquare(places(members(10), 20_000, place), even(10))).toBeLessThan(45.1);
  });

  test("share out a thousand offices of one term", () => {
    const group = members(50);
    const counts = group.map(() => 0);
    for (let i = 0; i < 10_000; i++) {
      counts[group.indexOf(firstOf(group, { ...vacancy(), office: `shard-${i}` }, 1)[0])]++;
    }
    // 49 degrees of freedom.
    expect(chiSquare(counts, even(50))).toBeLessThan(110.3);
  });

  test("come first in one term whoever came first in the last", () => {
    const group = members(3);
    const pairs = new Array(9).fill(0);
    const firstIn = (term: number) => group.indexOf(firstOf(group, vacancy(term), 1)[0]);
    for (let term = 1; term <= 9000; term++) pairs[3 * firstIn(term) + firstIn(term + 1)]++;
    expect(chiSquare(pairs, even(9))).toBeLessThan(42.7);
  });
});

describe("attributes", () => {
  test("weights 1, 2 and 3 lead a sixth, a third and a half of the terms", () => {
    const counts = places(
      members(3, (i) => ({ weight: i + 1 })),
      20_000,
      0,
    );
    expect(chiSquare(counts, [1 / 6, 1 / 3, 1 / 2])).toBeLessThan(27.6);
  });

  test("a higher priority comes before any lot, and the preferred zone before any weight", () => {
    const group = members(6, (i) => ({
      priority: i < 4 ? 1 : 0,
      zone: i % 2 === 0 ? "north" : "south",
      weight: i + 1,
    }));
    for (let term = 1; term <= 50; term++) {
      const [first, second, third] = names(firstOf(group, vacancy(term, { zone: "north" }), 3));
      expect([first, second].sort()).toEqual(["m0", "m2"]);
      expect(["m1", "m3"]).toContain(third);
    }
  });

  test("who has weight 0 comes only where nobody else is left, also before the last holder", () => {
    const group = members(3, (i) => ({ weight: i === 0 ? 0 : 1, priority: i === 0 ? 9 : 0 }));
    for (let term = 1; term <= 20; term++) {
      expect(names(firstOf(group, vacancy(term), 3))).not.toContain("m0");
      expect(names(firstOf(group, vacancy(term, { without: new Set(["m1"]) }), 3))).toEqual(["m2"]);
      expect(names(firstOf(group.slice(0, 2), vacancy(term, { without: new Set(["m1"]) }), 3))).toEqual(["m1"]);
    }
    expect(names(firstOf(group.slice(0, 1), vacancy(), 3))).toEqual(["m0"]);
  });

  test("the last holder and holders of other seats come where nobody else is left", () => {
    const group = members(3);
    expect(names(firstOf(group, vacancy(1, { without: new Set(["m0", "m1"]) }), 3))).toEqual(["m2"]);
    const all = names(firstOf(group, vacancy(1, { without: new Set(names(group)) }), 3));
    expect(all).toEqual(names(firstOf(group, vacancy(1), 3)));
  });

  test("an heir comes before all others", () => {
    for (let term = 1; term <= 20; term++) {
      const [first, ...rest] = names(firstOf(members(5), vacancy(term, { heir: "m3", without: new Set(["m3"]) }), 3));
      expect([first, rest.length]).toEqual(["m3", 2]);
    }
  });

  test("what strangers say of themselves is taken for what it is", () => {
    const usual = { priority: 0, weight: 1, zone: "" };
    for (const meta of [null, undefined, 7, "x", { priority: "9", weight: -1, zone: 3 }, { weight: Infinity }, []]) {
      expect(attributesIn(meta)).toEqual(usual);
    }
    expect(attributesIn({ priority: -2, weight: 0, zone: "a", more: 1 })).toEqual({
      priority: -2,
      weight: 0,
      zone: "a",
    });
  });
});

test("the order is that of a sort, whatever the order of the view", () => {
  const group = members(200, (i) => ({ priority: i % 3, weight: (i % 5) + 0.5, zone: i % 2 === 0 ? "a" : "b" }));
  for (let term = 1; term <= 20; term++) {
    const whole = firstOf(group, vacancy(term, { zone: "a" }), 200);
    expect(firstOf([...group].reverse(), vacancy(term, { zone: "a" }), 3)).toEqual(whole.slice(0, 3));
  }
});

test("nobody in a view, nobody in line", () => {
  expect(firstOf([], vacancy(), 3)).toEqual([]);
});

test("ids for protocols that elect by id: all different, safe, and higher for who comes earlier", () => {
  const group = members(300, (i) => ({
    priority: (i % 4) - 1,
    weight: [0.001, 1, 1000][i % 3],
    zone: i % 2 ? "a" : "b",
  }));
  for (let term = 1; term <= 5; term++) {
    const order = firstOf(group, vacancy(term, { zone: "b" }), 300);
    const ids = order.map(idsFor(vacancy(term, { zone: "b" })));
    expect(new Set(ids).size).toBe(300);
    expect(ids.every(Number.isSafeInteger)).toBe(true);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  }
  const id = idsFor(vacancy());
  expect(id({ name: "a", meta: { weight: 0, priority: 100 } })).toBeLessThan(id({ name: "b", meta: {} }));
  expect(Number.isSafeInteger(id({ name: "c", meta: { priority: 1e9 } }))).toBe(true);
});

test("ids must never drift: members of different versions elect by them", () => {
  const ids = (zone: string | null, office = "leader") => {
    const id = idsFor(vacancy(7, { zone, office }));
    const of = (name: string, meta: object) => id({ name, meta });
    return [
      of("m1", {}),
      of("m2", { weight: 3 }),
      of("m3", { weight: 0 }),
      of("m4", { zone: "b" }),
      of("m5", { priority: 1.6 }),
    ];
  };
  expect([ids(null), ids("b"), ids("", "audit")]).toEqual([
    [4512978096573619, 4516742238300693, 8776283389912, 4513578864927044, 4578587706510090],
    [4512978096573619, 4516742238300693, 8776283389912, 4531171050971460, 4578587706510090],
    [4534610527676713, 4536603200603361, 5243855148664, 4509894751163062, 4601177575536878],
  ]);
});

test("an id has the priority in 256 steps, and in each the preferred zone above the others", () => {
  const id = idsFor(vacancy(1, { zone: "b" }));
  const step = (meta: object) => Math.floor(id({ name: "a", meta }) / 2 ** 44);
  expect([-999, -128, -127, 0, 0.4, 0.6, 126, 127, 999].map((priority) => step({ priority }))).toEqual([
    0, 0, 2, 256, 256, 258, 508, 510, 510,
  ]);
  expect([step({ zone: "b" }), step({ zone: "c" })]).toEqual([257, 256]);
  expect(idsFor(vacancy())({ name: "a", meta: { zone: "b" } })).toBe(idsFor(vacancy())({ name: "a", meta: {} }));
});

test("of members that only come if no other is left, those of weight 0 come last", () => {
  const [a, b, c] = members(3, (i) => ({ weight: i === 0 ? 0 : 1 }));
  const without = new Set(["m1"]);
  expect(names(firstOf([a, b], vacancy(1, { without }), 1))).toEqual(["m1"]);
  expect(names(firstOf([a, b, c], vacancy(1, { without }), 20))).toEqual(["m2"]);
  expect(names(firstOf([a, b], vacancy(1, { heir: "m0" }), 3))).toEqual(["m0", "m1"]);
});

describe("a record", () => {
  const usual = { priority: 0, weight: 1, zone: "" };

  test("says only what is not usual", () => {
    expect(metaOf(usual, null)).toBeNull();
    expect(metaOf({ ...usual, weight: 2 }, null)).toEqual({ weight: 2 });
    expect(metaOf(usual, [5], { ttl: 1 })).toEqual({ keys: [5], rules: { ttl: 1 } });
    expect(metaOf(usual, null, { ttl: 1 })).toEqual({ rules: { ttl: 1 } });
    const many = Array.from({ length: MOST_TOLD + 1 }, (_, i) => i);
    expect(metaOf(usual, many)).toEqual({ keys: many.slice(0, 16) });
  });

  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);
  test.each([
    [{ keys: [0] }, [0]],
    [{ keys: [2 ** 32 - 1, 3] }, [2 ** 32 - 1, 3]],
    [{ keys: [2 ** 32] }, null],
    [{ keys: [1, -1] }, null],
    [{ keys: [1, "2"] }, null],
    [{ keys: [] }, null],
    [{ keys: ids(16) }, ids(16)],
    [{ keys: ids(17) }, null],
    [{ keys: { length: 1 } }, null],
    [{}, null],
    [null, null],
    [undefined, null],
    ["keys", null],
  ])("%j tells the keys %j", (meta, keys) => {
    expect(keysIn(meta)).toEqual(keys);
  });
});

test("every character counts, the last ones of any length too", () => {
  for (let length = 1; length <= 9; length++) {
    const texts = Array.from({ length: 1000 }, (_, i) => "x".repeat(length - 1) + String.fromCharCode(i));
    expect(new Set(texts.map(digestOf)).size).toBe(1000);
  }
  const names = Array.from({ length: 20_000 }, (_, i) => `m${i}`);
  expect(new Set(names.map(digestOf)).size).toBe(20_000);
  expect(new Set(["", "\0", "\0\0", "a", "a\0"].map(digestOf)).size).toBe(5);
});

test("a digest is a safe integer, and must never drift: members of different versions compare them", () => {
  expect(["", "m1", "leader 1"].map(digestOf)).toMatchInlineSnapshot(`
    [
      2207847246456390,
      461303929848272,
      5994575793043172,
    ]
  `);
});

test("plain data has one form", () => {
  expect(canonical({ b: [1, null], a: { d: "x", c: true } })).toBe('{"a":{"c":true,"d":"x"},"b":[1,null]}');
  expect(canonical({ c: 1, a: undefined, b: 2 })).toBe('{"a":null,"b":2,"c":1}');
});
