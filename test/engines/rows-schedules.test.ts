/** The row register under every schedule, and with one comparison left out each: all of those must be caught. */
import { describe, expect, test } from "vitest";
import type { RowEngine } from "../../src/live/engines/row-engine.ts";
import type { Watched } from "../../src/live/engines/watched.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { isLong } from "../support/effort.ts";
import { edited, editedModule } from "../support/planted.ts";
import { life } from "../support/register.ts";
import type { MemoryRows } from "./memory-rows.ts";
import { explore, type Scenario } from "./rows-schedules.ts";

const TTL = 1000;
/** Long enough for a row that is watched. */
const WATCH = TTL * 1.01 + 60;
const MOST = isLong ? 5_000_000 : 40_000;

const WATCHED = new URL("../../src/live/engines/watched.ts", import.meta.url);
const ENGINE = new URL("../../src/live/engines/row-engine.ts", import.meta.url);
const watchedWith = async (was: string, becomes: string) =>
  (await edited<{ Watched: typeof Watched }>(WATCHED, was, becomes)).Watched;
const engineWith = async (was: string, becomes: string) =>
  (await edited<{ RowEngine: typeof RowEngine }>(ENGINE, was, becomes)).RowEngine;

const keeps = [{ seat: "leader", lease: "A1" }];

const members = () => [life("A", 1, TTL), life("B", 2, TTL), life("C", 3, 3 * TTL)];

