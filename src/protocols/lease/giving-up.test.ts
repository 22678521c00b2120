/** How a lease client lets go: the work settles first, what it does not hold is given back, and a pre-empted lease runs out. */
import { describe, expect, test } from "vitest";
import { holdingClient, LoneClient, TTL, WORTH } from "../../../test/support/lone-client.ts";
import { acquire, hasten, preempt, settled, statusOf, stopWork, tokenOf, unsettledToken } from "./parent.ts";
import { isLeaseAnswer } from "./shapes.ts";

const stop = (client: LoneClient, heir: string | null = null) =>
  client.do((state, ctx) => stopWork(state, "leader", heir, ctx));
const settle = (client: LoneClient, token = 41) => client.do((state, ctx) => settled(state, "leader", token, ctx));
const ask = (client: LoneClient, seat = "leader") => {
  let can = false;
  client.do((state, ctx) => {
    can = acquire(state, seat, ctx);
  });
  return can;
};

describe("settling", () => {
  test("the release leaves only when the work has ended; until then the lease is renewed", () => {
    const client = holdingClient();
    expect(unsettledToken(client.state, "leader")).toBe(null);
    stop(client, "bob");
    expect(statusOf(client.state, "leader")).toBe("settling");
    expect(unsettledToken(client.state, "leader")).toBe(41);
    client.until("renew");
    expect(client.last("renew").keeps).toEqual([{ seat: "leader", lease: "7.1.ann" }]);
    client.renew();
    expect(client.count("release")).toBe(0);
    settle(client, 40);
    expect(client.count("release")).toBe(0);
    settle(client);
    const reserve = { name: "bob", ms: TTL };
    expect(client.last("release")).toMatchObject({ seat: "leader", lease: "7.1.ann", token: 41, reserve });
    client.answer({ kind: "released", seat: "leader", lease: "7.1.ann", was: true });
    expect(client.news.at(-1)).toEqual({ what: "freed", seat: "leader", token: 41, answered: true });
    client.pass(2 * TTL);
    expect([client.count("release"), client.count("renew")]).toEqual([1, 1]);
  });

  test("is no use to wait for where no work runs", () => {
    const client = holdingClient({ settles: false });
    stop(client);
    expect(client.last("release")).toMatchObject({ lease: "7.1.ann", reserve: null });
  });

  test("a release is repeated until it is answered, or the lease would have run out", () => {
    const client = holdingClient({ settles: false });
    stop(client);
    client.pass(2 * TTL);
    expect(client.count("release")).toBe(4);
    expect(client.news.at(-1)).toEqual({ what: "freed", seat: "leader", token: 41, answered: false });
  });

  test("takes too long: the seat is named as given up, is not released, and the session's other seats go on", () => {
    const client = holdingClient();
    ask(client, "other");
    client.grant(50);
    stop(client);
    for (let i = 0; i < 2; i++) {
      client.until("renew");
      client.renew();
    }
    const lapsesAt = client.now - 1 + WORTH;
    client.pass(TTL / 2);
    expect(statusOf(client.state, "leader")).toBe("giving");
    expect(unsettledToken(client.state, "leader")).toBe(41);
    const [other, leader] = [
      { seat: "other", lease: "7.2.ann" },
      { seat: "leader", lease: "7.1.ann" },
    ];
    expect(client.last("renew")).toMatchObject({ keeps: [other], gives: [leader] });
    while (client.now < lapsesAt) {
      client.renew();
      client.until("renew");
    }
    expect(client.news).toContainEqual({ what: "lost", seat: "leader", token: 41, why: "lapsed" });
    expect(client.count("release")).toBe(0);
    // The engine has it until its end has passed: it is named, and nothing else is asked of it.
    expect(client.last("renew")).toMatchObject({ keeps: [other], gives: [leader] });
    expect(tokenOf(client.state, "other")).toBe(50);
    expect(ask(client)).toBe(false);
    settle(client);
    expect(client.last("release")).toMatchObject(leader);
    expect(ask(client)).toBe(true);
  });

  test("after a lapse: nothing is released or asked for before the work has ended", () => {
    const client = holdingClient();
    ask(client, "other");
    client.grant(50);
    client.until("renew");
    const { keeps } = client.last("renew");
    const listed = keeps.map((lease) => ({ ...lease, token: 41, frozen: false }));
    client.answer({ kind: "renewed", leases: [listed[1]], lost: [keeps[0]] });
    expect(client.news).toContainEqual({ what: "lost", seat: "leader", token: 41, why: "taken" });
    expect(unsettledToken(client.state, "leader")).toBe(41);
    client.until("renew");
    client.answer({ kind: "renewed", leases: listed, lost: [] });
    expect(client.count("release")).toBe(0);
    expect(ask(client)).toBe(false);
    settle(client, 40);
    expect(ask(client)).toBe(false);
    settle(client);
    expect(ask(client)).toBe(true);
  });

  test("a seat that is being released is asked for again after that, under another id", () => {
    const client = holdingClient({ settles: false });
    stop(client);
    expect(ask(client)).toBe(true);
    client.pass(TTL / 4);
    expect(client.count("acquire")).toBe(1);
    client.answer({ kind: "released", seat: "leader", lease: "7.1.ann", was: true });
    client.pass(0);
    client.grant(42);
    expect(tokenOf(client.state, "leader")).toBe(42);
    // The release that was repeated, and comes late, names the former lease: an engine compares it.
    for (const release of client.sent.filter(({ kind }) => kind === "release")) {
      expect(release).toMatchObject({ lease: "7.1.ann", token: 41 });
    }
  });
});

