/**
 * Ring protocols with one mistake each, to test the testers: the explorer and the property tests must catch every one.
 * Each is the real protocol with one handler wrapped.
 */
import type { ExploreRequest } from "../../src/explorer/explore.ts";
import { messageBound } from "../../src/properties/properties.ts";
import type { AnyProtocol, Context, Port, Self } from "../../src/protocol.ts";
import { changRoberts } from "../../src/protocols/ring/chang-roberts.ts";
import { announce } from "../../src/protocols/ring/common.ts";
import { hirschbergSinclair } from "../../src/protocols/ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "../../src/protocols/ring/itai-rodeh.ts";
import { peterson } from "../../src/protocols/ring/peterson.ts";
import { timeSlice } from "../../src/protocols/ring/time-slice.ts";
import { announcement, petersonBound } from "../../src/theory/rings/rings.ts";
import { NEXT } from "../../src/topology/ring.ts";

// biome-ignore lint/suspicious/noExplicitAny: a planted bug reaches into states and messages of several protocols
type Plain = any;
type Ctx = Context<Plain, string>;
type Receive = (state: Plain, port: Port, message: Plain, ctx: Ctx) => void;

export interface PlantedBug {
  readonly mistake: string;
  readonly protocol: AnyProtocol;
  /** Where the explorer looks, and the property whose violation it finds. */
  readonly request: ExploreRequest;
  readonly violates: string;
  /** What the property tests must not exceed, where the mistake costs only messages. */
  readonly bound?: (n: number) => number;
}

