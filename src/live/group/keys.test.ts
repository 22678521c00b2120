import { expect, test } from "vitest";
import type { Keyring } from "../net/keyring.ts";
import { GroupKeys, type GroupKeysSetup } from "./keys.ts";

const [KEPT, GONE, LIKE_GONE] = [0x11110001, 0x222200c2, 0x333300c2];

const ringOf = ([first, ...rest]: readonly number[]): Keyring =>
  ({ sealing: { id: first }, opening: new Map([first, ...rest].map((id) => [id, { id }])) }) as unknown as Keyring;

/** How a key is told when a datagram sealed with it comes in; `rings`: the keys of this member, one ring after the other. */
function told([first, ...later]: readonly (readonly number[])[], id: number): string {
  const said: string[] = [];
  const node = {
    world: { now: () => 0 },
    state: { members: { live: [], buried: [] } },
    rekey: () => {},
    command: () => {},
  } as unknown as GroupKeysSetup["node"];
  const dropped = (why: string) => void said.push(why);
  const keys = new GroupKeys({ name: "a", group: "g", keyring: ringOf(first), node, dropped });
  for (const ring of later) keys.replace(ringOf(ring));
  keys.refused({ reason: "unknown-key", version: null, mark: id & 255, from: null });
  return /came sealed with (.*?), which/.exec(said.at(-1)!)![1];
}

test("a datagram sealed with a key that this member had is told with that key; one that is unknown by two digits", () => {
  expect(told([[KEPT, GONE], [KEPT]], GONE)).toBe("key 222200c2");
  expect(told([[KEPT]], GONE)).toBe("a key whose id ends in c2");
});

test("a key that this member has again is not taken for the unknown one", () => {
  expect(told([[KEPT, GONE], [KEPT], [KEPT, GONE]], LIKE_GONE)).toBe("a key whose id ends in c2");
});

const OTHER = 0x44440004;
const member = (name: string, keys: readonly number[] | null, status = "alive") => ({
  name,
  life: 1,
  incarnation: 0,
  address: `10.0.0.${name.charCodeAt(0)}:1`,
  status,
  meta: keys === null ? null : { keys },
});

/** A member "a" with these keys among others; `now` can be set. */
function among(own: readonly number[], others: readonly ReturnType<typeof member>[]) {
  const [said, done]: string[][] = [[], []];
  const clock = { now: 0 };
  const members = { live: others, buried: [], members: new Map(others.map((each) => [each.name, each])) };
  const node = {
    world: { now: () => clock.now, soon: (callback: () => void) => callback() },
    state: { members },
    rekey: (ring: Keyring) => void done.push(`seals with ${ring.sealing.id}`),
    command: ({ keys }: { readonly keys: readonly number[] }) => void done.push(`tells ${keys}`),
  } as unknown as GroupKeysSetup["node"];
  const dropped = (why: string) => void said.push(why.replace(/;.*/, ""));
  const keys = new GroupKeys({ name: "a", group: "g", keyring: ringOf(own), node, dropped });
  const joined = (...names: string[]) =>
    keys.follow({ news: names.map((name) => ({ event: "joined", member: name })) } as never);
  return { keys, said, done, clock, joined };
}

const DEAF = "b at 10.0.0.98:1 cannot hear this member, which seals with key 11110001: known there is 44440004";
const UNHEARD = "this member cannot hear b at 10.0.0.98:1, sealed with key 44440004: known here is 11110001";

test.each<[string, readonly number[], readonly number[] | null, readonly string[]]>([
  ["the same key", [KEPT], [KEPT], []],
  ["one that opens what this member seals, and seals with what this one opens", [KEPT, OTHER], [OTHER, KEPT], []],
  ["keys of which this member has none", [KEPT], [OTHER], [DEAF, UNHEARD]],
  ["a key that seals and that this member does not have", [KEPT], [OTHER, KEPT], [UNHEARD]],
  ["only a key that this member opens with", [KEPT, OTHER], [OTHER], [DEAF]],
  ["no word about its keys", [KEPT], null, []],
])("a member that has joined with %s", (_what, own, keys, lines) => {
  const it = among(own, [member("b", keys)]);
  it.joined("b");
  expect(it.said).toEqual(lines);
});

test("only live others are met, and only those that have joined", () => {
  const it = among([KEPT], [member("a", [OTHER]), member("b", [OTHER], "failed"), member("c", [OTHER])]);
  it.joined("a", "b", "nobody");
  expect(it.said).toEqual([]);
  it.joined("c");
  expect(it.said).toHaveLength(2);
});

test("a line is said once a minute, and four lines of all kinds in that time", () => {
  const it = among([KEPT], []);
  const refuse = (mark: number) => it.keys.refused({ reason: "unknown-key", version: null, mark, from: null });
  for (const mark of [1, 1, 1, 2, 3, 4, 5]) refuse(mark);
  expect(it.said).toHaveLength(4);
  it.clock.now = 59_999;
  refuse(1);
  expect(it.said).toHaveLength(4);
  it.clock.now = 60_000;
  refuse(1);
  expect(it.said.at(-1)).toContain("4 datagrams came sealed with a key whose id ends in 01");
  it.keys.refused({ reason: "unauthentic", version: null, mark: 1, from: { host: "10.0.0.9", port: 7 } });
  expect(it.said.at(-1)).toContain("a datagram from 10.0.0.9:7 could not be opened");
  it.keys.refused({ reason: "replayed", version: null, mark: 9, from: null });
  expect(it.said).toHaveLength(6);
});

test("after a change of keys the others are looked at again, unless this member only opens more", () => {
  const others = [member("b", [KEPT])];
  const more = among([KEPT], others);
  more.keys.replace(ringOf([KEPT, OTHER]));
  expect([more.said, more.keys.ids]).toEqual([[], [KEPT, OTHER]]);
  expect(more.done).toEqual([`seals with ${KEPT}`, `tells ${KEPT},${OTHER}`]);
  more.keys.replace(ringOf([OTHER, KEPT]));
  expect(more.said).toHaveLength(1);
  const less = among([OTHER, KEPT], others);
  less.keys.replace(ringOf([OTHER]));
  expect(less.said).toHaveLength(2);
});

test("without a lease there is no fence", () => {
  const { keys } = among([KEPT], []);
  const held = { seat: "leader", term: 1, token: 5, lease: "l" };
  expect([keys.fence({ ...held, token: null }), keys.fence({ ...held, lease: null })]).toEqual([null, null]);
});

test("eight are named, and how many more there are", () => {
  for (const [count, end] of [
    [8, "i at 10.0.0.105:1 cannot hear"],
    [9, "i at 10.0.0.105:1 and 1 more cannot hear"],
  ] as const) {
    const names = Array.from({ length: count }, (_, i) => String.fromCharCode(98 + i));
    const it = among(
      [KEPT, OTHER],
      names.map((name) => member(name, [OTHER])),
    );
    it.joined(...names);
    expect(it.said[0]).toContain(end);
  }
});
