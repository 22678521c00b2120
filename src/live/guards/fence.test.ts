import { expect, test } from "vitest";
import { keyringOf } from "../net/keyring.ts";
import { FenceRefused, fenceOf, isNews, readFence } from "./fence.ts";
import { guardKeys, guardKeyText, isName, parseGuardKeys, readName, writeName } from "./keys.ts";

const secret = (byte: number) => Buffer.alloc(32, byte);
const keys = guardKeys(keyringOf([secret(1)]), "jobs");
const held = { seat: "leader", token: 1_763_233_000_123n, lease: "k3x.1.alice" };

function refused(act: () => unknown): FenceRefused {
  try {
    act();
  } catch (error) {
    if (error instanceof FenceRefused) return error;
    throw error;
  }
  throw new Error("it was not refused");
}
const codeOf = (text: string | null | undefined) => refused(() => readFence(keys, "leader", text)).code;

test("a fence says who leads what, and is read with the guard's key alone", () => {
  const text = fenceOf(keys, held);
  expect(readFence(keys, "leader", text)).toEqual({ group: "jobs", ...held });
  expect(readFence(parseGuardKeys(guardKeyText(keys), "jobs"), "leader", text).token).toBe(held.token);
});

test("its form stays: other languages verify it", () => {
  expect(fenceOf(keys, held)).toMatchInlineSnapshot(
    `"s1~1763233000123~jobs~leader~k3x.1.alice~KLObwBqs5uAiWvtkim7-UQ"`,
  );
  expect(guardKeyText(keys)).toMatchInlineSnapshot(`
    "guard~jobs~uFRHols50mWqP7hVVfexisTqiM2xQyymMgsEt8en2mA
    "
  `);
});

test("names of every kind survive in a word that needs no quoting anywhere", () => {
  for (const name of ["shards#2", "ü~_%/ \n", "a.b-c_d", "\u0000", "日本".repeat(10)]) {
    const text = fenceOf(guardKeys(keyringOf([secret(1)]), name), { ...held, seat: name, lease: `x.1.${name}` });
    expect(text).toMatch(/^[A-Za-z0-9._~-]{1,1024}$/);
    expect(readFence(guardKeys(keyringOf([secret(1)]), name), name, text)).toEqual({
      group: name,
      seat: name,
      token: held.token,
      lease: `x.1.${name}`,
    });
  }
});

test("none, or nothing, is missing", () => {
  expect([null, undefined, ""].map(codeOf)).toEqual(["missing", "missing", "missing"]);
});

test("whatever is changed in it makes it none of ours, and never anything but refused", () => {
  const text = fenceOf(keys, held);
  for (let at = 0; at < text.length; at++) {
    for (const other of ["0", "Z", "~", "_", "%", ""]) {
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      if (changed === text) continue;
      expect(["malformed", "forged"]).toContain(codeOf(changed));
    }
  }
  expect(codeOf(`${text}, ${text}`)).toBe("malformed");
  expect(codeOf("s".repeat(10_000_000))).toBe("malformed");
});

test("a token of 2^62 that nobody signed, a key of another group, and a group's key used as its guards' are forged", () => {
  const text = fenceOf(keys, held);
  expect(codeOf(text.replace(String(held.token), String(2n ** 62n)))).toBe("forged");
  expect(codeOf(fenceOf(guardKeys(keyringOf([secret(1)]), "other"), held))).toBe("forged");
  const own = { group: "jobs", sealing: keyringOf([secret(1)]).sealing.secret, opening: [] };
  expect(codeOf(fenceOf(own, held))).toBe("forged");
});

test("a fence of another seat is foreign", () => {
  expect(codeOf(fenceOf(keys, { ...held, seat: "janitor" }))).toBe("foreign");
});

test("tokens are from 1 to 2^63 - 1, without signs, zeros in front or spaces", () => {
  const text = fenceOf(keys, held);
  for (const token of ["0", "-1", "+1", "01", "1.0", "1e3", " 1", "", String(2n ** 63n), "9".repeat(400)])
    expect(codeOf(text.replace(String(held.token), token))).toBe("malformed");
  expect(readFence(keys, "leader", fenceOf(keys, { ...held, token: 2n ** 63n - 1n })).token).toBe(2n ** 63n - 1n);
  expect(() => fenceOf(keys, { ...held, token: null })).toThrow("led without a lease");
  expect(() => fenceOf(keys, { ...held, token: 0 })).toThrow('no fence has seat "leader", token 0');
});

test("a newer version is told from nonsense", () => {
  expect(refused(() => readFence(keys, "leader", fenceOf(keys, held).replace("s1", "s2"))).message).toContain(
    "version s2",
  );
});

test("while keys are replaced, every key verifies and the first signs", () => {
  const ring = (...bytes: number[]) => guardKeys(keyringOf(bytes.map(secret)), "jobs");
  const [old, both, turned, fresh] = [ring(1), ring(1, 2), ring(2, 1), ring(2)];
  expect(readFence(both, "leader", fenceOf(old, held)).token).toBe(held.token);
  expect(readFence(both, "leader", fenceOf(turned, held)).token).toBe(held.token);
  expect(readFence(turned, "leader", fenceOf(both, held)).token).toBe(held.token);
  expect(refused(() => readFence(fresh, "leader", fenceOf(both, held))).code).toBe("forged");
  expect(guardKeyText(parseGuardKeys(guardKeyText(turned), "jobs"))).toBe(guardKeyText(turned));
});

