import { expect, test } from "vitest";
import { command, goTo, membersSetup, runOf, stateOf } from "../../../test/support/members.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import type { SteppedRun } from "../../host/stepping/stepping.ts";
import { SELF } from "../../protocol.ts";
import { membership } from "./membership.ts";
import { live, note, publish } from "./parent.ts";

letHandlersWrite();

const view = (run: SteppedRun, node: number) => live(stateOf(run, node)).map(({ name }) => name);
const names = (...nodes: number[]) => nodes.map((node) => `m${node}`).sort();
const upTo = (n: number) => Array.from({ length: n }, (_, node) => node);

test("members find each other by one seed", () => {
  const run = runOf(membersSetup(8));
  goTo(run, 3000);
  for (const node of upTo(8)) expect(view(run, node)).toEqual(names(...upTo(8)));
});

test("a crash is noticed, a leave is known at once, a restart takes the place of its former life", () => {
  const run = runOf(
    membersSetup(8, {
      crashes: [{ node: 3, at: 10_000 }],
      leaves: [{ node: 5, at: 10_000 }],
      restarts: [{ node: 6, at: 12_000, saved: false }],
    }),
  );
  goTo(run, 11_000);
  for (const node of [0, 1, 2, 4, 6, 7]) expect(view(run, node)).toEqual(names(0, 1, 2, 3, 4, 6, 7));
  goTo(run, 13_500);
  const { life } = stateOf(run, 6);
  for (const node of [0, 1, 2, 4, 7])
    expect(stateOf(run, node).members.get("m6")).toMatchObject({ life, status: "alive" });
  goTo(run, 40_000);
  for (const node of [0, 1, 2, 4, 6, 7]) expect(view(run, node)).toEqual(names(0, 1, 2, 4, 6, 7));
});

test("notes reach everybody, also those who join later; the larger order wins", () => {
  const say = (node: number, order: [number, number], holder: string) =>
    command(node, 5000, (state) => void publish(state, "office/leader", order, { holder }));
  const commands = [say(2, [1, 0], "m2"), say(4, [2, 0], "m4")];
  const run = runOf(membersSetup(8, { joins: [{ node: 7, at: 10_000 }], commands }));
  goTo(run, 7000);
  for (const node of upTo(7)) expect(note(stateOf(run, node), "office/leader")?.value).toEqual({ holder: "m4" });
  goTo(run, 11_000);
  expect(note(stateOf(run, 7), "office/leader")?.order).toEqual([2, 0]);
});

test("two lives of somebody who is said to be at this member's own address do not make it talk to itself for ever", () => {
  const run = runOf(membersSetup(2, {}, { protocol: membership }));
  goTo(run, 3000);
  const state = stateOf(run, 0);
  const sent: number[] = [];
  const link = (address: string) => (address === "0" ? SELF : Number(address));
  const ctx = { link, send: (port: number) => sent.push(port), choose: () => 0, coin: () => false } as never;
  const said = (life: number, incarnation: number) =>
    ({ kind: "gossip", from: 7, members: [["moved", life, incarnation, "0", 0, null]] }) as const;
  membership.receive(state, 1, said(1, 0), ctx);
  membership.receive(state, 1, said(2, 1), ctx);
  expect(sent).not.toContain(SELF);
  sent.length = 0;
  membership.receive(state, SELF, said(2, 1), ctx);
  expect(sent).toEqual([]);
});
