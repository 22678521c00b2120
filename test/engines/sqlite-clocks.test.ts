/** Files of leases whose users read clocks that cannot be compared, and files that are not the one that was there before. */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SqliteRegister } from "../../src/live/engines/sqlite-register.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { life, TTL } from "../support/register.ts";

/** What one waits where clocks cannot be compared: 1% and 50 ms more than the TTL. */
const LONG = Math.ceil(TTL * 1.01 + 50);

let folder: string;
let file: string;
const opened: SqliteRegister[] = [];
beforeEach(() => {
  folder = memoryFolder();
  file = join(folder, "leases.db");
});
afterEach(() => {
  for (const register of opened.splice(0)) register.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A member that reads the clock of that name, which moves only when it is turned. */
function member(clockName: string, now: number) {
  const clock = { now, stamp: 100 };
  const setup = { file, name: "sqlite:leases.db", group: "g", migrate: true };
  const register = new SqliteRegister(setup, { name: clockName, now: () => clock.now, stamp: () => clock.stamp });
  opened.push(register);
  register.check(1000);
  return { clock, ask: (request: LeaseRequest) => register.ask(request, 1000), close: () => register.close() };
}

const given = { kind: "granted" };
const refused = (why: string, wait?: number) => ({ kind: "denied", why, ...(wait === undefined ? {} : { wait }) });
let [A, B] = [life("A", 1), life("B", 2)];
beforeEach(() => {
  [A, B] = [life("A", 1), life("B", 2)];
});

describe("clocks that cannot be compared", () => {
  test("a session is over when its row stood unchanged for a TTL and more; a renewal begins that anew", () => {
    const one = member("one", 9_000_000);
    const two = member("two", 5);
    one.ask(A.acquire("leader", "A1"));
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", LONG));
    two.clock.now += LONG - 1;
    one.ask(A.renew());
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", LONG));
    two.clock.now += LONG - 1;
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", 1));
    two.clock.now += 1;
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(given);
    expect(one.ask(A.renew())).toMatchObject({ kind: "ended" });
  });

  test("who has just begun to watch knows nothing yet, however long the row stood before", () => {
    member("before the machine was started again", 9_000_000).ask(A.acquire("leader", "A1"));
    expect(member("after", 5).ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", LONG));
  });

  test("a frozen seat is over after a TTL and more, or when its own session finds it so", () => {
    const one = member("one", 9_000_000);
    const two = member("two", 5);
    const { token } = one.ask(A.acquire("leader", "A1")) as { token: number };
    one.ask(A.acquire("other", "A2"));
    expect(two.ask(B.freeze("leader", "A1", token))).toMatchObject({ left: LONG });
    for (let renewal = 0; renewal < 3; renewal++) {
      one.clock.now += 1000;
      two.clock.now += 1000;
      one.ask(A.renew());
    }
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", LONG - 3000));
    one.clock.now += TTL - 3000;
    expect(one.ask(A.renew())).toMatchObject({ leases: [{ lease: "A2" }] });
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(given);
    expect(two.ask(B.acquire("other", "B2"))).toMatchObject(refused("held", LONG));
  });

  test("so is a reservation, and a bar", () => {
    const one = member("one", 9_000_000);
    const two = member("two", 5);
    const { token } = one.ask(A.acquire("leader", "A1")) as { token: number };
    one.ask(A.release("leader", "A1", token, { name: "A", ms: TTL }));
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("reserved", LONG));
    two.clock.now += LONG;
    expect(two.ask(B.acquire("leader", "B1", { floor: 900 }))).toMatchObject(refused("barred", TTL));
    expect(one.ask(A.acquire("third", "A3"))).toMatchObject(refused("barred", LONG));
    one.clock.now += LONG;
    expect(one.ask(A.acquire("third", "A3", { session: "A-1b" }))).toMatchObject(given);
  });
});

describe("another file in place of the one before", () => {
  test("one that was removed is made anew, and grants are barred for one TTL by a member that knew the old one", () => {
    const [one, two] = [member("c", 1000), member("c", 1000)];
    one.ask(A.acquire("leader", "A1"));
    rmSync(file);
    expect(() => two.ask(B.acquire("leader", "B1"))).toThrow("was removed or replaced: what there is now is used");
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(refused("barred", TTL));
    expect(() => one.ask(A.renew())).toThrow("was removed or replaced");
    expect(one.ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({ kind: "ended" });
    two.clock.now += TTL;
    expect(two.ask(B.acquire("leader", "B1"))).toMatchObject(given);
  });

  test("one that took its place is used from then on, and grants are barred; the first word may be a renewal", () => {
    const [one, two] = [member("c", 1000), member("c", 1000)];
    one.ask(A.acquire("leader", "A1"));
    copyFileSync(file, `${file}.copy`);
    const { token } = two.ask(B.acquire("other", "B1")) as { token: number };
    renameSync(`${file}.copy`, file);
    for (const { ask } of [one, two]) expect(() => ask(A.look())).toThrow("was removed or replaced");
    expect(one.ask(A.renew())).toMatchObject({ kind: "renewed" });
    expect(two.ask(B.renew({ keeps: [{ seat: "other", lease: "B1" }] }))).toMatchObject({ kind: "ended" });
    expect(two.ask(B.acquire("other", "B2"))).toMatchObject(refused("barred", TTL));
    two.clock.now += TTL;
    two.clock.stamp += TTL;
    const next = two.ask(B.acquire("other", "B2")) as { token: number };
    expect(next.token).toBeGreaterThan(token);
  });

  test("an old copy written over it is noticed by those who run", () => {
    const [one, two] = [member("c", 1000), member("c", 1000)];
    one.ask(A.acquire("leader", "A1"));
    copyFileSync(file, `${file}.copy`);
    two.ask(B.acquire("other", "B1"));
    copyFileSync(`${file}.copy`, file);
    expect(() => two.ask(B.renew())).toThrow("was written over with an old copy: that is used from now on");
    expect(two.ask(B.renew())).toMatchObject({ kind: "ended" });
    expect(two.ask(B.acquire("other", "B2"))).toMatchObject(refused("barred", TTL));
    expect(one.ask(A.renew())).toMatchObject({ kind: "renewed" });
  });

  test("a copy is noticed by those who start later, too", () => {
    const one = member("c", 1000);
    one.ask(A.acquire("leader", "A1"));
    one.close();
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    expect(member("c", 1000).ask(B.acquire("other", "B1"))).toMatchObject(refused("barred", TTL));
  });
});

test("sessions are forgotten an hour after their last word, unless a seat names them", () => {
  const one = member("c", 1000);
  const hour = 3_600_000;
  const pass = (ms: number) => {
    one.clock.now += ms;
    one.clock.stamp += ms;
  };
  one.ask(A.acquire("leader", "A1"));
  one.ask(A.acquire("other", "A2"));
  pass(TTL);
  one.ask(B.acquire("leader", "B1"));
  pass(hour);
  expect(one.ask(A.acquire("leader", "A3"))).toMatchObject(refused("over"));
  one.ask(B.acquire("other", "B2", { session: "B-2b" }));
  pass(1);
  one.ask(B.acquire("leader", "B3", { session: "B-2c" }));
  pass(hour + TTL);
  one.ask(B.acquire("third", "B4", { session: "B-2d" }));
  const database = new DatabaseSync(file);
  const ids = database.prepare("SELECT id FROM sortition_sessions ORDER BY id").all();
  database.close();
  expect(ids.map(({ id }) => id)).toEqual(["B-2b", "B-2c", "B-2d"]);
});
