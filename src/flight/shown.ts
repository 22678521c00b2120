/** What members of a group say to each other, short enough for a line and a picture: lives, passes and settings are left out. */

import { PULSE } from "../elector/council/messages.ts";
import { isObject } from "../protocols/shape.ts";

const PULSES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(PULSE).map(([name, number]) => [number, name]),
);

/** Fields that tell one thing from every other one, or belong to the inside of the elector. */
const INNER = [
  "from",
  "to",
  "id",
  "life",
  "pass",
  "setting",
  "version",
  "fellows",
  "council",
  "position",
  "over",
  "session",
  "lease",
  "passes",
  "port",
  "seq",
  "sums",
  "ttl",
  "preemptible",
  "floor",
];

/** Messages by which members only watch each other; they are most of a record, and say little. */
export const isRoutine = (message: unknown): boolean =>
  Array.isArray(message) || (isObject(message) && message.kind === "members");

/** What a holder and its lease store say to each other while nothing changes. */
const RENEWALS = ["renew", "renewed"];

/** Timers and messages after which a step may wait until it is written: nothing but time has gone by. */
export const ROUTINE_TIMERS = ["members/tick", "watch/tick", "lease/renew"];
export const mayWait = (message: unknown): boolean =>
  isRoutine(message) || (isObject(message) && RENEWALS.includes(message.kind as string));

/** `nameOf`: the member of a life, where it is known. */
export function shownMessage(message: unknown, nameOf: (life: number) => string | undefined): unknown {
  if (Array.isArray(message)) return { kind: PULSES[message[0] as number] ?? "pulse" };
  if (!isObject(message)) return message;
  const { kind, message: inner, claim } = message;
  if (kind === "members") return { kind: isObject(inner) ? inner.kind : "members" };
  if (kind === "council") return shownMessage(inner, nameOf);
  if (kind === "child") {
    const { office, term } = message;
    return { kind: isObject(inner) ? String(inner.kind ?? "message") : "message", office, term };
  }
  if (kind === "claim" && isObject(claim)) {
    const { office, term, holder, token } = claim;
    return { kind, office, term, holder: holder ?? "nobody", ...(token !== undefined && { token }) };
  }
  if (kind === "report" && typeof message.life === "number") {
    return { kind, silent: nameOf(message.life) ?? "another member", ticks: message.silent };
  }
  const rest = Object.entries(message).filter(
    ([name, value]) => !INNER.includes(name) && value !== null && typeof value !== "object",
  );
  return Object.fromEntries(rest);
}
