/** A lease client handler by handler: what it sends, and for how long it waits. Milliseconds. */
import { beforeEach, describe, expect, test } from "vitest";
import { leaseClient } from "./client.ts";
import type { LeaseAnswer, LeaseRequest } from "./messages.ts";
import { gatedTimes, type LeaseParams, leaseTimes, worth } from "./params.ts";
import { acquire, hasten, preempt, raiseFloor, settled, statusOf, stopWork, withdraw } from "./parent.ts";
import type { LeaseContext, LeaseState } from "./state.ts";

const TTL = 1000;
const LIFE = 7;
let state: LeaseState;
let sent: LeaseRequest[];
let armed: Record<string, readonly number[]>;
let disarmed: string[];

const ctx = {
  link: () => 0,
  linked: () => true,
  send: (_port: number, message: LeaseRequest) => void sent.push(message),
  arm(timer: string, least: number, most = least) {
    armed[timer] = [least, most];
  },
  deadline(timer: string, after: number) {
    armed[timer] = [after];
  },
  disarm: (timer: string) => void disarmed.push(timer),
} as unknown as LeaseContext;

function open(changes: Partial<LeaseParams> = {}): void {
  const params = { ...leaseTimes(TTL), name: "ann", engine: "e", settles: false, preemptible: false, ...changes };
  state = leaseClient.init(params, { life: LIFE } as never, null, ctx);
  clear();
}

function clear(): void {
  sent = [];
  armed = {};
  disarmed = [];
}

beforeEach(() => open());

const expire = (timer: string) => {
  clear();
  leaseClient.expire!(state, timer, ctx);
};
type Bare<A> = A extends unknown ? Omit<A, "id" | "to"> : never;
const answer = (reply: Bare<LeaseAnswer>, id: number) => {
  clear();
  leaseClient.receive(state, 0, { ...reply, id, to: LIFE } as LeaseAnswer, ctx);
};
const kinds = () => sent.map(({ kind }) => kind);
const asked = (seat = "s") => sent.find((request) => request.kind === "acquire" && request.seat === seat)!;

/** Holds the seat under token 5. */
function hold(seat = "s"): string {
  acquire(state, seat, ctx);
  const { id, lease } = asked(seat) as Extract<LeaseRequest, { kind: "acquire" }>;
  answer({ kind: "granted", seat, lease, token: 5 }, id);
  return lease;
}

const deny = (changes: object) => {
  const { id, lease } = asked() as Extract<LeaseRequest, { kind: "acquire" }>;
  const held = { kind: "denied", seat: "s", lease, why: "held", holder: null, wait: 0, token: 9 } as const;
  answer({ ...held, ...changes }, id);
};

describe("a request", () => {
  test("has its deadline from its first try, and is repeated after times that double up to a TTL", () => {
    acquire(state, "s", ctx);
    expect(kinds()).toEqual(["acquire"]);
    expect(armed).toEqual({ "lapse#0": [940], "ask s": [250, 275] });
    for (const wait of [500, 1000, 1000]) {
      expire("ask s");
      expect(kinds()).toEqual(["acquire"]);
      expect(armed).toEqual({ "ask s": [wait, wait + 25] });
    }
    expect(state).toMatchObject({ engine: "silent", silence: "no answer within 250 ms", requests: 4, leases: 1 });
  });

  test("whose deadline has passed is given up, and asked anew with another lease", () => {
    acquire(state, "s", ctx);
    const [first] = sent as { lease?: string }[];
    expire("lapse#0");
    expect(state).toMatchObject({ attempts: 0, users: 0, session: null, engine: "silent" });
    expire("ask s");
    expect(asked()).toMatchObject({ kind: "acquire", floor: 0 });
    expect((asked() as { lease?: string }).lease).not.toBe(first.lease);
  });

  test("that is granted at the first try is renewed in time; after more tries at once", () => {
    hold();
    expect(armed).toEqual({ renew: [TTL / 3, (TTL / 3) * 1.05] });
    expect(disarmed).toEqual(["ask s"]);
    open();
    acquire(state, "s", ctx);
    const { lease } = asked() as Extract<LeaseRequest, { kind: "acquire" }>;
    expire("ask s");
    answer({ kind: "granted", seat: "s", lease, token: 5 }, 2);
    expect(kinds()).toEqual(["renew"]);
    expect(armed).toEqual({ "lapse#1": [940], renew: [250, 262.5] });
  });

  test.each([
    [300, [300, 325]],
    [100, [100, 110]],
    [5000, [2000, 2025]],
    [0, [250, 275]],
  ])("that is denied for %i ms is repeated after %j", (wait, times) => {
    acquire(state, "s", ctx);
    deny({ wait });
    expect(armed["ask s"]).toEqual(times);
    expect(state.floors.get("s")).toBe(9);
    expect(state).toMatchObject({ attempts: 0, users: 0 });
  });

  test("that is denied because of an impossible floor does not raise the floor", () => {
    acquire(state, "s", ctx);
    deny({ why: "floor" });
    expect(state.floors.has("s")).toBe(false);
  });

  test("the first four seats ask, the fifth when one of them is done", () => {
    for (const seat of ["a", "b", "c", "d", "e"]) acquire(state, seat, ctx);
    expect([sent.length, [...state.line], state.attempts]).toEqual([4, ["e"], 4]);
    clear();
    withdraw(state, "a", ctx);
    expect([armed["ask e"], state.attempts, state.seats.has("a"), state.line.size]).toEqual([[0, 0], 3, false, 0]);
    expire("ask e");
    expect(asked("e")).toBeDefined();
  });

  test("hastened asks at once where it waits, and not where it has asked", () => {
    acquire(state, "s", ctx);
    deny({ wait: 300 });
    clear();
    hasten(state, "s", ctx);
    hasten(state, "s", ctx);
    expect(kinds()).toEqual(["acquire"]);
  });
});

