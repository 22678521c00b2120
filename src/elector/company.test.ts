/** What the watch and the councils learn of the group around them. */
import { beforeAll, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { type OneMember, oneMember } from "../../test/support/one-handler.ts";
import { isCutOff } from "./company.ts";
import type { Turn } from "./state.ts";
import { timesFor } from "./times.ts";
import { WATCH_PROFILES } from "./watch/profiles.ts";

const run = runGroup({ n: 4 });
let holder: number;
let [one, other]: number[] = [];
beforeAll(() => {
  run.settle(5000);
  run.pass(3000);
  holder = run.agreed()!;
  [one, other] = run.alive().filter((node) => node !== holder);
});

/** A watcher that has heard nothing of the holder for a while. */
function doubting(): { it: OneMember; doubts: () => readonly object[] } {
  const it = oneMember(run, one);
  const { seats, doubts } = it.state.watch;
  const [seat] = seats.held.values();
  expect(seat).toMatchObject({ centre: `m${holder}`, tries: null });
  seat.silent = 7;
  doubts.set(seat.pass, { words: new Map(), company: false, stalled: false, reported: false });
  return { it, doubts: () => [...doubts.values()] };
}
const gossip = (it: OneMember, from: number) =>
  it.receive(from, { kind: "members", message: { kind: "gossip", from: groupStateOf(run, from).life } });
const word = (it: OneMember, from: number) => it.hear(from, { kind: "term", office: "leader", term: 0 });

test.each([
  ["gossip", gossip],
  ["a word", word],
])("%s of the holder ends a watcher's doubt; that of another member is company", (_, say) => {
  const { it, doubts } = doubting();
  say(it, other);
  expect(doubts()).toMatchObject([{ company: true }]);
  say(it, holder);
  expect(doubts()).toEqual([]);
});

test("a holder is cut off when its watchers, who live, were silent for as long as it asks, and no shorter than they may be", () => {
  const it = oneMember(run, holder);
  const { tick, exchange, patience } = WATCH_PROFILES.lan;
  const turn = { state: it.state, times: timesFor("lan") } as Turn;
  const centre = it.state.watch.centre!;
  const least = exchange + patience * Math.max(3, centre.seats.size + 1);
  const cutOff = (alone: number, silence: number, still = false) => {
    centre.alone = alone;
    return isCutOff(turn, silence, still);
  };
  expect([cutOff(least - 1, 0), cutOff(least, 0), cutOff(least, tick * least)]).toEqual([false, true, true]);
  expect([cutOff(least, tick * least + 1), cutOff(least + 1, tick * least + 1)]).toEqual([false, true]);
  // Once it is, only a word of a watcher ends that, not their deaths.
  centre.seats.clear();
  const few = exchange + patience * 3;
  expect([cutOff(few, 0), cutOff(few, 0, true), cutOff(few - 1, 0, true)]).toEqual([false, true, false]);
});
