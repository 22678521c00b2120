/**
 * A member that does nothing but contend for seats, so that explorer and simulator can run lease client and engine against
 * each other: it asks, works under what it gets, stops after a while, gives it back and asks again.
 */

import type { AnyProtocol, Machine, Port, Self } from "../../src/protocol.ts";
import { type Assumptions, type Context, SELF } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { childTimer, embed } from "../../src/protocols/embed.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import type { LeaseMessage } from "../../src/protocols/lease/messages.ts";
import type { LeaseParams } from "../../src/protocols/lease/params.ts";
import {
  acknowledgeConfirmation,
  acquire,
  confirmationOf,
  leaseNews,
  leaseOf,
  preempt,
  settled,
  statusOf,
  stopWork,
  withdraw,
} from "../../src/protocols/lease/parent.ts";
import type { LeaseState } from "../../src/protocols/lease/state.ts";

export interface Script {
  readonly seats: readonly string[];
  /** Asks for at most this many leases in one life. */
  readonly leases: number;
  /** Works so long under a lease of the first seat before it gives it back; others are kept for `keeps`, if that is given. */
  readonly holds: number;
  readonly keeps?: number;
  /** So long after it was told to stop, its work has ended. */
  readonly ends: number;
  /** Pre-empts the lease of the holder that it was denied for. */
  readonly preempts?: boolean;
  /** For whom a seat is reserved when it is given back. */
  readonly heir?: string;
  /** All seats but the first are asked for so much later; missing: together. */
  readonly later?: number;
  /** And are wanted no more, where nothing came of it, so long after that. */
  readonly withdraws?: number;
  /** Gated: how long after each confirmation the process with the work knows it; missing: not gated. */
  readonly acknowledges?: number;
}

/** Work under a lease; `stops` once it was told to, `lost` where that was because the lease is over. */
export interface Work {
  readonly token: number;
  readonly lease: string;
  readonly stops: boolean;
  readonly lost: boolean;
}

export interface Contender {
  readonly script: Script;
  readonly lease: LeaseState;
  /** By seat. */
  readonly works: Map<string, Work>;
  /** By seat, of what is acknowledged: its newest confirmation, and how many of them are not known yet where that has to be. */
  readonly confirmed: Map<string, { readonly number: number; readonly unknown: number }>;
  /** The last lease of which it was told that the engine has it no longer. */
  gone: Omit<Held, "token"> | null;
  /** What `Besides` remembers. */
  besides: unknown;
}

export interface Held {
  readonly seat: string;
  readonly token: number;
  readonly lease: string;
}

export interface ContenderReport {
  /** What it believes to hold, and works under. */
  readonly holds: readonly Held[];
  readonly gone: Contender["gone"];
  /** The most confirmations of a seat that the process with the work does not know. */
  readonly behind: number;
  readonly besides: unknown;
  readonly asked: number;
  readonly done: boolean;
}

export interface ContenderParams {
  script(self: Self, ctx: Ctx): Script;
  lease(self: Self, ctx: Ctx): LeaseParams;
}

export type Ctx = Context<LeaseMessage, string>;
/** What a contender does besides, such as writing to what its lease protects. */
export interface Besides {
  granted?(state: Contender, held: Held, ctx: Ctx): void;
  heard?(state: Contender, message: unknown, ctx: Ctx): void;
  accepts?(message: unknown): boolean;
}

