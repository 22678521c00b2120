/** Checks the shapes of an engine's answers, of requests, and of stored rows, when they arrive. */
import { hasShape, isCount } from "../shape.ts";
import type { HeardExtension, LeaseAnswer, LeaseRequest } from "./messages.ts";

const isText = (value: unknown): boolean => typeof value === "string" && value.length <= 1024;
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isDuration = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < Infinity;
const orNull = (check: (value: unknown) => boolean) => (value: unknown) => value === null || check(value);
const listOf = (check: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(check);
const shaped = (fields: Readonly<Record<string, (field: unknown) => boolean>>) => (value: unknown) =>
  hasShape(value, fields);

const isInstant = (value: unknown): boolean => Number.isFinite(value);
const extension = { session: isText, count: isCount, at: isInstant };
/** The fields of an extension, which stores with a clock leave out. */
const extending = (fields: Readonly<Record<string, (field: unknown) => boolean>>) => (value: unknown) => {
  const { extended } = value as { readonly extended?: unknown };
  return hasShape(value, fields) && (extended === undefined || hasShape(extended, extension));
};

const lease = { seat: isText, lease: isText };
const holder = { name: isText, life: isCount, token: isCount, lease: isText, frozen: isFlag };
const WHY = ["held", "reserved", "barred", "floor", "over"];

const SHAPES: Record<LeaseAnswer["kind"], (value: unknown) => boolean> = {
  granted: extending({ ...lease, token: isCount }),
  denied: shaped({
    ...lease,
    why: (why) => WHY.includes(why as string),
    holder: orNull(shaped(holder)),
    wait: isDuration,
    token: isCount,
  }),
  renewed: extending({
    leases: listOf(shaped({ ...lease, token: isCount, frozen: isFlag })),
    lost: listOf(shaped(lease)),
  }),
  ended: shaped({ lost: listOf(shaped(lease)) }),
  released: shaped({ ...lease, was: isFlag }),
  frozen: shaped({ ...lease, left: orNull(isDuration) }),
  seen: shaped({
    seats: listOf(
      shaped({
        seat: isText,
        token: isCount,
        preemptible: isFlag,
        holder: orNull(shaped({ ...holder, left: isDuration })),
        reserved: orNull(shaped({ name: isText, left: isDuration })),
      }),
    ),
  }),
  // Answers about jobs go to the caller that asked for them, not to the machine.
  record: () => false,
  failed: shaped({ why: isText }),
};

const answer = { kind: isText, id: isCount, to: isCount };

export function isLeaseAnswer(value: unknown): value is LeaseAnswer {
  if (!hasShape(value, answer)) return false;
  const { kind } = value as LeaseAnswer;
  return Object.hasOwn(SHAPES, kind) && SHAPES[kind](value);
}

const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";
const isSpan = (value: unknown): boolean => typeof value === "number" && value > 0 && value < Infinity;
const named = { seat: isFilled, lease: isFilled };
const job = { token: isCount, name: isFilled, key: isFilled, attempt: isFilled, keep: isSpan };
const isNamedList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => hasShape(one, named));
const isReservation = (value: unknown): boolean => value === null || hasShape(value, { name: isFilled, ms: isSpan });

const fields: Readonly<Record<LeaseRequest["kind"], Readonly<Record<string, (field: unknown) => boolean>>>> = {
  acquire: {
    ...named,
    session: isFilled,
    name: isFilled,
    ttl: isSpan,
    floor: isCount,
    preemptible: isFlag,
  },
  renew: { session: isFilled, ttl: isSpan, keeps: isNamedList, gives: isNamedList },
  release: { ...named, token: isCount, reserve: isReservation },
  freeze: { ...named, token: isCount },
  look: {},
  begin: {
    ...named,
    ...job,
    occurrence: isCount,
    repeat: (value) => value === null || isSpan(value),
    attempts: isCount,
    noted: isFlag,
  },
  finish: {
    ...job,
    occurrence: isCount,
    outcome: (value) => value === "done" || value === "failed",
    status: (value) => value === null || isCount(value),
  },
  recall: { key: isFilled },
};

const request = { kind: isFilled, id: isCount, life: isCount };

export function isLeaseRequest(message: unknown): message is LeaseRequest {
  if (!hasShape(message, request)) return false;
  const { kind } = message as LeaseRequest;
  return Object.hasOwn(fields, kind) && hasShape(message, fields[kind]);
}

/** A message to a member's own engine that is not a request. */
export const isHeardExtension = (message: unknown): message is HeardExtension =>
  hasShape(message, { kind: (kind) => kind === "heard", ...extension });

const isStored = shaped({ clock: isText, at: isInstant });

/** The rows of register-rows.ts, which other processes may have written. */
const ROWS = {
  group: { incarnation: isText, barred: orNull(isStored), longest: isDuration },
  session: { name: isFilled, life: isCount, ttl: isSpan, expires: isStored, ended: isFlag, counter: isCount },
  seat: {
    token: isCount,
    preemptible: isFlag,
    lease: orNull(shaped({ id: isFilled, token: isCount, session: isFilled, until: orNull(isStored), over: isFlag })),
    reserved: orNull(shaped({ name: isFilled, until: isStored })),
  },
  record: {
    occurrence: isInstant,
    attempt: (value: unknown) => typeof value === "string",
    attempts: isCount,
    failures: isCount,
    state: (value: unknown) => ["noted", "running", "done", "failed"].includes(value as string),
    name: isFilled,
    token: isCount,
    status: orNull(isCount),
    at: isInstant,
    keep: isSpan,
  },
} as const;

export const isLeaseRow = (kind: keyof typeof ROWS, row: unknown): boolean => hasShape(row, ROWS[kind]);
