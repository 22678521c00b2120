/** A lease client by itself: every wait is followed by a check, and nothing that has passed comes back. */
import { describe, expect, test } from "vitest";
import { type Asked, holdingClient, LIFE, LoneClient, TTL, WORTH } from "../../../test/support/lone-client.ts";
import { acquire, engineOf, floors, halt, lapseTimer, statusOf, tokenOf, withdraw } from "./parent.ts";

const NOBODY = { holder: null, wait: 0, token: 0 };
const LOST = { what: "lost", seat: "leader", token: 41, why: "lapsed" };

describe("the deadline", () => {
  test("a seat is lost when that of its newest confirmation fires, counted from the sending of what confirmed it", () => {
    const client = holdingClient();
    expect(client.last("acquire")).toMatchObject({ seat: "leader", name: "ann", floor: 0, lease: "7.1.ann" });
    expect(tokenOf(client.state, "leader")).toBe(41);
    expect(lapseTimer(client.state, "leader")).toBe("lapse#0");
    client.pass(WORTH - 1);
    expect(statusOf(client.state, "leader")).toBe("held");
    client.pass(1);
    expect(statusOf(client.state, "leader")).toBe("unsettled");
    expect(client.news).toContainEqual(LOST);
  });

  test("of a renewal counts from its sending, however late its answer came", () => {
    const client = holdingClient();
    client.until("renew");
    const sentAt = client.now;
    client.pass(200);
    client.renew();
    client.pass(sentAt + WORTH - client.now - 1);
    expect(statusOf(client.state, "leader")).toBe("held");
    client.pass(1);
    expect(statusOf(client.state, "leader")).toBe("unsettled");
  });

  test("of an acquire counts from its first try", () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    const first = client.last("acquire");
    client.pass(TTL / 2);
    expect(client.count("acquire")).toBe(2);
    expect(client.last("acquire")).toMatchObject({ lease: first.lease, session: first.session });
    expect(client.last("acquire").id).toBeGreaterThan(first.id);
    client.grant(41);
    // Half of its time has gone: it is renewed at once.
    expect(client.sent.at(-1)!.kind).toBe("renew");
    client.pass(WORTH - TTL / 2 - 1);
    expect(statusOf(client.state, "leader")).toBe("held");
    client.pass(1);
    expect(statusOf(client.state, "leader")).toBe("unsettled");
  });

  test("comes before the answer that a process finds when it wakes late", () => {
    const client = holdingClient();
    client.until("renew");
    const { id, life, keeps } = client.last("renew");
    const leases = keeps.map((kept) => ({ ...kept, token: 41, frozen: false }));
    client.wakesTo(2 * TTL, { kind: "renewed", id, to: life, leases, lost: [] });
    expect(statusOf(client.state, "leader")).toBe("unsettled");
    expect(client.news.at(-1)).toEqual(LOST);
  });

  test("that has passed is final: no answer, to whichever try, revives the seat", () => {
    const client = holdingClient({ settles: false });
    client.pass(WORTH);
    const renewals = client.sent.filter(({ kind }) => kind === "renew");
    expect(renewals.length).toBeGreaterThan(1);
    for (const renewal of renewals) client.renew({}, renewal as never);
    expect(client.news.filter(({ what }) => what === "granted")).toHaveLength(1);
    expect(statusOf(client.state, "leader")).toBe("none");
    expect(client.state.session).toBeNull();
  });

  test("of a grant that came too late has passed: it is released, and the seat asked for under another id", () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    const first = client.last("acquire");
    client.pass(WORTH);
    client.answer({ kind: "granted", seat: "leader", lease: first.lease, token: 41 }, first);
    expect(statusOf(client.state, "leader")).toBe("asking");
    expect(client.last("release")).toMatchObject({ lease: first.lease, token: 41 });
    client.pass(TTL);
    expect(client.last("acquire")).toMatchObject({ lease: "7.2.ann", session: "7.2.ann", floor: 41 });
  });

  test("names are used again: a long life needs few", () => {
    const client = holdingClient();
    for (let i = 0; i < 50; i++) {
      client.until("renew");
      client.renew();
    }
    expect(client.state.slots).toHaveLength(2);
    expect(statusOf(client.state, "leader")).toBe("held");
  });
});

