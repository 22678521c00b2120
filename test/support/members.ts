/** Groups of members on the events host, in milliseconds. */

import { type Command, type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import { copy } from "../../src/host/stepping/copy.ts";
import { openRun, type SteppedRun } from "../../src/host/stepping/stepping.ts";
import { SELF } from "../../src/protocol.ts";
import { trust } from "../../src/protocols/check.ts";
import { type MembershipParams, membership } from "../../src/protocols/membership/membership.ts";
import { type Profile, profiles } from "../../src/protocols/membership/profile.ts";
import type { MembershipContext, MembershipState } from "../../src/protocols/membership/state.ts";
import { store } from "../../src/protocols/membership/view.ts";
import { open } from "../../src/topology/topology.ts";
import { ending } from "./ending.ts";

/** A parent that does nothing but what a test tells it: `command(node, at, act)`. */
export const commanded: typeof membership = {
  ...membership,
  receive(state, port, message, ctx) {
    if (port === SELF && "act" in message) (message as unknown as Acting).act(state, ctx);
    else membership.receive(state, port, message, ctx);
  },
};

interface Acting {
  readonly act: (state: MembershipState, ctx: MembershipContext) => void;
}

export const command = (node: number, at: number, act: Acting["act"]): Command => ({ node, at, message: { act } });

/** Everybody knows node 0. */
export function membersSetup(
  n: number,
  faults: Partial<FaultPlan> = {},
  changes: Partial<EventsSetup> & { readonly params?: Partial<MembershipParams> } = {},
): EventsSetup {
  const { params, ...rest } = changes;
  return ending({
    protocol: commanded,
    topology: open(n),
    seed: 1,
    trial: 0,
    crashed: [],
    initiators: null,
    ids: null,
    params: { profile: profiles.lan, ...params },
    seeds: ["0"],
    faults: { ...NO_FAULTS, ...faults },
    delay: { kind: "uniform", min: 0.2, max: 2 },
    fifo: false,
    until: 60_000,
    ...rest,
  });
}

export const stateOf = (run: SteppedRun, node: number): MembershipState => run.state(node) as MembershipState;

/** A run without a way back, which is quicker. */
export const runOf = (setup: EventsSetup): SteppedRun => openRun(setup, { frames: 0 });

/** Goes on to a moment. */
export function goTo(run: SteppedRun, time: number): void {
  for (let steps = 0; run.time < time && run.step() !== null; steps++) {
    if (steps > MOST_STEPS) throw new Error(`it does not end: ${steps} steps, and it is only ${run.time} ms`);
  }
}

/** Ten times as many as any test here goes at once. */
const MOST_STEPS = 500_000;

/** As long as the lives of live processes, so that bytes are counted as they are on the wire. */
const LONG_LIFE = 2 ** 47;

/**
 * A group of n that has been together for long: everybody knows everybody, and nobody
 * is in step. Records are shared, which saves most of the time that a thousand views of a thousand members take.
 */
export function assembled(n: number, probes = 0): typeof membership {
  const views = new Map<Profile, MembershipState>();
  const protocol: typeof membership = {
    ...membership,
    init(params, self, saved, ctx) {
      const state = membership.init(params, { ...self, life: LONG_LIFE + self.life, seeds: [] }, saved, ctx);
      if (!views.has(params.profile)) views.set(params.profile, complete(copy(state), n, ctx));
      const { members, lives, live, parts } = views.get(params.profile)!;
      const others = [...members.keys()].filter((name) => name !== state.name);
      // Every order would do that gives each other member each place equally often.
      const first = ctx.choose(n);
      return {
        ...state,
        members: new Map(members),
        lives: new Map(lives),
        live: [...live],
        parts: parts.map(({ sum, subjects }) => ({ sum, subjects: new Map(subjects) })),
        rumours: new Map(),
        levels: [],
        news: [],
        probes,
        order: [...others.slice(first), ...others.slice(0, first)],
        ordered: new Set(others),
        compareAt: ctx.choose(state.profile.compareEvery),
        seekAt: ctx.choose(state.profile.seekEvery),
      };
    },
  };
  trust(protocol);
  return protocol;
}

function complete(state: MembershipState, n: number, ctx: MembershipContext): MembershipState {
  for (let node = 0; node < n; node++) {
    const [name, address] = [`m${node}`, String(node)];
    if (name === state.name) continue;
    store(state, { name, address, life: LONG_LIFE + node, incarnation: 0, status: "alive", meta: null }, ctx);
  }
  return state;
}
