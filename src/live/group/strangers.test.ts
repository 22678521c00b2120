import { expect, test } from "vitest";
import type { RefusedDatagram } from "../net/endpoint.ts";
import { Strangers } from "./strangers.ts";

const [KEPT, GONE, LIKE_GONE] = [0x11110001, 0x22220002, 0x33330002];

const sealedWith = (id: number): RefusedDatagram => ({
  reason: "unknown-key",
  version: null,
  mark: id & 255,
  from: null,
});

/** The key that is named when a datagram sealed with `id` comes in; `rings`: the keys of this member, one ring after the other. */
function named(rings: readonly (readonly number[])[], id: number): string {
  const said: string[] = [];
  let own = rings[0];
  const strangers = new Strangers({ now: () => 0 }, (why) => said.push(why), { own: () => own, told: () => [] });
  for (const ring of rings.slice(1)) {
    const before = own;
    own = ring;
    strangers.rekeyed(before, []);
  }
  strangers.refused(sealedWith(id));
  return /came sealed with (.*?), which/.exec(said.at(-1)!)![1];
}

test("a datagram sealed with a key that this member had is told with that key; one that is unknown by two digits", () => {
  expect(named([[KEPT, GONE], [KEPT]], GONE)).toBe("key 22220002");
  expect(named([[KEPT]], GONE)).toBe("a key whose id ends in 02");
});

test("a key that this member has again is not taken for the unknown one", () => {
  expect(named([[KEPT, GONE], [KEPT], [KEPT, GONE]], LIKE_GONE)).toBe("a key whose id ends in 02");
});
