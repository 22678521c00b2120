import { beforeEach, describe, expect, test } from "vitest";
import { life, TTL, testRegister } from "../../../test/support/register.ts";
import { FLOOR_REACH } from "./register.ts";

let engine: ReturnType<typeof testRegister>;
let A: ReturnType<typeof life>;
let B: typeof A;
let C: typeof A;
beforeEach(() => {
  engine = testRegister();
  [A, B, C] = ["A", "B", "C"].map((name, index) => life(name, index + 1));
});
const given = (token: number) => ({ kind: "granted", token });
const refused = (why: string, more = {}) => ({ kind: "denied", why, ...more });

describe("acquire", () => {
  test("the first who asks has it; others are told who, and for how long", () => {
    const request = A.acquire("leader", "A1");
    expect(engine.ask(request)).toEqual({
      kind: "granted",
      id: request.id,
      to: 1,
      seat: "leader",
      lease: "A1",
      token: 1,
    });
    engine.now += 1500;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(
      refused("held", { wait: TTL - 1500, token: 1, holder: { name: "A", life: 1, token: 1, lease: "A1" } }),
    );
  });

  test("the same lease asked for again has the same token and a whole TTL, also after the answer was lost", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.now += TTL - 1;
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(1));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: TTL }));
  });

  test("a lease that was released stays over, when a late copy of its acquire comes in", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.release("leader", "A1", 1));
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(refused("over"));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
  });

  test("the seat is free at the very end of the TTL, not before; the former session is written as ended", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.now += TTL - 1;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: 1 }));
    engine.now += 1;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    expect(engine.rows.sessions.get("A-1")).toMatchObject({ ended: true });
  });

  test("an ended session is refused, whatever the clock says later", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.now += TTL;
    engine.ask(B.acquire("leader", "B1"));
    engine.now -= TTL;
    expect(engine.ask(A.acquire("other", "A2"))).toMatchObject(refused("over"));
    expect(engine.ask(A.acquire("other", "A2", { session: "A-1b" }))).toMatchObject(given(1));
  });

  test("an expired session is refused, even where nobody took its seat, and so is that of another life", () => {
    engine.ask(A.acquire("leader", "A1"));
    expect(engine.ask({ ...A.acquire("other", "A2"), life: 99 })).toMatchObject(refused("over"));
    engine.now += TTL;
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(refused("over"));
    expect(engine.ask(A.acquire("leader", "A2"))).toMatchObject(refused("over"));
  });

  test("a seat acquired late in a session extends it; one that is denied does not", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(B.acquire("other", "B1"));
    engine.now += TTL - 10;
    engine.ask(A.acquire("third", "A2"));
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("held", { wait: TTL }));
    expect(engine.ask(B.acquire("third", "B2"))).toMatchObject(refused("held"));
    expect(engine.ask(C.acquire("other", "C2"))).toMatchObject(refused("held", { wait: 10 }));
  });

  test("no request shortens what another one of the session was promised", () => {
    engine.ask(A.acquire("leader", "A1", { ttl: 2 * TTL }));
    engine.ask(A.renew());
    engine.now += TTL;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: TTL }));
  });
});

describe("tokens", () => {
  test("are above all before them, the floor, and the calendar", () => {
    engine.stamp = 7_000;
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(7_000));
    engine.ask(A.release("leader", "A1", 7_000));
    expect(engine.ask(B.acquire("leader", "B1", { floor: 6_000 }))).toMatchObject(given(7_001));
    engine.ask(B.release("leader", "B1", 7_001));
    engine.stamp = 20;
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(given(7_002));
  });

  test("each seat counts for itself", () => {
    engine.ask(A.acquire("shards#1", "A1"));
    engine.ask(A.release("shards#1", "A1", 1));
    expect(engine.ask(A.acquire("shards#2", "A2"))).toMatchObject(given(1));
    expect(engine.ask(A.acquire("shards#1", "A3"))).toMatchObject(given(2));
  });

  test("a floor that cannot be is refused, and nothing of it is kept", () => {
    engine.stamp = 1_000;
    const most = 1_000 + 2 ** 32;
    expect(engine.ask(A.acquire("leader", "A1", { floor: most + 1 }))).toMatchObject(refused("floor", { token: 0 }));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(1_000));
    engine.ask(B.release("leader", "B1", 1_000));
    expect(engine.ask(A.acquire("leader", "A2", { floor: most }))).toMatchObject(refused("barred"));
  });

  test("none is given that a double cannot hold", () => {
    engine.stamp = Number.MAX_SAFE_INTEGER;
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(Number.MAX_SAFE_INTEGER));
    engine.ask(A.release("leader", "A1", Number.MAX_SAFE_INTEGER));
    expect(engine.ask(A.acquire("leader", "A2"))).toMatchObject(refused("floor"));
  });
});

