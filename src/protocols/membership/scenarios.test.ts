/** One fault at a time, and what the others make of it. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { assembled, command, goTo, membersSetup, runOf, stateOf } from "../../../test/support/members.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { runEvents } from "../../host/events.ts";
import type { FaultPlan } from "../../host/faults/faults.ts";
import type { EventsSetup } from "../../host/setup.ts";
import type { SteppedRun } from "../../host/stepping/stepping.ts";
import { HostStream } from "../../random/streams.ts";
import { accuse, hearRecord } from "./hear.ts";
import { type MembershipParams, membership } from "./membership.ts";
import { declareFailed, live, memberNamed, note, publish, size } from "./parent.ts";
import { profiles } from "./profile.ts";
import { toEntry } from "./records.ts";
import { learnNote } from "./rumours.ts";
import type { MembershipNews, MembershipState } from "./state.ts";

letHandlersWrite();

const upTo = (n: number) => Array.from({ length: n }, (_, node) => node);
const view = (run: SteppedRun, node: number) => live(stateOf(run, node)).map(({ name }) => name);
const names = (...nodes: number[]) => nodes.map((node) => `m${node}`).sort();

type Told = MembershipNews & { readonly node: number; readonly time: number };

/** All that members say of each other in a run. */
function newsOf(
  n: number,
  faults: Partial<FaultPlan>,
  changes: Partial<EventsSetup> & { readonly params?: Partial<MembershipParams> } = {},
): Told[] {
  const told: Told[] = [];
  const observer = {
    settled(node: number, time: number, state: unknown) {
      for (const news of (state as MembershipState).news) told.push({ ...news, node, time });
    },
  };
  runEvents(membersSetup(n, faults, { observer, ...changes }));
  return told;
}

const about = (told: readonly Told[], what: MembershipNews["what"], name: string) =>
  told.filter((news) => news.what === what && "name" in news && news.name === name);

describe("suspicion", () => {
  const accusations = [
    command(2, 10_000, (state, ctx) => accuse(state, "m5", ctx)),
    command(3, 10_000, (state, ctx) => accuse(state, "m5", ctx)),
  ];

  test("a refutation undoes it, wherever it was heard", () => {
    const told = newsOf(8, { commands: accusations }, { until: 60_000 });
    const suspected = new Set(about(told, "suspected", "m5").map(({ node }) => node));
    const refuted = new Set(about(told, "refuted", "m5").map(({ node }) => node));
    expect(suspected.size).toBeGreaterThanOrEqual(2);
    expect([...refuted].sort()).toEqual([...suspected].sort());
    expect(told.filter(({ what }) => what === "failed")).toEqual([]);
    expect(Math.max(...about(told, "refuted", "m5").map(({ time }) => time))).toBeLessThan(11_500);
  });

  test("each accuser makes it shorter, down to its least time", () => {
    const run = runOf(membersSetup(8, { crashes: [{ node: 5, at: 9000 }] }));
    goTo(run, 9000);
    const dueAt = () => stateOf(run, 0).suspicions.get("m5");
    while (dueAt() === undefined) run.step();
    const { since } = dueAt()!;
    const lengths = new Set<number>();
    for (let now = dueAt(); now !== undefined; now = dueAt()) {
      if (!now.hasCalled) lengths.add(now.due - since);
      run.step();
    }
    expect([...lengths].sort((a, b) => b - a)).toEqual([...lengths]);
    expect(lengths.size).toBeGreaterThan(1);
    expect(memberNamed(stateOf(run, 0), "m5")!.status).toBe("failed");
  });

  test("of a former life is confirmed by those who have buried a later one", () => {
    const answered: unknown[] = [];
    const setLife = (life: number) => (state: MembershipState, ctx: Parameters<typeof accuse>[2]) => {
      const entry = [...toEntry({ ...state.members.get("m4")!, life, incarnation: 4, status: "failed" })] as const;
      const send: typeof ctx.send = (_, message) => void answered.push(message);
      hearRecord(state, entry as never, ctx, "proof");
      const from = state.members.get("m3")!.life;
      const said = toEntry({ ...state.members.get("m4")!, life: 7, incarnation: 3, status: "suspect" }, [from]);
      const gossip = { kind: "gossip", from, members: [said] } as const;
      membership.receive(state, ctx.link("3"), gossip, { ...ctx, send } as typeof ctx);
    };
    const run = runOf(membersSetup(6, { commands: [command(1, 10_000, setLife(12))] }));
    goTo(run, 10_001);
    const { life: own, members } = stateOf(run, 1);
    expect(answered).toMatchObject([
      {
        members: [
          ["m4", 12, 4, "4", 2, null],
          ["m4", 7, 3, "4", 1, null, [members.get("m3")!.life, own]],
        ],
      },
    ]);
  });

  test("a healthy member that the watch declares failed comes back at once", () => {
    const commands = [
      command(1, 10_000, (state, ctx) => declareFailed(state, "m4", state.members.get("m4")!.life, ctx)),
    ];
    const run = runOf(membersSetup(6, { commands }));
    goTo(run, 10_001);
    expect(view(run, 1)).toEqual(names(0, 1, 2, 3, 5));
    goTo(run, 12_000);
    for (const node of upTo(6)) expect(view(run, node)).toEqual(names(...upTo(6)));
    expect(memberNamed(stateOf(run, 1), "m4")!.incarnation).toBe(1);
  });
});

