import { expect, test } from "vitest";
import { newKeyText } from "../net/keyring.ts";
import { GroupError } from "./errors.ts";
import { type JoinOptions, keyringFrom, readOptions } from "./options.ts";

const refusal = (given: unknown): string => {
  try {
    readOptions(given);
  } catch (error) {
    expect(error).toBeInstanceOf(GroupError);
    expect((error as GroupError).message.endsWith((error as GroupError).advice)).toBe(true);
    return `${(error as GroupError).code} ${(error as GroupError).message}`;
  }
  return "none";
};

test("a name is enough, and everything else has a default", () => {
  expect(readOptions({ name: "a" })).toMatchObject({
    name: "a",
    group: "sortition",
    bind: "127.0.0.1:0",
    seeds: [],
    insecure: false,
    offices: ["leader"],
    policy: "available",
    profile: "lan",
    priority: 0,
    weight: 1,
    protocol: "auto",
    preemptible: false,
    migrate: true,
    stallMs: 200,
  });
});

test.each<[unknown, string]>([
  [undefined, 'join takes an object of options: give at least { name: "a", keyFile: "group.key" }'],
  [{}, 'join needs the option "name": give it; docs/library.md says what it is'],
  [{ name: "a", profil: "lan" }, 'join has no option "profil": did you mean "profile"?'],
  [{ name: "a", join: [] }, 'join has no option "join": did you mean "seeds"?'],
  [
    { name: "a", profile: "lann" },
    'the option "profile" of join must be local, lan or wan: it is "lann"; did you mean "lan"?',
  ],
  [{ name: "a", weight: -1 }, 'the option "weight" of join must be a number of at least 0: it is -1'],
  [{ name: "x".repeat(65) }, `the option "name" of join must be a text of 1 to 64 bytes: it is "${"x".repeat(65)}"`],
  [{ name: "a", key: 7 }, 'the option "key" of join must be the text of a key: it is something else'],
  [{ name: "a", expected: 3 }, '"expected" is for the policy "majority": give both, or neither'],
  [
    { name: "a", lease: "sqlite:a", leaseFile: "b" },
    '"lease" and "leaseFile" both say where leases are kept: give one',
  ],
  [{ name: "a", key: "k", insecure: true }, '"key", "keyFile" and "insecure" all say which key is used: give one'],
  [{ name: "a", offices: ["x", "x:2"] }, 'the option "offices" names "x" twice: name each office once'],
  [{ name: "a", offices: ["a b"] }, '"a b" is no office'],
  [{ name: "a", protocol: "chang" }, 'unknown protocol "chang"'],
  [
    { name: "a", leaseTtl: 100 },
    'the option "leaseTtl" of join must be milliseconds or a time such as 2s or 500ms, at least 500 ms',
  ],
  [{ name: "a", seeds: ["here"] }, 'the option "seeds.0" of join must be an address, HOST:PORT'],
])("%j is refused in words", (given, words) => {
  expect(refusal(given)).toContain(`BAD_OPTION ${words}`);
});

test("a duration is milliseconds, or a text with its unit", () => {
  const ttl = (leaseTtl: number | string) => readOptions({ name: "a", lease: "sqlite:a", leaseTtl }).leaseTtl;
  expect([ttl(2000), ttl("2000"), ttl("2s"), ttl("1.5s"), ttl("750ms"), ttl("1m")]).toEqual([
    2000, 2000, 2000, 1500, 750, 60_000,
  ]);
  for (const wrong of ["2", "2h", "2 s", "0.5ms", "-2s", "s"]) expect(() => ttl(wrong)).toThrow("a time such as 2s");
});

const keys = (given: Partial<JoinOptions>, env = {}) => keyringFrom(readOptions({ name: "a", ...given }), env);

test("the key comes as text, from the environment, or is one that everybody knows, on loopback", () => {
  const key = newKeyText();
  const { id } = keys({ key }).sealing;
  expect(keys({}, { SORTITION_KEY: `${key}\n` }).sealing.id).toBe(id);
  expect(keys({ key }, { SORTITION_KEY: newKeyText() }).sealing.id).toBe(id);
  expect(keys({ insecure: true }).sealing.id).not.toBe(id);
  const code = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return (error as GroupError).code;
    }
  };
  expect(code(() => keys({}))).toBe("BAD_KEY");
  expect(code(() => keys({ key: "short" }))).toBe("BAD_KEY");
  expect(code(() => keys({ keyFile: "there-is-none.key" }))).toBe("BAD_KEY");
  expect(code(() => keys({ insecure: true, bind: "0.0.0.0:7001" }))).toBe("BAD_KEY");
  expect(code(() => keys({ insecure: true, advertise: "db-1.example:7001" }))).toBe("BAD_KEY");
});