describe("renew", () => {
  test("keeps all seats of the session, and lists them", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.acquire("other", "A2"));
    engine.now += TTL - 1;
    expect(engine.ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({
      kind: "renewed",
      leases: [
        { seat: "leader", lease: "A1", token: 1, frozen: false },
        { seat: "other", lease: "A2", token: 1, frozen: false },
      ],
      lost: [],
    });
    expect(engine.ask(B.acquire("other", "B1"))).toMatchObject(refused("held", { wait: TTL }));
  });

  test("says of what it named, and of that alone, what the session has no longer", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.acquire("other", "A2"));
    engine.ask(A.release("other", "A2", 1));
    const keeps = [
      { seat: "leader", lease: "A0" },
      { seat: "other", lease: "A2" },
    ];
    expect(engine.ask(A.renew({ keeps }))).toMatchObject({ leases: [{ lease: "A1" }], lost: keeps });
  });

  test.each([
    ["unknown", () => {}],
    ["expired", () => engine.ask(A.acquire("leader", "A1"))],
    [
      "ended by a take-over",
      () => {
        engine.ask(A.acquire("leader", "A1"));
        engine.now += TTL;
        engine.ask(B.acquire("leader", "B1"));
        engine.now -= TTL;
      },
    ],
  ])("a session that is %s has ended, with all that it named", (what, begin) => {
    begin();
    if (what === "expired") engine.now += TTL;
    const [one, other] = ["leader", "other"].map((seat) => ({ seat, lease: "A1" }));
    expect(engine.ask(A.renew({ keeps: [one], gives: [other] }))).toMatchObject({ kind: "ended", lost: [one, other] });
  });

  test("a life does not renew the session of a former one", () => {
    engine.ask(A.acquire("leader", "A1"));
    expect(engine.ask({ ...A.renew(), life: 99 })).toMatchObject({ kind: "ended" });
  });

  test("what is given up ends when it would have, while the other seats go on", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.acquire("other", "A2"));
    engine.now += 2000;
    const gives = [{ seat: "leader", lease: "A1" }];
    expect(engine.ask(A.renew({ gives }))).toMatchObject({ leases: [{ frozen: true }, { frozen: false }], lost: [] });
    engine.now += 1000;
    engine.ask(A.renew({ gives }));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(
      refused("held", { wait: 2000, holder: { frozen: true } }),
    );
    engine.now += 2000;
    expect(engine.ask(A.renew({ gives }))).toMatchObject({ leases: [{ lease: "A2" }], lost: gives });
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    expect(engine.ask(B.acquire("other", "B2"))).toMatchObject(refused("held", { wait: TTL }));
  });

  test("a successor's lease is not given up by a delayed word of the former holder", () => {
    engine.ask(A.acquire("other", "A0"));
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.release("leader", "A1", 1));
    engine.ask(B.acquire("leader", "B1"));
    engine.ask(
      A.renew({
        gives: [
          { seat: "leader", lease: "A1" },
          { seat: "leader", lease: "B1" },
        ],
      }),
    );
    expect(engine.ask(B.renew())).toMatchObject({ leases: [{ lease: "B1", frozen: false }] });
  });
});