describe("the dead", () => {
  const crashed: Partial<FaultPlan> = { crashes: [{ node: 4, at: 5000 }] };
  const rumour = (incarnation: number) =>
    command(2, 40_000, (state, ctx) => {
      const { name, life, address } = state.members.get("m4")!;
      const entry = [name, life, incarnation, address, 0, null] as const;
      membership.receive(
        state,
        ctx.link("3"),
        { kind: "gossip", from: state.members.get("m3")!.life, members: [entry] },
        ctx,
      );
    });

  test("no old rumour brings one back, and one that claims to be newer has to be proven", () => {
    for (const incarnation of [0, 7]) {
      const told = newsOf(6, { ...crashed, commands: [rumour(incarnation)] }, { until: 90_000 });
      expect(new Set(about(told, "failed", "m4").map(({ node }) => node)).size).toBe(5);
      expect(about(told, "joined", "m4").filter(({ time }) => time > 5000)).toEqual([]);
    }
  });

  test("a recorded answer of a former life proves nothing", () => {
    const replay = command(2, 40_000, (state, ctx) => {
      const { life, address, name } = state.members.get("m4")!;
      for (let seq = state.seq - 40; seq <= state.seq + 5; seq++) {
        membership.receive(
          state,
          ctx.link(address),
          { kind: "ack", seq, from: life, me: [name, life, 9, address, 0, null] },
          ctx,
        );
      }
    });
    const told = newsOf(6, { ...crashed, commands: [replay] }, { until: 60_000 });
    expect(about(told, "joined", "m4").filter(({ time }) => time > 5000)).toEqual([]);
  });

  test("are forgotten after a day, links and all", () => {
    const profile = { ...profiles.lan, tombstone: 100 };
    const run = runOf(membersSetup(5, crashed, { params: { profile } }));
    goTo(run, 20_000);
    expect(memberNamed(stateOf(run, 0), "m4")?.status).toBe("failed");
    goTo(run, 60_000);
    for (const node of upTo(4)) expect(memberNamed(stateOf(run, node), "m4")).toBeUndefined();
  });
});

test("a note with a number that JSON does not have is refused at the door, and was a TypeError in a handler", () => {
  const gossip = (value: unknown) => ({ kind: "gossip", from: 1, notes: [["k", 1, 0, value]] });
  expect([5n, { deep: [5n] }, 5].map((value) => membership.accepts!(gossip(value)))).toEqual([false, false, true]);
});

test("10,000 names that held an office leave 16,384 notes; what is known of an office still changes", () => {
  const run = runOf(membersSetup(2));
  goTo(run, 5000);
  const state = stateOf(run, 1);
  const hear = (key: string, order: number) => learnNote(state, { key, order: [order, 0], value: order }, "rumour");
  hear("office/leader", 1);
  for (let i = 0; i < 10_000; i++) for (const kind of ["setting", "watch"]) hear(`${kind}/name-${i}`, 1);
  hear("office/leader", 2);
  expect([state.notes.size, note(state, "office/leader")!.value]).toEqual([16_384, 2]);
});

