/** Lease clients and engines with one bug each, of the kind that hurt users of real ones: local state that outlives the engine's. */
import type { AnyProtocol } from "../../src/protocol.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import type { LeaseMessage } from "../../src/protocols/lease/messages.ts";
import { worth } from "../../src/protocols/lease/params.ts";
import { isHolding, lapseTimerOf } from "../../src/protocols/lease/session.ts";
import type { Holding, LeaseContext, LeaseState } from "../../src/protocols/lease/state.ts";

type Client = typeof leaseClient;

/** A context of which something is done in another way. */
const but = (ctx: LeaseContext, changes: Partial<LeaseContext>): LeaseContext =>
  new Proxy(ctx, {
    get: (target, name) => {
      const changed = changes[name as keyof LeaseContext] ?? target[name as keyof LeaseContext];
      return typeof changed === "function"
        ? (changed as () => unknown).bind(changes[name as keyof LeaseContext] ? changes : target)
        : changed;
    },
  });

/** Handlers with such a context. */
const withContext = (change: (ctx: LeaseContext, state: LeaseState) => Partial<LeaseContext>): Client => ({
  ...leaseClient,
  receive: (state, port, message, ctx) => leaseClient.receive(state, port, message, but(ctx, change(ctx, state))),
  expire: (state, timer, ctx) => leaseClient.expire!(state, timer, but(ctx, change(ctx, state))),
});

/** "We are connected again, so we still lead": an answer to a renewal brings back what had lapsed. */
export function revives(): Client {
  type Reviving = LeaseState & { lapsed?: { seat: string; holding: Holding } };
  return {
    ...leaseClient,
    expire(state: Reviving, timer, ctx) {
      const holdings = [...state.seats].filter(
        ([, it]) => isHolding(it) && lapseTimerOf(it.confirmation.slot) === timer,
      );
      leaseClient.expire!(state, timer, ctx);
      for (const [seat, holding] of holdings) state.lapsed = { seat, holding: holding as Holding };
    },
    receive(state: Reviving, port, message, ctx) {
      leaseClient.receive(state, port, message, ctx);
      const { lapsed } = state;
      if (lapsed === undefined || message.kind !== "renewed" || state.seats.has(lapsed.seat)) return;
      if (!message.leases.some(({ lease }) => lease === lapsed.holding.lease)) return;
      delete state.lapsed;
      state.unsettled.delete(lapsed.seat);
      state.slots[lapsed.holding.confirmation.slot] ??= 0;
      state.slots[lapsed.holding.confirmation.slot]++;
      state.users++;
      state.session ??= "revived";
      ctx.deadline(lapseTimerOf(lapsed.holding.confirmation.slot), worth(state.params));
      state.seats.set(lapsed.seat, { ...lapsed.holding, status: "held" });
      state.news.push({ what: "granted", seat: lapsed.seat, token: lapsed.holding.token });
    },
  };
}

/** The deadline is counted from the answer. */
export const fromTheAnswer = (): Client => ({
  ...leaseClient,
  receive(state, port, message, ctx) {
    const before = new Map([...state.seats].map(([seat, it]) => [seat, isHolding(it) ? it.confirmation.number : -1]));
    leaseClient.receive(state, port, message, ctx);
    for (const [seat, it] of state.seats) {
      if (!isHolding(it) || before.get(seat) === it.confirmation.number) continue;
      ctx.deadline(lapseTimerOf(it.confirmation.slot), worth(state.params));
    }
  },
});

/** A timer like any other: after a pause, messages come before it. */
export const lateTimer = (): Client =>
  withContext((ctx) => ({ deadline: (timer: string, after: number) => ctx.arm(timer, after) }));

/** "The guardian will get it sooner or later": renews whether or not the last deadline is known there. */
export const doesNotWait = (): Client => ({
  ...leaseClient,
  init: (params, self, saved, ctx) => leaseClient.init({ ...params, gated: false }, self, saved, ctx),
});

/** All lives of a process are one: what a former one sent and was answered counts for the present one. */
export const livesAsOne = (): Client => ({
  ...leaseClient,
  init: (params, self, saved, ctx) => leaseClient.init(params, { ...self, life: 0 }, saved, ctx),
});

/** What an answer says of a seat counts for whatever lease of it is there now. */
export const dropsBySeat = (): Client => ({
  ...leaseClient,
  receive(state, port, message, ctx) {
    const present = (seat: string) => {
      const it = state.seats.get(seat);
      return isHolding(it) ? it.lease : null;
    };
    if (message.kind !== "renewed") return leaseClient.receive(state, port, message, ctx);
    const lost = message.lost.map(({ seat, lease }) => ({ seat, lease: present(seat) ?? lease }));
    return leaseClient.receive(state, port, { ...message, lost }, ctx);
  },
});

/** What was granted, and nobody knows of, is left as it is. */
export const keepsStrays = (): Client =>
  withContext((ctx, { seats }) => ({
    send(port: number, message: LeaseMessage) {
      if (message.kind !== "release" || seats.get(message.seat)?.status === "releasing") ctx.send(port, message);
    },
  }));

/** The engine frees a seat held by another client. */
export const releasesAnybody = (engine: AnyProtocol): AnyProtocol => ({
  ...engine,
  receive(state, port, message, ctx) {
    const lease = message.kind === "release" ? state.rows.seats.get(message.seat)?.lease : null;
    engine.receive(state, port, lease ? { ...message, lease: lease.id, token: lease.token } : message, ctx);
  },
});

/** The engine gives a seat to a session that goes on, and lets that end when it would have. */
export const doesNotExtend = (engine: AnyProtocol): AnyProtocol => ({
  ...engine,
  receive(state, port, message, ctx) {
    const before = state.rows.sessions.get(message.session)?.expires;
    engine.receive(state, port, message, ctx);
    const after = state.rows.sessions.get(message.session);
    if (message.kind === "acquire" && before !== undefined && after !== undefined) {
      state.rows.sessions.set(message.session, { ...after, expires: before });
    }
  },
});

/** The engine was restored from an old copy, unnoticed, and nobody knows how high its tokens were: it gives them again. */
export const repeatsTokens = (engine: AnyProtocol): AnyProtocol => ({
  ...engine,
  receive(state, port, message, ctx) {
    const seat = message.kind === "acquire" ? state.rows.seats.get(message.seat) : undefined;
    if (seat?.lease?.over) state.rows.seats.set(message.seat, { ...seat, token: 0 });
    engine.receive(state, port, message.kind === "acquire" ? { ...message, floor: 0 } : message, ctx);
  },
});
