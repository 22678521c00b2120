/** Members tell which keys they have, and what they told last is still known when they have failed. */
import { expect, test } from "vitest";
import { keysIn, metaOf } from "../../src/elector/election/choice.ts";
import { DEFAULT_ATTRIBUTES } from "../../src/elector/params.ts";
import { memberView, recentMember } from "../../src/live/join/view.ts";
import { keyIdText } from "../../src/live/net/keyring.ts";
import { LARGEST_META } from "../../src/protocols/membership/messages.ts";
import { encodedSize } from "../../src/wire/codec.ts";
import { type Actor, idOf, keyScene, ring } from "./scene.ts";

const seenBy = ({ member }: Actor) =>
  Object.fromEntries(member.members().map((one) => [one.name, memberView(one, "").keys]));
const [one, two, three] = [1, 2, 3].map((number) => keyIdText(idOf(number)));

test("each member knows with which keys the others seal and open, and hears of changes", () => {
  const scene = keyScene(1);
  const [a, b, c] = ["a", "b", "c"].map((name) => scene.start(name, ring(1)));
  const onlyOne = { seals: one, opens: [one] };
  expect(scene.until(() => [a, b, c].every((actor) => Object.keys(seenBy(actor)).length === 3), 10_000)).toBe(true);
  expect(seenBy(a)).toEqual({ a: onlyOne, b: onlyOne, c: onlyOne });
  b.member.rekey(ring(1, 2));
  c.member.rekey(ring(1, 2, 3));
  expect(b.member.keyIds).toEqual([idOf(1), idOf(2)]);
  scene.network.runFor(2000);
  for (const actor of [a, b, c]) {
    expect(seenBy(actor)).toEqual({
      a: onlyOne,
      b: { seals: one, opens: [one, two] },
      c: { seals: one, opens: [one, two, three] },
    });
  }
});

test("of who has failed or left it is known what it told last, for a day", () => {
  const scene = keyScene(2);
  const [a, b, c] = ["a", "b", "c"].map((name) => scene.start(name, ring(1)));
  scene.network.runFor(3000);
  b.member.rekey(ring(1, 2));
  c.member.rekey(ring(2, 1));
  a.member.rekey(ring(1, 2));
  scene.network.runFor(2000);
  scene.kill("b");
  void c.member.leave();
  const recent = () => a.member.departed().map((dead) => recentMember(dead, 100));
  expect(scene.until(() => recent().length === 2, 60_000)).toBe(true);
  expect(Object.fromEntries(recent().map(({ name, state, keys }) => [name, { state, keys }]))).toEqual({
    b: { state: "failed", keys: { seals: one, opens: [one, two] } },
    c: { state: "left", keys: { seals: two, opens: [two, one] } },
  });
  scene.network.runFor(60_000);
  const [{ agoMs }] = recent();
  expect(agoMs).toBeGreaterThan(60_000);
});

test("a record holds the longest zone and sixteen keys; of more the first are told", () => {
  const many = Array.from({ length: 20 }, (_, i) => 0xffffffff - i);
  const meta = metaOf({ priority: 0.1, weight: 1 / 3, zone: "ü".repeat(32) }, many);
  expect(encodedSize(meta)).toBeLessThanOrEqual(LARGEST_META);
  expect(keysIn(meta)).toEqual(many.slice(0, 16));
  expect(metaOf(DEFAULT_ATTRIBUTES, null)).toBeNull();
});

test("what makes no sense is as if nothing were said", () => {
  for (const keys of [undefined, null, 7, [], ["1"], [-1], [2 ** 32], [1.5], Array(17).fill(1), { 0: 1 }]) {
    expect(keysIn({ keys })).toBeNull();
  }
  for (const meta of [null, undefined, 3, "keys", []]) expect(keysIn(meta)).toBeNull();
});