describe("release", () => {
  test("frees the seat at once; said again, it says that nothing was there", () => {
    engine.ask(A.acquire("leader", "A1"));
    expect(engine.ask(A.release("leader", "A1", 1))).toMatchObject({ kind: "released", was: true });
    expect(engine.ask(A.release("leader", "A1", 1))).toMatchObject({ kind: "released", was: false });
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
  });

  test("a delayed one does not hit the successor, nor another lease with its token, nor its lease with another token", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.release("leader", "A1", 1));
    engine.ask(B.acquire("leader", "B1"));
    for (const late of [A.release("leader", "A1", 1), A.release("leader", "A1", 2), A.release("leader", "B1", 1)]) {
      expect(engine.ask(late)).toMatchObject({ was: false });
    }
    expect(engine.ask(A.release("nothing", "A1", 1))).toMatchObject({ was: false });
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("held"));
  });

  test("with a reservation only the heir gets it, for one TTL at most", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.release("leader", "A1", 1, { name: "B", ms: 60_000 }));
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("reserved", { wait: TTL, holder: null }));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    engine.ask(B.release("leader", "B1", 2, { name: "A", ms: 1000 }));
    engine.now += 1000;
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(given(3));
  });

  test("an expired lease is not there, and reserves nothing", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.now += TTL;
    expect(engine.ask(A.release("leader", "A1", 1, { name: "B", ms: 1000 }))).toMatchObject({ was: false });
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(given(2));
  });
});

describe("freeze", () => {
  test("the seat ends at its session's present expiry, however often that is renewed", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.now += 1000;
    expect(engine.ask(B.freeze("leader", "A1", 1))).toMatchObject({ kind: "frozen", left: TTL - 1000 });
    engine.now += 1000;
    expect(engine.ask(A.renew())).toMatchObject({ leases: [{ frozen: true }] });
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(1));
    expect(engine.ask(C.freeze("leader", "A1", 1))).toMatchObject({ left: TTL - 2000 });
    engine.now += TTL - 2000;
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(refused("over"));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    expect(engine.ask(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).toMatchObject({
      kind: "renewed",
      leases: [],
    });
  });

  test("only where the seat allows it, as it was first asked for", () => {
    engine.ask(A.acquire("leader", "A1", { preemptible: false }));
    expect(engine.ask(B.acquire("leader", "B1", { preemptible: true }))).toMatchObject(refused("held"));
    expect(engine.ask(B.freeze("leader", "A1", 1))).toMatchObject({ left: null });
  });

  test("as its present holder has asked for it, whatever the one before had said", () => {
    engine.ask(A.acquire("leader", "A1", { preemptible: false }));
    engine.ask(A.release("leader", "A1", 1));
    expect(engine.ask(B.acquire("leader", "B1", { preemptible: true }))).toMatchObject(given(2));
    expect(engine.ask(C.freeze("leader", "B1", 2))).toMatchObject({ left: TTL });
  });

  test("another lease, or one that is over, is not cut", () => {
    engine.ask(A.acquire("leader", "A1"));
    for (const wrong of [B.freeze("leader", "A0", 1), B.freeze("leader", "A1", 2), B.freeze("nothing", "A1", 1)]) {
      expect(engine.ask(wrong)).toMatchObject({ left: null });
    }
    engine.now += TTL;
    expect(engine.ask(B.freeze("leader", "A1", 1))).toMatchObject({ left: null });
  });
});

describe("an engine that may have forgotten something", () => {
  test("another incarnation bars grants for the longest TTL there was, once; renewals go on", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(C.acquire("third", "C1", { ttl: 9000 }));
    engine.incarnation = "second";
    expect(engine.ask(B.acquire("other", "B1"))).toMatchObject(refused("barred", { wait: 9000 }));
    expect(engine.ask(A.renew())).toMatchObject({ kind: "renewed" });
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(1));
    engine.now += 9000;
    expect(engine.ask(B.acquire("other", "B1"))).toMatchObject(given(1));
  });

  test("a new group is not barred", () => {
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(given(1));
  });

  test("a floor above what is stored bars grants, is kept, and bars once", () => {
    engine.ask(A.acquire("other", "A1"));
    expect(engine.ask(B.acquire("leader", "B1", { floor: 40 }))).toMatchObject(
      refused("barred", { wait: TTL, token: 40 }),
    );
    engine.now += TTL;
    expect(engine.ask(C.acquire("leader", "C1", { floor: 40 }))).toMatchObject(given(41));
  });

  test("a floor leaves the token of the lease that is there as it is", () => {
    engine.ask(A.acquire("leader", "A1"));
    expect(engine.ask(B.acquire("leader", "B1", { floor: 40 }))).toMatchObject(
      refused("held", { holder: { token: 1 }, token: 40 }),
    );
    expect(engine.ask(A.release("leader", "A1", 1))).toMatchObject({ was: true });
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("barred"));
  });

  test("restored from an old copy: who holds by a lease that it forgot is told so, and nobody gets it meanwhile", () => {
    engine.ask(A.acquire("leader", "A1"));
    const old = engine.copy();
    engine.ask(A.release("leader", "A1", 1));
    engine.ask(B.acquire("leader", "B1"));
    engine.rows = old;
    engine.incarnation = "restored";
    expect(engine.ask(B.renew({ keeps: [{ seat: "leader", lease: "B1" }] }))).toMatchObject({ kind: "ended" });
    expect(engine.ask(C.acquire("leader", "C1", { floor: 2 }))).toMatchObject(
      refused("held", { holder: { name: "A" } }),
    );
    engine.ask(A.release("leader", "A1", 1));
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("barred"));
    engine.now += TTL;
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(given(3));
  });
});

