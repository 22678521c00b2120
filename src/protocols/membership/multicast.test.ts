/** Gupta et al. assume an epidemic multicast beneath their election: it runs on the live view. */
import { expect, test } from "vitest";
import { membersSetup } from "../../../test/support/members.ts";
import { runEvents } from "../../host/events.ts";
import { type Context, SELF } from "../../protocol.ts";
import { defineProtocol } from "../check.ts";
import { childPort, childTimer, embed } from "../embed.ts";
import { type EpidemicMessage, type EpidemicState, epidemicMulticast } from "../group/epidemic-multicast.ts";
import { tell } from "../told.ts";
import { type MembershipParams, membership } from "./membership.ts";
import type { MembershipMessage } from "./messages.ts";
import { size } from "./parent.ts";
import type { MembershipState } from "./state.ts";

type Message =
  | { readonly kind: "members"; readonly message: MembershipMessage }
  | { readonly kind: "news"; readonly message: EpidemicMessage }
  | { readonly kind: "tell" };

interface Crier {
  readonly members: MembershipState;
  /** The multicast, and the ports that it began with. */
  news: { readonly ports: readonly number[]; readonly state: EpidemicState } | null;
}

type Ctx = Context<Message, string>;

const params = { fanout: 2, rounds: 6, tau: 5 };
const members = (ctx: Ctx) =>
  embed<MembershipMessage, "tick", Message>(membership, ctx, {
    name: "members",
    wrap: (message) => ({ kind: "members", message }),
  });
const inside = (ports: readonly number[], ctx: Ctx) =>
  embed<EpidemicMessage, "gossip", Message>(epidemicMulticast, ctx, {
    name: "news",
    ports,
    ids: ports.map((_, port) => port),
    wrap: (message) => ({ kind: "news", message }),
  });

function begin(state: Crier, initiator: boolean, ctx: Ctx): void {
  const { live, name } = state.members;
  const ports = live.filter((member) => member.name !== name).map(({ address }) => ctx.link(address));
  const facts = { id: 0, initiator, n: ports.length + 1, highest: null, election: null, life: 0, seeds: [] };
  const self = tell(epidemicMulticast, params, facts, (p) => ctx.coin(p));
  state.news = { ports, state: epidemicMulticast.init(params, self, null, inside(ports, ctx)) };
}

/** A member that tells the group something when its user says so. */
const crier = defineProtocol<MembershipParams, Crier, Message, string>({
  assumes: membership.assumes,
  measures: { "news/multicasts": "sum", "news/offers": "sum", "news/requests": "sum", "news/retransmissions": "sum" },
  name: "crier",
  init: (given, self, _saved, ctx) => ({ members: membership.init(given, self, null, members(ctx)), news: null }),
  receive(state, port, message, ctx) {
    if (message.kind === "members") membership.receive(state.members, port, message.message, members(ctx));
    else if (port === SELF) begin(state, true, ctx);
    else if (message.kind === "news") {
      if (state.news === null) begin(state, false, ctx);
      const { ports, state: child } = state.news!;
      const inbound = childPort(port, ports);
      if (inbound !== null) epidemicMulticast.receive(child, inbound, message.message, inside(ports, ctx));
    }
  },
  expire(state, timer, ctx) {
    const own = childTimer<"tick">(timer, "members");
    if (own !== null) membership.expire!(state.members, own, members(ctx));
    else epidemicMulticast.expire!(state.news!.state, "gossip", inside(state.news!.ports, ctx));
  },
  verdict: () => ({ status: "undecided", leader: null, term: 0 }),
});

test("an epidemic multicast reaches all who are there, late joiners too, and not those who have gone", () => {
  const n = 40;
  const states: Crier[] = [];
  const faults = {
    crashes: [{ node: 7, at: 2000 }],
    joins: [{ node: 39, at: 20_000 }],
    losses: [{ rate: 0.2, kind: "both", link: null, from: 30_000, to: 30_100 }],
    commands: [{ node: 3, at: 30_000, message: { kind: "tell" } }],
  } as const;
  const { measures } = runEvents(
    membersSetup(n, faults, {
      protocol: crier,
      until: 31_000,
      observer: {
        settled(node, _time, state) {
          states[node] = state as Crier;
        },
      },
    }),
  );
  expect(measures["news/multicasts"]).toBe(1);
  // The command came to node 3, whose view was of 39: all but node 7.
  expect(size(states[3].members)).toBe(n - 1);
  expect(states[3].news!.ports).toHaveLength(n - 2);
  const deaf = states.flatMap(({ news }, node) => (node !== 7 && news?.state.origin == null ? [node] : []));
  expect(deaf).toEqual([]);
});
