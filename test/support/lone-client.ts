/** A lease client alone on the live host, in virtual time: the test is its engine and its parent. Times are milliseconds. */
import { type VirtualMachine, VirtualNetwork } from "../../src/live/virtual-world.ts";
import { type AnyProtocol, SELF } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { type LeaseParams, leaseTimes } from "../../src/protocols/lease/params.ts";
import { acquire, stopWork } from "../../src/protocols/lease/parent.ts";
import type { LeaseContext, LeaseNews, LeaseState } from "../../src/protocols/lease/state.ts";
import { loneNode } from "./lone-node.ts";

/** An answer without what says which request it answers. */
type Bare<A> = A extends unknown ? Omit<A, "id" | "to"> : never;
export type Reply = Bare<LeaseAnswer>;
type Kind = LeaseRequest["kind"];
export type Asked<K extends Kind> = Extract<LeaseRequest, { kind: K }>;

export const TTL = 1000;
/** By default a lease is given up so long after the sending of what confirmed it. */
export const WORTH = TTL * 0.99 - 50;
export const LIFE = 7;
const ENGINE = 0;

const PARAMS: LeaseParams = {
  ...leaseTimes(TTL),
  name: "ann",
  engine: ENGINE,
  settles: true,
  preemptible: false,
};

export class LoneClient {
  readonly sent: LeaseRequest[] = [];
  readonly news: LeaseNews[] = [];
  readonly machine: VirtualMachine;
  private readonly network = new VirtualNetwork(1);
  private readonly node;

  constructor(given: Partial<LeaseParams> = {}, protocol: AnyProtocol = puppet({ ...PARAMS, ...given })) {
    this.machine = this.network.machine({ host: "10.0.0.1", port: 1 });
    const { world } = this.machine;
    const store = { load: () => null, save: () => {}, close: () => {} };
    this.node = loneNode(
      protocol,
      { world, store, tau: 1, tolerance: 1000 },
      {
        unicast: (_to, _arrival, message) => this.sent.push(message as LeaseRequest),
        multicast: () => {},
        reported: () => {
          if (this.state !== null) this.news.push(...this.state.news);
        },
        released: () => {},
        failed: (error) => {
          throw error;
        },
      },
    );
    this.node.start();
  }

  get state(): LeaseState {
    return this.node.kept as LeaseState;
  }

  get now(): number {
    return this.network.now;
  }

  /** As its parent, in a handler of its own. */
  do(act: (state: LeaseState, ctx: LeaseContext) => unknown): void {
    this.node.deliver(SELF, act);
  }

  pass(ms: number): void {
    this.network.runFor(ms);
  }

  /** The client is paused, and then finds this answer and all that is due. */
  wakesTo(ms: number, reply: LeaseAnswer): void {
    this.machine.standStill(ms);
    this.hears(reply);
  }

  hears(answer: LeaseAnswer, port = ENGINE): void {
    this.node.look();
    this.node.deliver(port, answer);
  }

  /** Answers the newest request of a kind, or the one given. */
  answer(reply: Reply, to: LeaseRequest = this.sent.at(-1)!): LeaseAnswer {
    const answer = { ...reply, id: to.id, to: to.life } as LeaseAnswer;
    this.hears(answer);
    return answer;
  }

  last<K extends Kind>(kind: K): Asked<K> {
    return this.sent.findLast((request) => request.kind === kind) as Asked<K>;
  }

  /** The newest request for that seat. */
  lastFor(seat: string): Asked<"acquire"> {
    return this.sent.findLast((request) => request.kind === "acquire" && request.seat === seat) as Asked<"acquire">;
  }

  count(kind: Kind): number {
    return this.sent.filter((request) => request.kind === kind).length;
  }

  grant(token: number): LeaseAnswer {
    const { seat, lease } = this.last("acquire");
    return this.answer({ kind: "granted", seat, lease, token }, this.last("acquire"));
  }

  /** Gives back a seat under which no work runs, and is answered. */
  giveBack(seat: string): void {
    this.do((state, ctx) => stopWork(state, seat, null, ctx));
    const { lease } = this.last("release");
    this.answer({ kind: "released", seat, lease, was: true });
  }

  /** Until it asks for something of this kind. */
  until(kind: Kind): void {
    const before = this.count(kind);
    for (let ms = 0; this.count(kind) === before; ms++) {
      if (ms > 10 * TTL) throw new Error(`no ${kind} was sent`);
      this.pass(1);
    }
  }

  /** Confirms all that the newest renewal keeps. */
  renew(marks: { readonly frozen?: boolean } = {}, to: Asked<"renew"> = this.last("renew")): LeaseAnswer {
    const leases = [...to.keeps, ...to.gives].map((named) => ({ ...named, token: 1, frozen: marks.frozen ?? false }));
    return this.answer({ kind: "renewed", leases, lost: [] }, to);
  }
}

/** One that holds the seat "leader" under token 41. */
export function holdingClient(given: Partial<LeaseParams> = {}): LoneClient {
  const client = new LoneClient(given);
  client.do((state, ctx) => acquire(state, "leader", ctx));
  client.grant(41);
  return client;
}

function puppet(params: LeaseParams): AnyProtocol {
  return defineProtocol({
    ...leaseClient,
    assumes: { ...leaseClient.assumes, topology: "complete" },
    init: (_params, self, saved, ctx) => leaseClient.init(params, self, saved, ctx),
    receive(state, port, message, ctx) {
      if (port !== SELF) return leaseClient.receive(state, port, message, ctx);
      state.news = [];
      (message as unknown as (state: LeaseState, ctx: LeaseContext) => unknown)(state, ctx);
    },
  }) as AnyProtocol;
}
