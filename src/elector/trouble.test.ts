/** What may go wrong between members of a group, one thing at a time; everything at once: test/group. */
import { describe, expect, test } from "vitest";
import "../registry/all.ts";
import { groupSetup, runGroup } from "../../test/support/group-run.ts";
import { reckless } from "../../test/support/reckless.ts";
import { runEvents } from "../host/events.ts";
import { group } from "./group.ts";
import type { GroupState } from "./state.ts";
import type { Claim, ElectorMessage } from "./talk/messages.ts";
import { statedTimes } from "./times.ts";

const stateOf = (run: ReturnType<typeof runGroup>, node: number) => run.run.state(node) as GroupState;

describe("terms", () => {
  test("are saved before they are used, and no part is taken in one again", () => {
    const run = runGroup({ n: 3 });
    run.settle(5000);
    run.pass(2000);
    const first = run.agreed()!;
    const { term } = run.office(first)!;
    for (const node of [0, 1, 2]) run.run.inject({ restart: node });
    run.pass(1);
    for (const node of [0, 1, 2]) {
      expect(stateOf(run, node).offices.get("leader")).toMatchObject({ term, joinedTerm: term, claim: null });
    }
    run.settle(10_000);
    expect(run.office(run.agreed()!)!.term).toBeGreaterThan(term);
  });

  test("a leader that was paused while another was elected steps down when it hears of it", () => {
    const run = runGroup({ n: 5 });
    run.settle(5000);
    run.pass(2000);
    const first = run.agreed()!;
    run.run.inject({ pause: first, for: 4000 });
    run.pass(3000);
    const [second, ...more] = run.leaders().filter((node) => node !== first);
    expect(more).toEqual([]);
    expect(second).toBeDefined();
    run.pass(3000);
    expect(run.agreed()).toBe(second);
    expect(run.told.some(({ event, node }) => event === "resigned" && node === first)).toBe(true);
  });
});

describe("somebody with the key says that there was a term", () => {
  test.each([2 ** 48, 2 ** 52, 2 ** 53 - 1])("%i, and the group goes on", (term) => {
    const run = runGroup({ n: 5 });
    run.settle(5000);
    run.pass(2000);
    const first = run.agreed()!;
    for (const node of run.alive()) {
      const from = stateOf(run, (node + 1) % 5).life;
      run.command(node, { kind: "term", office: "leader", term, from, to: stateOf(run, node).life } as never);
    }
    run.pass(2000);
    run.settle(20_000);
    run.run.inject({ crash: first });
    run.pass(1000);
    run.settle(20_000);
    run.run.inject({ restart: first, saved: false });
    run.pass(10_000);
    expect(run.agreed()).not.toBeNull();
    expect(Number.isSafeInteger(run.office(run.agreed()!)!.term + 1)).toBe(true);
  });
});

describe("two winners of one term", () => {
  test("are noticed, both step down, and the next term has one", () => {
    const run = runGroup({
      n: 5,
      protocol: group({ protocols: [reckless as never] }),
      params: { protocol: "reckless" },
    });
    run.settle(5000);
    run.pass(2000);
    const first = run.agreed()!;
    const { claim } = stateOf(run, first).offices.get("leader")!;
    // What somebody else who won it would say.
    const other = (first + 1) % 5;
    const rival: Claim = { ...claim!, holder: `m${other}`, life: stateOf(run, other).life };
    const message: ElectorMessage = {
      kind: "claim",
      claim: rival,
      passes: 0,
      from: stateOf(run, other).life,
      to: stateOf(run, first).life,
    };
    run.command(first, message as never);
    run.pass(20);
    expect(run.told.filter(({ event }) => event === "conflict").map(({ node }) => node)).toContain(first);
    run.settle(3000);
    expect(run.office(run.agreed()!)!.term).toBeGreaterThan(claim!.term);
  });
});

describe("two who open one term with different settings", () => {
  test.each([1, 2, 3, 4, 5, 6])("do not wait for each other, seed %i", (seed) => {
    const run = runGroup({ n: 5, seed });
    run.pass(250);
    const from = stateOf(run, 0).life;
    for (const [node, window] of [
      [1, 1],
      [2, 1.5],
    ]) {
      const setting = {
        protocol: "referees-async",
        params: { m: 5, window },
        n: 5,
        loss: 0,
        lossLow: 0,
        epsilon: null,
        lossFrom: "configured",
      } as const;
      const to = stateOf(run, node).life;
      run.command(node, {
        kind: "stand",
        office: "leader",
        term: 1,
        position: 0,
        setting,
        over: null,
        from,
        to,
      } as never);
    }
    run.pass(3);
    const ids = new Set(
      [1, 2].map((node) => stateOf(run, node).offices.get("leader")!.election?.setting.params.window),
    );
    expect(ids.size).toBeLessThanOrEqual(2);
    expect(run.settle(3000)).toBeLessThan(1500);
    run.pass(1000);
    expect(run.agreed()).not.toBeNull();
  });
});