describe("names and lives", () => {
  /** Processes 4 and 5 have one name. */
  const params = { names: { "4": "twin", "5": "twin" } };
  const everybody = [...names(0, 1, 2, 3), "twin"];

  test("a second live process with a taken name is refused in words; the first stays", () => {
    const run = runOf(membersSetup(6, { joins: [{ node: 5, at: 8000 }] }, { params }));
    goTo(run, 30_000);
    expect(run.report(5)).toMatchObject({
      phase: "refused",
      refusal: 'the name "twin" is taken by a live process at 4: choose another name',
    });
    for (const node of upTo(5)) {
      expect(view(run, node)).toEqual(everybody);
      expect(memberNamed(stateOf(run, node), "twin")).toMatchObject({ address: "4", incarnation: 0 });
    }
  });

  test("of two that come at the same time one stays", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const run = runOf(membersSetup(6, {}, { params, seed, until: 90_000 }));
      goTo(run, 90_000);
      const phases = [run.report(4), run.report(5)].map((report) => (report as { phase: string }).phase);
      expect(phases.sort()).toEqual(["member", "refused"]);
      for (const node of upTo(4)) expect(view(run, node)).toEqual(everybody);
    }
  });

  test("a process that starts again elsewhere takes the place of its former life, once it is known to be over", () => {
    const faults = { crashes: [{ node: 4, at: 8000 }], joins: [{ node: 5, at: 8100 }] };
    const run = runOf(membersSetup(6, faults, { params }));
    goTo(run, 11_500);
    for (const node of [0, 1, 2, 3, 5]) {
      expect(view(run, node)).toEqual(everybody);
      expect(memberNamed(stateOf(run, node), "twin")).toMatchObject({ address: "5", life: 5, incarnation: 1 });
    }
  });

  test("a restart is one member, at once, also when its former life had been declared failed", () => {
    for (const down of [10, 300, 30_000]) {
      const restarts = [{ node: 3, at: 8000 + down, saved: false }];
      const faults = { crashes: [{ node: 3, at: 8000 }], restarts };
      const run = runOf(membersSetup(6, faults));
      goTo(run, 8000 + down + 1500);
      for (const node of upTo(6)) {
        expect(view(run, node)).toEqual(names(...upTo(6)));
        expect(memberNamed(stateOf(run, node), "m3")).toMatchObject({ life: 9, status: "alive" });
      }
    }
  });

  test("a name that is empty or too long, and too much to tell of oneself, are refused", () => {
    expect(() => runEvents(membersSetup(1, {}, { params: { name: "" } }))).toThrow(
      "a member's name takes 1 to 64 bytes, not 0: choose another",
    );
    expect(() => runEvents(membersSetup(1, {}, { params: { meta: "x".repeat(300) } }))).toThrow("it may take 256");
  });
});

describe("cuts and pauses", () => {
  test("a healed partition merges the views again", () => {
    const partitions = [{ groups: [[0, 1, 2]], from: 10_000, to: 60_000 }];
    const run = runOf(membersSetup(7, { partitions }, { until: 80_000 }));
    goTo(run, 60_000);
    for (const node of [0, 1, 2]) expect(view(run, node)).toEqual(names(0, 1, 2));
    for (const node of [3, 4, 5, 6]) expect(view(run, node)).toEqual(names(3, 4, 5, 6));
    goTo(run, 72_000);
    for (const node of upTo(7)) expect(view(run, node)).toEqual(names(...upTo(7)));
  });

  test("groups that never knew each other find each other by their seeds", () => {
    const partitions = [{ groups: [[0, 1, 2]], from: 0, to: 20_000 }];
    const run = runOf(membersSetup(6, { partitions }, { seeds: ["0", "3"] }));
    goTo(run, 19_000);
    for (const node of [0, 1, 2]) expect(view(run, node)).toEqual(names(0, 1, 2));
    for (const node of [3, 4, 5]) expect(view(run, node)).toEqual(names(3, 4, 5));
    goTo(run, 32_000);
    for (const node of upTo(6)) expect(view(run, node)).toEqual(names(...upTo(6)));
  });

  test.each([
    ["cannot be heard", [[4]]],
    ["hears nobody", [[0, 1, 2, 3, 5]]],
  ])("who %s is declared failed, and makes nobody else failed, then or later", (_what, groups) => {
    const partitions = [{ groups, oneWay: true, from: 10_000, to: 100_000 }];
    // Most seeds do; with every fourth or so, the one that cannot be heard makes others fail after the cut has healed.
    const told = newsOf(6, { partitions }, { until: 150_000, seed: 2 });
    const failed = told.filter(({ what }) => what === "failed");
    expect(new Set(about(failed, "failed", "m4").map(({ node }) => node)).size).toBe(5);
    expect(failed.filter((news) => "name" in news && news.name !== "m4" && news.node !== 4)).toEqual([]);
    expect(
      new Set(
        about(told, "joined", "m4")
          .filter(({ time }) => time > 100_000)
          .map(({ node }) => node),
      ).size,
    ).toBe(5);
  });

  test("two halves of 40 were cut off from each other for 3.5 s, less than a suspicion lasts: nobody is declared failed", () => {
    const partitions = [{ groups: [upTo(20)], from: 8000, to: 11_500 }];
    const protocol = assembled(40);
    for (const seed of [2, 5, 7]) {
      const told = newsOf(40, { partitions }, { protocol, seed, until: 20_000 });
      expect(told.some(({ what }) => what === "suspected")).toBe(true);
      expect(told.filter(({ what }) => what === "failed")).toEqual([]);
    }
  });

  test("who stood still for 20 s declares nobody failed, and is back soon", () => {
    const pauses = [{ node: 4, from: 10_000, to: 30_000 }];
    for (const seed of [1, 2, 3]) {
      const run = runOf(membersSetup(6, { pauses }, { seed }));
      goTo(run, 29_000);
      expect(view(run, 0)).toEqual(names(0, 1, 2, 3, 5));
      goTo(run, 33_000);
      for (const node of upTo(6)) expect(view(run, node)).toEqual(names(...upTo(6)));
      const told = newsOf(6, { pauses }, { seed });
      expect(told.filter((news) => news.node === 4 && (news.what === "failed" || news.what === "suspected"))).toEqual(
        [],
      );
    }
  });

  test("all are paused at once, as when a machine sleeps: nobody is declared failed", () => {
    const pauses = upTo(6).map((node) => ({ node, from: 10_000 + node, to: 40_000 + 10 * node }));
    expect(newsOf(6, { pauses }).filter(({ what }) => what === "failed")).toEqual([]);
  });
});