function takeOver(clock: Scenario["clock"]): Scenario {
  const [A, B] = members();
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
      asks: [[A.renew({ keeps })], [B.acquire("leader", "B1", { floor: 1000 })]],
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

/** A has the lease, and renews it at some time; B asks for it. What A says reaches B late, or never. */
function toldTakeOver(more: Partial<Scenario> = {}): Scenario {
  const [A, B] = members();
  return {
    clock: "watched",
    ttl: TTL,
    gossip: true,
    fast: 0.01,
    before: [A.acquire("leader", "A1")],
    asks: [[A.renew({ keeps })], [B.acquire("leader", "B1")]],
    turns: [300, WATCH - 300],
    ...more,
  };
}

/** The store loses what everybody has heard of. */
const toldAndBack = (): Scenario => toldTakeOver({ restores: 1, restoresWhenTold: true });

/** The same, and A renews once more. */
function toldAndOnAgain(): Scenario {
  const [A, B] = members();
  return { ...toldAndBack(), asks: [[A.renew({ keeps }), A.renew({ keeps })], [B.acquire("leader", "B1")]] };
}

/** A's first lease is forgotten by the store, and nobody knows a token. */
function toldOfForgotten(): Scenario {
  const [A, B] = members();
  return toldTakeOver({
    before: [A.acquire("other", "A0")],
    asks: [[A.acquire("leader", "A1")], [B.acquire("leader", "B1")]],
    turns: [],
    restores: 1,
    restoresWhenTold: true,
  });
}

/** The very moment at which a lease ends by the holder's clock. */
function toldInTime(): Scenario {
  const [, B] = members();
  return toldTakeOver({ asks: [[], [B.acquire("leader", "B1")]], turns: [TTL - 5, 100] });
}

/** A starts again while words of its former life are under way. */
function toldByFormerLife(): Scenario {
  const [A, B] = members();
  const again = life("A", 3, TTL);
  return toldTakeOver({
    before: [A.acquire("leader", "A1"), 2 * TTL, again.acquire("leader", "A2"), 2 * TTL, again.acquire("leader", "A2")],
    asks: [[], [B.acquire("leader", "B1")], [again.renew({ keeps: [{ seat: "leader", lease: "A2" }] })]],
  });
}

describe("a holder tells others of its session, and they count from then", () => {
  const TOLD: readonly (readonly [when: string, scenario: Scenario, schedules: number])[] = [
    ["at any time, or never", toldTakeOver(), 1276],
    ["until the lease ends", toldInTime(), 26],
    ["then the store goes back by one commit", toldAndBack(), 3603],
    ["of a lease, then the store forgets it", toldOfForgotten(), 486],
    ...(isLong
      ? ([
          ["twice", toldTakeOver({ twice: 1 }), 8648],
          ["in a former life", toldByFormerLife(), 96_856],
          ["then the store goes back, and the holder goes on", toldAndOnAgain(), 126_158],
        ] as const)
      : []),
  ];

  test.each(TOLD)("%s", async (_when, scenario, count) => {
    expect(await holds(scenario)).toBe(count);
  });

  /** No member can tell this from a holder that died after its last word (docs/leases.md). */
  test("what remains: the store loses a renewal of which the taker has not heard", async () => {
    const { found } = await explore(toldTakeOver({ restores: 1 }), MOST);
    expect(found).toMatch(/the last commit is undone.*2 clients hold leader/s);
  });
});

describe("caught: words that are taken for more than they say", () => {
  const SAME = "known?.mark === mark";
  const COUNTED = "(rows.session(session)?.counter ?? -1) < count";
  test.each([
    ["whatever the row shows, time counts from the last word", toldTakeOver(), SAME, "known !== undefined"],
    [
      "rows of the same count are taken for the same row",
      toldAndOnAgain(),
      SAME,
      "known !== undefined && Number.parseInt(known.mark, 10) === Number.parseInt(mark, 10)",
    ],
    ["clocks are taken to run alike", toldInTime(), "within * (1 + RHO) + MARGIN", "within"],
    [
      "time counts from before the word came",
      toldInTime(),
      "extensionMark(said), this.clock.now()",
      "extensionMark(said), this.clock.now() - 100",
    ],
  ])("%s", async (_mistake, scenario, was, becomes) => {
    const { found } = await explore({ ...scenario, watched: await watchedWith(was, becomes) }, MOST);
    expect(found).toMatch(/2 clients hold leader/);
  });

  test.each([
    [
      "a session of which the store knows nothing has ended",
      COUNTED,
      "(rows.session(session)?.counter ?? count) < count",
    ],
    ["rows are used that are older than a word that came meanwhile", "return !this.isBehindWords(", "return true || ("],
  ])("%s", async (_mistake, was, becomes) => {
    const engine = await engineWith(was, becomes);
    expect((await explore({ ...toldOfForgotten(), engine }, MOST)).found).toMatch(/2 clients hold leader/);
  });

  test("former rows stay watched, and nobody minds that a row is older than what was said of it", async () => {
    const watched = await watchedWith(
      "const known = this.seen.get(what);\n    if (known?.mark",
      "what += mark;\n    const known = this.seen.get(what);\n    if (known?.mark",
    );
    const engine = await engineWith(COUNTED, "rows.session(session) === null");
    const { found } = await explore({ ...toldAndBack(), watched, engine }, MOST);
    expect(found).toMatch(/2 clients hold leader/);
    if (!isLong) return;
    // Either of the two rules is enough here.
    expect(await explore({ ...toldAndBack(), watched }, MOST)).toMatchObject({ found: null });
    expect(await explore({ ...toldAndBack(), engine }, MOST)).toMatchObject({ found: null });
  });
});

describe("a job that runs once", () => {
  const job = (name: string, number: number) => {
    const of = { key: "job", attempt: name, name, occurrence: 0, keep: 1e9, life: number };
    const begin = (token: number): LeaseRequest => ({
      ...of,
      kind: "begin",
      id: 50,
      token,
      seat: "leader",
      lease: `${name}1`,
      repeat: null,
      attempts: 3,
      noted: false,
    });
    const finish = (token: number): LeaseRequest => ({
      ...of,
      kind: "finish",
      id: 51,
      token,
      outcome: "done",
      status: 0,
    });
    return { begin, finish };
  };

  /** A does the job, or crashes on the way; B follows when A's lease has run out. A's end may be recorded after that. */
  function once(more: Partial<Scenario> = {}): Scenario {
    const [A, B] = members();
    const [a, b] = [job("A", 1), job("B", 2)];
    return {
      clock: "store",
      ttl: TTL,
      before: [A.acquire("leader", "A1")],
      asks: [
        [a.begin, a.finish(1000)],
        [B.acquire("leader", "B1"), b.begin],
      ],
      turns: [TTL + 10],
      ...more,
    };
  }

  function onceToTheEnd(more: Partial<Scenario> = {}): Scenario {
    const { asks } = once();
    return once({ ...more, asks: [asks[0], [...asks[1], job("B", 2).finish]] });
  }

  test.each([
    ["one crashes, also between the end of its work and the record", once({ crashes: 1 }), 3015],
    ...(isLong
      ? [
          ["an answer is lost", onceToTheEnd({ lost: 1 }), 12_314],
          ["one crashes, and the other one comes to its end", onceToTheEnd({ crashes: 1 }), 9015],
          ["one crashes, and the store writes records after leases", onceToTheEnd({ crashes: 1, split: true }), 35_962],
        ]
      : []),
  ] as [string, Scenario, number][])("%s", async (_what, scenario, count) => {
    expect(await holds(scenario)).toBe(count);
  });

  test.each<[string, (request: LeaseRequest, rows: MemoryRows) => LeaseRequest, RegExp]>([
    [
      "an end counts although a later attempt has begun",
      (request, { texts }) => {
        const text = texts.get("record/job");
        return request.kind === "finish" && text ? { ...request, attempt: JSON.parse(text).row.attempt } : request;
      },
      /replaced/,
    ],
    [
      "what is done is begun again",
      (request) => (request.kind === "begin" ? { ...request, occurrence: request.token } : request),
      /begins what is done/,
    ],
  ])("caught: %s", async (_mistake, mistake, found) => {
    expect((await explore(once({ crashes: 1, mistake }), MOST)).found).toMatch(found);
  });

  test("caught: an attempt begins under a lease that is over", async () => {
    const REGISTER = new URL("../../src/protocols/lease/register.ts", import.meta.url);
    const careless = editedModule(REGISTER, "isHeldBy(settleSeat(request.seat, rows, clock), request)", "true");
    const engine = await engineWith('"../../protocols/lease/register.ts"', JSON.stringify(careless));
    expect((await explore(onceToTheEnd({ engine }), MOST)).found).toMatch(/replaced|does not count/);
  });
});
