/** The row register under every schedule, and with one comparison left out each: all of those must be caught. */
import { describe, expect, test } from "vitest";
import { isLong } from "../support/effort.ts";
import { life } from "../support/register.ts";
import { explore, type Scenario } from "./rows-schedules.ts";

const TTL = 1000;
/** Long enough for a row that is watched. */
const WATCH = TTL * 1.01 + 60;
const MOST = isLong ? 5_000_000 : 60_000;

const members = () => [life("A", 1, TTL), life("B", 2, TTL), life("C", 3, 3 * TTL)];

function takeOver(clock: Scenario["clock"]): Scenario {
  const [A, B] = members();
  const keeps = [{ seat: "leader", lease: "A1" }];
  return {
    clock,
    ttl: TTL,
    // B has seen the row of A, so that watching has begun.
    before: [A.acquire("leader", "A1"), B.acquire("leader", "B0")],
    asks: [[A.renew({ keeps })], [B.acquire("leader", "B1")]],
    turns: clock === "store" ? [TTL - 10, 20] : [WATCH - 100, 200],
  };
}

/** A seat that exists without a lease, and two sessions that exist: nothing but the seat's row tells of the other. */
function bothTakeFreeSeat(): Scenario {
  const [A, B] = members();
  return {
    clock: "store",
    ttl: 5 * TTL,
    forgets: true,
    before: [
      A.acquire("leader", "A0"),
      3 * TTL,
      A.acquire("a", "A1", { ttl: 5 * TTL }),
      B.acquire("b", "B1", { ttl: 5 * TTL }),
    ],
    asks: [[A.acquire("leader", "A2", { ttl: 5 * TTL })], [B.acquire("leader", "B2", { ttl: 5 * TTL })]],
    turns: [],
  };
}

/** One opens a session, the other one raises the longest TTL of the group. */
function openAndLengthen(): Scenario {
  const [A, B, C] = members();
  return {
    clock: "store",
    ttl: TTL,
    before: [A.acquire("a", "A1"), C.acquire("c", "C1", { ttl: TTL })],
    asks: [[], [B.acquire("b", "B1")], [C.renew()]],
    turns: [],
  };
}

async function holds(scenario: Scenario): Promise<number> {
  const { found, schedules } = await explore(scenario, MOST);
  expect(found).toBeNull();
  return schedules;
}

describe("two clients whose reads and commits interleave with everything", () => {
  test.each([
    ["store", 273],
    ["watched", 108],
  ] as const)("%s clock: a renewal against a take-over", async (clock, count) => {
    expect(await holds(takeOver(clock))).toBe(count);
  });

  test.each([["store", 1565] as const, ...(isLong ? [["watched", 664] as const] : [])])(
    "%s clock: an answer is lost",
    async (clock, count) => {
      expect(await holds({ ...takeOver(clock), lost: 1 })).toBe(count);
    },
  );

  if (isLong) {
    test.each([
      ["store", 8713],
      ["watched", 3998],
    ] as const)("%s clock: a commit comes after its timeout", async (clock, count) => {
      expect(await holds({ ...takeOver(clock), late: 1 })).toBe(count);
    });
  }

  /** B knows A's token by gossip. If B saw the very row that came back, only the token protects (docs/leases.md). */
  test("watched clock: the store is put back by one commit before the other one looks", async () => {
    const [A, B] = members();
    const scenario: Scenario = {
      ...takeOver("watched"),
      before: [A.acquire("leader", "A1")],
      asks: [[A.renew({ keeps: [{ seat: "leader", lease: "A1" }] })], [B.acquire("leader", "B1", { floor: 1000 })]],
      turns: [500, WATCH],
      restores: 1,
    };
    expect(await holds(scenario)).toBe(991);
  });

  test("a free seat is asked for by two", async () => {
    expect(await holds({ ...bothTakeFreeSeat(), late: 1 })).toBe(458);
  });

  test("a session is opened while another one lengthens the longest TTL", async () => {
    expect(await holds(openAndLengthen())).toBe(20);
  });
});

describe("caught: a store that does not compare", () => {
  test.each([
    ["session/", takeOver("store")],
    ["session/", takeOver("watched")],
    ["seat/", bothTakeFreeSeat()],
    ["group", openAndLengthen()],
  ])("rows of %s", async (kind, scenario) => {
    const { found } = await explore({ ...scenario, omits: (key) => key.startsWith(kind) }, MOST);
    expect(found).not.toBeNull();
  });
});