test("a session that is over is not asked under again, however many seats are asked for at once", () => {
  const client = new LoneClient({ settles: false });
  client.do((state, ctx) => acquire(state, "a", ctx));
  const ended = client.last("acquire").session;
  client.pass(100);
  // Whenever one is denied another one is under way.
  for (const seat of ["b", "c", "d"]) {
    client.do((state, ctx) => acquire(state, seat, ctx));
    client.pass(100);
  }
  const over = (request: Asked<"acquire">) =>
    client.answer({ kind: "denied", seat: request.seat, lease: request.lease, why: "over", ...NOBODY }, request);
  const late = client.lastFor("d");
  for (const seat of ["a", "b", "c"]) over(client.lastFor(seat));
  expect(client.state.session).toBeNull();
  // What was asked under it may have been given before it ended: that is given back.
  client.answer({ kind: "granted", seat: "d", lease: late.lease, token: 5 }, late);
  expect(client.last("release")).toMatchObject({ seat: "d", lease: late.lease, token: 5 });
  client.pass(TTL);
  for (const seat of ["a", "b", "c", "d"]) expect(client.lastFor(seat).session).not.toBe(ended);
});

test("a session that a renewal finds ended is not asked under again either", () => {
  const client = holdingClient({ settles: false });
  const ended = client.state.session;
  client.until("renew");
  client.do((state, ctx) => acquire(state, "other", ctx));
  expect(client.lastFor("other").session).toBe(ended);
  const { keeps } = client.last("renew");
  client.answer({ kind: "ended", lost: keeps }, client.last("renew"));
  expect(client.state.session).toBeNull();
});

test("who is told that its session may be over asks at once for what it holds", () => {
  const client = holdingClient();
  client.do((state, ctx) => acquire(state, "other", ctx));
  const { seat, lease } = client.last("acquire");
  client.answer({ kind: "denied", seat, lease, why: "over", ...NOBODY });
  expect(client.sent.at(-1)).toMatchObject({ kind: "renew", keeps: [{ seat: "leader" }] });
});

describe("renewals", () => {
  test("name every seat of the session at once, one request in each interval", () => {
    const client = holdingClient();
    client.do((state, ctx) => acquire(state, "other", ctx));
    client.grant(42);
    expect(client.last("acquire").session).toBe(client.state.session);
    for (let i = 0; i < 12; i++) {
      client.until("renew");
      expect(client.last("renew").keeps.map(({ seat }) => seat)).toEqual(["leader", "other"]);
      client.renew();
    }
    expect(client.count("renew")).toBe(12);
    expect(client.now).toBeGreaterThanOrEqual(12 * (TTL / 3));
    expect(client.count("acquire")).toBe(2);
  });

  test("that are not answered are sent again, each with its own deadline: the first one's answer confirms no more than that", () => {
    const client = holdingClient();
    client.until("renew");
    const [first, sentAt] = [client.last("renew"), client.now];
    client.pass(TTL / 4 + 20);
    expect(client.last("renew").id).toBeGreaterThan(first.id);
    client.renew({}, first);
    client.pass(sentAt + WORTH - client.now - 1);
    expect(statusOf(client.state, "leader")).toBe("held");
    client.pass(1);
    expect(statusOf(client.state, "leader")).toBe("unsettled");
  });

  test("an older answer does not take back what a newer one confirmed", () => {
    const client = holdingClient();
    client.until("renew");
    const first = client.last("renew");
    client.pass(TTL / 4 + 20);
    const sentAt = client.now;
    client.renew();
    client.renew({}, first);
    client.until("renew");
    client.pass(sentAt + WORTH - client.now - 20);
    expect(statusOf(client.state, "leader")).toBe("held");
  });

  test("stop while halted: the seat lapses, and nothing revives it when they go on", () => {
    const client = holdingClient();
    client.do((state) => halt(state, true));
    client.pass(WORTH);
    expect(client.count("renew")).toBe(0);
    expect(client.news).toContainEqual(LOST);
    client.do((state) => halt(state, false));
    client.pass(TTL);
    expect(client.count("renew")).toBe(0);
  });

  test("answered that the session has ended: what they named is lost, and the next lease has a session of its own", () => {
    const client = holdingClient({ settles: false });
    client.until("renew");
    client.answer({ kind: "ended", lost: client.last("renew").keeps });
    expect(client.news).toContainEqual({ ...LOST, why: "ended" });
    client.do((state, ctx) => acquire(state, "leader", ctx));
    expect(client.last("acquire")).toMatchObject({ session: "7.2.ann", lease: "7.2.ann" });
  });

  test("an old answer drops only the lease that its request named, not the one that came after it", () => {
    const client = holdingClient({ settles: false });
    client.do((state, ctx) => acquire(state, "other", ctx));
    client.grant(50);
    client.until("renew");
    const old = client.last("renew");
    client.giveBack("leader");
    client.do((state, ctx) => acquire(state, "leader", ctx));
    client.grant(43);
    const [former, other] = old.keeps;
    client.answer({ kind: "renewed", leases: [{ ...other, token: 50, frozen: false }], lost: [former] }, old);
    expect(tokenOf(client.state, "leader")).toBe(43);
    expect(client.news.some(({ what }) => what === "lost")).toBe(false);
  });
});

