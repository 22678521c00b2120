/** The shape of what an engine may be asked. */
import { hasShape, isCount } from "../shape.ts";
import type { LeaseRequest } from "./messages.ts";

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isDuration = (value: unknown): boolean => typeof value === "number" && value > 0 && value < Infinity;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const named = { seat: isText, lease: isText };
const job = { token: isCount, name: isText, key: isText, attempt: isText, keep: isDuration };
const isNamedList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => hasShape(one, named));
const isReservation = (value: unknown): boolean => value === null || hasShape(value, { name: isText, ms: isDuration });

const fields: Readonly<Record<LeaseRequest["kind"], Readonly<Record<string, (field: unknown) => boolean>>>> = {
  acquire: {
    ...named,
    session: isText,
    name: isText,
    ttl: isDuration,
    floor: isCount,
    preemptible: isBoolean,
  },
  renew: { session: isText, ttl: isDuration, keeps: isNamedList, gives: isNamedList },
  release: { ...named, token: isCount, reserve: isReservation },
  freeze: { ...named, token: isCount },
  look: {},
  begin: {
    ...named,
    ...job,
    occurrence: isCount,
    repeat: (value) => value === null || isDuration(value),
    attempts: isCount,
    noted: isBoolean,
  },
  finish: {
    ...job,
    occurrence: isCount,
    outcome: (value) => value === "done" || value === "failed",
    status: (value) => value === null || isCount(value),
  },
  recall: { key: isText },
};

export function isLeaseRequest(message: unknown): message is LeaseRequest {
  if (!hasShape(message, { kind: isText, id: isCount, life: isCount })) return false;
  const { kind } = message as LeaseRequest;
  return Object.hasOwn(fields, kind) && hasShape(message, fields[kind]);
}
