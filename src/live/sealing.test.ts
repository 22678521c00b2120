import { expect, test } from "vitest";
import { openIntroduction, openPayload, readHead, sealIntroduction, sealPayload } from "./datagrams.ts";
import { keyOf } from "./keyring.ts";
import { realWorld } from "./real-world.ts";
import { aesGcm } from "./sealing.ts";

const key = keyOf(new Uint8Array(32).fill(1));
const salts = Buffer.alloc(32, 2);
const body = Buffer.from("hello");

function everyBitMatters(datagram: Buffer, open: (datagram: Buffer) => Buffer | null): void {
  expect(open(datagram)).toEqual(body);
  for (let byte = 0; byte < datagram.length; byte++) {
    const changed = Buffer.from(datagram);
    changed[byte] ^= 1;
    expect(open(changed)).toBeNull();
  }
}

test("a payload opens only with the key of its session and direction, its counter and its head", () => {
  const { id, forth, back } = aesGcm.sessionKeys(key, salts, 1, 2);
  const datagram = sealPayload(aesGcm, forth, id, 5, body);
  expect(datagram.length).toBe(30 + body.length);
  expect(readHead(datagram)).toEqual({ form: "payload", session: id, counter: 5 });
  everyBitMatters(datagram, (each) => openPayload(aesGcm, forth, 5, each));
  expect(openPayload(aesGcm, forth, 6, datagram)).toBeNull();
  const others = [back, aesGcm.sessionKeys(key, salts, 2, 1).forth, aesGcm.sessionKeys(key, salts, 1, 3).forth];
  for (const other of others) expect(openPayload(aesGcm, other, 5, datagram)).toBeNull();
  expect(openPayload(aesGcm, aesGcm.sessionKeys(key, Buffer.alloc(32, 3), 1, 2).forth, 5, datagram)).toBeNull();
});

test("an introduction opens only at the member it was meant for", () => {
  const sealed = aesGcm.introductionKey(key, 7);
  const datagram = sealIntroduction(aesGcm, sealed, key.id, realWorld.bytes, body);
  const head = readHead(datagram);
  if (typeof head === "string" || head.form !== "introduction") throw new Error("not an introduction");
  expect(head.keyId).toBe(key.id);
  everyBitMatters(datagram, (each) => openIntroduction(aesGcm, sealed, head.nonce, each));
  expect(openIntroduction(aesGcm, aesGcm.introductionKey(key, 8), head.nonce, datagram)).toBeNull();
});