describe("a renewal", () => {
  test("that is not answered is repeated; its answer moves the lease to its deadline", () => {
    const lease = hold();
    expire("renew");
    expect(armed).toEqual({ "lapse#1": [940], renew: [250, 262.5] });
    expire("renew");
    expect([kinds(), state.engine]).toEqual([["renew"], "silent"]);
    expect(state.slots).toEqual([1, 1, 1]);
    answer({ kind: "renewed", leases: [{ seat: "s", lease, token: 5, frozen: false }], lost: [] }, 3);
    expect(state.slots).toEqual([0, 0, 1]);
    expect(disarmed.sort()).toEqual(["lapse#0", "lapse#1"]);
    expect(armed).toEqual({ renew: [TTL / 3, (TTL / 3) * 1.05] });
    expect(state.news).toEqual([{ what: "answering" }]);
    expect(state.renewals.size).toBe(0);
  });

  test("says which lease has a fixed end: that stays where it is", () => {
    const lease = hold();
    expire("renew");
    const frozen = { kind: "renewed", leases: [{ seat: "s", lease, token: 5, frozen: true }], lost: [] } as const;
    answer(frozen, 2);
    expect(state.news).toEqual([{ what: "frozen", seat: "s", token: 5 }]);
    expect(state.seats.get("s")).toMatchObject({ frozen: true, confirmation: { slot: 0 } });
    expire("renew");
    answer(frozen, 3);
    expect(state.news).toEqual([]);
  });

  test("tells of leases that this client does not have: they are released", () => {
    hold();
    expire("renew");
    answer({ kind: "renewed", leases: [{ seat: "t", lease: "stray", token: 8, frozen: false }], lost: [] }, 2);
    expect(sent).toMatchObject([{ kind: "release", seat: "t", lease: "stray", token: 8, reserve: null }]);
  });

  test("passes on that the session was extended", () => {
    hold();
    expire("renew");
    const extended = { session: "x", count: 3, at: 9 };
    answer({ kind: "renewed", leases: [], lost: [], extended }, 2);
    expect(state.news).toEqual([{ what: "extended", extension: extended }]);
  });

  test("is not sent while halted, and is sent when that is over", () => {
    hold();
    state.halted = true;
    expire("renew");
    expect([sent, armed]).toEqual([[], { renew: [TTL / 3, (TTL / 3) * 1.05] }]);
    state.halted = false;
    expire("renew");
    expect(kinds()).toEqual(["renew"]);
  });
});

describe("a release", () => {
  test("is repeated until it is answered", () => {
    hold();
    clear();
    stopWork(state, "s", "bob", ctx);
    expect(sent).toMatchObject([{ kind: "release", seat: "s", token: 5, reserve: { name: "bob", ms: TTL } }]);
    expect(armed).toEqual({ release: [250, 250] });
    const { lease } = sent[0] as { lease: string };
    expire("release");
    expect(kinds()).toEqual(["release"]);
    answer({ kind: "released", seat: "s", lease, was: true }, 3);
    expect(state.news).toEqual([{ what: "freed", seat: "s", token: 5, answered: true }]);
    expect([state.releases.size, disarmed, statusOf(state, "s")]).toEqual([0, ["release"], "none"]);
    answer({ kind: "released", seat: "s", lease, was: false }, 4);
    expect(state.news).toEqual([]);
  });

  test("that is never answered is said four times: then the lease has run out", () => {
    hold();
    clear();
    stopWork(state, "s", null, ctx);
    const said = [kinds().length];
    for (let again = 0; again < 3; again++) {
      expire("release");
      said.push(kinds().length);
    }
    expect([said, state.releases.size]).toEqual([[1, 1, 1, 1], 1]);
    expire("release");
    expect([sent, armed, state.releases.size]).toEqual([[], {}, 0]);
    expect(state.news).toEqual([{ what: "freed", seat: "s", token: 5, answered: false }]);
  });

  test("of a seat that is wanted again is followed by a request, unless that is withdrawn", () => {
    for (const isWanted of [true, false]) {
      open();
      const lease = hold();
      stopWork(state, "s", null, ctx);
      expect(acquire(state, "s", ctx)).toBe(true);
      if (!isWanted) withdraw(state, "s", ctx);
      answer({ kind: "released", seat: "s", lease, was: true }, 2);
      expect(statusOf(state, "s")).toBe(isWanted ? "asking" : "none");
      expect(armed["ask s"]).toEqual(isWanted ? [0, 0] : undefined);
    }
  });
});

