/**
 * A group that lasts, small enough to see through. Members beat on open links: each beat carries a number that the member
 * saves, so a receiver can tell whether a restarted member remembered. An engine grants one seat, to any member that asks
 * first, under a term that it saves before it answers. Users command, members report and leave with a word.
 */

import { type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import type { Id, Port, Protocol } from "../../src/protocol.ts";
import { open } from "../../src/topology/topology.ts";

export interface LastingParams {
  readonly every: number;
}

export type LastingMessage =
  | { readonly kind: "beat"; readonly count: number; readonly life: number }
  | { readonly kind: "bye" }
  | { readonly kind: "ask" }
  | { readonly kind: "grant"; readonly term: number }
  /** Commands of a user. */
  | { readonly kind: "campaign" }
  | { readonly kind: "resign" };

export interface LastingState {
  readonly role: string;
  readonly id: Id | null;
  readonly life: number;
  readonly every: number;
  /** Beats so far, over all lives; the engine's terms. Saved. */
  count: number;
  term: number;
  leads: boolean;
  /** The highest beat heard of each address, and who was heard going back. */
  heard: Record<string, number>;
  forgetful: string[];
  gone: string[];
}

export interface LastingReport {
  readonly count: number;
  readonly leads: boolean;
  readonly heard: Readonly<Record<string, number>>;
}

interface Saved {
  readonly count: number;
  readonly term: number;
}

const ENGINE: Port = 0;

export const lasting: Protocol<LastingParams, LastingState, LastingMessage, "beat", Saved, LastingReport> = {
  name: "lasting",
  title: "A group that lasts",
  citation: "",
  cost: "",
  roles: ["member", "engine"],
  assumes: {
    topology: "open",
    identity: "ids",
    timing: "partial",
    start: "common",
    knows: [],
    fifo: false,
    multicast: true,
    tolerates: ["loss", "crash", "pause", "partition"],
  },
  parameters: [],
  measures: {},

  init({ every }, { role, id, life, seeds }, saved, ctx) {
    const { count, term } = saved ?? { count: 0, term: 0 };
    if (role === "member") {
      for (const seed of seeds) ctx.link(seed);
      ctx.arm("beat", every);
    }
    return { role, id, life, every, count, term, leads: false, heard: {}, forgetful: [], gone: [] };
  },

  receive(state, port, message, ctx) {
    if (message.kind === "campaign") ctx.send(ENGINE, { kind: "ask" });
    else if (message.kind === "resign") state.leads = false;
    else if (message.kind === "ask") ctx.send(port, { kind: "grant", term: ++state.term });
    else if (message.kind === "grant") {
      state.leads = true;
      state.term = message.term;
    } else if (message.kind === "beat") hear(state, ctx.address(port), message.count);
    else {
      state.gone.push(ctx.address(port));
      ctx.unlink(port);
    }
  },

  expire(state, _timer, ctx) {
    state.count++;
    ctx.multicast({ kind: "beat", count: state.count, life: state.life });
    ctx.arm("beat", state.every);
  },

  leave(_state, ctx) {
    ctx.multicast({ kind: "bye" });
  },

  verdict: ({ leads, id, term }) => ({
    status: leads ? "elected" : "not-elected",
    leader: leads ? id : null,
    term,
  }),
  report: ({ count, leads, heard }) => ({ count, leads, heard }),
  saved: ({ count, term }) => ({ count, term }),
  accepts: (message) => ["beat", "bye", "ask", "grant"].includes((message as { kind?: string } | null)?.kind ?? ""),
  bits: () => 64,
};

function hear(state: LastingState, address: string, count: number): void {
  const before = state.heard[address] ?? 0;
  if (count <= before) state.forgetful.push(address);
  state.heard[address] = Math.max(before, count);
}

/** Node 0 is the engine, which everybody knows; so is member 1. */
export function lastingSetup(
  n: number,
  faults: Partial<FaultPlan> = {},
  changes: Partial<EventsSetup> = {},
): EventsSetup {
  return {
    protocol: lasting,
    params: { every: 1 },
    topology: open(n),
    seed: 1,
    trial: 0,
    crashed: [],
    initiators: null,
    ids: Float64Array.from({ length: n }, (_, node) => 100 + node),
    roles: ["engine", ...Array.from({ length: n - 1 }, () => "member")],
    seeds: ["0", "1"],
    faults: { ...NO_FAULTS, ...faults },
    delay: { kind: "fixed", value: 0.1 },
    fifo: true,
    until: 10,
    ...changes,
  };
}
