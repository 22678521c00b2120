/** What judges the groups with leases notices what it is there for. */
import { expect, test } from "vitest";
import { LeaseGroup, type Said } from "./lease-group.ts";

const settings = { folder: "", lease: () => "", ttl: 1000, counter: { kind: "sqlite", file: "" } } as const;
const a = { self: "a", token: 5, lease: "a.1" };
const b = { self: "b", token: 6, lease: "b.1" };

/** Member a leads until its signal, b from 20 on, and each counts once; `also` happened too. */
function judged({
  signal = [{ t: 10, event: "signal", ...a }],
  also = [],
  counted = [a, b],
}: {
  readonly signal?: readonly Said[];
  readonly also?: readonly Said[];
  readonly counted?: readonly { readonly token: number; readonly lease: string }[];
}): () => void {
  const group = new LeaseGroup(settings);
  group.said.push({ t: 0, event: "begins", ...a }, { t: 5, event: "checked", ...a }, ...signal);
  group.said.push({ t: 20, event: "begins", ...b }, { t: 25, event: "checked", ...b }, ...also);
  return () => group.judge(counted.map(({ token, lease }, index) => ({ number: index + 1, token, lease })));
}

const late: readonly Said[] = [{ t: 22, event: "signal", ...a }];

test.each<[string, Parameters<typeof judged>[0]]>([
  ["one after the other", {}],
  ["a write that was told", { also: [{ t: 30, event: "wrote", number: 2, ...b }] }],
  ["one that was killed", { signal: [] }],
  [
    "a late signal of a process that did not run",
    { signal: late, also: [{ t: 22, event: "stalled", ...a, from: 12 }] },
  ],
])("all is well: %s", (_, history) => {
  expect(judged(history)).not.toThrow();
});

test.each<[string, Parameters<typeof judged>[0]]>([
  ["a token that was given twice", { also: [{ t: 40, event: "begins", ...a, self: "c" }] }],
  ["a token that is smaller than the one before", { also: [{ t: 40, event: "begins", ...a, token: 4, self: "c" }] }],
  ["check() that lets an old leader pass", { also: [{ t: 21, event: "checked", ...a }] }],
  ["a signal after the next leader began", { signal: late }],
  ["a write with an old token", { counted: [b, a] }],
  ["a write under somebody else's lease", { counted: [a, { ...b, lease: "c.1" }] }],
  ["a write that was lost", { also: [{ t: 30, event: "wrote", number: 3, ...b }] }],
])("noticed: %s", (_, history) => {
  expect(judged(history)).toThrow();
});