/** The context with some of its methods replaced. */
export function meddling(ctx: Ctx, changes: Partial<Ctx>): Ctx {
  return new Proxy(ctx, {
    get(target, name) {
      const own = Reflect.get(Object.hasOwn(changes, name) ? changes : target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** `receive` as it is, but for what the mistake handles itself (returning true). */
export function mishandling(protocol: AnyProtocol, mistake: (...input: Parameters<Receive>) => boolean): AnyProtocol {
  return {
    ...protocol,
    receive(state, port, message, ctx) {
      if (!mistake(state, port, message, ctx)) protocol.receive(state, port, message, ctx);
    },
  };
}

/** The protocol tells itself another n. */
function miscounting(protocol: AnyProtocol, wrong: (n: number) => number): AnyProtocol {
  return {
    ...protocol,
    init: (params, self: Self, saved, ctx) => protocol.init(params, { ...self, n: wrong(self.n!) }, saved, ctx),
  };
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    mistake: "chang-roberts forwards smaller ids",
    protocol: mishandling(changRoberts, (state, _port, message, ctx) => {
      if (message.kind !== "elect" || message.id >= state.id) return false;
      ctx.send(NEXT, message);
      return true;
    }),
    request: { n: 2 },
    violates: "at-most-one-leader",
  },
  {
    mistake: "chang-roberts swallows its own id",
    protocol: mishandling(changRoberts, (state, _port, message) => message.kind === "elect" && message.id <= state.id),
    request: { n: 2 },
    violates: "some-leader",
  },
  {
    mistake: "chang-roberts decides when it has swallowed an id",
    protocol: mishandling(changRoberts, (state, _port, message, ctx) => {
      if (message.kind !== "elect" || message.id > state.id || state.status !== "undecided") return false;
      announce(state, state.id, ctx);
      return true;
    }),
    request: { n: 4 },
    violates: "at-most-one-leader",
  },
  {
    mistake: "chang-roberts loses the announcement at the second node",
    protocol: mishandling(changRoberts, (state, _port, message) => {
      if (message.kind !== "announce" || state.status !== "undecided") return false;
      state.status = "not-elected";
      state.leader = message.id;
      return true;
    }),
    request: { n: 3 },
    violates: "every-node-decides",
  },
  {
    mistake: "chang-roberts passes the announcement on without noting who leads",
    protocol: mishandling(changRoberts, (state, _port, message, ctx) => {
      if (message.kind !== "announce" || state.status !== "undecided") return false;
      state.status = "not-elected";
      ctx.measure("announcements", 1);
      ctx.send(NEXT, message);
      return true;
    }),
    request: { n: 2 },
    violates: "leader-known",
  },
  {
    mistake: "chang-roberts never takes the announcement off the ring",
    protocol: mishandling(changRoberts, (state, _port, message, ctx) => {
      if (message.kind !== "announce" || state.status === "undecided") return false;
      ctx.send(NEXT, message);
      return true;
    }),
    request: { n: 2 },
    violates: "termination",
  },
  {
    mistake: "hirschberg-sinclair answers probes of smaller ids",
    protocol: mishandling(hirschbergSinclair, (state, port, message, ctx) => {
      if (message.kind !== "probe" || message.id >= state.id) return false;
      if (message.hops > 1) ctx.send(1 - port, { ...message, hops: message.hops - 1 });
      else ctx.send(port, { kind: "reply", id: message.id });
      return true;
    }),
    request: { n: 2 },
    violates: "at-most-one-leader",
  },
  {
    mistake: "hirschberg-sinclair, n known, stops a phase too early",
    protocol: miscounting(hirschbergSinclair, (n) => n / 2),
    request: { n: 4, params: { stop: "known-n" } },
    violates: "at-most-one-leader",
  },
  {
    mistake: "hirschberg-sinclair forgets to pass replies on",
    protocol: mishandling(hirschbergSinclair, (state, _port, message) => {
      return message.kind === "reply" && message.id !== state.id;
    }),
    request: { n: 3 },
    violates: "some-leader",
  },
  {
    mistake: "peterson compares with one predecessor only",
    protocol: mishandling(peterson, (state, port, message, ctx) => {
      if (message.kind !== "second" || state.role !== "contends") return false;
      // What came before that one never matters.
      peterson.receive(state, port, { ...message, id: 0 }, ctx);
      return true;
    }),
    request: { n: 4, properties: [messageBound(petersonBound(4) + announcement(4))] },
    violates: "message-bound",
    bound: (n) => petersonBound(n) + announcement(n),
  },
  {
    mistake: "peterson decides when it meets its own id as the second one",
    protocol: mishandling(peterson, (state, _port, message, ctx) => {
      if (message.kind !== "second" || state.role !== "contends" || message.id !== state.temporary) return false;
      announce(state, state.id, ctx);
      return true;
    }),
    request: { n: 2 },
    violates: "at-most-one-leader",
  },
  {
    mistake: "peterson believes that channels need not keep the order of messages",
    protocol: { ...peterson, assumes: { ...peterson.assumes, fifo: false } },
    request: { n: 3, fifo: false },
    violates: "some-leader",
  },
  {
    mistake: "itai-rodeh has no bit for ties",
    protocol: mishandling(itaiRodeh, (state, port, message, ctx) => {
      if (message.kind !== "lot" || message.unique) return false;
      itaiRodeh.receive(state, port, { ...message, unique: true }, ctx);
      return true;
    }),
    request: { n: 2, limits: { phases: 2 } },
    violates: "at-most-one-leader",
  },
  {
    mistake: "itai-rodeh counts hops one short",
    protocol: miscounting(itaiRodeh, (n) => n - 1),
    request: { n: 4, params: { range: 3 }, limits: { phases: 2 } },
    violates: "some-leader",
  },
  {
    mistake: "itai-rodeh compares ids without their phases",
    protocol: mishandling(itaiRodeh, (state, port, message, ctx) => {
      if (message.kind !== "lot" || message.phase === state.phase) return false;
      const passing = meddling(ctx, {
        send: (to, sent) =>
          ctx.send(to, sent.kind === "lot" && sent.hop > 1 ? { ...sent, phase: message.phase } : sent),
      });
      itaiRodeh.receive(state, port, { ...message, phase: state.phase }, passing);
      return true;
    }),
    request: { n: 3, params: { range: 3 }, fifo: false, limits: { phases: 2 } },
    violates: "some-leader",
  },
  {
    mistake: "time-slice gives each id one round instead of n",
    protocol: {
      ...timeSlice,
      init: (params, self: Self, saved, ctx) =>
        timeSlice.init(params, self, saved, meddling(ctx, { arm: (timer, at) => ctx.arm(timer, at / self.n!) })),
    },
    request: { n: 3 },
    violates: "agreement",
  },
];
