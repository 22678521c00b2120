/** A lease client by itself: every wait is followed by a check, and nothing that has passed comes back. */
import { expect, test } from "vitest";
import { LoneClient, WORTH } from "../../../test/support/lone-client.ts";
import { acquire, lapseTimer, statusOf, tokenOf } from "./parent.ts";

const holding = (given = {}) => {
  const client = new LoneClient(given);
  client.do((state, ctx) => acquire(state, "leader", ctx));
  client.grant(41);
  return client;
};

test("a seat is asked for, granted, and lost when the deadline of its newest confirmation fires", () => {
  const client = holding();
  expect(client.last("acquire")).toMatchObject({ seat: "leader", name: "ann", floor: 0, lease: "7.1.ann" });
  expect(statusOf(client.state, "leader")).toBe("held");
  expect(tokenOf(client.state, "leader")).toBe(41);
  expect(lapseTimer(client.state, "leader")).toBe("lapse#0");
  client.pass(WORTH - 1);
  expect(statusOf(client.state, "leader")).toBe("held");
  client.pass(1);
  expect(statusOf(client.state, "leader")).toBe("unsettled");
  expect(client.news).toContainEqual({ what: "lost", seat: "leader", token: 41, why: "lapsed" });
});