/** `client`: the machine under test, or one with a planted bug. */
export function contender(
  params: ContenderParams,
  client = leaseClient,
  besides: Besides = {},
  network: Pick<Assumptions, "topology" | "identity"> = { topology: "complete", identity: "ids" },
): AnyProtocol {
  type M = Machine<LeaseParams, LeaseState, LeaseMessage, string, unknown>;
  const machine = client as M;
  const within = (ctx: Ctx): Ctx => embed(machine, ctx, { name: "lease", wrap: (message: LeaseMessage) => message });

  function ask(state: Contender, seat: string, ctx: Ctx): void {
    if (state.lease.leases < state.script.leases) acquire(state.lease, seat, within(ctx));
  }

  function follow(state: Contender, ctx: Ctx): void {
    const { lease, works, script } = state;
    for (const said of leaseNews(lease)) {
      if (said.what === "granted") {
        const held = { seat: said.seat, token: said.token, lease: leaseOf(lease, said.seat)! };
        works.set(said.seat, { token: held.token, lease: held.lease, stops: false, lost: false });
        const { seats, holds, keeps = holds } = script;
        ctx.arm(`stop ${said.seat}`, said.seat === seats[0] ? holds : keeps);
        besides.granted?.(state, held, ctx);
      } else if (said.what === "lost") {
        const work = works.get(said.seat)!;
        works.set(said.seat, { ...work, lost: true });
        if (said.why !== "lapsed") state.gone = { seat: said.seat, lease: work.lease };
        stop(state, said.seat, ctx);
      } else if (said.what === "freed") ask(state, said.seat, ctx);
      else if (said.what === "denied" && script.preempts) preempt(lease, said.seat, within(ctx));
    }
    lease.news = [];
    if (script.acknowledges !== undefined)
      for (const seat of script.seats) confirm(state, seat, script.acknowledges, ctx);
    if (lease.leases < script.leases) return;
    // All that it was to ask for, it has asked for.
    for (const [seat, it] of lease.seats) {
      if (it.status === "asking" && it.attempt === null) withdraw(lease, seat, within(ctx));
    }
  }

  /** The process with the work is told. */
  function confirm({ lease, confirmed }: Contender, seat: string, after: number, ctx: Ctx): void {
    const number = confirmationOf(lease, seat);
    const before = confirmed.get(seat);
    if (number === null) {
      confirmed.delete(seat);
      ctx.disarm(`known ${seat}`);
    } else if (number !== before?.number) {
      confirmed.set(seat, { number, unknown: 1 + (before?.unknown ?? 0) });
      ctx.arm(`known ${seat}`, after);
    }
  }

  function known({ lease, confirmed }: Contender, seat: string, ctx: Ctx): void {
    const { number } = confirmed.get(seat)!;
    confirmed.set(seat, { number, unknown: 0 });
    acknowledgeConfirmation(lease, seat, number, within(ctx));
  }

  function stop({ works, script }: Contender, seat: string, ctx: Ctx): void {
    const work = works.get(seat);
    if (work === undefined || work.stops) return;
    works.set(seat, { ...work, stops: true });
    ctx.disarm(`stop ${seat}`);
    ctx.arm(`end ${seat}`, script.ends);
  }

  function end(state: Contender, seat: string, ctx: Ctx): void {
    const { token } = state.works.get(seat)!;
    state.works.delete(seat);
    settled(state.lease, seat, token, within(ctx));
    if (statusOf(state.lease, seat) === "none") ask(state, seat, ctx);
  }

  return defineProtocol<ContenderParams, Contender, LeaseMessage, string, unknown, ContenderReport>({
    name: "lease-contender",
    assumes: { ...leaseClient.assumes, ...network },
    init(_params, self, saved, ctx) {
      const lease = machine.init(params.lease(self, ctx), self, saved, within(ctx));
      const script = params.script(self, ctx);
      const state: Contender = { script, lease, works: new Map(), confirmed: new Map(), gone: null, besides: null };
      const { seats, later } = state.script;
      for (const [i, seat] of seats.entries()) {
        if (i === 0 || later === undefined) ask(state, seat, ctx);
        else ctx.arm(`ask ${seat}`, later);
      }
      follow(state, ctx);
      return state;
    },
    receive(state, port, message, ctx) {
      if (port === SELF) return;
      if (leaseClient.accepts!(message)) machine.receive(state.lease, port, message, within(ctx));
      else besides.heard?.(state, message, ctx);
      follow(state, ctx);
    },
    expire(state, timer, ctx) {
      const inner = childTimer(timer, "lease");
      const [what, seat] = timer.split(" ");
      if (inner !== null) machine.expire!(state.lease, inner, within(ctx));
      else if (what === "stop") {
        stop(state, seat, ctx);
        stopWork(state.lease, seat, state.script.heir ?? null, within(ctx));
      } else if (what === "end") end(state, seat, ctx);
      else if (what === "known") known(state, seat, ctx);
      else if (what === "ask") {
        ask(state, seat, ctx);
        if (state.script.withdraws !== undefined) ctx.arm(`withdraw ${seat}`, state.script.withdraws);
      } else if (what === "withdraw") withdraw(state.lease, seat, within(ctx));
      follow(state, ctx);
    },
    verdict: ({ lease }) => machine.verdict(lease),
    saved: ({ lease }) => machine.saved!(lease),
    report: ({ lease, works, confirmed, gone, besides }) => ({
      holds: [...works].flatMap(([seat, { token, lease, lost }]) => (lost ? [] : [{ seat, token, lease }])),
      gone,
      besides,
      behind: Math.max(0, ...[...confirmed.values()].map(({ unknown }) => unknown)),
      asked: lease.leases,
      done: works.size === 0 && lease.seats.size === 0,
    }),
    accepts: (message) => leaseClient.accepts!(message) || besides.accepts?.(message) === true,
  }) as AnyProtocol;
}

/** The port that leads to a node, on a complete graph whose nodes have their numbers for ids. */
export function portTo(id: number, ctx: Pick<Ctx, "ports" | "peer">): Port {
  return ctx.ports().find((port) => ctx.peer(port) === id)!;
}