test("who knows a live holder does not stand when somebody asks it to who knows of none, but where that very holder is over", () => {
  const run = runGroup({ n: 3 });
  run.settle(10_000);
  run.pass(1000);
  const holder = run.agreed()!;
  const [asked, asker] = [0, 1, 2].filter((node) => node !== holder);
  const { term } = run.office(holder)!;
  const { setting } = stateOf(run, asked).offices.get("leader")!;
  const ask = (over: number | null) => {
    const between = { from: stateOf(run, asker).life, to: stateOf(run, asked).life };
    run.command(asked, {
      kind: "stand",
      office: "leader",
      term: term + 1,
      position: 0,
      setting,
      over,
      ...between,
    } as never);
    run.pass(2000);
  };
  ask(null);
  expect([run.agreed(), run.office(holder)!.term]).toEqual([holder, term]);
  ask(stateOf(run, holder).life);
  expect(run.office(holder)!.term).toBe(term + 1);
});

describe("a member that joins while an election is held", () => {
  test("is heard in it, also where the others had taken their views before", () => {
    const run = runGroup({ n: 4, faults: { joins: [{ node: 3, at: 2000 }] } });
    run.pass(1940);
    const first = run.agreed()!;
    run.command(first, { kind: "resign", office: null });
    const inElection = () => [0, 1, 2].map((node) => stateOf(run, node).offices.get("leader")!.election?.names ?? []);
    expect(run.until(() => inElection().some((names) => names.length > 0), 2000)).toBe(true);
    expect(inElection().flat()).not.toContain("m3");
    run.settle(3000);
    run.pass(3000);
    expect(run.agreed()).not.toBeNull();
    expect(run.alive()).toHaveLength(4);
  });
});

test("who has never heard of a holder asks others before it stands", () => {
  const kinds: string[] = [];
  const sent = (_flight: number | null, _from: number, _to: number, message: unknown) => {
    kinds.push((message as { kind?: string }).kind ?? "pulse");
  };
  runEvents(groupSetup({ n: 3, until: 2000, observer: { sent } }));
  const [who, child] = [kinds.indexOf("who"), kinds.indexOf("child")];
  expect(who).toBeGreaterThan(0);
  expect(child).toBeGreaterThan(who);
});

describe("policy majority", () => {
  test("the smaller side has no leader after a while, the larger one has; together they have one", () => {
    const run = runGroup({ n: 5, params: { policy: "majority", expected: 5 }, until: 200_000 });
    run.settle(10_000);
    run.pass(2000);
    run.run.inject({ cut: [[0, 1]] });
    run.pass(40_000);
    const [leader, ...more] = run.leaders();
    expect(more).toEqual([]);
    expect(leader).toBeGreaterThan(1);
    expect([0, 1].map((node) => run.office(node)!.leader)).toEqual([null, null]);
    expect(run.report(0)!.quorate).toBe(false);
    run.run.inject({ heal: true });
    run.pass(25_000);
    expect(run.agreed()).not.toBeNull();
  });
});

describe("offices", () => {
  const offices = Array.from({ length: 60 }, (_, i) => `shard-${i}`);

  test("sixty of them are spread over the members, and a crash moves only those of the dead", () => {
    const run = runGroup({ n: 5, params: { offices } });
    run.pass(4000);
    const holders = () => offices.map((name) => run.agreed(name));
    const before = holders();
    expect(before).not.toContain(null);
    for (const node of [0, 1, 2, 3, 4]) expect(before.filter((holder) => holder === node).length).toBeGreaterThan(3);
    run.run.inject({ crash: 2 });
    run.pass(3000);
    const after = holders();
    expect(after).not.toContain(null);
    expect(after.map((holder, i) => before[i] === 2 || holder === before[i])).not.toContain(false);
  });

  test("seats go to different members, and twice to one only where there are too few", () => {
    const seats = (n: number) => {
      const run = runGroup({ n, params: { offices: ["shards:3"] } });
      run.pass(6000);
      return ["shards#1", "shards#2", "shards#3"].map((seat) => run.agreed(seat));
    };
    expect(new Set(seats(7)).size).toBe(3);
    expect(new Set(seats(3)).size).toBe(3);
    expect(seats(2)).not.toContain(null);
  });

  test("who is not eligible holds nothing, and stands again when it is", () => {
    const run = runGroup({ n: 3, params: { offices: ["a", "b", "c", "d", "e", "f"] } });
    run.pass(4000);
    const held = (node: number) => Object.values(run.report(node)!.offices).filter(({ mine }) => mine).length;
    const [most] = [0, 1, 2].sort((a, b) => held(b) - held(a));
    expect(held(most)).toBeGreaterThan(1);
    run.command(most, { kind: "eligible", eligible: false });
    run.pass(1000);
    expect(held(most)).toBe(0);
    expect(held(0) + held(1) + held(2)).toBe(6);
  });

  test("who does not want one office, or one seat, gives it up and may hold the others", () => {
    const run = runGroup({ n: 2, params: { offices: ["a", "b", "shards:2"] } });
    run.pass(4000);
    const mine = (office: string) => run.report(0)!.offices[office].mine;
    run.command(1, { kind: "eligible", eligible: false });
    run.pass(6000);
    expect(["a", "b", "shards#1", "shards#2"].filter(mine)).toHaveLength(4);
    run.command(1, { kind: "eligible", eligible: true });
    run.command(0, { kind: "eligible", eligible: false, office: "a" });
    run.command(0, { kind: "eligible", eligible: false, office: "shards#2" });
    run.pass(2000);
    expect(["a", "b", "shards#1", "shards#2"].filter(mine)).toEqual(["b", "shards#1"]);
    expect([run.agreed("a"), run.agreed("shards#2")]).toEqual([1, 1]);
    run.command(0, { kind: "eligible", eligible: true, office: "a" });
    run.command(1, { kind: "resign", office: "a" });
    run.command(1, { kind: "resign", office: "shards" });
    run.pass(2000);
    expect(["a", "shards#2"].map((office) => run.agreed(office))).toEqual([0, 1]);
  });

  test("an office added later is held, by one of those who were told of it", () => {
    const run = runGroup({ n: 3 });
    run.settle(5000);
    for (const node of [0, 2]) run.command(node, { kind: "office", office: "reports" });
    run.pass(3000);
    expect([0, 2]).toContain(run.agreed("reports"));
  });
});

