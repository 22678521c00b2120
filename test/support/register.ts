/** A lease register whose clock the test turns, and requests in few words. */
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { carryOut } from "../../src/protocols/lease/register.ts";
import { oneClock } from "../../src/protocols/lease/register-clock.ts";
import { noRows, type PlainRows, rowsOf } from "../../src/protocols/lease/register-rows.ts";

export const TTL = 5000;

type Asked<Kind extends LeaseRequest["kind"]> = Extract<LeaseRequest, { kind: Kind }>;

/** One life of a member, and what it asks: `A.acquire("leader", "A1")`. */
export function life(name: string, number: number, ttl = TTL) {
  let id = 0;
  const asked = () => ({ id: ++id, life: number });
  return {
    name,
    number,
    acquire: (seat: string, lease: string, more: Partial<Asked<"acquire">> = {}): Asked<"acquire"> => ({
      kind: "acquire",
      ...asked(),
      session: `${name}-${number}`,
      name,
      ttl,
      seat,
      lease,
      floor: 0,
      preemptible: true,
      ...more,
    }),
    renew: (more: Partial<Asked<"renew">> = {}): Asked<"renew"> => ({
      kind: "renew",
      ...asked(),
      session: `${name}-${number}`,
      ttl,
      keeps: [],
      gives: [],
      ...more,
    }),
    release: (seat: string, lease: string, token: number, reserve: Asked<"release">["reserve"] = null) =>
      ({ kind: "release", ...asked(), seat, lease, token, reserve }) satisfies LeaseRequest,
    freeze: (seat: string, lease: string, token: number) =>
      ({ kind: "freeze", ...asked(), seat, lease, token }) satisfies LeaseRequest,
    look: () => ({ kind: "look", ...asked() }) satisfies LeaseRequest,
  };
}

export function testRegister(stored: PlainRows = noRows()) {
  const register = {
    rows: stored,
    now: 1000,
    /** Of the calendar; small, so that tests can see tokens count. */
    stamp: 0,
    incarnation: "first",
    ask(request: LeaseRequest): LeaseAnswer {
      return carryOut(rowsOf(register.rows), request, oneClock(register.now, register.stamp, register.incarnation));
    },
    copy: (): PlainRows => structuredClone(register.rows),
  };
  return register;
}