describe("work that has to end", () => {
  beforeEach(() => open({ settles: true }));

  test("keeps its lease for half a TTL; then the lease is given up, and still not released", () => {
    hold();
    clear();
    stopWork(state, "s", null, ctx);
    expect([sent, armed, statusOf(state, "s")]).toEqual([[], { "settle s": [500, 500] }, "settling"]);
    expect(acquire(state, "s", ctx)).toBe(false);
    expire("settle s");
    expect([statusOf(state, "s"), kinds()]).toEqual(["giving", []]);
    expect(settled(state, "s", 6, ctx)).toBe(false);
    expect(settled(state, "s", 5, ctx)).toBe(true);
    expect(kinds()).toEqual(["release"]);
  });

  test("under a lease that has lapsed is unsettled until its end is said, and nothing is asked for meanwhile", () => {
    hold();
    expire("lapse#0");
    expect(state.news).toEqual([{ what: "lost", seat: "s", token: 5, why: "lapsed" }]);
    expect([statusOf(state, "s"), acquire(state, "s", ctx), state.session]).toEqual(["unsettled", false, null]);
    expect(settled(state, "s", 4, ctx)).toBe(false);
    expect(settled(state, "s", 5, ctx)).toBe(true);
    expect([sent, statusOf(state, "s")]).toEqual([[], "none"]);
  });
});

describe("cutting a lease short", () => {
  const holder = { name: "bob", life: 3, token: 9, lease: "b1", frozen: false };

  test("is asked for once the holder is known, and the seat is asked for when that lease ends", () => {
    acquire(state, "s", ctx);
    deny({ holder, wait: 900 });
    clear();
    preempt(state, "s", ctx);
    expect(sent).toMatchObject([{ kind: "freeze", seat: "s", lease: "b1", token: 9 }]);
    answer({ kind: "frozen", seat: "s", lease: "other", left: 100 }, 2);
    expect(armed).toEqual({});
    answer({ kind: "frozen", seat: "s", lease: "b1", left: 100 }, 2);
    expect(armed).toEqual({ "ask s": [100, 110] });
    expect((state.seats.get("s") as { preempts: unknown }).preempts).toBeNull();
  });

  test("that cannot be is said", () => {
    acquire(state, "s", ctx);
    deny({ holder, wait: 900 });
    preempt(state, "s", ctx);
    answer({ kind: "frozen", seat: "s", lease: "b1", left: null }, 2);
    expect([state.news, armed]).toEqual([[{ what: "spared", seat: "s", lease: "b1" }], {}]);
  });
});

test("a floor is the largest token seen", () => {
  for (const [token, floor] of [
    [1, 1],
    [7, 7],
    [6, 7],
  ]) {
    raiseFloor(state, "s", token);
    expect(state.floors.get("s")).toBe(floor);
  }
});

test("the times of a lease follow from its TTL", () => {
  expect(leaseTimes()).toEqual({
    ttl: 5000,
    rho: 0.01,
    margin: 50,
    renewEvery: 5000 / 3,
    requestTimeout: 1250,
    settleWithin: 2500,
  });
  expect(leaseTimes(500)).toMatchObject({ margin: 25 });
  expect(gatedTimes(4000)).toMatchObject({ renewEvery: 500, requestTimeout: 400, margin: 50 });
  expect(worth(leaseTimes())).toBe(4900);
  for (const ttl of [500, 3_600_000]) expect(leaseTimes(ttl).ttl).toBe(ttl);
  for (const ttl of [499, 3_600_001, Number.NaN]) expect(() => leaseTimes(ttl)).toThrow("from 500 ms to an hour");
});

test("what a client assumes of its network is little", () => {
  expect(leaseClient.assumes).toMatchObject({ fifo: false, multicast: false, identity: "anonymous" });
});