describe("a clock that was stepped back", () => {
  beforeEach(() => {
    engine.now = 1_000_000;
    engine.ask(A.acquire("leader", "A1"));
  });

  test("leaves no session more than one TTL", () => {
    engine.now = 0;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(refused("held", { wait: TTL }));
    engine.now += TTL;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
  });

  test("nor a frozen end, a reservation or a bar", () => {
    engine.ask(A.acquire("other", "A2"));
    engine.ask(A.acquire("third", "A3"));
    engine.ask(A.release("other", "A2", 1, { name: "A", ms: TTL }));
    engine.ask(B.freeze("leader", "A1", 1));
    engine.now = 0;
    expect(engine.ask(B.freeze("leader", "A1", 1))).toMatchObject({ left: TTL });
    expect(engine.ask(B.acquire("other", "B1"))).toMatchObject(refused("reserved", { wait: TTL }));
    engine.now += TTL - 1;
    engine.ask(A.renew());
    engine.now += 1;
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    expect(engine.ask(B.acquire("other", "B2"))).toMatchObject(given(2));
    engine.incarnation = "second";
    engine.now = 1_000_000;
    expect(engine.ask(C.acquire("fourth", "C1"))).toMatchObject(refused("barred"));
    engine.now = 0;
    expect(engine.ask(C.acquire("fourth", "C1"))).toMatchObject(refused("barred", { wait: TTL }));
    engine.now += TTL;
    expect(engine.ask(C.acquire("fourth", "C1"))).toMatchObject(given(1));
  });
});

test("who looks sees seats, holders and reservations, and changes nothing", () => {
  engine.ask(A.acquire("leader", "A1"));
  engine.ask(B.acquire("other", "B1"));
  engine.ask(B.release("other", "B1", 1, { name: "C", ms: 3000 }));
  engine.now += 1000;
  const before = engine.copy();
  expect(engine.ask(C.look())).toMatchObject({
    seats: [
      {
        seat: "leader",
        token: 1,
        preemptible: true,
        holder: { name: "A", lease: "A1", left: TTL - 1000 },
        reserved: null,
      },
      { seat: "other", token: 1, holder: null, reserved: { name: "C", left: 2000 } },
    ],
  });
  engine.now += TTL;
  expect(engine.ask(C.look())).toMatchObject({ seats: [{ holder: null }, { reserved: null }] });
  expect(engine.rows).toEqual(before);
});

