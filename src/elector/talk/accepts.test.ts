import { expect, test } from "vitest";
import { groupParams } from "../params.ts";
import { EPSILON_CAVEAT } from "../report.ts";
import { isElectorMessage } from "./accepts.ts";
import type { Claim, ElectorMessage } from "./messages.ts";

const setting = {
  protocol: "p",
  params: { m: 3 },
  n: 4,
  loss: 0,
  lossLow: 0,
  lossFrom: "measured",
  epsilon: 0,
} as const;
const claim: Claim = {
  office: "leader",
  term: 3,
  number: 0,
  holder: "a",
  life: 7,
  setting,
  former: null,
  heir: null,
  invitation: null,
};
const between = { from: 1, to: 2 };
const good: ElectorMessage[] = [
  { kind: "stand", office: "leader", term: 4, position: 0, setting, over: 7, ...between },
  { kind: "open", office: "leader", term: 4, id: 9, setting, ...between },
  { kind: "child", office: "leader", term: 4, id: 9, setting, message: null, ...between },
  { kind: "list", office: "leader", term: 4, id: 9, setting, lives: [1, 2], final: false, ...between },
  { kind: "listed", office: "leader", term: 4, id: 9, ...between },
  { kind: "who", office: "leader", term: 4, ...between },
  { kind: "claim", claim, passes: 1, ...between },
  { kind: "term", office: "leader", term: 4, ...between },
];

test("messages of the elector pass, and none without one of its fields", () => {
  for (const message of good) {
    expect(isElectorMessage(message)).toBe(true);
    for (const field of Object.keys(message)) {
      const { [field as "kind"]: _, ...rest } = message;
      expect({ rest, passes: isElectorMessage(rest) }).toEqual({ rest, passes: false });
    }
  }
});

test("commands, terms that are no counts and long names are refused at the door", () => {
  const bad: unknown[] = [
    ...[null, 3, "claim", {}, { kind: "constructor" }, { kind: "resign", office: null }],
    { ...good.at(-1), term: 2 ** 53 },
    { ...good.at(-1), term: -1 },
    { ...good.at(-1), office: "x".repeat(200) },
    { ...good.at(-2), claim: { ...claim, setting: { ...setting, params: { m: [1] } } } },
  ];
  expect(bad.map(isElectorMessage)).toEqual(bad.map(() => false));
});

test("claims of strict mode have whole tokens, and say who has the lease by name, life and token", () => {
  const withLease = (changes: object) => isElectorMessage({ ...good.at(-2), claim: { ...claim, ...changes } });
  const behind = { holder: "b", life: 8, token: 4 };
  expect(withLease({ token: 5 })).toBe(true);
  expect(withLease({ token: 0, behind })).toBe(true);
  for (const token of [-1, 0.5, "5", null, 2 ** 60]) expect(withLease({ token })).toBe(false);
  for (const wrong of [null, {}, { ...behind, token: -1 }, { ...behind, holder: null }, { ...behind, life: "8" }]) {
    expect(withLease({ token: 0, behind: wrong })).toBe(false);
  }
});

test("what is shown beside epsilon says what it leaves out", () => {
  expect(EPSILON_CAVEAT).toContain("partitions");
  expect(groupParams({ policy: "majority" })).toMatchObject({ policy: "majority", offices: ["leader"] });
});

test("settings that would take for ever to compute, and offices that no object can hold, do not pass", () => {
  const open = good[1];
  const withSetting = (changes: object) => isElectorMessage({ ...open, setting: { ...setting, ...changes } });
  expect(withSetting({ n: 1000, params: { m: 1000, window: "2", slots: "log", factor: 0.5 } })).toBe(true);
  for (const n of [0, 2 ** 17, 1e9]) expect(withSetting({ n })).toBe(false);
  for (const m of [1e9, "1e9", -1e9, Infinity, "9".repeat(200)]) expect(withSetting({ params: { m } })).toBe(false);
  expect(isElectorMessage({ ...open, office: "constructor" })).toBe(true);
  expect(isElectorMessage({ ...open, office: "__proto__" })).toBe(false);
  for (const port of [-1, 0.5, "1", Number.NaN]) expect(isElectorMessage({ ...open, port })).toBe(false);
});
