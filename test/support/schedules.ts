/**
 * Every schedule of the timed second phase at small n: each message takes 1 .. tau whole units, in the order of its
 * channel, messages of an instant arrive in any order and before the timers of that instant. Depth-first over canonical
 * worlds; deliveries to different nodes at one instant commute, so nodes take their turn in one order.
 */
import { type Context, type Port, SELF } from "../../src/protocol.ts";
import { type QuorumMessage, type QuorumState, quorum } from "../../src/protocols/complete/quorum.ts";
import type { TimedMember } from "../../src/protocols/complete/timed-member.ts";

export interface Contest {
  readonly n: number;
  readonly tau: number;
  readonly reading: "repaired" | "printed" | "tables" | "tables";
  /** One for each contender: its member, whom it asks, its rank (all different) and when it starts. */
  readonly contenders: readonly { node: number; asks: readonly number[]; rank: number; starts: number }[];
}

export interface Exploration {
  readonly worlds: number;
  /** How many final worlds have none, one or several leaders. */
  readonly ends: ReadonlyMap<number, number>;
  /** The longest time from a contender's start to its decision, in units. */
  readonly slowest: number;
}

interface Flight {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  readonly message: QuorumMessage;
}

interface World {
  now: number;
  /** Nodes before this one have had their deliveries of the present instant. */
  turn: number;
  states: QuorumState[];
  flights: Flight[];
  timers: Record<string, number>;
}

type Timer = "answers" | "hold" | "start";

export function explore(contest: Contest): Exploration {
  const { n, tau } = contest;
  const ends = new Map<number, number>();
  const seen = new Set<string>();
  let slowest = 0;
  const stack = [start(contest)];
  while (stack.length > 0) {
    const world = stack.pop()!;
    const key = fingerprint(world, n);
    if (seen.has(key)) continue;
    seen.add(key);
    if (world.flights.length === 0 && Object.keys(world.timers).length === 0) {
      const leaders = world.states.filter((state) => quorum.verdict(state).status === "elected").length;
      ends.set(leaders, (ends.get(leaders) ?? 0) + 1);
      continue;
    }
    for (const next of successors(world, contest)) {
      for (const { node, starts } of contest.contenders) {
        const decided = (w: World) => w.states[node] && quorum.verdict(w.states[node]).status !== "undecided";
        if (!decided(world) && decided(next)) slowest = Math.max(slowest, world.now - starts);
      }
      stack.push(next);
    }
  }
  return { worlds: seen.size, ends, slowest };

  function successors(world: World, contest: Contest): World[] {
    const next: World[] = [];
    const heads = world.flights.filter(
      (flight, i) =>
        flight.to >= world.turn &&
        flight.sent < world.now &&
        !world.flights.some((other, j) => j < i && other.from === flight.from && other.to === flight.to),
    );
    for (const flight of heads) {
      const copy = clone(world);
      copy.turn = flight.to;
      copy.flights.splice(world.flights.indexOf(flight), 1);
      const { state, ctx } = at(copy, flight.to, contest);
      quorum.receive(state, portTo(flight.to, flight.from, n), flight.message, ctx);
      next.push(copy);
    }
    if (world.flights.every(({ sent }) => sent + tau > world.now)) next.push(passTime(clone(world), contest));
    return next;
  }
}

/** Fires the timers of this instant and goes on to the next. */
function passTime(world: World, contest: Contest): World {
  for (const [name, due] of Object.entries(world.timers).sort()) {
    if (due !== world.now) continue;
    delete world.timers[name];
    const [node, timer] = name.split(":");
    const { state, ctx } = at(world, Number(node), contest);
    quorum.expire!(state, timer as Timer, ctx);
  }
  const waiting = world.flights.length > 0 ? world.now + 1 : Infinity;
  world.now = Math.min(waiting, ...Object.values(world.timers));
  world.turn = 0;
  return world;
}

function start(contest: Contest): World {
  const world: World = { now: 0, turn: 0, states: [], flights: [], timers: {} };
  for (const { node, starts } of contest.contenders) world.timers[`${node}:start`] = starts;
  const first = Math.min(...Object.values(world.timers));
  world.now = first;
  for (let node = 0; node < contest.n; node++) at(world, node, contest);
  return world;
}

const params = (contest: Contest) => ({
  timing: "async" as const,
  estimate: 1,
  gamma: 0,
  s: contest.contenders[0].asks.length,
  ask: contest.contenders[0].asks.length,
  tau: contest.tau,
  reading: contest.reading,
  // Starts are told apart by the explorer's own timers.
  spread: 0,
});

/** The state of a node, made on first use, and the context in which its handlers run. */
function at(world: World, node: number, contest: Contest): { state: QuorumState; ctx: Context<QuorumMessage, Timer> } {
  const { n } = contest;
  const contender = contest.contenders.find((other) => other.node === node);
  const ctx: Context<QuorumMessage, Timer> = {
    degree: n - 1,
    ports: () => [],
    linked: () => true,
    link: () => 0,
    unlink: () => {},
    address: () => "",
    send: (port, message) =>
      void world.flights.push({
        from: node,
        to: port === SELF ? node : (node + port + 1) % n,
        sent: world.now,
        message,
      }),
    multicast: () => {},
    arm: (timer, min) => {
      world.timers[`${node}:${timer}`] = world.now + min;
    },
    deadline: () => {},
    disarm: (timer) => void delete world.timers[`${node}:${timer}`],
    choose: () => contender!.rank,
    coin: () => false,
    sample: () => contender!.asks.map((to) => portTo(node, to, n)),
    peer: () => null,
    enter: () => true,
    measure: () => {},
    series: () => {},
  };
  if (world.states[node] === undefined) {
    const self = {
      id: node,
      initiator: false,
      candidate: false,
      n,
      highest: null,
      election: null,
      life: 0,
      role: "member",
      seeds: [],
    };
    world.states[node] = quorum.init(params(contest), self, null, ctx);
    world.states[node].member.standing = contender === undefined ? "passive" : "contends";
  }
  return { state: world.states[node], ctx };
}

const portTo = (from: number, to: number, n: number): Port => (from === to ? SELF : (to - from - 1 + n) % n);

function clone(world: World): World {
  const { params } = world.states[0];
  const states = world.states.map(({ member, timing }) => ({
    params,
    timing,
    member: copyOf(member as TimedMember),
  }));
  return {
    ...world,
    states: states as QuorumState[],
    flights: [...world.flights],
    timers: { ...world.timers },
  };
}

const copyOf = (member: TimedMember): TimedMember => ({
  ...member,
  claim: member.claim && { ...member.claim, acked: [...member.claim.acked] },
  mediator: member.mediator && { ...member.mediator },
});

/** Messages in flight are ordered only within a channel. */
function fingerprint(world: World, n: number): string {
  const flights = world.flights.map(({ from, to, sent, message }, i) => [from * n + to, world.now - sent, message, i]);
  flights.sort((a, b) => (a[0] as number) - (b[0] as number) || (a[3] as number) - (b[3] as number));
  const timers = Object.entries(world.timers).map(([name, due]) => [name, due - world.now]);
  return JSON.stringify([
    world.now,
    world.turn,
    world.states.map(({ member }) => member),
    flights.map((flight) => flight.slice(0, 3)),
    timers.sort(),
  ]);
}