describe("answers", () => {
  test("to another life, or from anybody but the engine, are dropped", () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    const { id, seat, lease } = client.last("acquire");
    const granted = { kind: "granted", id, to: LIFE, seat, lease, token: 41 } as const;
    client.hears({ ...granted, to: 6 });
    client.hears(granted, 1);
    expect(statusOf(client.state, "leader")).toBe("asking");
    expect(client.count("release")).toBe(0);
    client.hears(granted);
    expect(statusOf(client.state, "leader")).toBe("held");
  });

  test("that are repeated change nothing", () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    const grant = client.grant(41);
    client.until("renew");
    const renewed = client.renew();
    const before = structuredClone({ ...client.state, news: [] });
    client.hears(grant);
    client.hears(renewed);
    expect({ ...client.state, news: [] }).toEqual(before);
    expect(client.count("release")).toBe(0);
  });

  test("that do not come are told once, and again when they come", () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    expect(engineOf(client.state)).toEqual({ state: "none", why: null });
    client.pass(3 * TTL);
    client.answer({ kind: "failed", why: "connection refused" });
    client.pass(3 * TTL);
    client.grant(41);
    expect(client.news.filter(({ what }) => what !== "granted")).toEqual([
      { what: "silent", why: "no answer within 250 ms" },
      { what: "silent", why: "connection refused" },
      { what: "answering" },
    ]);
    // 250, 500, then once a TTL: a silent engine is not stormed.
    expect(client.count("acquire")).toBeLessThan(9);
  });
});

describe("a denial", () => {
  const HOLDER = { name: "bob", life: 9, token: 60, lease: "9.1.bob", frozen: false };
  const denied = (client: LoneClient, wait: number, holder: typeof HOLDER | null = HOLDER) => {
    const { seat, lease } = client.last("acquire");
    client.answer({ kind: "denied", seat, lease, why: "held", holder, wait, token: 60 }, client.last("acquire"));
  };
  const asking = () => {
    const client = new LoneClient();
    client.do((state, ctx) => acquire(state, "leader", ctx));
    return client;
  };

  test("is waited out, and the seat asked for under another id, with the token as floor", () => {
    const client = asking();
    denied(client, 700);
    expect(client.news).toContainEqual({ what: "denied", seat: "leader", why: "held", holder: HOLDER, wait: 700 });
    expect(floors(client.state).get("leader")).toBe(60);
    client.pass(699);
    expect(client.count("acquire")).toBe(1);
    client.pass(30);
    expect(client.last("acquire")).toMatchObject({ lease: "7.2.ann", floor: 60 });
  });

  test("is not waited out for longer than two leases of this member's: the holder may release it before", () => {
    const client = asking();
    denied(client, 3_600_000);
    client.pass(2.1 * TTL);
    expect(client.count("acquire")).toBe(2);
  });

  test("of an earlier try says nothing about the newest", () => {
    const client = asking();
    const first = client.last("acquire");
    client.pass(TTL / 2);
    const { seat, lease } = first;
    client.answer({ kind: "denied", seat, lease, why: "held", holder: HOLDER, wait: 700, token: 60 }, first);
    client.grant(61);
    expect(tokenOf(client.state, "leader")).toBe(61);
  });

  test("does not follow a withdrawal, and a grant that does is released", () => {
    const client = asking();
    client.do((state, ctx) => withdraw(state, "leader", ctx));
    denied(client, 700);
    expect(client.news).toEqual([]);
    client.grant(61);
    expect(statusOf(client.state, "leader")).toBe("none");
    expect(client.last("release")).toMatchObject({ lease: "7.1.ann", token: 61 });
    client.pass(5 * TTL);
    expect(client.count("acquire")).toBe(1);
  });

  test("because of a lease of this very life: that is released, and then the seat is asked for at once", () => {
    const client = asking();
    denied(client, 700, { ...HOLDER, name: "ann", life: LIFE, lease: "7.0.ann" });
    expect(client.last("release")).toMatchObject({ lease: "7.0.ann", token: 60 });
    client.answer({ kind: "released", seat: "leader", lease: "7.0.ann", was: true });
    client.pass(0);
    expect(client.count("acquire")).toBe(2);
  });
});
