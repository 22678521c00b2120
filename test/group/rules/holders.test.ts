/** The rule about usurpers itself: what it must see, and what is none. */
import { describe, expect, test } from "vitest";
import type { Glimpse, Seat } from "../glimpse.ts";
import { scenarioOf } from "../scenario.ts";
import { Truth } from "../truth.ts";
import { noUsurper } from "./holders.ts";

const MEMBERS = 4;
const [HOLDER, OPENER, THIRD, OTHER] = [0, 1, 2, 3];
/** All members have run undisturbed for longer than the rule asks for. */
const WELL = 10_000;

/** A healthy network on which m0 leads in term 1 and all others know it; then m1 opens term 2. */
function opened() {
  const truth = new Truth(scenarioOf(1, "calm", { members: MEMBERS }));
  const rule = noUsurper(truth);
  const view = Array.from({ length: MEMBERS }, (_, node) => ({ name: `m${node}`, life: node + 1 }));
  /** What the rule says when a member comes to think that; null: its process ends. */
  const thinks = (node: number, seat: Seat | null): string | null => {
    const before = truth.seen[node];
    const now: Glimpse | null = seat && {
      version: 0,
      life: node + 1,
      joined: true,
      refused: null,
      view,
      offices: { leader: seat },
      failed: [],
    };
    if (now === null) truth.ends(node);
    else if (before === null) truth.starts(node, node + 1);
    truth.seen[node] = now;
    return rule.changed!(node, before, now);
  };
  const follows = (node: number, term: number) => thinks(node, { term, leader: null, mine: false });
  const leads = (node: number, term: number) => thinks(node, { term, leader: `m${node}`, mine: true });
  expect(leads(HOLDER, 1)).toBeNull();
  for (const node of [OPENER, THIRD, OTHER]) expect(follows(node, 1)).toBeNull();
  truth.now = WELL;
  expect(follows(OPENER, 2)).toBeNull();
  truth.now += 100;
  return { truth, follows, leads, ends: (node: number) => thinks(node, null) };
}

describe("where a term is opened against a healthy holder, it is wrong to win", () => {
  test("that term, while the holder leads", () => {
    expect(opened().leads(OPENER, 2)).toContain("m1 opened it");
  });

  test("that term, when the holder has been deposed by it, also if it ends later", () => {
    const { follows, leads, ends } = opened();
    follows(HOLDER, 2);
    ends(HOLDER);
    expect(leads(THIRD, 2)).toContain("m1 opened it");
  });

  test("a term that followed from it, also if the holder that it deposed has ended before", () => {
    const { follows, leads, ends } = opened();
    follows(HOLDER, 2);
    ends(HOLDER);
    follows(THIRD, 2);
    follows(THIRD, 3);
    expect(leads(THIRD, 3)).toContain("m1 opened it");
  });

  test("a later term that was opened against the holder as well, though the holder led on in the first", () => {
    const { follows, leads } = opened();
    leads(HOLDER, 2);
    follows(THIRD, 3);
    expect(leads(THIRD, 3)).toContain("m2 opened it");
  });

  test("a later term that followed from it before the holder led on in the first", () => {
    const { follows, leads } = opened();
    follows(OPENER, 3);
    leads(HOLDER, 2);
    expect(leads(OPENER, 3)).toContain("m1 opened it");
  });
});

describe("it is not wrong to win that term or a later one when the holder led", () => {
  test("until it crashed", () => {
    const { follows, leads, ends } = opened();
    ends(HOLDER);
    follows(THIRD, 2);
    follows(THIRD, 3);
    expect(leads(OPENER, 2)).toBeNull();
    expect(leads(THIRD, 3)).toBeNull();
  });

  test("until it stood still", () => {
    const { truth, leads, follows } = opened();
    truth.pausedTo[HOLDER] = truth.now + 2000;
    truth.now += 1000;
    expect(leads(OPENER, 2)).toBeNull();
    truth.now += 1000;
    follows(HOLDER, 2);
    follows(OPENER, 2);
    expect(leads(OTHER, 2)).toBeNull();
  });

  test("on in that term, as one with a lease does, and gave up later", () => {
    const { truth, leads, follows } = opened();
    expect(leads(HOLDER, 2)).toBeNull();
    follows(THIRD, 2);
    truth.now += 8000;
    follows(HOLDER, 2);
    follows(THIRD, 3);
    expect(leads(THIRD, 3)).toBeNull();
  });
});
