/** Lease clients and an engine, timed, for the explorer; and what must hold in every configuration. */
import type { Budget, Problem } from "../../src/explorer/problem.ts";
import type { Property, View } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { byRole } from "../../src/protocols/by-role.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import { engineModel, type ModelEngineReport } from "../../src/protocols/lease/model.ts";
import type { LeaseParams } from "../../src/protocols/lease/params.ts";
import { complete } from "../../src/topology/complete.ts";
import { type Besides, type ContenderReport, contender, portTo, type Script } from "./lease-contender.ts";

/** A lease of 4 instants, of which a client uses 3: clocks may be an instant apart. */
export const TIMES = {
  ttl: 4,
  rho: 1 / 4,
  margin: 0,
  renewEvery: 1,
  requestTimeout: 4,
  settleWithin: 2,
  settles: true,
  preemptible: false,
} as const;
export const ENGINE = 0;

const SCRIPT: Script = { seats: ["s"], leases: 2, holds: 3, ends: 1 };

export interface LeaseCase {
  readonly clients?: number;
  readonly script?: Partial<Script>;
  readonly times?: Partial<LeaseParams>;
  readonly budget?: Budget;
  readonly maxDelay?: number;
  readonly client?: typeof leaseClient;
  readonly engine?: AnyProtocol;
  readonly fifo?: boolean;
  /** What happens in one instant comes in any order. */
  readonly ties?: boolean;
  /** What is guarded by the leases, as the last node, and what clients do to it. */
  readonly guard?: AnyProtocol;
  readonly besides?: Besides;
  /** Each client hands over to the next. */
  readonly handsOver?: boolean;
}

/** Longer than any message takes, with its pause. */
export const KEEP = 9;

export const exploredEngine = (): AnyProtocol => engineModel({ tick: 1, stamps: false, keep: KEEP });

export function leaseProblem(given: LeaseCase): Problem {
  const { clients = 2, budget = {}, maxDelay = 2, fifo = false, ties = false, guard } = given;
  const member = contender(
    {
      script: ({ id }) => ({
        ...SCRIPT,
        ...given.script,
        ...(given.handsOver === true && { heir: `c${(id! % clients) + 1}` }),
      }),
      lease: ({ id }, ctx) => ({ ...TIMES, name: `c${id}`, engine: portTo(ENGINE, ctx), ...given.times }),
    },
    given.client ?? leaseClient,
    given.besides,
  );
  const onGraph = (machine: AnyProtocol): AnyProtocol => ({
    ...machine,
    assumes: { ...machine.assumes, topology: "complete", identity: "ids" },
  });
  const engine = onGraph(given.engine ?? exploredEngine());
  const nodes = Array.from({ length: clients + 1 + (guard === undefined ? 0 : 1) }, (_, node) => node);
  const roles = nodes.map((node) => (node === ENGINE ? "engine" : node <= clients ? "member" : "guard"));
  return {
    protocol: byRole({ member, engine, ...(guard && { guard: onGraph(guard) }) }),
    params: {},
    topology: complete(nodes.length),
    ids: nodes,
    initiators: nodes,
    roles,
    fifo,
    ties,
    maxDelay,
    budget,
    longestPause: 6,
    choices: 4,
    limits: {},
  };
}

const clientsOf = (view: View) =>
  Array.from({ length: view.size }, (_, node) => node).filter((node) => "holds" in (view.report!(node) as object));
const reportOf = (view: View, node: number) => view.report!(node) as ContenderReport;
const seatOf = (view: View, name: string) =>
  (view.report!(ENGINE) as ModelEngineReport).seats.find(({ seat }) => seat === name);

/** A node that is awake and believes to hold a lease has the lease in the engine, so no other node can get it. */
export const holdersHold: Property = {
  name: "holders-hold",
  about: "what a process that is awake believes to hold, the engine has given to it and to nobody since",
  when: "always",
  violated(view) {
    if (!view.alive(ENGINE)) return null;
    for (const node of clientsOf(view)) {
      if (!view.awake!(node)) continue;
      for (const { seat, token, lease } of reportOf(view, node).holds) {
        const held = seatOf(view, seat)?.holder;
        if (held?.lease !== lease)
          return `${node} holds ${seat} by ${lease} (${token}), the engine says ${held?.lease}`;
      }
    }
    return null;
  },
};

export const goneIsGone: Property = {
  name: "gone-is-gone",
  about: "of a lease that a process was told to have lost, the engine knows nothing any more",
  when: "always",
  violated(view) {
    for (const node of clientsOf(view)) {
      const { gone } = reportOf(view, node);
      if (gone !== null && seatOf(view, gone.seat)?.holder?.lease === gone.lease)
        return `${node} still has ${gone.lease}`;
    }
    return null;
  },
};

export const oneLeasePerToken: Property = {
  name: "one-lease-per-token",
  about: "no two processes, paused ones included, hold a seat under one token, and none is above the engine's",
  when: "always",
  violated(view) {
    const seen = new Map<string, string>();
    for (const node of clientsOf(view)) {
      if (!view.alive(node)) continue;
      for (const { seat, token, lease } of reportOf(view, node).holds) {
        const known = seen.get(`${seat} ${token}`);
        if (known !== undefined && known !== lease) return `${seat} ${token}: ${known} and ${lease}`;
        seen.set(`${seat} ${token}`, lease);
        if (view.alive(ENGINE) && token > seatOf(view, seat)!.token) return `${token} was never given`;
      }
    }
    return null;
  },
};

/** What a renewal waits for: otherwise the process with the work could be far behind, and nobody would notice. */
export const oneBehind: Property = {
  name: "one-behind",
  about: "the process with the work knows all confirmations of a lease but the newest",
  when: "always",
  violated(view) {
    const late = clientsOf(view).find((node) => reportOf(view, node).behind > 1);
    return late === undefined ? null : `${late} renews while ${reportOf(view, late).behind} are not acknowledged`;
  },
};

/** In the end nothing is held by anybody, and nobody waits. */
export const comesToRest: Property = {
  name: "comes-to-rest",
  about: "in the end all work has ended, nobody waits, and the engine has every seat free",
  when: "end",
  violated(view) {
    const busy = clientsOf(view).find((node) => view.alive(node) && !reportOf(view, node).done);
    if (busy !== undefined) return `${busy} is not done`;
    if (!view.alive(ENGINE)) return null;
    const held = (view.report!(ENGINE) as ModelEngineReport).seats.find(({ holder }) => holder !== null);
    return held === undefined ? null : `${held.seat} is held`;
  },
};

export const SAFE = [holdersHold, goneIsGone, oneLeasePerToken, oneBehind];
