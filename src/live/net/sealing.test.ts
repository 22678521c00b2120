import { expect, test } from "vitest";
import { keyOf } from "./keyring.ts";
import { aesGcm, nonceOf, TAG_BYTES } from "./sealing.ts";

const key = keyOf(new Uint8Array(32).fill(1));
const salt = Buffer.alloc(8, 2);
const head = Buffer.from("head");
const body = Buffer.from("hello");

test("a datagram opens only with the key of its sender's life and group, its counter and its head", () => {
  const lifeKey = aesGcm.lifeKey(key, "jobs", salt);
  const datagram = aesGcm.seal(lifeKey, nonceOf(5), head, body);
  const open = (each: Buffer, counter = 5, by = lifeKey) => aesGcm.open(by, nonceOf(counter), head.length, each);
  expect(datagram.length).toBe(head.length + body.length + TAG_BYTES);
  expect(open(datagram)).toEqual(body);
  for (let byte = 0; byte < datagram.length; byte++) {
    const changed = Buffer.from(datagram);
    changed[byte] ^= 1;
    expect(open(changed)).toBeNull();
  }
  expect(open(datagram, 6)).toBeNull();
  const others = [
    aesGcm.lifeKey(key, "other jobs", salt),
    aesGcm.lifeKey(key, "jobs", Buffer.alloc(8, 3)),
    aesGcm.lifeKey(keyOf(new Uint8Array(32).fill(2)), "jobs", salt),
  ];
  for (const other of others) expect(open(datagram, 5, other)).toBeNull();
});