test("a guard key file has the keys of several groups, and says what it lacks", () => {
  const two = guardKeyText(keys) + guardKeyText(guardKeys(keyringOf([secret(1)]), "other group"));
  expect(guardKeyText(parseGuardKeys(`# guards\n\n${two}`, "other group"))).toBe(two.split("\n")[1].concat("\n"));
  expect(() => parseGuardKeys(two, "third", "guard.key")).toThrow('guard.key holds no guard key of the group "third"');
  expect(() => parseGuardKeys(`${two}nonsense`, "jobs", "guard.key")).toThrow("guard.key, line 3 is not a guard key");
  const group = secret(1).toString("base64url");
  expect(guardKeyText(parseGuardKeys(group, "jobs"))).toBe(guardKeyText(keys));
  expect(() => parseGuardKeys(two + group, "jobs", "guard.key")).toThrow("guard.key, line 3 is not a guard key");
});

test("each part of a line of a guard key file is checked by itself", () => {
  const [label, group, key] = guardKeyText(keys).trim().split("~");
  const lineOf = (...parts: string[]) => `${guardKeyText(keys)}${parts.join("~")}`;
  expect(parseGuardKeys(lineOf(label, group, key), "jobs").opening).toHaveLength(2);
  const wrong = [
    lineOf("guards", group, key),
    lineOf(label, "jo bs", key),
    lineOf(label, "", key),
    lineOf(label, group, key.slice(1)),
    lineOf(label, group, secret(255).toString("base64")),
    lineOf(label, group, key, ""),
    lineOf(label, group),
    lineOf(label),
  ];
  for (const text of wrong)
    expect(() => parseGuardKeys(text, "jobs", "file")).toThrow("file, line 2 is not a guard key");
});

test("what no fence can say is refused, each by itself, before it is signed", () => {
  const most = 2n ** 63n - 1n;
  const wrong = [{ seat: "" }, { lease: "" }, { token: 0n }, { token: -1n }, { token: most + 1n }];
  for (const given of wrong) expect(() => fenceOf(keys, { ...held, ...given })).toThrow("no fence has seat");
  for (const given of [{ token: null }, { lease: null }])
    expect(() => fenceOf(keys, { ...held, ...given })).toThrow("led without a lease");
  for (const token of [1n, most])
    expect(readFence(keys, "leader", fenceOf(keys, { ...held, token })).token).toBe(token);
});

test("a name has 1 to 160 bytes of text", () => {
  const names: [string, boolean][] = [
    ["", false],
    ["x", true],
    ["x".repeat(160), true],
    ["x".repeat(161), false],
    ["ü".repeat(80), true],
    ["ü".repeat(81), false],
    ["\ud800", false],
  ];
  for (const [name, isOne] of names) {
    expect([name, isName(name)]).toEqual([name, isOne]);
    if (isOne) expect(readName(writeName(name))).toBe(name);
    else if (name.length > 1) expect(readName(writeName(name))).toBeNull();
  }
  // Each name has one form: no other one is read.
  for (const word of ["", "_41", "_4", "_zz", "a b", "_e4", "_C3", "a~b"])
    expect([word, readName(word)]).toEqual([word, null]);
  expect(readName("_C3_A4")).toBe("ä");
});

test("each name of a fence is read by itself, and what is too long is not read at all", () => {
  const text = fenceOf(keys, held);
  for (const name of ["jobs", "leader", "k3x.1.alice"])
    expect(codeOf(text.replace(`~${name}~`, "~_zz~"))).toBe("malformed");
  const why = (length: number) => refused(() => readFence(keys, "leader", "x".repeat(length))).message;
  expect(why(1024)).toContain('does not begin with "s1"');
  expect(why(1025)).toContain("more than 1024 characters");
});

test("of the keys in a guard key file the first signs", () => {
  const two = guardKeys(keyringOf([secret(2), secret(1)]), "jobs");
  const read = parseGuardKeys(guardKeyText(two), "jobs");
  expect(fenceOf(read, held)).toBe(fenceOf(two, held));
  expect(fenceOf(read, held)).not.toBe(fenceOf(keys, held));
});

test("a fence of another group is forged, also where its key fits", () => {
  const text = fenceOf({ ...keys, group: "other" }, held);
  expect(codeOf(text)).toBe("forged");
});

test("which fence a guard lets in: a newer token is news, the same lease is not, all others are refused", () => {
  const newest = { token: 5n, lease: "a" };
  const fence = (token: bigint, lease: string) => ({ group: "jobs", seat: "leader", token, lease });
  expect(isNews(null, fence(1n, "a"))).toBe(true);
  expect([isNews(newest, fence(6n, "a")), isNews(newest, fence(6n, "b"))]).toEqual([true, true]);
  expect(isNews(newest, fence(5n, "a"))).toBe(false);
  const refusals: [bigint, string, string][] = [
    [5n, "b", "rival"],
    [4n, "a", "old"],
    [4n, "b", "old"],
  ];
  for (const [token, lease, code] of refusals)
    expect(refused(() => isNews(newest, fence(token, lease)))).toMatchObject({ code, newest: 5n });
});