describe("a lease that is neither held nor awaited", () => {
  test("is released when a renewal lists it: its grant's answer was lost", () => {
    const client = holdingClient();
    ask(client, "other");
    const { seat, lease } = client.last("acquire");
    client.pass(WORTH - 1);
    client.renew({}, client.last("renew"));
    client.pass(1);
    client.until("renew");
    const listed = client.last("renew").keeps.map((kept) => ({ ...kept, token: 41, frozen: false }));
    client.answer({ kind: "renewed", leases: [...listed, { seat, lease, token: 50, frozen: false }], lost: [] });
    expect(client.last("release")).toMatchObject({ seat, lease, token: 50 });
    expect(statusOf(client.state, "leader")).toBe("held");
  });

  test("but one that is awaited is not", () => {
    const client = holdingClient();
    ask(client, "other");
    const { seat, lease } = client.last("acquire");
    client.until("renew");
    client.answer({ kind: "renewed", leases: [{ seat, lease, token: 50, frozen: false }], lost: [] });
    expect(client.count("release")).toBe(0);
    client.grant(50);
    expect(tokenOf(client.state, "other")).toBe(50);
  });
});

describe("pre-emption", () => {
  const HOLDER = { name: "bob", life: 9, token: 60, lease: "9.1.bob", frozen: false };
  const denied = (client: LoneClient, wait: number, frozen: boolean) => {
    const { seat, lease } = client.last("acquire");
    const holder = { ...HOLDER, frozen };
    client.answer({ kind: "denied", seat, lease, why: "held", holder, wait, token: 60 }, client.last("acquire"));
  };

  test("freezes the lease of the last denial, again where that was lost, and asks when it has ended", () => {
    const client = new LoneClient();
    ask(client);
    denied(client, 900, false);
    client.do((state, ctx) => preempt(state, "leader", ctx));
    const { lease, token } = HOLDER;
    expect(client.last("freeze")).toMatchObject({ seat: "leader", lease, token });
    client.do((state, ctx) => hasten(state, "leader", ctx));
    denied(client, 900, false);
    expect(client.count("freeze")).toBe(2);
    client.answer({ kind: "frozen", seat: "leader", lease, left: 300 });
    client.pass(299);
    expect(client.count("acquire")).toBe(2);
    client.pass(40);
    expect(client.count("acquire")).toBe(3);
    denied(client, 5, true);
    expect(client.count("freeze")).toBe(2);
  });

  test("a frozen lease is told of, and is confirmed by nothing any more", () => {
    const client = holdingClient();
    client.until("renew");
    client.renew({ frozen: true });
    expect(client.news).toContainEqual({ what: "frozen", seat: "leader", token: 41 });
    client.until("renew");
    client.renew();
    client.pass(WORTH - client.now);
    expect(client.news).toContainEqual({ what: "lost", seat: "leader", token: 41, why: "lapsed" });
  });
});

test("at the door: answers pass, and what has not their shape does not", () => {
  const answer = { id: 3, to: 7 };
  const lease = { seat: "leader", lease: "7.1.ann" };
  expect(isLeaseAnswer({ ...answer, ...lease, kind: "granted", token: 41 })).toBe(true);
  expect(isLeaseAnswer({ ...answer, kind: "renewed", leases: [], lost: [lease] })).toBe(true);
  expect(isLeaseAnswer({ ...answer, kind: "failed", why: "no route" })).toBe(true);
  for (const odd of [
    null,
    { ...answer, kind: "acquire" },
    { ...answer, kind: "toString" },
    { ...answer, ...lease, kind: "granted", token: -1 },
    { ...lease, kind: "granted", token: 41 },
    { ...answer, kind: "renewed", leases: [lease], lost: [] },
    { ...answer, ...lease, kind: "denied", why: "mood", holder: null, wait: 0, token: 0 },
    { ...answer, ...lease, kind: "denied", why: "held", holder: {}, wait: 0, token: 0 },
    { ...answer, ...lease, kind: "frozen", left: Infinity },
  ]) {
    expect(isLeaseAnswer(odd)).toBe(false);
  }
});
