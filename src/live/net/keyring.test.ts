import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realWorld } from "../real-world.ts";
import { isPrivate, keyOf, loadKeyring, newKeyText, parseKeyring } from "./keyring.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-keys-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the first key seals, all open", () => {
  const [first, second] = [newKeyText(realWorld), newKeyText(realWorld)];
  const ring = parseKeyring(`# our keys\n${first}\n\n${second}\n`, "k");
  expect(ring.sealing.id).toBe(keyOf(Buffer.from(first, "base64url")).id);
  expect([...ring.opening.keys()]).toEqual([first, second].map((text) => keyOf(Buffer.from(text, "base64url")).id));
});

test.each([
  ["", "holds no key"],
  ["abc\n", "line 1 is not a key"],
  [`${"A".repeat(43)}\n${"A".repeat(43)}x!`, "line 2 is not a key"],
])("%j: %s", (text, message) => {
  expect(() => parseKeyring(text, "k")).toThrow(message);
});

test("a key file that others can read is refused, and a missing one is named", () => {
  const file = join(folder, "group.key");
  writeFileSync(file, `${newKeyText(realWorld)}\n`);
  chmodSync(file, 0o644);
  expect(() => loadKeyring(file)).toThrow(/chmod 600/);
  chmodSync(file, 0o600);
  expect(loadKeyring(file).opening.size).toBe(1);
  expect(() => loadKeyring(`${file}.none`)).toThrow(/there is no key file .*sortition keygen/);
});

test("root's files may be read by a group, as secrets of Kubernetes and credentials of systemd are, and by nobody else", () => {
  const [root, user] = [0, 1000];
  expect([0o400, 0o600].map((mode) => isPrivate({ mode, uid: user }))).toEqual([true, true]);
  expect([0o400, 0o440, 0o640].map((mode) => isPrivate({ mode, uid: root }))).toEqual([true, true, true]);
  expect([0o440, 0o640, 0o604].map((mode) => isPrivate({ mode, uid: user }))).toEqual([false, false, false]);
  expect([0o444, 0o660, 0o644, 0o620].map((mode) => isPrivate({ mode, uid: root }))).toEqual(Array(4).fill(false));
});
