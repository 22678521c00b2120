/** The door of membership, field by field: each value at a limit, and the one beyond it. */
import { describe, expect, test } from "vitest";
import { COUNT, type Field, type Fields, listOf, of, wrong } from "../../../test/support/door.ts";
import { LoneMember } from "../../../test/support/lone-member.ts";
import { encodedSize } from "../../wire/codec.ts";
import { checkMeta, membership } from "./membership.ts";
import { BUCKETS, isMembershipMessage, LARGEST_META, LARGEST_NOTE, LARGEST_ROOM, LONGEST_NAME } from "./messages.ts";
import { publish } from "./parent.ts";
import { profiles } from "./profile.ts";

/** In bytes. */
const text = (most: number, least = 1): Field => [
  [...(least === 0 ? [""] : []), "x", "x".repeat(most), "ä".repeat(most / 2)],
  [...(least === 0 ? [] : [""]), "x".repeat(most + 1), "ä".repeat(most / 2 + 1), 1, null],
];
/** A text that takes so many bytes as a value. */
function ofSize(bytes: number): string {
  let fits = "x".repeat(bytes);
  while (encodedSize(fits) > bytes) fits = fits.slice(1);
  return fits;
}
const value = (most: number): Field => [
  [null, 1, "x", { a: [true, null] }, ofSize(most)],
  [`${ofSize(most)}x`, 1n, { a: [1n] }, undefined],
];
const below = (limit: number): Field => [
  [0, limit - 1],
  [limit, -1, 0.5, "1", null],
];
const tuple = (...fields: readonly Field[]): Field => {
  const first = fields.map(([good]) => good.at(-1));
  const each = (side: 0 | 1) => fields.flatMap((field, i) => field[side].map((one) => first.with(i, one)));
  return [each(0), [...each(1), first.slice(1), [...first, 1], Object.fromEntries(first.entries()), null]];
};
const both = ([good, bad]: Field, [more, worse]: Field): Field => [
  [...good, ...more],
  [...bad, ...worse],
];
/** Shorter and longer lists, and those with one wrong item. */
const exactly = (length: number, [good, bad]: Field): Field => {
  const list = (one: unknown, count = length) => new Array(count).fill(one);
  return [
    good.map((one) => list(one)),
    [list(1, length - 1), list(1, length + 1), ...bad.map((one) => list(1).with(3, one)), "x", null, {}],
  ];
};

const NAME = text(LONGEST_NAME);
const PLAIN = [NAME, COUNT, COUNT, text(256), below(4), value(LARGEST_META)] as const;
const ACCUSERS: Field = [
  [[], [1], new Array(8).fill(1)],
  [new Array(9).fill(1), [-1], ["1"], 1, null],
];
const JOINS = tuple(...PLAIN);
/** An entry with accusers has one item more, so a list of the wrong length is tried by itself. */
const [entries, noEntries] = tuple(...PLAIN, ACCUSERS);
const ENTRY: Field = [[...JOINS[0], ...entries], noEntries.filter((one) => !Array.isArray(one) || one.length !== 6)];
const NOTE = tuple(text(128), COUNT, COUNT, value(LARGEST_NOTE));
const SUM = below(2 ** 32);
const HELD: Field = [
  [
    [0, 0, 1, 0],
    [0, BUCKETS - 1, BUCKETS, 0, 2 ** 32 - 1],
  ],
  [[0, 0, 1], [0, BUCKETS, 1, 0], [0, 0, 0, 0], [0, 0, BUCKETS + 1, 0], [0, 0, 1, 2 ** 32], [-1, 0, 1, 0], [], 1, null],
];
const TRUE: Field = [[true], [false, 1, "true", null]];
const GOSSIP = { members: listOf(ENTRY), notes: listOf(NOTE) };

const SHAPES: Readonly<Record<string, readonly [needed: Fields, optional: Fields]>> = {
  ping: [
    { seq: COUNT, to: COUNT, from: COUNT },
    { about: ENTRY, ...GOSSIP },
  ],
  ack: [
    { seq: COUNT, from: COUNT },
    { me: ENTRY, about: ENTRY, who: TRUE, via: TRUE, ...GOSSIP },
  ],
  ask: [{ seq: COUNT, life: COUNT, address: text(256) }, {}],
  nack: [{ seq: COUNT }, {}],
  gossip: [{ from: COUNT }, GOSSIP],
  digest: [
    { name: NAME, life: COUNT, sums: exactly(BUCKETS, SUM) },
    { me: ENTRY, joins: JOINS, room: text(LARGEST_ROOM, 0), first: below(BUCKETS), held: HELD },
  ],
  answer: [
    { from: COUNT },
    {
      you: ENTRY,
      part: below(BUCKETS),
      want: SUM,
      differs: TRUE,
      joining: ENTRY,
      young: TRUE,
      ...GOSSIP,
    },
  ],
};

test.each(Object.entries(SHAPES))("%s passes up to its limits, and nothing beyond", (kind, [needed, optional]) => {
  const bare = of(kind, needed);
  const first = bare[0].at(-1) as object;
  let all = bare;
  for (const [name, [good, bad]] of Object.entries(optional)) {
    const withField = (one: unknown) => ({ ...first, [name]: one });
    all = both(all, [good.map(withField), bad.map(withField)]);
  }
  expect(wrong(isMembershipMessage, all)).toEqual([]);
});

test("what is of no kind does not pass", () => {
  for (const message of [null, 1, "ping", {}, { kind: 1 }, { kind: "toString" }, { kind: "pong", seq: 1 }]) {
    expect(isMembershipMessage(message)).toBe(false);
  }
});

describe("what a member says of itself and publishes has the same limits", () => {
  const named = (name: string) =>
    membership.init({ profile: profiles.lan, name }, { life: 1, seeds: [] } as never, null, new LoneMember(1).ctx).name;

  test("names have 1 to 64 bytes", () => {
    for (const name of NAME[0]) expect(named(name as string)).toBe(name);
    for (const name of NAME[1]) if (typeof name === "string") expect(() => named(name)).toThrow("takes 1 to 64 bytes");
  });

  test("what it tells takes 256 bytes, and a note 512", () => {
    const it = new LoneMember(1);
    const note = (bytes: number) => publish(it.state, "k", [1, 0], ofSize(bytes));
    expect(() => checkMeta(ofSize(LARGEST_META))).not.toThrow();
    expect(() => checkMeta(ofSize(LARGEST_META + 1))).toThrow("takes 257 bytes; it may take 256");
    expect(() => note(LARGEST_NOTE + 1)).toThrow("takes 513 bytes");
    expect(note(LARGEST_NOTE)).toBe(true);
  });
});
