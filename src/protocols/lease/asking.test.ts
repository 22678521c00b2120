/** Many seats at once: they wait for their turn, so that a slow engine still comes to the renewals. */
import { describe, expect, test } from "vitest";
import { LoneClient, TTL } from "../../../test/support/lone-client.ts";
import { MOST_AT_ONCE } from "./asking.ts";
import type { LeaseRequest } from "./messages.ts";
import { acquire, statusOf, tokenOf, withdraw } from "./parent.ts";

const SEATS = Array.from({ length: 40 }, (_, i) => `shards#${i}`);

function asking(seats = SEATS): LoneClient {
  const client = new LoneClient();
  client.do((state, ctx) => {
    for (const seat of seats) acquire(state, seat, ctx);
  });
  return client;
}

/** An engine that carries out one request after the other, each in this many milliseconds. */
function serve(client: LoneClient, eachMs: number, until: () => boolean): void {
  let token = 0;
  for (let next = 0; !until(); next++) {
    if (client.now > 100 * TTL) throw new Error("it never came to that");
    while (next >= client.sent.length) client.pass(1);
    client.pass(eachMs);
    const request = client.sent[next];
    if (request.kind === "renew") client.renew({}, request);
    else if (request.kind === "acquire") {
      client.answer({ kind: "granted", seat: request.seat, lease: request.lease, token: ++token }, request);
    }
  }
}

const held = (client: LoneClient) => SEATS.filter((seat) => tokenOf(client.state, seat) !== null).length;
const seatsAsked = (client: LoneClient) =>
  new Set(client.sent.flatMap((request: LeaseRequest) => (request.kind === "acquire" ? [request.seat] : [])));

describe("many seats", () => {
  test("are asked for a few at a time", () => {
    const client = asking();
    expect(client.count("acquire")).toBe(MOST_AT_ONCE);
    client.grant(1);
    client.pass(0);
    expect(client.count("acquire")).toBe(MOST_AT_ONCE + 1);
  });

  test("are all got, and none is lost, from an engine that takes longer for all of them than a lease lasts", () => {
    const client = asking();
    serve(client, 40, () => held(client) === SEATS.length);
    expect(client.now).toBeGreaterThan(TTL);
    expect(client.news.filter(({ what }) => what === "lost")).toEqual([]);
  });

  test("have their turn where others get no answer", () => {
    const client = asking();
    for (let waited = 0; seatsAsked(client).size < SEATS.length && waited < 20 * TTL; waited += TTL) client.pass(TTL);
    expect(seatsAsked(client).size).toBe(SEATS.length);
  });

  test("that are withdrawn, also when it was their turn, hold up nobody", () => {
    const client = asking();
    client.do((state, ctx) => {
      for (const seat of SEATS.slice(0, -1)) withdraw(state, seat, ctx);
    });
    client.pass(0);
    expect(client.last("acquire").seat).toBe(SEATS.at(-1));
    client.grant(1);
    expect(statusOf(client.state, SEATS.at(-1)!)).toBe("held");
    expect(client.state.line.size).toBe(0);
  });
});