test("offices may have the names of what every object has, but for one that no object can hold", () => {
  const run = runGroup({ n: 2, params: { offices: ["constructor", "toString:2"] } });
  run.pass(5000);
  const { offices } = stateOf(run, 0).report;
  for (const name of ["constructor", "toString#1", "toString#2"]) expect(offices[name].term).toBeGreaterThan(0);
  expect(() => runGroup({ n: 1, params: { offices: ["__proto__"] } }).pass(1)).toThrow("is no office");
});

describe("a protocol that throws", () => {
  const brittle = {
    name: "brittle",
    assumes: { topology: "complete", timing: "partial", knows: [], tolerates: ["loss"] },
    init: (
      _params: object,
      { initiator }: { initiator: boolean },
      _saved: null,
      ctx: { send(port: number, message: unknown): void },
    ) => {
      if (initiator) ctx.send(0, null);
      return {};
    },
    receive(_state: object, _port: number, { text }: { text: string }) {
      expect(text).toBeDefined();
    },
    verdict: () => ({ status: "undecided", leader: null, term: 0 }),
  } as const;

  test("ends its election and not the member, which says so and tries again", () => {
    const params = { protocol: "brittle" };
    const run = runGroup({ n: 3, protocol: group({ protocols: [brittle as never] }), params });
    run.pass(20_000);
    const faulty = run.told.filter(({ event }) => event === "faulty");
    expect(new Set(faulty.map(({ term }) => term)).size).toBeGreaterThan(2);
    expect(faulty[0].why).toContain("the protocol brittle has failed: ");
    expect(stateOf(run, 0).report.members).toBe(3);
  });
});

test("what comes from outside is not taken for a member's word to itself", () => {
  const run = runGroup({ n: 2 });
  run.settle(5000);
  const state = stateOf(run, 0);
  const { life } = state;
  const between = { from: life, to: life };
  const context = { send() {}, arm() {}, disarm() {} } as never;
  const setting = state.offices.get("leader")!.setting!;
  const heard = group().receive.bind(null, state);
  const before = structuredClone(state.offices);
  for (const port of [0, 1]) {
    heard(port, { kind: "open", office: "leader", term: 99, id: 1, setting, ...between }, context);
    heard(port, { kind: "child", office: "leader", term: 99, id: 1, setting, message: null, ...between }, context);
  }
  // Nor is what was meant for another life of this member, or comes from somebody who does not live.
  const claim = { office: "leader", term: 99, number: 0, holder: "m1", life: stateOf(run, 1).life } as const;
  const word = { kind: "claim", claim: { ...claim, setting, former: null, heir: null, invitation: null } } as const;
  heard(1, { ...word, passes: 0, from: stateOf(run, 1).life, to: life + 1 }, context);
  heard(1, { ...word, passes: 0, from: 4711, to: life }, context);
  expect(state.offices).toEqual(before);
});

test.each([
  [3, 1],
  [5, 1],
  [5, 2],
  [7, 2],
])("of %i members all but %i die at once, the leader among them: somebody leads within the stated time", (n, left) => {
  const run = runGroup({ n, until: 200_000 });
  run.settle(5000);
  run.pass(5000);
  const leader = run.agreed()!;
  const survivors = Array.from({ length: n }, (_, node) => node)
    .filter((node) => node !== leader)
    .slice(0, left);
  for (let node = 0; node < n; node++) if (!survivors.includes(node)) run.run.inject({ crash: node });
  const leads = () => survivors.some((node) => run.office(node)?.mine === true);
  expect(run.until(leads, run.run.time + statedTimes("lan", n).settle)).toBe(true);
});
