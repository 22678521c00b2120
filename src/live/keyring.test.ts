import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyOf, loadKeyring, newKeyText, parseKeyring } from "./keyring.ts";
import { directionKey, open, readHeader, seal } from "./seal.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-keys-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the first key seals, all open", () => {
  const [first, second] = [newKeyText(), newKeyText()];
  const ring = parseKeyring(`# our keys\n${first}\n\n${second}\n`, "k");
  expect(ring.sealing.id).toBe(keyOf(Buffer.from(first, "base64url")).id);
  expect([...ring.opening.keys()]).toEqual([first, second].map((text) => keyOf(Buffer.from(text, "base64url")).id));
});

test.each([
  ["", "holds no key"],
  ["abc\n", "line 1 is no key"],
  [`${"A".repeat(43)}\n${"A".repeat(43)}x!`, "line 2 is no key"],
])("%j: %s", (text, message) => {
  expect(() => parseKeyring(text, "k")).toThrow(message);
});

test("a key file that others can read is refused, and a missing one is named", () => {
  const file = join(folder, "group.key");
  writeFileSync(file, `${newKeyText()}\n`);
  chmodSync(file, 0o644);
  expect(() => loadKeyring(file)).toThrow(/chmod 600/);
  chmodSync(file, 0o600);
  expect(loadKeyring(file).opening.size).toBe(1);
  expect(() => loadKeyring(`${file}.none`)).toThrow(/there is no key file .*sortition keygen/);
});

test("what is sealed opens only with the key of its direction, its counter and its header", () => {
  const key = keyOf(new Uint8Array(32).fill(1));
  const salt = "ab".repeat(16);
  const direction = directionKey(key, salt, 7);
  const datagram = seal(direction, key.id, salt, 5, Buffer.from("hello"));
  expect(datagram.length).toBe(43 + 5);
  expect(readHeader(datagram)).toEqual({ version: 1, keyId: key.id, salt, counter: 5 });
  expect(open(direction, 5, datagram)?.toString()).toBe("hello");
  expect(open(direction, 6, datagram)).toBeNull();
  expect(open(directionKey(key, salt, 8), 5, datagram)).toBeNull();
  expect(open(directionKey(key, "cd".repeat(16), 7), 5, datagram)).toBeNull();
  for (let byte = 0; byte < datagram.length; byte++) {
    const changed = Buffer.from(datagram);
    changed[byte] ^= 1;
    expect(open(direction, 5, changed)).toBeNull();
  }
});
