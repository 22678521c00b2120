/** What no host may give to a protocol that does not assume it, and what hosts answer that have no oracle. */
import { describe, expect, test } from "vitest";
import { search } from "../../src/explorer/search/search.ts";
import { runEvents } from "../../src/host/events.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { memoryStore } from "../../src/live/store.ts";
import { complete } from "../../src/topology/complete.ts";
import { type Behaviour, witness } from "../live/witness.ts";
import { loneNode } from "../support/lone-node.ts";
import { letHandlersWrite } from "../support/writing-handlers.ts";

letHandlersWrite();

type Planted = ReturnType<typeof witness>;

const simulation = (protocol: Planted) => ({
  protocol,
  params: {},
  topology: complete(3),
  ids: Float64Array.of(1, 2, 3),
  initiators: null,
  crashed: [],
  faults: NO_FAULTS,
  seed: 1,
  trial: 0,
});

/** Each starts the protocol, and throws what it throws. */
const HOSTS: Readonly<Record<string, (protocol: Planted) => void>> = {
  "lock-step": (protocol) => void runLockstep(simulation(protocol)),
  events: (protocol) => void runEvents({ ...simulation(protocol), delay: { kind: "fixed", value: 1 }, fifo: true }),
  explorer: (protocol) =>
    void search(
      {
        protocol,
        params: {},
        topology: complete(3),
        ids: [1, 2, 3],
        initiators: [0, 1, 2],
        fifo: true,
        maxDelay: null,
        budget: { drops: 0, crashes: 0, restarts: 0 },
        choices: 1,
        limits: {},
      },
      { properties: [] },
    ),
  live: (protocol) => {
    const errors: unknown[] = [];
    const node = loneNode(
      protocol,
      { tau: 1, tolerance: 1000, store: memoryStore(), world: realWorld },
      { unicast() {}, multicast() {}, reported() {}, released() {}, failed: (error) => void errors.push(error) },
    );
    node.start();
    node.stop();
    if (errors.length > 0) throw errors[0];
  },
};

const planted = (multicast: boolean, start: Behaviour["start"] & {}) =>
  witness("planted", { assumes: { multicast }, start });

describe.each(Object.entries(HOSTS))("%s", (name, run) => {
  test("refuses a multicast to a protocol that does not assume it, and to no other", () => {
    expect(() => run(planted(false, (_notes, ctx) => ctx.multicast("m")))).toThrow(
      "planted multicasts, but does not assume that it can",
    );
    expect(() => run(planted(true, (_notes, ctx) => ctx.multicast("m")))).not.toThrow();
  });

  test("says who enters a round first, or where it cannot know, that everybody does", () => {
    const first: boolean[] = [];
    run(planted(false, (_notes, ctx) => void first.push(ctx.enter(1, 1))));
    const oracle = name === "lock-step" || name === "events";
    // The explorer asks again whether the other answer would have made a difference, and refuses where it would.
    const answers = name === "explorer" ? first.filter((_, i) => i % 2 === 0) : first;
    expect(answers).toEqual(oracle ? [true, false, false] : answers.map(() => true));
    expect(first.length).toBeGreaterThan(0);
  });
});
