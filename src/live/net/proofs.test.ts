/** Whether an address may be sent to, where two members have heard of each other and neither has shown that it gets what is sent to it. */
import { expect, test } from "vitest";
import { VirtualNetwork } from "../virtual-world.ts";
import { Proofs } from "./proofs.ts";
import { aesGcm } from "./sealing.ts";

/** A datagram with a token or an echo and nothing else. */
const BARE = 42;

test("after a partition, however long, one bare token is answered", () => {
  const network = new VirtualNetwork(1);
  const [a, b] = [1, 2].map((port) => {
    const { world } = network.machine({ host: "10.0.0.1", port });
    const proofs = new Proofs(aesGcm, world, new Set());
    proofs.heard("other", BARE - 1, null, null);
    return proofs;
  });
  for (let minute = 0; minute < 60; minute++) {
    network.runFor(60_000);
    for (const each of [a, b]) {
      expect(each.allows("other", BARE)).toBe(false);
      expect(each.mayKnock("other")).toBe(true);
      each.sent("other", BARE);
      expect(each.mayKnock("other")).toBe(false);
    }
  }
  const { token } = a.marks("other");
  expect(b.heard("other", BARE, token, null)).toBe(false);
  expect(b.allows("other", BARE)).toBe(true);
  const { echo } = b.marks("other");
  expect(a.heard("other", BARE, null, echo)).toBe(true);
  expect(a.allows("other", 1000)).toBe(true);
});
