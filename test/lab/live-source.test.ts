/** What Live is made of, against a fake source: the stream, the history, the lease, and what a hostile agent says. */
import * as v from "valibot";
import { afterEach, describe, expect, test, vi } from "vitest";
import { eventSeen, MembersAnswer, Self, Status } from "../../lab/live/checks.ts";
import { Asleep, sentenceOf } from "../../lab/live/failures.ts";
import { EventFollower, type Follower } from "../../lab/live/follow.ts";
import { matches, shownMembers } from "../../lab/live/group.ts";
import { remaining } from "../../lab/live/lease.ts";
import { takeTurn, whenHidden, whenSeen } from "../../lab/live/sharing.ts";
import { gapBefore, nothingYet, reignOf, tell, tellStatus, unreachedFor } from "../../lab/live/story.ts";
import { AgentClient, AgentError, EventReader, type ServerEvent } from "../../src/api/client.ts";

const office = (leader: string | null, term: number) => ({
  office: "leader",
  term,
  token: String(term),
  epsilon: null,
  caveat: "",
  council: null,
  asker: null,
  election: null,
  leader: leader === null ? null : { name: leader, address: null, mine: false, state: "live" as const },
});
/** One tab, which is always seen. */
const alone = { turn: async () => true, seen: async () => {}, hidden: () => new Promise<void>(() => {}) };
const told = (fields: object) => eventSeen(fields)!;
const agent = (fetcher: typeof fetch, token: string | null = null) =>
  new AgentClient({ url: null, token, fetch: fetcher });

test.each([
  ["handed over", true],
  ["resigned", true],
  ["left", true],
  ["failed", false],
  ["lease expired", false],
])("a change that was %s is planned: %s, whoever asked for it", (cause, isPlanned) => {
  const first = tell(nothingYet, "leader", told({ at: 1, office: "leader", leader: "a", term: 1, token: "7" }));
  const ended = tell(first, "leaderless", told({ at: 2, office: "leader", term: 1 }));
  const next = { at: 3, office: "leader", leader: "b", term: 2, token: "8", former: "a" };
  const { reigns } = tell(ended, "leader", told({ ...next, cause }));
  expect(reigns.map((one) => [one.leader, one.isPlanned])).toEqual([
    ["a", false],
    ["b", isPlanned],
  ]);
  // The cause may come after the name.
  const later = tell(tell(ended, "leads", told(next)), "leader", told({ ...next, at: 4, cause }));
  expect(later.reigns[1].isPlanned).toBe(isPlanned);
});

