/**
 * The term rule of groups (docs/decisions/groups.md) as a machine for the explorer: the code of a group as it ships, on
 * given links. Who the members are is given: probing and gossip are left out, so that nothing but terms, elections and claims
 * is left to happen. What membership would find out comes as words of its own: that a member lives again, or (`doubts`) that one has
 * failed, whether it has or not.
 */
import { group } from "../../src/elector/group.ts";
import { type GroupParams, groupParams } from "../../src/elector/params.ts";
import type { GroupState } from "../../src/elector/state.ts";
import type { GroupMessage } from "../../src/elector/talk/messages.ts";
import type { Property } from "../../src/properties/properties.ts";
import { type AnyProtocol, type Context, type Port, type Protocol, SELF } from "../../src/protocol.ts";
import { type KnownMember, toEntry } from "../../src/protocols/membership/records.ts";
import { store } from "../../src/protocols/membership/view.ts";
// A group looks up what the registry knows of its protocol.
import "../../src/registry/all.ts";

type Ctx = Context<GroupMessage, string>;

/** A group's own, and the highest term that it led or saw: a check of this file's. */
interface State {
  readonly group: GroupState;
  /** The highest term in which this member has led, over all its lives. */
  led: number;
  /** Led a term below one that it had seen. */
  wrong: string | null;
}

interface Kept {
  readonly saved: unknown;
  readonly led: number;
}

export interface TermRule {
  /** Whether members may take each other for dead, at any moment, once each. */
  readonly doubts?: boolean;
  /** Who sees to the office of its own accord, by id (1 and 2); the others answer. */
  readonly standing?: readonly number[];
  /** A group that makes a mistake. */
  readonly machine?: AnyProtocol;
  readonly params?: Partial<GroupParams>;
}

/** The plainest election that is safe as long as nobody takes part twice: a process votes for the first candidate that it hears of, and more than half lead. */
export const vote: Protocol<
  unknown,
  { votes: number; readonly needed: number; voted: boolean },
  "request" | "yes" | "no"
> = {
  name: "vote",
  title: "A vote",
  citation: "none",
  cost: "two messages for each voter",
  assumes: {
    topology: "complete",
    identity: "anonymous",
    timing: "asynchronous",
    start: "any",
    knows: ["n"],
    fifo: false,
    multicast: false,
    tolerates: ["loss", "crash", "pause"],
  },
  parameters: [],
  measures: {},
  init(_params, { initiator, n }, _saved, ctx) {
    if (initiator) for (const port of ctx.ports()) ctx.send(port, "request");
    return { votes: initiator ? 1 : 0, needed: Math.floor(n! / 2) + 1, voted: initiator };
  },
  receive(state, port, message, ctx) {
    if (message === "yes") state.votes++;
    else if (message === "request") {
      ctx.send(port, state.voted ? "no" : "yes");
      state.voted = true;
    }
  },
  verdict: ({ votes, needed }) => ({ status: votes >= needed ? "elected" : "undecided", leader: null, term: 0 }),
  bits: () => 0,
};

const OFFICE = "leader";
const MEMBERS = 3;
/** What membership would have found out of a member that has started again. */
const ALIVE = "alive";
/** No two lives of any members are equal. */
const lifeOf = (id: number, life: number): number => 10 * life + id;
const nameOf = (id: number): string => `m${id}`;

const recordOf = (id: number, life: number, status: KnownMember["status"] = "alive"): KnownMember => ({
  name: nameOf(id),
  life: lifeOf(id, life),
  incarnation: life,
  address: nameOf(id),
  status,
  meta: null,
});

const others = (id: number): readonly number[] => [1, 2, 3].filter((other) => other !== id);

/** Only what the term rule itself waits for: membership, watch and reviews are paused. */
const WAITS = ["stand/", "overdue/", "list/", "election#"];

