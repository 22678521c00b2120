/** What the elector did wrong once, each as it was found. */
import { describe, expect, test } from "vitest";
import { type ElectorRun, livesBetween, officeOf, requestStand } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { runStrict } from "../../test/support/strict-run.ts";
import type { GroupCommand } from "./talk/messages.ts";

describe.each([
  ["without leases", (): ElectorRun => runGroup({ n: 5 })],
  ["with leases", (): ElectorRun => runStrict({ n: 5 })],
])("%s", (_, open) => {
  test.each<[string, GroupCommand | "leaves"]>([
    ["is not eligible any more", { kind: "eligible", eligible: false }],
    ["does not want the office any more", { kind: "eligible", eligible: false, office: "leader" }],
    ["leaves", "leaves"],
  ])("a member that %s while its election runs does not lead", (_why, change) => {
    const run = open();
    // Who has not started yet has no state.
    const stands = (node: number) => run.run.state(node) !== null && officeOf(run, node).election?.stands === true;
    const candidate = () => run.alive().find(stands);
    expect(run.until(() => candidate() !== undefined, 5000)).toBe(true);
    const node = candidate()!;
    if (change === "leaves") run.run.inject({ leave: node });
    else run.command(node, change);
    run.settle(20_000);
    expect(run.agreed()).not.toBe(node);
    expect(run.told.filter((each) => each.event === "leads" && each.node === node)).toEqual([]);
    expect(run.told.filter((each) => each.event === "requesting" && each.node === node)).toEqual([]);
  });
});

test("a request to stand survives the news of an earlier term that was not known", () => {
  const run = runGroup({ n: 3 });
  run.settle(5000);
  const first = run.agreed()!;
  const [asker, asked] = run.alive().filter((node) => node !== first);
  const { term } = officeOf(run, asked);
  requestStand(run, asked, asker, { position: 1, ahead: 2 });
  run.command(asked, {
    kind: "term",
    office: "leader",
    term: term + 1,
    ...livesBetween(run, asker, asked),
  } as never);
  run.until(() => officeOf(run, asked).term > term, run.run.time + 100);
  expect(officeOf(run, asked)).toMatchObject({ term: term + 1, requestedTerm: term + 2 });
});

test("a live holder that is named as the one who is over does not stand against itself, but says that it leads", () => {
  const claims: (readonly [number, number])[] = [];
  const run = runGroup({
    n: 3,
    onHandled({ node, sent }) {
      for (const { to, message } of sent) if ((message as { kind?: string }).kind === "claim") claims.push([node, to]);
    },
  });
  run.settle(5000);
  run.pass(3000);
  const first = run.agreed()!;
  const other = run.alive().find((node) => node !== first)!;
  const { term } = officeOf(run, first);
  claims.length = 0;
  requestStand(run, first, other);
  run.pass(2000);
  expect(claims).toEqual([[first, other]]);
  expect(run.agreed()).toBe(first);
  expect(officeOf(run, first).term).toBe(term);
});

test.each([1, 2, 3, 4, 5])("a holder that replaces its token follows itself, without an election: seed %i", (seed) => {
  const run = runStrict({ n: 5, seed });
  const first = run.begin();
  const { term, token } = run.office(first)!;
  run.command(first, { kind: "floor", office: "leader", token: token! + 100_000 });
  run.pass(100);
  run.settle(10_000);
  expect(run.agreed()).toBe(first);
  expect(run.office(first)!.term).toBe(term + 1);
});