describe("at a limit", () => {
  const seat = (name = "leader") => engine.rows.seats.get(name)!;
  const reserve = (ms: number) => engine.ask(A.release("leader", "A1", 1, { name: "B", ms }));

  test("the last millisecond of a lease and of a reservation still counts, and nothing after it", () => {
    const seen = () => (engine.ask(C.look()) as { seats: readonly { holder: unknown; reserved: unknown }[] }).seats;
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.acquire("other", "A2"));
    engine.ask(A.release("other", "A2", 1, { name: "B", ms: TTL }));
    engine.now += TTL - 1;
    expect(seen()).toMatchObject([{ holder: { left: 1 } }, { reserved: { left: 1 } }]);
    engine.now += 1;
    expect(seen()).toMatchObject([{ holder: null }, { reserved: null }]);
  });

  test.each([
    [0, null],
    [1, { name: "B" }],
    [TTL + 1, { name: "B", until: { at: 1000 + TTL } }],
  ])("a reservation for %i ms is %j", (ms, reserved) => {
    engine.ask(A.acquire("leader", "A1"));
    reserve(ms);
    if (reserved === null) expect(seat().reserved).toBeNull();
    else expect(seat().reserved).toMatchObject(reserved);
  });

  test("of others who have the seat: the one that it is reserved for has it, and then nobody is reserved", () => {
    engine.ask(A.acquire("leader", "A1"));
    reserve(TTL);
    expect(engine.ask(C.acquire("leader", "C1"))).toMatchObject(refused("reserved", { wait: TTL }));
    expect(engine.ask(B.acquire("leader", "B1"))).toMatchObject(given(2));
    expect(seat().reserved).toBeNull();
  });

  test.each([
    [0, given(1)],
    [1, refused("barred", { wait: TTL, token: 1 })],
    [FLOOR_REACH, refused("barred", { token: FLOOR_REACH })],
    [FLOOR_REACH + 1, refused("floor", { wait: 0, token: 0, holder: null })],
  ])("a new seat asked for with the floor %i", (floor, answer) => {
    expect(engine.ask(A.acquire("leader", "A1", { floor }))).toMatchObject(answer);
  });

  test("refusals for which waiting is no help say 0", () => {
    engine.ask(A.acquire("leader", "A1"));
    expect(engine.ask({ ...A.acquire("other", "A2"), life: 99 })).toMatchObject(refused("over", { wait: 0 }));
    engine.ask(A.release("leader", "A1", 1));
    expect(engine.ask(A.acquire("leader", "A1"))).toMatchObject(refused("over", { wait: 0 }));
    engine.rows.seats.set("leader", { ...seat(), token: Number.MAX_SAFE_INTEGER });
    expect(engine.ask(A.acquire("leader", "A3"))).toMatchObject(refused("floor", { wait: 0 }));
  });

  test("only a lease that is named with its seat is given up", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(A.acquire("other", "A2"));
    const gives = [
      { seat: "leader", lease: "A2" },
      { seat: "third", lease: "A1" },
    ];
    expect(engine.ask(A.renew({ gives }))).toMatchObject({
      leases: [
        { seat: "leader", lease: "A1", frozen: false },
        { seat: "other", lease: "A2", frozen: false },
      ],
      lost: gives,
    });
  });

  test("each extension of a session is counted, and the longest TTL of the group is known from each", () => {
    const counter = () => engine.rows.sessions.get("A-1")!.counter;
    engine.ask(A.acquire("leader", "A1"));
    expect([counter(), engine.rows.group!.longest]).toEqual([0, TTL]);
    engine.ask(A.renew({ ttl: TTL + 1 }));
    expect([counter(), engine.rows.group!.longest]).toEqual([1, TTL + 1]);
    engine.ask(A.acquire("other", "A2"));
    expect([counter(), engine.rows.group!.longest]).toEqual([2, TTL + 1]);
  });

  test("a lease whose end stands already at that instant is not written again", () => {
    engine.ask(A.acquire("leader", "A1"));
    engine.ask(B.freeze("leader", "A1", 1));
    const row = seat();
    expect(engine.ask(B.freeze("leader", "A1", 1))).toMatchObject({ left: TTL });
    expect(seat()).toBe(row);
  });

  test("what changes nothing writes nothing", () => {
    engine.ask(A.acquire("leader", "A1"));
    const { group, seats, sessions } = engine.rows;
    const before = [group, seats.get("leader"), sessions.get("A-1")];
    for (const floor of [0, 1]) engine.ask(B.acquire("leader", "B1", { floor }));
    engine.ask(B.release("leader", "A1", 2));
    const after = [engine.rows.group, seats.get("leader"), sessions.get("A-1")];
    for (const [index, row] of before.entries()) expect(after[index]).toBe(row);
  });
});

test("seats are told in the order of their names", () => {
  for (const [index, seat] of ["c", "a", "b"].entries()) engine.ask(A.acquire(seat, `A${index}`));
  expect((engine.ask(A.look()) as { seats: readonly { seat: string }[] }).seats.map(({ seat }) => seat)).toEqual([
    "a",
    "b",
    "c",
  ]);
});