/** The group's own context: members by their names, on the links that there are. */
function within(ctx: Ctx, id: number): Ctx {
  const linked = (address: string): Port =>
    address === nameOf(id) ? SELF : ctx.ports().find((port) => nameOf(ctx.peer(port)!) === address)!;
  const own: Partial<Ctx> = {
    address: (port) => nameOf(port === SELF ? id : ctx.peer(port)!),
    link: linked,
    unlink: () => undefined,
    send: (port, message) => {
      if (!("kind" in message) || message.kind !== "members") ctx.send(port, message);
    },
    arm: (timer, min, max) => {
      if (WAITS.some((wait) => timer.startsWith(wait))) ctx.arm(timer, min, max);
    },
    deadline: () => undefined,
    measure: () => undefined,
    // Ranks follow from ids, so that all arrangements of ids are all orders of ranks; samples are of everybody.
    choose: (n) => (n > MEMBERS ? id : 0),
  };
  return new Proxy(ctx, {
    get(target, name) {
      const found = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
}

export function termRule(rule: TermRule = {}): AnyProtocol {
  const {
    doubts = false,
    standing = [1, 2],
    machine = group({ protocols: [vote] }) as AnyProtocol,
    params = {},
  } = rule;
  const given = groupParams({ protocol: vote.name, watch: false, loss: 0, offices: [OFFICE], ...params });

  /** What the explorer compares: counters of what has been told are no part of the rule. */
  function settle(state: State, ctx: Ctx): void {
    const { group: own } = state;
    const { term } = own.offices.get(OFFICE)!;
    own.report = { ...own.report, version: 0, news: [] };
    own.events = [];
    own.members.news.length = 0;
    own.members.rumours.clear();
    for (const level of own.members.levels) level.clear();
    if (own.led.has(OFFICE)) {
      if (term < state.led) state.wrong ??= `leads term ${term} after term ${state.led}`;
      state.led = term;
    }
    ctx.measure("terms", term);
  }

  return {
    name: "term-rule",
    title: "The term rule of a group of three",
    citation: "none",
    cost: "that of its elections",
    assumes: {
      topology: "complete",
      identity: "ids",
      timing: "asynchronous",
      start: "common",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: ["loss", "crash"],
    },
    parameters: [],
    measures: { terms: "max" },

    init(_params, self, kept: Kept | null, ctx: Ctx) {
      const id = self.id!;
      const inner = within(ctx, id);
      const facts = { ...self, id: null, life: lifeOf(id, self.life), seeds: [] };
      const own: GroupState = machine.init({ ...given, name: nameOf(id) }, facts, kept?.saved ?? null, inner);
      for (const other of others(id)) store(own.members, recordOf(other, 0), { choose: () => 0 });
      const state: State = { group: own, led: kept?.led ?? 0, wrong: null };
      // Nobody asks around only because an election has failed: what others know comes anyway.
      own.offices.get(OFFICE)!.inquiredAtTry = Number.MAX_SAFE_INTEGER;
      if (standing.includes(id)) machine.expire!(own, "settle", inner);
      if (self.life > 0) for (const port of ctx.ports()) ctx.send(port, { kind: ALIVE, life: self.life } as never);
      if (doubts) for (const other of others(id)) ctx.arm(`doubt/${other}`, 1);
      settle(state, ctx);
      return state;
    },

    receive(state: State, port, message, ctx: Ctx) {
      const inner = within(ctx, idOf(state));
      if (message.kind === ALIVE) {
        store(state.group.members, recordOf(ctx.peer(port)!, message.life), { choose: () => 0 });
        if (state.group.settled) machine.expire!(state.group, "settle", inner);
      } else machine.receive(state.group, port, message, inner);
      settle(state, ctx);
    },

    expire(state: State, timer, ctx: Ctx) {
      const inner = within(ctx, idOf(state));
      if (timer.startsWith("doubt/")) {
        const known = state.group.members.members.get(nameOf(Number(timer.slice("doubt/".length))))!;
        const message = { kind: "gossip", from: state.group.life, members: [toEntry({ ...known, status: "failed" })] };
        machine.receive(state.group, 0, { kind: "members", message }, inner);
      } else machine.expire!(state.group, timer, inner);
      settle(state, ctx);
    },

    verdict: ({ group: own }: State) => machine.verdict(own),
    report: ({ group: own, wrong }: State) => ({ term: own.offices.get(OFFICE)!.term, wrong }),
    saved: ({ group: own, led }: State): Kept => ({ saved: machine.saved!(own), led }),
    bits: () => 0,
  } as AnyProtocol;
}

const idOf = ({ group: own }: State): number => Number(own.name.slice(1));

/** No member leads in a lower term than it has led before, not even in another life. */
export const forward: Property = {
  name: "forward",
  about: "nobody leads in a lower term than before",
  when: "always",
  violated: (view) => {
    for (let node = 0; node < MEMBERS; node++) {
      const { wrong } = view.report!(node) as { readonly wrong: string | null };
      if (wrong !== null) return `node ${node} ${wrong}`;
    }
    return null;
  },
};