describe("the stream of events", () => {
  const text =
    'id: 1\nevent: status\ndata: {"a":\ndata: 1}\n\n: heart-beat\n\nid:2\r\nevent:leader\r\ndata:x\r\n\r\nretry: 5\n\ndata: last\n\n';
  const wanted = [
    { id: "1", event: "status", data: '{"a":\n1}' },
    { id: "2", event: "leader", data: "x" },
    { id: "2", event: "message", data: "last" },
  ];

  test("is the same however it is cut into pieces", () => {
    for (let size = 1; size <= text.length; size++) {
      const reader = new EventReader();
      const events: ServerEvent[] = [];
      for (let i = 0; i < text.length; i += size) events.push(...reader.read(text.slice(i, i + size)));
      expect(events).toEqual(wanted);
    }
  });

  test("that never ends a line is given up", () => {
    const reader = new EventReader();
    expect(() => {
      for (let i = 0; i < 100; i++) [...reader.read("data: x".padEnd(100_000, "x"))];
    }).toThrow("more than 8 MB");
  });

  test("goes on after the last event that came, and waits longer each time it fails", async () => {
    const asked: (string | null)[] = [];
    const waited: number[] = [];
    const heard: string[] = [];
    const ending = new AbortController();
    const fetcher = (async (_: string, { headers }: { headers: Record<string, string> }) => {
      asked.push(headers["last-event-id"] ?? null);
      if (asked.length >= 3) throw new TypeError("network");
      return new Response(`id: ${asked.length}\nevent: view\ndata: {}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    }) as unknown as typeof fetch;
    const to: Follower = {
      opened: () => heard.push("opened"),
      heard: () => {},
      told: ({ event }) => heard.push(event),
      lost: () => heard.push("lost"),
    };
    const follower = new EventFollower(agent(fetcher, "t"), to, {
      ...alone,
      wait: async (ms) => {
        waited.push(ms);
        if (waited.length === 6) ending.abort();
      },
    });
    await follower.run(ending.signal);
    expect(asked.slice(0, 4)).toEqual(["0", "1", "2", "2"]);
    expect(waited).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect(heard.slice(0, 7)).toEqual(["opened", "view", "lost", "opened", "view", "lost", "lost"]);
  });

  test("where no agent is, that is found out, and asking ends", async () => {
    const lost: unknown[] = [];
    const ending = new AbortController();
    const fetcher = (async () =>
      new Response("<h1>hello</h1>", { headers: { "content-type": "text/html" } })) as typeof fetch;
    await new EventFollower(
      agent(fetcher),
      { opened: () => {}, heard: () => {}, told: () => {}, lost: (why, retry) => lost.push([why, retry]) },
      { ...alone, wait: async () => ending.abort() },
    ).run(ending.signal);
    expect(lost).toEqual([[expect.any(AgentError), null]]);
    expect(sentenceOf((lost[0] as [unknown])[0])).toBe("What answers at this address is no agent.");
  });

  test("a page that gets no stream lets others ask until it does; one that nobody sees lets go of it", async () => {
    const heard: string[] = [];
    const ending = new AbortController();
    let turns = 0;
    let hide = () => {};
    const fetcher = (async (path: string, { signal }: { signal: AbortSignal }) => {
      if (path === "/v1/self") return new Response("{}", { headers: { "content-type": "application/json" } });
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("id: 7\nevent: view\ndata: {}\n\n"));
          signal.addEventListener("abort", () => controller.error(signal.reason));
        },
      });
      setTimeout(() => hide(), 0);
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }) as unknown as typeof fetch;
    await new EventFollower(
      agent(fetcher),
      {
        opened: (manner) => {
          heard.push(manner);
          if (manner === "resumed") ending.abort();
        },
        heard: () => {},
        told: ({ event }) => heard.push(event),
        lost: (why) => heard.push(why instanceof Asleep ? "asleep" : String(why)),
      },
      {
        turn: async () => ++turns > 2,
        wait: async () => {},
        seen: async () => {
          heard.push("seen");
        },
        hidden: () => new Promise((resolve) => (hide = resolve)),
      },
    ).run(ending.signal);
    expect(heard.slice(0, 6)).toEqual(["asking", "stream", "view", "asleep", "seen", "resumed"]);
    expect(turns).toBe(4);
  });
});

describe("tabs of one browser", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test("stream four at a time, and anyone where the browser has no locks", async () => {
    const taken = new Set<string>();
    const locks = {
      async request(name: string, _: object, use: (lock: object | null) => Promise<void> | undefined) {
        if (taken.has(name)) return use(null);
        taken.add(name);
        await use({});
        taken.delete(name);
      },
    };
    vi.stubGlobal("navigator", { locks });
    const tabs = Array.from({ length: 6 }, () => new AbortController());
    const turns = [];
    for (const { signal } of tabs) turns.push(await takeTurn(signal));
    expect(turns).toEqual([true, true, true, true, false, false]);
    tabs[1].abort();
    await Promise.resolve();
    expect([await takeTurn(tabs[4].signal), await takeTurn(tabs[5].signal)]).toEqual([true, false]);
    vi.stubGlobal("navigator", {});
    expect(await takeTurn(tabs[5].signal)).toBe(true);
  });

  test("look at nothing when they were hidden for five seconds", async () => {
    vi.useFakeTimers();
    const page = Object.assign(new EventTarget(), { hidden: false });
    const turn = (hidden: boolean) => {
      page.hidden = hidden;
      page.dispatchEvent(new Event("visibilitychange"));
    };
    vi.stubGlobal("document", page);
    const heard: string[] = [];
    const { signal } = new AbortController();
    void whenHidden(signal).then(() => heard.push("hidden"));
    void whenSeen(signal).then(() => heard.push("seen"));
    await vi.advanceTimersByTimeAsync(60_000);
    turn(true);
    await vi.advanceTimersByTimeAsync(4000);
    turn(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toEqual(["seen"]);
    turn(true);
    await vi.advanceTimersByTimeAsync(5100);
    expect(heard).toEqual(["seen", "hidden"]);
    void whenSeen(signal).then(() => heard.push("seen again"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard.length).toBe(2);
    turn(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.at(-1)).toBe("seen again");
  });
});

describe("the history", () => {
  test("of a fail-over: the gap begins when nobody reaches the leader", () => {
    let story = tellStatus(nothingYet, [office("a", 1)], 1000);
    for (const [event, fields] of [
      ["suspected", { at: 5000, member: "a" }],
      ["failed", { at: 6000, member: "a", members: 2 }],
      ["unreachable", { at: 6100, office: "leader", leader: "a", term: 1, token: "1" }],
      ["leader", { at: 9000, office: "leader", leader: "b", term: 2, token: "2" }],
      // The same again, as after a connection that was lost.
      ["leader", { at: 9000, office: "leader", leader: "b", term: 2, token: "2" }],
    ] as const) {
      story = tell(story, event, told(fields));
    }
    expect(story.reigns).toMatchObject([
      { leader: "a", from: 1000, isOlder: true, unreachable: 6000, to: 6000 },
      { leader: "b", term: 2, token: "2", from: 9000, isOlder: false, to: null },
    ]);
    expect(gapBefore(story.reigns, story.reigns[1])).toBe(3000);
    expect(story.happenings.map(({ text }) => text)).toContain("a is taken for dead; 2 members.");
    expect(story.happenings.at(-1)!.text).toBe("leader: b leads in term 2, token 2.");
  });

  test("goes on from the status where events were missed", () => {
    const before = tellStatus(nothingYet, [office("a", 1)], 1000);
    const after = tellStatus(before, [office("c", 5)], 9000);
    expect(after.reigns).toMatchObject([
      { leader: "a", to: 9000 },
      { leader: "c", term: 5, from: 9000, to: null },
    ]);
    expect(tellStatus(after, [office("c", 5)], 9999)).toEqual(after);
    expect(tellStatus(after, [office(null, 6)], 9999).reigns.at(-1)).toMatchObject({ leader: "c", to: 9999 });
  });

  test("a lease that nobody can reach lasts into the next term: it is the same reign, in doubt", () => {
    const before = tellStatus(nothingYet, [office("a", 5)], 1000);
    const held = {
      ...office("a", 6),
      token: "5",
      leader: { ...office("a", 6).leader!, state: "unreachable" as const },
    };
    const doubt = tellStatus(before, [held], 4000);
    expect(doubt.reigns).toMatchObject([{ leader: "a", term: 5, from: 1000, unreachable: 4000, to: null }]);
    const { reigns } = tell(doubt, "leader", told({ at: 6000, office: "leader", leader: "b", term: 6, token: "6" }));
    expect(reigns.map(({ leader, to }) => [leader, to])).toEqual([
      ["a", 4000],
      ["b", null],
    ]);
    expect(gapBefore(reigns, reigns[1])).toBe(2000);
  });

  test("a leader that was only not reached, and still has its lease, leads in the term that it was elected in", () => {
    let story = tellStatus(nothingYet, [office("a", 2)], 1000);
    story = tell(story, "leaderless", told({ at: 3000, office: "leader", term: 3 }));
    story = tell(story, "leader", told({ at: 3500, office: "leader", leader: "a", term: 4, token: "2" }));
    expect(story.reigns).toMatchObject([{ term: 2, from: 1000, to: null, unreached: [{ from: 3000, to: 3500 }] }]);
    expect(unreachedFor(story.reigns[0])).toBe(500);
    expect(story.happenings.at(-1)!.text).toBe("leader: a is reached again, and still leads, token 2.");
    // The office's own term is the highest that was opened, whoever got the lease.
    const now = { ...office("a", 5), token: "2" };
    expect(reignOf(story.reigns, now)).toMatchObject({ term: 2, leader: "a" });
    expect(tellStatus(story, [now], 9000).reigns).toEqual(story.reigns);
    expect(reignOf(story.reigns, office("b", 5))).toBeNull();
  });

  test("is bounded", () => {
    let story = nothingYet;
    for (let term = 1; term < 2000; term++) {
      story = tell(story, "leader", told({ at: term, office: "leader", leader: `m${term % 7}`, term }));
    }
    expect(story.reigns.length).toBeLessThanOrEqual(400);
    expect(story.happenings.length).toBeLessThanOrEqual(200);
  });
});

test("a lease counts down from before the request, by whichever clock is faster", () => {
  const asked = { steady: 100, wall: 1_000_000 };
  const seen = { holder: "a", asked, of: [{ office: "leader", leaseMs: 6000 }] };
  const left = (steady: number, wall: number) => remaining(seen, "a", "leader", { steady, wall });
  expect(left(100, 1_000_000)).toBe(6000);
  expect(left(1100, 1_000_900)).toBe(5000);
  // The machine was asleep, and one clock stood still.
  expect(left(1100, 1_005_900)).toBe(100);
  // Somebody has set the clock back.
  expect(left(2100, 900_000)).toBe(4000);
  expect(left(90_000, 1_000_000)).toBe(0);
  expect(remaining(seen, "b", "leader", asked)).toBeNull();
  expect(remaining(seen, "a", "shards#1", asked)).toBeNull();
});

describe("what a hostile agent says", () => {
  const self = { name: "a", group: "g", mode: "strict" };

  test("is cut, cleaned or left out", () => {
    const status = v.parse(Status, {
      self: { ...self, traffic: { datagramsSent: "many" }, members: -1 },
      offices: [{ office: "leader", term: Number.MAX_VALUE, leader: null, epsilon: "<b>" }, 7, null],
      members: {
        members: [
          { name: "<img src=x onerror=alert(1)>", state: "alive" },
          { name: "evil\u202Etxt.exe\n", state: "alive" },
          { name: "x".repeat(1e6), state: "suspected", zone: { toString: "x" } },
          { state: "alive" },
          { name: "odd", state: "undead" },
          ...Array.from({ length: 9000 }, (_, i) => ({ name: `m${i}`, state: "alive" })),
        ],
      },
    });
    expect(status.self).toMatchObject({ traffic: null, members: 0 });
    expect(status.offices).toMatchObject([{ office: "leader", epsilon: null, council: null }]);
    expect(status.members.members.slice(0, 2).map(({ name }) => name)).toEqual([
      "<img src=x onerror=alert(1)>",
      "evil\uFFFDtxt.exe\uFFFD",
    ]);
    expect(status.members.members[2]).toMatchObject({ name: "x".repeat(120), zone: "" });
    expect(status.members.members.length).toBeLessThanOrEqual(5000);
  });

  test.each([
    null,
    7,
    [],
    "status",
    { self: null },
    { self, offices: {} },
    { self: { ...self, mode: "x" }, offices: [], members: { members: [] } },
  ])("%j is no status", (json) => expect(v.safeParse(Status, json).success).toBe(false));

  test("names of objects are names", () => {
    const { members } = v.parse(MembersAnswer, {
      members: [
        { name: "__proto__", state: "alive" },
        { name: "constructor", state: "alive" },
      ],
    });
    const shown = shownMembers(
      members,
      [],
      [],
      v.parse(Status.entries.offices, [office("__proto__", 1)])[0],
      "constructor",
    );
    expect(shown.map(({ name, part, isSelf }) => [name, part, isSelf])).toEqual([
      ["__proto__", "leads", false],
      ["constructor", "alive", true],
    ]);
    expect(matches(shown[0], "PROTO leads")).toBe(true);
    expect(v.parse(Self, self).traffic).toBeNull();
  });
});
