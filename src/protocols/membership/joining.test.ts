/** Many who join together at one seed: what each of the causes that kept large groups from agreeing costs now. */
import { describe, expect, test } from "vitest";
import { entry, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { command, goTo, membersSetup, runOf, stateOf } from "../../../test/support/members.ts";
import type { SteppedRun } from "../../host/stepping/stepping.ts";
import { heldFrom, isHeld } from "./held.ts";
import { membership } from "./membership.ts";
import { BUCKETS } from "./messages.ts";
import { live } from "./parent.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { noParts, sumMember } from "./sums.ts";
import { forget } from "./view.ts";

const N = 140;
const upTo = (n: number) => Array.from({ length: n }, (_, node) => node);

test(`a seed lets ${N} joiners in before its first tick: a busy one has few`, () => {
  const run = runOf(membersSetup(N));
  goTo(run, 10);
  expect(upTo(N).filter((node) => stateOf(run, node).phase !== "member")).toEqual([]);
});

/** All members hear what is counted here. */
function counting() {
  const heard = { statements: 0, lessons: 0, atSeed: 0 };
  const protocol: typeof membership = {
    ...membership,
    receive(state, port, message, ctx) {
      if ("members" in message) heard.statements += message.members?.length ?? 0;
      if (message.kind === "digest" && message.me !== undefined && message.first !== undefined) {
        heard.lessons++;
        if (state.name === "m0") heard.atSeed++;
      }
      membership.receive(state, port, message, ctx);
    },
  };
  return { heard, protocol };
}

test(`${N} who join together know each other within 3 s, and hear of each other less than four times on average`, () => {
  const { heard, protocol } = counting();
  const run = runOf(membersSetup(N, {}, { protocol }));
  goTo(run, 3000);
  expect(upTo(N).filter((node) => live(stateOf(run, node)).length !== N)).toEqual([]);
  expect(heard.statements / (N * (N - 1))).toBeLessThan(4);
});

test("a seed names joiners to each other before they have said anything else: they do not all know the seed alone", () => {
  const run = runOf(membersSetup(N));
  goTo(run, 10);
  expect(live(stateOf(run, 0)).length).toBe(N);
  expect(upTo(N).filter((node) => live(stateOf(run, node)).length <= 2).length).toBeLessThan(N / 20);
});

test("a joiner whose answer is lost enters when a member pings it: somebody has let it in", () => {
  const deaf: typeof membership = {
    ...membership,
    receive(state, port, message, ctx) {
      if (state.name !== "m3" || message.kind !== "answer") membership.receive(state, port, message, ctx);
    },
  };
  const run = runOf(membersSetup(4, {}, { protocol: deaf }));
  goTo(run, 2500);
  expect(stateOf(run, 3).phase).toBe("member");
  expect(stateOf(run, 3).joinedAt).toBeLessThan(stateOf(run, 3).profile.joinPatience);
});

test("a joiner that its namesake asks whether it lives gives way, and does not answer: the member stays", () => {
  const it = new LoneMember(1, {}, ["1"]);
  it.hear(1, { kind: "answer", from: lifeOf(1), you: entry(0, { life: 500, address: "5" }) });
  expect(it.state.phase).toBe("checking");
  it.hear(5, { kind: "ping", seq: 1, to: lifeOf(0), from: 500 });
  expect([it.state.phase, it.sent]).toEqual(["refused", []]);
});

describe.each([3, 5])("a process whose former life the others of %i know, and which the seed never met,", (n) => {
  const node = n - 1;
  // Each member forgets the dead in its own time.
  const commands = [command(0, 20_000, (state, ctx) => forget(state, `m${node}`, ctx))];
  const again = { commands, leaves: [{ node, at: 5000 }], restarts: [{ node, at: 21_000, saved: false }] };
  const views = (run: SteppedRun) => upTo(n).map((other) => live(stateOf(run, other)).length);

  test("crashes while it joins: it is out of all views within 13 s", () => {
    const run = runOf(membersSetup(n, { ...again, crashes: [{ node, at: 21_000.1 }] }));
    goTo(run, 21_010);
    expect(views(run)[0]).toBe(n);
    goTo(run, 34_000);
    expect(views(run).slice(0, node)).toEqual(upTo(node).map(() => node));
  });

  test("pauses while it joins for so long that it is declared failed: it is in all views 10 s later", () => {
    const run = runOf(membersSetup(n, { ...again, pauses: [{ node, from: 21_000.1, to: 45_000 }] }));
    goTo(run, 44_000);
    expect(views(run).slice(0, node)).toEqual(upTo(node).map(() => node));
    goTo(run, 55_000);
    expect(views(run)).toEqual(upTo(n).map(() => n));
  });
});

test("the second process of a name is not named to others", () => {
  const names = { 0: "m0", 1: "same", 2: "same" };
  const run = runOf(membersSetup(3, {}, { params: { names } } as never));
  goTo(run, 8000);
  expect(live(stateOf(run, 0)).map(({ name }) => name)).toEqual(["m0", "same"]);
  expect([1, 2].map((node) => stateOf(run, node).phase).sort()).toEqual(["member", "refused"]);
});

test("those who come to a group that is there already ask others than the seed for most of it", () => {
  const { heard, protocol } = counting();
  const joins = upTo(N)
    .filter((node) => node >= N / 2)
    .map((node) => ({ node, at: 10_000 }));
  const run = runOf(membersSetup(N, { joins }, { protocol }));
  goTo(run, 14_000);
  expect(live(stateOf(run, 0)).length).toBe(N);
  expect(heard.lessons).toBeGreaterThan(0);
  expect(heard.atSeed).toBeLessThan(heard.lessons / 3);
});

test("a filter has all that its member has, at most every fifth of what it has not, and not the same ones twice", () => {
  const parts = noParts();
  const others = noParts();
  for (let i = 0; i < 1000; i++) {
    const member = { name: `m${i}`, life: i, incarnation: 0, address: "", status: "alive", meta: null } as const;
    sumMember(parts, undefined, member);
    sumMember(others, undefined, { ...member, life: 5000 + i });
  }
  const filter = (salt: number) =>
    heldFrom({ parts } as unknown as MembershipState, 7, { choose: () => salt } as unknown as MembershipContext);
  const missed = (salt: number, of: typeof parts) =>
    of.flatMap(({ subjects }, part) => [...subjects.values()].filter((digest) => !isHeld(filter(salt), part, digest)));
  expect(filter(1)[2]).toBe(BUCKETS);
  expect(missed(1, parts)).toEqual([]);
  const found = missed(1, others);
  expect(found.length).toBeGreaterThan(800);
  expect(new Set([...found, ...missed(2, others)]).size).toBeGreaterThan(950);
});
