/** Lease clients and the simulated engine on the events host, in milliseconds, watched at every event. */
import { runEvents } from "../../src/host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { Observer } from "../../src/host/observer.ts";
import { SELF } from "../../src/protocol.ts";
import type { PlayedRole } from "../../src/protocols/by-role.ts";
import { byRole } from "../../src/protocols/by-role.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import type { Holder, LeaseMessage } from "../../src/protocols/lease/messages.ts";
import { engineModel, type ModelEngineReport } from "../../src/protocols/lease/model.ts";
import { type LeaseParams, leaseTimes } from "../../src/protocols/lease/params.ts";
import { isHolding } from "../../src/protocols/lease/session.ts";
import type { LeaseState } from "../../src/protocols/lease/state.ts";
import { open } from "../../src/topology/topology.ts";
import { type Contender, type ContenderReport, contender, type Script } from "./lease-contender.ts";

export const TTL = 1000;
export const ENGINE = 0;

export interface LeaseRun {
  readonly clients: number;
  readonly until: number;
  readonly seed?: number;
  readonly faults?: Partial<FaultPlan>;
  /** What the client of a node does. */
  readonly script: (node: number) => Script;
  readonly client?: typeof leaseClient;
  readonly params?: Partial<LeaseParams>;
}

export interface Grant {
  readonly at: number;
  readonly node: number;
  readonly seat: string;
  readonly token: number;
}

export interface LeaseRunSeen {
  /** What broke a promise, and when. */
  readonly wrong: readonly string[];
  /** What clients took, in order. */
  readonly grants: readonly Grant[];
  /** Requests of each kind. */
  readonly requests: Readonly<Record<string, number>>;
}

export function runLeases({ clients, until, seed = 1, faults = {}, script, client, params }: LeaseRun): LeaseRunSeen {
  const engine = engineModel();
  const member = contender(
    {
      script: (_self, ctx) => script(Number(ctx.address(SELF))),
      lease: (_self, ctx) => ({
        ...leaseTimes(TTL),
        name: `c${ctx.address(SELF)}`,
        engine: String(ENGINE),
        settles: true,
        preemptible: false,
        ...params,
      }),
    },
    client ?? leaseClient,
    {},
    { topology: "open", identity: "anonymous" },
  );
  const watch = new Watch(engine.report!, member.report as (state: Contender) => ContenderReport);
  runEvents({
    protocol: byRole({ member, engine }),
    params: {},
    topology: open(clients + 1),
    ids: null,
    initiators: null,
    roles: Array.from({ length: clients + 1 }, (_, node) => (node === ENGINE ? "engine" : "member")),
    crashed: [],
    seeds: [],
    seed,
    trial: 0,
    until,
    observer: watch,
    fifo: false,
    faults: { ...NO_FAULTS, ...faults },
    delay: { kind: "uniform", min: 0.2, max: 2 },
  });
  return watch;
}

/** Holds every event against what is promised. */
class Watch implements Observer, LeaseRunSeen {
  readonly wrong: string[] = [];
  readonly grants: Grant[] = [];
  readonly requests: Record<string, number> = {};
  private readonly engineReport;
  private readonly clientReport;
  private engine: ModelEngineReport = { seats: [] };
  private readonly clients = new Map<number, ContenderReport>();
  /** Until when a node is paused, that moment included. */
  private readonly asleep = new Map<number, number>();
  /** By seat, the newest lease that the engine gave, and its token. */
  private readonly newest = new Map<string, { readonly lease: string; readonly token: number }>();

  constructor(engine: (state: never) => ModelEngineReport, client: (state: Contender) => ContenderReport) {
    this.engineReport = engine;
    this.clientReport = client;
  }

  crashed(node: number): void {
    this.clients.delete(node);
  }

  started(node: number): void {
    this.clients.delete(node);
  }

  paused(node: number, _time: number, to: number): void {
    this.asleep.set(node, Math.max(to, this.asleep.get(node) ?? 0));
  }

  sent(_flight: number | null, _from: number, _to: number, message: unknown): void {
    const said = message as LeaseMessage;
    if ("life" in said) this.requests[said.kind] = (this.requests[said.kind] ?? 0) + 1;
  }

  settled(node: number, time: number, state: unknown): void {
    const { state: own } = state as PlayedRole;
    if (node === ENGINE) {
      this.engine = this.engineReport(own as never);
      for (const { seat, holder } of this.engine.seats) if (holder !== null) this.given(seat, holder, time);
    } else {
      const report = this.clientReport(own as Contender);
      const odd = miscounted((own as Contender).lease);
      if (odd !== null) this.say(time, `${node} miscounts ${odd}`);
      const before = this.clients.get(node)?.holds ?? [];
      for (const { seat, token } of report.holds) {
        if (!before.some((held) => held.seat === seat && held.token === token)) {
          this.grants.push({ at: time, node, seat, token });
        }
      }
      this.clients.set(node, report);
    }
    for (const [each, report] of this.clients) if (node === ENGINE || node === each) this.check(each, report, time);
  }

  private given(seat: string, { lease, token }: Pick<Holder, "lease" | "token">, time: number): void {
    const newest = this.newest.get(seat);
    if (newest !== undefined && newest.lease !== lease && token <= newest.token) {
      this.say(time, `${seat}: ${lease} was given ${token} after ${newest.lease} had ${newest.token}`);
    }
    this.newest.set(seat, { lease, token });
  }

  private check(node: number, { holds, gone }: ContenderReport, time: number): void {
    const holder = (name: string) => this.engine.seats.find(({ seat }) => seat === name)?.holder?.lease;
    if (gone !== null && holder(gone.seat) === gone.lease) this.say(time, `${node} still has ${gone.lease}`);
    if (time <= (this.asleep.get(node) ?? -1)) return;
    for (const { seat, lease } of holds) {
      if (holder(seat) !== lease) this.say(time, `${node} holds ${seat} by ${lease}, the engine says ${holder(seat)}`);
    }
  }

  private say(time: number, what: string): void {
    this.wrong.push(`${time.toFixed(1)}: ${what}`);
  }
}

/** What a client counts, counted again: a slot that is never free, or a session that is never forgotten, is a seat nobody gets. */
function miscounted(state: LeaseState): string | null {
  const { seats, slots, users, session, renewals, renewing, unsettled } = state;
  const attempts = [...seats.values()].flatMap((it) => (it.status === "asking" && it.attempt ? [it.attempt] : []));
  const holdings = [...seats.values()].filter(isHolding);
  const hanging = [...attempts, ...holdings].map(({ confirmation }) => confirmation.slot);
  for (const { slot } of renewals.values()) hanging.push(slot);
  for (const [slot, count] of slots.entries()) {
    if (hanging.filter((each) => each === slot).length !== count) return `slot ${slot}`;
  }
  if (users !== attempts.length + holdings.length) return "users";
  if (state.attempts !== attempts.length) return "attempts";
  if ((session === null) !== (users === 0)) return "its session";
  if (attempts.some((attempt) => attempt.session !== session)) return "the session of an attempt";
  if (!renewing && holdings.some(({ status }) => status !== "giving")) return "its renewals";
  return [...unsettled.keys()].some((seat) => seats.has(seat)) ? "unsettled work" : null;
}
