/** A lease client handler by handler: what it sends, and for how long it waits. Milliseconds. */
import { beforeEach, describe, expect, test } from "vitest";
import { encodedSize } from "../../wire/codec.ts";
import { leaseClient } from "./client.ts";
import type { LeaseAnswer, LeaseRequest } from "./messages.ts";
import { gatedTimes, type LeaseParams, leaseTimes, worth } from "./params.ts";
import {
  acknowledgeConfirmation,
  acquire,
  hasten,
  leaseOf,
  preempt,
  raiseFloor,
  settled,
  statusOf,
  stopWork,
  withdraw,
} from "./parent.ts";
import { isSessionOf } from "./session.ts";
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

  test("is made where nothing is held; what is held or asked for needs none, and unsettled work allows none", () => {
    open({ settles: true });
    expect(acquire(state, "s", ctx)).toBe(true);
    expect([acquire(state, "s", ctx), sent.length]).toEqual([true, 1]);
    expect([leaseOf(state, "s"), leaseOf(state, "t")]).toEqual([null, null]);
    hold("t");
    expect([acquire(state, "t", ctx), leaseOf(state, "t")]).toEqual([true, "7.2.ann"]);
    stopWork(state, "t", null, ctx);
    expect([acquire(state, "t", ctx), leaseOf(state, "t")]).toEqual([false, "7.2.ann"]);
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

  test("whose answer comes twice, the second time with the end of the session, ends no request that is under way", () => {
    const lease = hold();
    expire("renew");
    answer({ kind: "renewed", leases: [{ seat: "s", lease, token: 5, frozen: false }], lost: [] }, 2);
    const { session } = state;
    acquire(state, "t", ctx);
    answer({ kind: "ended", lost: [] }, 2);
    expect([state.session, statusOf(state, "s"), statusOf(state, "t")]).toEqual([session, "held", "asking"]);
    expect(state.attempts).toBe(1);
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

describe("the line of those who wait to ask", () => {
  const line = () => [...state.line];
  beforeEach(() => {
    for (const seat of ["a", "b", "c", "d", "e", "f"]) acquire(state, seat, ctx);
    expect([line(), state.attempts]).toEqual([["e", "f"], 4]);
    expect(disarmed).toEqual(["ask e", "ask f"]);
    clear();
  });

  test("who leaves it, or is withdrawn while others ask, gives its turn to nobody", () => {
    withdraw(state, "e", ctx);
    expect([line(), state.seats.has("e"), state.attempts]).toEqual([["f"], false, 4]);
    expect([armed, disarmed]).toEqual([{}, ["ask e"]]);
  });

  test("who is withdrawn after its request makes room, also for the one after the next, which finds none", () => {
    withdraw(state, "a", ctx);
    expect([armed, line()]).toEqual([{ "ask e": [0, 0], "ask f": [0, 0] }, []]);
    expect([disarmed, state.slots]).toEqual([
      ["lapse#0", "ask a"],
      [0, 1, 1, 1],
    ]);
    expire("ask e");
    expire("ask f");
    expect([sent, line(), state.attempts]).toEqual([[], ["f"], 4]);
  });

  test("who is withdrawn when it is its turn gives that to the next", () => {
    const { id, lease } = requestOf("b");
    answer({ kind: "granted", seat: "b", lease, token: 5 }, id);
    expect(armed["ask e"]).toEqual([0, 0]);
    clear();
    withdraw(state, "e", ctx);
    expect([armed, line(), state.attempts]).toEqual([{ "ask f": [0, 0] }, [], 3]);
  });

  test("who asks before its turn, because there is room, is no longer in line; its deadline has a free name", () => {
    const { id, lease } = requestOf("a");
    answer({ kind: "denied", seat: "a", lease, why: "held", holder: null, wait: 0, token: 5 }, id);
    hasten(state, "f", ctx);
    expect([line(), state.attempts, kinds()]).toEqual([[], 4, ["acquire"]]);
    expect(armed).toMatchObject({ "lapse#0": [940] });
  });

  test.each(["granted", "denied"])("a request that is %s makes room for the next", (kind) => {
    const { id, lease } = requestOf("b");
    const held = { why: "held", holder: null, wait: 0 } as const;
    if (kind === "granted") answer({ kind, seat: "b", lease, token: 5 }, id);
    else answer({ kind: "denied", seat: "b", lease, token: 5, ...held }, id);
    expect([armed["ask e"], line(), state.attempts]).toEqual([[0, 0], ["f"], 3]);
  });

  function requestOf(seat: string): { id: number; lease: string } {
    const { attempt } = state.seats.get(seat) as { attempt: { id: number; lease: string } };
    return attempt;
  }
});

describe("a denial", () => {
  /** Asks once more, and is denied. */
  const again = (changes: object) => {
    expire("ask s");
    deny(changes);
    return armed["ask s"][0];
  };

  test("that says how long to wait begins the count of tries anew; another one does not", () => {
    acquire(state, "s", ctx);
    deny({ wait: 0 });
    expect([again({ wait: 0 }), again({ wait: 0 })]).toEqual([500, 1000]);
    expect([again({ wait: 1 }), armed["ask s"][1], again({ wait: 0 })]).toEqual([1, 1.1, 250]);
  });

  test.each([
    ["this very life and name", { name: "ann", life: LIFE }, ["release"]],
    ["another life of this name", { name: "ann", life: 6 }, []],
    ["another name with this number as its life", { name: "bob", life: LIFE }, []],
  ])("because of a lease of %s: what is released", (_, who, said) => {
    acquire(state, "s", ctx);
    deny({ holder: { token: 9, lease: "old", frozen: false, ...who } });
    expect(kinds()).toEqual(said);
  });

  test.each([
    ["that lease", { lease: "b1" }, ["freeze"]],
    ["that lease, whose end stands", { lease: "b1", frozen: true }, []],
    ["a later lease", { lease: "b2" }, []],
  ])("while one lease is to be cut short asks for that again: for %s", (_, changes, said) => {
    const holder = { name: "bob", life: 3, token: 9, lease: "b1", frozen: false };
    acquire(state, "s", ctx);
    deny({ holder });
    expect(kinds()).toEqual([]);
    preempt(state, "s", ctx);
    expire("ask s");
    deny({ holder: { ...holder, ...changes } });
    expect(kinds()).toEqual(said);
  });

  test("because of a lease of this very life: once that is released the seat is asked for, unless it was asked for meanwhile", () => {
    const own = { holder: { name: "ann", life: LIFE, token: 9, lease: "old", frozen: false }, wait: 900 };
    const released = (lease: string) => answer({ kind: "released", seat: "s", lease, was: true }, 9);
    acquire(state, "s", ctx);
    deny(own);
    released("old");
    expect([armed, state.news]).toEqual([{ "ask s": [0, 0] }, []]);
    open();
    acquire(state, "s", ctx);
    deny(own);
    hasten(state, "s", ctx);
    released("old");
    expect(armed).toEqual({});
  });

  test("is forgotten where the lease that is released is another one", () => {
    acquire(state, "s", ctx);
    const { lease } = asked() as Extract<LeaseRequest, { kind: "acquire" }>;
    deny({ holder: { name: "bob", life: 3, token: 9, lease: "b1", frozen: false }, wait: 900 });
    // The grant of what was denied was only late.
    answer({ kind: "granted", seat: "s", lease, token: 10 }, 1);
    expect(kinds()).toEqual(["release"]);
    answer({ kind: "released", seat: "s", lease, was: true }, 9);
    expect(armed).toEqual({});
  });
});

describe("what hangs on a deadline", () => {
  test("renewals that were not answered by then are forgotten, and no other one", () => {
    hold();
    expire("renew");
    expire("renew");
    expect([[...state.renewals.keys()], state.slots]).toEqual([
      [2, 3],
      [1, 1, 1],
    ]);
    expire("lapse#1");
    expect([[...state.renewals.keys()], state.slots]).toEqual([[3], [1, 0, 1]]);
    expect([disarmed, statusOf(state, "s")]).toEqual([["lapse#1"], "held"]);
  });

  test("with the last lease its session, its renewals and all their deadlines are over", () => {
    hold();
    expire("renew");
    clear();
    stopWork(state, "s", null, ctx);
    expect([state.session, state.users, state.renewals.size, state.renewing]).toEqual([null, 0, 0, false]);
    expect(state.slots).toEqual([0, 0]);
    expect(disarmed.sort()).toEqual(["lapse#0", "lapse#1", "renew", "settle s"]);
  });

  test("a second lease of a session is renewed with the first one, at its time", () => {
    hold("s");
    hold("t");
    expect(armed).toEqual({});
    expire("renew");
    expect(sent).toMatchObject([{ kind: "renew", keeps: [{ seat: "s" }, { seat: "t" }], gives: [] }]);
  });
});

describe("a session that has ended", () => {
  test("by the answer to a renewal: what that named is lost, its deadlines are free, and what is left is asked after", () => {
    const lease = hold("s");
    hold("t");
    expire("renew");
    answer({ kind: "ended", lost: [{ seat: "s", lease }] }, 3);
    expect(state.news).toEqual([{ what: "lost", seat: "s", token: 5, why: "ended" }]);
    // That of the renewal after it has the name of the first one.
    expect([state.slots, disarmed]).toEqual([
      [1, 1, 0],
      ["lapse#2", "settle s", "lapse#0"],
    ]);
    expect(sent).toMatchObject([{ kind: "renew", keeps: [{ seat: "t" }] }]);
    answer({ kind: "ended", lost: [{ seat: "t", lease: "x" }] }, 3);
    expect([sent, state.news, statusOf(state, "t")]).toEqual([[], [], "held"]);
  });

  test("nothing more is asked under it where nothing is held; while anything is, requests stay", () => {
    hold("s");
    acquire(state, "t", ctx);
    expire("renew");
    answer({ kind: "ended", lost: [] }, 3);
    expect(state.attempts).toBe(1);
    const lease = (state.seats.get("s") as { lease: string }).lease;
    answer({ kind: "ended", lost: [{ seat: "s", lease }] }, 4);
    expect([state.attempts, state.session]).toEqual([0, null]);
  });
});

describe("work that did not end", () => {
  beforeEach(() => open({ settles: true }));
  const gives = () => sent.flatMap((request) => (request.kind === "renew" ? [request.gives] : []));

  test("in time is named as given up with the next renewal, which is sent at once", () => {
    const lease = hold("s");
    hold("t");
    stopWork(state, "s", null, ctx);
    expire("settle s");
    expect(sent).toMatchObject([{ kind: "renew", keeps: [{ seat: "t" }], gives: [{ seat: "s", lease }] }]);
  });

  test("in time, of the only lease: nothing is renewed any more", () => {
    hold();
    expire("renew");
    stopWork(state, "s", null, ctx);
    expire("settle s");
    expect([state.renewals.size, state.renewing, state.slots]).toEqual([0, false, [1, 0]]);
    expect(disarmed.sort()).toEqual(["lapse#1", "renew"]);
  });

  test("before its lease lapsed is named as given up for as long as the session goes on and the store may have the lease", () => {
    const first = hold("s");
    expire("renew");
    hold("t");
    expire("lapse#0");
    expect(statusOf(state, "s")).toBe("unsettled");
    expire("renew");
    expect(gives()).toEqual([[{ seat: "s", lease: first }]]);
    answer({ kind: "renewed", leases: [], lost: [{ seat: "s", lease: "another" }] }, state.requests);
    expire("renew");
    expect(gives()).toEqual([[{ seat: "s", lease: first }]]);
    answer({ kind: "renewed", leases: [], lost: [{ seat: "s", lease: first }] }, state.requests);
    expire("renew");
    expect(gives()).toEqual([[]]);
  });

  test("before its session was over is not named in the next session", () => {
    hold("s");
    expire("lapse#0");
    hold("t");
    expire("renew");
    expect(gives()).toEqual([[]]);
  });
});

describe("acknowledgements", () => {
  beforeEach(() => open({ gated: true }));
  const acknowledged = (seat = "s") => (state.seats.get(seat) as { acknowledged: number }).acknowledged;

  test.each([
    [0, 0],
    [1, 1],
    [2, 0],
  ])("of confirmation %i, where the first is the newest, make it %i", (number, after) => {
    hold();
    clear();
    acknowledgeConfirmation(state, "s", number, ctx);
    expect([acknowledged(), sent]).toEqual([after, []]);
    acknowledgeConfirmation(state, "unknown", number, ctx);
    expect(state.seats.size).toBe(1);
  });

  test("a renewal that waits for one is sent when the lease without it has gone", () => {
    hold("s");
    acknowledgeConfirmation(state, "s", 1, ctx);
    hold("t");
    expire("renew");
    expect([sent, state.renewalWaits]).toEqual([[], true]);
    stopWork(state, "t", null, ctx);
    expect(armed.renew).toEqual([0, 0]);
  });
});

describe("a lease store that fails", () => {
  test("is told of once for each reason, and again after an answer", () => {
    acquire(state, "s", ctx);
    const { id, lease } = asked() as Extract<LeaseRequest, { kind: "acquire" }>;
    const told = (why: string) => {
      answer({ kind: "failed", why }, 1);
      return state.news;
    };
    expect(told("full")).toEqual([{ what: "silent", why: "full" }]);
    expect(told("full")).toEqual([]);
    expect(told("gone")).toEqual([{ what: "silent", why: "gone" }]);
    answer({ kind: "denied", seat: "s", lease, why: "held", holder: null, wait: 0, token: 9 }, id);
    expect(state.news).toContainEqual({ what: "answering" });
    expect(told("gone")).toEqual([{ what: "silent", why: "gone" }]);
  });
});

test("a lease that nobody wants is released as often as one that was held, and its answer says nothing about another one", () => {
  hold();
  expire("renew");
  answer({ kind: "renewed", leases: [{ seat: "s", lease: "stray", token: 4, frozen: false }], lost: [] }, 2);
  expect(kinds()).toEqual(["release"]);
  const said = [1, 2, 3, 4].map(() => {
    expire("release");
    return sent.length;
  });
  expect([said, state.releases.size]).toEqual([[1, 1, 1, 0], 0]);
  expire("renew");
  answer(
    { kind: "renewed", leases: [{ seat: "s", lease: "stray", token: 4, frozen: false }], lost: [] },
    state.requests,
  );
  stopWork(state, "s", null, ctx);
  answer({ kind: "released", seat: "s", lease: "stray", was: true }, 9);
  expect([state.news, statusOf(state, "s")]).toEqual([[], "releasing"]);
});

test("a grant passes on that the session was extended, after the grant", () => {
  acquire(state, "s", ctx);
  const { id, lease } = asked() as Extract<LeaseRequest, { kind: "acquire" }>;
  const extended = { session: "x", count: 3, at: 9 };
  answer({ kind: "granted", seat: "s", lease, token: 5, extended }, id);
  expect(state.news).toEqual([
    { what: "granted", seat: "s", token: 5 },
    { what: "extended", extension: extended },
  ]);
});

test.each([
  [false, ["release"]],
  [true, []],
])("who leaves releases what it holds, unless work runs under it (%s)", (settles, said) => {
  open({ settles });
  hold("s");
  acquire(state, "t", ctx);
  clear();
  leaseClient.leave!(state, ctx);
  expect([kinds(), state.seats.get("t")?.status]).toEqual([said, "asking"]);
});

test("the verdict is that of a leader while anything is held; messages count by their bytes", () => {
  const verdict = () => leaseClient.verdict(state);
  expect(verdict()).toEqual({ status: "undecided", leader: null, term: 0 });
  acquire(state, "t", ctx);
  expect(verdict().status).toBe("undecided");
  hold();
  expect(verdict().status).toBe("elected");
  const look = { kind: "look", id: 1, life: 2 } as const;
  expect(leaseClient.bits(look)).toBe(8 * encodedSize(look));
});

test.each([
  ["7.1.ann", true],
  ["7.12.ann", true],
  ["8.1.ann", false],
  ["7.1.joann", false],
  ["7.1.bob", false],
])("session %s is of ann's seventh life: %s", (session, isOwn) => {
  expect(isSessionOf(session, "ann", 7)).toBe(isOwn);
});

test("lives are written in base 36", () => {
  expect(isSessionOf("z.1.ann", "ann", 35)).toBe(true);
  expect(isSessionOf("10.1.ann", "ann", 36)).toBe(true);
});
