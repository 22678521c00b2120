import { expect, test } from "vitest";
import type { Keyring } from "../net/keyring.ts";
import { GroupKeys, type GroupKeysSetup } from "./keys.ts";

const [KEPT, GONE, LIKE_GONE] = [0x11110001, 0x22220002, 0x33330002];

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
  expect(told([[KEPT, GONE], [KEPT]], GONE)).toBe("key 22220002");
  expect(told([[KEPT]], GONE)).toBe("a key whose id ends in 02");
});

test("a key that this member has again is not taken for the unknown one", () => {
  expect(told([[KEPT, GONE], [KEPT], [KEPT, GONE]], LIKE_GONE)).toBe("a key whose id ends in 02");
});