test("the seed may leave, and groups of one and two work", () => {
  const run = runOf(
    membersSetup(2, { leaves: [{ node: 0, at: 5000 }], restarts: [{ node: 0, at: 20_000, saved: false }] }),
  );
  goTo(run, 4000);
  expect([view(run, 0), view(run, 1)]).toEqual([names(0, 1), names(0, 1)]);
  goTo(run, 6000);
  expect(view(run, 1)).toEqual(names(1));
  goTo(run, 40_000);
  expect([view(run, 0), view(run, 1)]).toEqual([names(0, 1), names(0, 1)]);
  expect(size(stateOf(run, 1))).toBe(2);
});

describe("somebody with the key says of a member that it has failed", () => {
  test.each([2 ** 48, 2 ** 52, 2 ** 53 - 1])(
    "in incarnation %i: it refutes that, or nobody believes it",
    (incarnation) => {
      const lie = command(1, 5000, (state, ctx) => {
        const victim = state.members.get("m3")!;
        const record = toEntry({ ...victim, incarnation, status: "failed" });
        for (const { address } of live(state)) {
          ctx.send(ctx.link(address), { kind: "gossip", from: state.life, members: [record] });
        }
      });
      const again = { crashes: [{ node: 3, at: 20_000 }], restarts: [{ node: 3, at: 21_000, saved: false }] };
      const run = runOf(membersSetup(6, { commands: [lie], ...again }));
      const views = () => Array.from({ length: 6 }, (_, node) => size(stateOf(run, node)));
      goTo(run, 15_000);
      expect(views()).toEqual([6, 6, 6, 6, 6, 6]);
      goTo(run, 50_000);
      expect(views()).toEqual([6, 6, 6, 6, 6, 6]);
    },
  );
});

test.each([2 ** 48, 2 ** 52, 2 ** 53 - 1])(
  "a note of order %i, which somebody made up, is not the last under its key",
  (order) => {
    const say = (at: number, act: Parameters<typeof command>[2]) => command(1, at, act);
    const lie = say(6000, (state, ctx) => {
      for (const { address } of live(state)) {
        ctx.send(ctx.link(address), { kind: "gossip", from: state.life, notes: [["k", order, 0, "lie"]] });
      }
    });
    const next = command(2, 10_000, (state) => {
      publish(state, "k", [note(state, "k")!.order[0] + 1, 0], "truth");
    });
    const first = say(4000, (state) => void publish(state, "k", [1, 0], "first"));
    const joins = [{ node: 5, at: 15_000 }];
    const run = runOf(membersSetup(6, { commands: [first, lie, next], joins }));
    goTo(run, 25_000);
    for (const node of upTo(6)) expect(note(stateOf(run, node), "k")!.value).toBe("truth");
  },
);

/** Members, how many of them crash together, milliseconds within which all others know that, and seeds. */
const SMALL = [
  [25, 23, 6000, effort(8, 40)],
  [60, 40, 5600, effort(2, 20)],
  [100, 50, 5600, effort(1, 10)],
];
const LARGE = [
  [240, 60, 5200, 10],
  [300, 150, 5800, 10],
];
/** Probes of each member that were answered in time. */
const LONG_TOGETHER = 100;
const MASSES = effort(SMALL, [...SMALL, ...LARGE]);

test.each(MASSES)("of %i members, %i crash together: all others know it within %i ms", (n, gone, within, seeds) => {
  const protocol = assembled(n, LONG_TOGETHER);
  for (let seed = 1; seed <= seeds; seed++) {
    const draws = new HostStream(seed, 0, "losses");
    const nodes = upTo(n);
    for (let i = n - 1; i > 0; i--) {
      const j = draws.choose(i + 1);
      [nodes[i], nodes[j]] = [nodes[j], nodes[i]];
    }
    const crashes = nodes.slice(0, gone).map((node) => ({ node, at: 8000 }));
    const run = runOf(membersSetup(n, { crashes }, { protocol, seed }));
    goTo(run, 8000 + within);
    expect(new Set(nodes.slice(gone).map((node) => size(stateOf(run, node))))).toEqual(new Set([n - gone]));
  }
});
