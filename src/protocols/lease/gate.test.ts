/** A gated client: the process that holds the work acknowledges each confirmation before the next renewal. */
import { describe, expect, test } from "vitest";
import { holdingClient, type LoneClient, TTL, WORTH } from "../../../test/support/lone-client.ts";
import { acknowledgeConfirmation, acquire, confirmationOf, settled, statusOf, stopWork } from "./parent.ts";

const gated = () => holdingClient({ gated: true });
const acknowledgeNewest = (client: LoneClient, seat = "leader") =>
  client.do((state, ctx) => acknowledgeConfirmation(state, seat, confirmationOf(state, seat)!, ctx));

describe("a gated lease", () => {
  test("is not renewed before its grant is acknowledged, and lapses", () => {
    const client = gated();
    client.pass(WORTH - 1);
    expect(client.count("renew")).toBe(0);
    expect(statusOf(client.state, "leader")).toBe("held");
    client.pass(1);
    expect(statusOf(client.state, "leader")).toBe("unsettled");
  });

  test("is renewed in its time where that is acknowledged, and at once where its time has come meanwhile", () => {
    const client = gated();
    acknowledgeNewest(client);
    expect(client.count("renew")).toBe(0);
    client.until("renew");
    client.renew();
    client.pass(TTL / 2);
    expect(client.count("renew")).toBe(1);
    acknowledgeNewest(client);
    expect(client.count("renew")).toBe(2);
  });

  test("is asked for again where no answer comes: nothing new was confirmed that would have to be known", () => {
    const client = gated();
    acknowledgeNewest(client);
    client.until("renew");
    client.pass(TTL / 2);
    expect(client.count("renew")).toBe(2);
  });

  test("wants its newest confirmation acknowledged: not an older one, nor one that never was", () => {
    const client = gated();
    const first = confirmationOf(client.state, "leader")!;
    acknowledgeNewest(client);
    client.until("renew");
    client.renew();
    client.pass(TTL / 2);
    for (const number of [first, confirmationOf(client.state, "leader")! + 1]) {
      client.do((state, ctx) => acknowledgeConfirmation(state, "leader", number, ctx));
    }
    expect(client.count("renew")).toBe(1);
  });

  test("is kept while its work ends, and the others go on when it has gone", () => {
    const client = gated();
    client.do((state, ctx) => acquire(state, "other", ctx));
    client.grant(42);
    acknowledgeNewest(client, "other");
    client.do((state, ctx) => stopWork(state, "leader", null, ctx));
    client.pass(TTL * 0.4);
    // The work that is to end is not known to be held: nothing is renewed for either.
    expect(client.count("renew")).toBe(0);
    client.do((state, ctx) => settled(state, "leader", 41, ctx));
    client.pass(1);
    expect(client.last("renew").keeps.map(({ seat }) => seat)).toEqual(["other"]);
  });
});
