/** `sortition status` as text: 80 columns, a thousand members, names from the network. */
import { expect, test } from "vitest";
import type { AgentSeat, AgentStatus } from "../../src/api/client.ts";
import { statusText } from "../../src/cli/commands/status/view.ts";
import { EPSILON_CAVEAT } from "../../src/elector/report.ts";
import { gone, member } from "../keys/fake-agent.ts";

const seat = (office: string, rest: Partial<AgentSeat> = {}): AgentSeat => ({
  group: "g",
  office,
  term: 7,
  token: null,
  validForMs: 0,
  epsilon: null,
  caveat: null,
  council: null,
  asker: null,
  election: null,
  leader: { name: "a", address: "10.0.0.1:7001", mine: false, state: "live" },
  ...rest,
});

const status = (rest: Partial<AgentStatus> = {}, self: Partial<AgentStatus["self"]> = {}): AgentStatus => ({
  at: 0,
  offices: [seat("leader")],
  history: [],
  members: { group: "g", self: "a", members: [member("a", ["0000000a"]), member("b", ["0000000a"])], recent: [] },
  self: {
    name: "a",
    group: "g",
    address: "10.0.0.1:7001",
    version: "0.1.0",
    mode: "probabilistic" as const,
    offices: ["leader"],
    leads: [],
    engine: { state: "none" as const, why: null },
    quorate: true,
    members: 2,
    profile: "lan" as const,
    leaseTtlMs: null,
    keys: { seals: "0000000a", opens: ["0000000a"] },
    stalls: { count: 0, longestMs: 0 },
    traffic: { datagramsSent: 0, bytesSent: 0, datagramsReceived: 0, datagramsDropped: 0, electionMessages: 0 },
    ...self,
  },
  ...rest,
});
const shown = (given: AgentStatus, { rows = 40, width = 80, elapsed = 0 } = {}) =>
  statusText(given, { rows, width, elapsed, paint: (_style, text) => text });

test("a group without leases: who leads, who is there, how sure that is and what that leaves out", () => {
  const given = status({ offices: [seat("leader", { epsilon: 3e-7, caveat: EPSILON_CAVEAT })] });
  expect(shown(given)).toBe(
    [
      'Group "g", probabilistic, 2 members, as a knows it (10.0.0.1:7001, sortition',
      "0.1.0).",
      "",
      "office  term  leader",
      "leader     7  a",
      "",
      "member  state                   address",
      "a       alive, leads, this one  10.0.0.1:7001",
      "b       alive                   10.0.0.1:7001",
      "",
      "All seal with 0000000a.",
      "",
      "Epsilon 3.0e-7: the chance of two leaders in one election, given complete views",
      "and independent loss; partitions and false suspicion are excluded.",
    ].join("\n"),
  );
});

test("with leases: token, what is left of one's own, who asks, who is unreachable, and what is wrong", () => {
  const offices = [
    seat("leader", {
      token: "1790000000123",
      validForMs: 4200,
      leader: { name: "a", address: null, mine: true, state: "live" },
    }),
    seat("shards#1", { leader: null, asker: "b" }),
    seat("shards#2", {
      leader: { name: "x", address: null, mine: false, state: "unreachable" },
      token: "12",
      asker: "b",
    }),
    seat("audit", { leader: { name: "x", address: null, mine: false, state: "stale" }, council: ["x", "a", "b"] }),
  ];
  const self = { mode: "strict" as const, leaseTtlMs: 5000, engine: { state: "silent" as const, why: "no\nroute" } };
  const text = shown(status({ offices }, { ...self, quorate: false, stalls: { count: 2, longestMs: 900 } }), {
    elapsed: 1000,
  });
  expect(text).toContain('Group "g", strict (leases of 5.0 s), 2 members');
  expect(text).toContain("The lease store does not answer: no\\u{a}route");
  expect(text).toContain("sees no more than half of it");
  expect(text).toContain("paused 2 times, for up to 900 ms");
  expect(text).toContain("leader       7  1790000000123  a (this member, 3.2 s left)");
  expect(text).toContain("shards#1     7              -  nobody; b asks the lease store");
  expect(text).toContain("x (has the lease, but nobody reaches it); b asks");
  expect(text).toContain("x (may be out of date)");
  expect(text).toContain("Council of audit: x, a, b");
  expect(shown(status({ offices }, self), { elapsed: 4300 })).toContain("a (this member, lease over)");
});

test("other keys than most, those who do not answer, and those who have gone", () => {
  const members = [
    ...["a", "b", "c"].map((name) => member(name, ["0000000a", "0000000b"], { zone: "north" })),
    member("d", ["0000000b"], { state: "suspected" }),
    member("e", null),
  ];
  const recent = [gone("x", null, "failed"), { ...gone("y", null, "left"), agoMs: 7_200_000 }];
  const text = shown(status({ members: { group: "g", self: "a", members, recent } }));
  expect(text).toContain("a       alive, leads, this one  north  0000000a +0000000b  10.0.0.1:7001");
  expect(text).toContain("d       suspected                      0000000b            10.0.0.1:7001");
  expect(text).toContain("e       alive                          not said ");
  expect(text).toContain("Gone within a day: x failed 1 min ago, y left 2 h ago.");
  const all = shown(status({ members: { group: "g", self: "a", members: members.slice(0, 3), recent: [] } }));
  expect(all).toContain("All seal with 0000000a and also open 0000000b.");
});

test("a thousand members and a hundred offices fit a screen: what is unusual comes first, the rest is counted", () => {
  const many = Array.from({ length: 1000 }, (_, i) =>
    member(`node-${String(i).padStart(4, "0")}`, ["0000000a"], {
      zone: i % 2 === 0 ? "north" : "south",
      self: i === 500,
      ...(i === 777 && { state: "suspected" as const }),
    }),
  );
  const offices = Array.from({ length: 100 }, (_, i) =>
    seat(`shards#${i + 1}`, i === 60 ? { leader: null } : { leader: { ...seat("x").leader!, name: "node-0123" } }),
  );
  const text = shown(status({ offices, members: { group: "g", self: "node-0500", members: many, recent: [] } }), {
    rows: 10,
  });
  const lines = text.split("\n");
  expect(lines.length).toBeLessThan(40);
  expect(text).toContain("shards#61     7  nobody");
  expect(text).toContain("... and 90 more, all led");
  const order = ["node-0777", "node-0123", "node-0500"].map((name) => lines.findIndex((line) => line.startsWith(name)));
  expect(order[0]).toBeGreaterThan(0);
  expect(order[1]).toBe(order[0] + 1);
  expect(order[2]).toBe(order[0] + 2);
  expect(text).toContain("... and 992 more, all alive (north 496, south 496)");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("names, zones, addresses and words from the network cannot write on the terminal, nor make it wide", () => {
  const evil = "\u001b]0;owned\u0007\u009b2J\u202e\u200d\n\r\t";
  const long = "x".repeat(64);
  const members = [member(evil, [evil], { zone: evil, address: evil }), member(long, ["0000000a"], { zone: long })];
  const text = shown(
    status(
      {
        offices: [seat(evil, { leader: { name: evil, address: evil, mine: false, state: "live" }, council: [evil] })],
        members: { group: evil, self: evil, members, recent: [gone(evil, null, "failed")] },
      },
      { name: evil, group: evil, address: evil, version: evil, engine: { state: "silent", why: evil } },
    ),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202f]/);
  expect(text).toContain("x".repeat(23));
  expect(text).not.toContain("x".repeat(25));
});
