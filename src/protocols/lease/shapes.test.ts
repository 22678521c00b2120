/** The door of an engine and of a lease client, field by field: each value at a limit, and the one beyond it. */
import { describe, expect, test } from "vitest";
import { COUNT, type Field, type Fields, FLAG, listOf, of, orNull, shaped, wrong } from "../../../test/support/door.ts";
import { isHeardExtension, isLeaseAnswer, isLeaseRequest, isLeaseRow } from "./shapes.ts";

const TEXT: Field = [
  ["", "x", "x".repeat(1024)],
  ["x".repeat(1025), 1, null, undefined],
];
const FILLED: Field = [
  ["x", "x".repeat(2000)],
  ["", 1, null, undefined],
];
const DURATION: Field = [
  [0, 0.5, 1e9],
  [-0.5, Infinity, Number.NaN, "5", null],
];
const SPAN: Field = [
  [0.5, 1, 1e9],
  [0, -1, Infinity, Number.NaN, "5", null],
];
const INSTANT: Field = [
  [-5, 0, 0.5],
  [Infinity, Number.NaN, "5", null],
];

const LEASE = { seat: TEXT, lease: TEXT };
const HOLDER = { name: TEXT, life: COUNT, token: COUNT, lease: TEXT, frozen: FLAG };
const ENVELOPE = { id: COUNT, to: COUNT };
const EXTENDED: Field = [
  [undefined, ...shaped({ session: TEXT, count: COUNT, at: INSTANT })[0]],
  shaped({ session: TEXT, count: COUNT, at: INSTANT })[1],
];
/** Without a field that may be missing, which `shaped` would leave out and find wrong. */
const withExtension = (kind: string, fields: Fields): Field => {
  const [good, bad] = of(kind, fields);
  const first = good[0] as object;
  return [
    [...good, ...EXTENDED[0].map((extended) => ({ ...first, extended }))],
    [...bad, ...EXTENDED[1].map((extended) => ({ ...first, extended }))],
  ];
};

const ANSWERS: readonly Field[] = [
  withExtension("granted", { ...ENVELOPE, ...LEASE, token: COUNT }),
  of("denied", {
    ...ENVELOPE,
    ...LEASE,
    why: [
      ["held", "reserved", "barred", "floor", "over"],
      ["", "lost", null],
    ],
    holder: orNull(shaped(HOLDER)),
    wait: DURATION,
    token: COUNT,
  }),
  withExtension("renewed", {
    ...ENVELOPE,
    leases: listOf(shaped({ ...LEASE, token: COUNT, frozen: FLAG })),
    lost: listOf(shaped(LEASE)),
  }),
  of("ended", { ...ENVELOPE, lost: listOf(shaped(LEASE)) }),
  of("released", { ...ENVELOPE, ...LEASE, was: FLAG }),
  of("frozen", { ...ENVELOPE, ...LEASE, left: orNull(DURATION) }),
  of("failed", { ...ENVELOPE, why: TEXT }),
  of("seen", {
    ...ENVELOPE,
    seats: listOf(
      shaped({
        seat: TEXT,
        token: COUNT,
        preemptible: FLAG,
        holder: orNull(shaped({ ...HOLDER, left: DURATION })),
        reserved: orNull(shaped({ name: TEXT, left: DURATION })),
      }),
    ),
  }),
];

const ASKED = { id: COUNT, life: COUNT };
const NAMED = { seat: FILLED, lease: FILLED };
const JOB = { token: COUNT, name: FILLED, key: FILLED, attempt: FILLED, keep: SPAN };
const REQUESTS: readonly Field[] = [
  of("acquire", { ...ASKED, ...NAMED, session: FILLED, name: FILLED, ttl: SPAN, floor: COUNT, preemptible: FLAG }),
  of("renew", { ...ASKED, session: FILLED, ttl: SPAN, keeps: listOf(shaped(NAMED)), gives: listOf(shaped(NAMED)) }),
  of("release", { ...ASKED, ...NAMED, token: COUNT, reserve: orNull(shaped({ name: FILLED, ms: SPAN })) }),
  of("freeze", { ...ASKED, ...NAMED, token: COUNT }),
  of("look", ASKED),
  of("begin", {
    ...ASKED,
    ...NAMED,
    ...JOB,
    occurrence: COUNT,
    repeat: orNull(SPAN),
    attempts: COUNT,
    noted: FLAG,
  }),
  of("finish", {
    ...ASKED,
    ...JOB,
    occurrence: COUNT,
    outcome: [
      ["done", "failed"],
      ["", "begun", null],
    ],
    status: orNull(COUNT),
  }),
  of("recall", { ...ASKED, key: FILLED }),
];

const STORED = shaped({ clock: TEXT, at: INSTANT });
const ROWS = {
  group: shaped({ incarnation: TEXT, barred: orNull(STORED), longest: DURATION }),
  session: shaped({ name: FILLED, life: COUNT, ttl: SPAN, expires: STORED, ended: FLAG, counter: COUNT }),
  seat: shaped({
    token: COUNT,
    preemptible: FLAG,
    lease: orNull(shaped({ id: FILLED, token: COUNT, session: FILLED, until: orNull(STORED), over: FLAG })),
    reserved: orNull(shaped({ name: FILLED, until: STORED })),
  }),
  record: shaped({
    occurrence: INSTANT,
    attempt: [
      ["", "x"],
      [1, null],
    ],
    attempts: COUNT,
    failures: COUNT,
    state: [
      ["noted", "running", "done", "failed"],
      ["", "begun", null],
    ],
    name: FILLED,
    token: COUNT,
    status: orNull(COUNT),
    at: INSTANT,
    keep: SPAN,
  }),
};

const kindOf = ([good]: Field) => (good[0] as { kind: string }).kind;

describe("passes each value up to its limits, and none beyond", () => {
  test.each(ANSWERS.map((field) => [kindOf(field), field] as const))("answer %s", (_, field) => {
    expect(wrong(isLeaseAnswer, field)).toEqual([]);
  });

  test.each(REQUESTS.map((field) => [kindOf(field), field] as const))("request %s", (_, field) => {
    expect(wrong(isLeaseRequest, field)).toEqual([]);
  });

  test.each(Object.entries(ROWS))("row %s", (kind, field) => {
    expect(wrong((row) => isLeaseRow(kind as keyof typeof ROWS, row), field)).toEqual([]);
  });
});

test("what is of no kind does not pass, and answers about jobs are not for the machine", () => {
  for (const kind of ["", "other", "toString", "record"]) {
    const message = { kind, id: 1, to: 1, life: 1, key: "k", verdict: "seen", wait: 0, record: null };
    expect([isLeaseAnswer(message), isLeaseRequest(message)]).toEqual([false, false]);
  }
});

test("only what says that it was heard is an extension that was heard", () => {
  const heard = of("heard", { session: TEXT, count: COUNT, at: INSTANT });
  expect(wrong(isHeardExtension, heard)).toEqual([]);
  expect(isHeardExtension({ kind: "extended", session: "s", count: 1, at: 5 })).toBe(false);
});
