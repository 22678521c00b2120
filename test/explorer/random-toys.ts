/** Protocols that nobody thought of: tables of what three nodes do, drawn, with faults of all kinds. They end when their fuel does, or turn in a circle. */
import type { Budget, Problem } from "../../src/explorer/problem.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { SELF } from "../../src/protocol.ts";
import { HostStream } from "../../src/random/streams.ts";
import { complete } from "../../src/topology/complete.ts";
import { ring } from "../../src/topology/ring.ts";
import { type Ctx, type Plain, toy, toyProblem } from "./toy.ts";

const NODES = 3;
const PORTS = 2;
const FAULTS = ["drops", "duplicates", "crashes", "halfway", "late", "restarts"] as const;

/** What a node does: where it goes, and what it sends; one that draws may go elsewhere. */
interface Act {
  readonly next: number;
  readonly draws: boolean;
  readonly arms: boolean;
  readonly sends: readonly (readonly [port: number, message: number])[];
}

export function randomProblem(seed: number): Problem {
  const random = new HostStream(seed, 0, "schedule");
  const one = (k: number) => random.choose(k) === 0;
  const states = 2 + random.choose(3);
  const messages = 1 + random.choose(2);
  const fuel = 1 + random.choose(2);
  const [timers, circle] = [one(3), one(6)];
  const drawAct = (): Act => ({
    next: random.choose(states),
    draws: one(8),
    arms: timers && one(3),
    sends: Array.from({ length: [0, 1, 1, 2][random.choose(4)] }, () => [
      one(4) ? SELF : random.choose(PORTS),
      random.choose(messages),
    ]),
  });
  const table = <T>(of: () => T) => Array.from({ length: NODES }, () => Array.from({ length: states }, of));
  const onMessage = table(() => Array.from({ length: (PORTS + 1) * messages }, drawAct));
  const onTimer = table(drawAct);
  const atStart = Array.from({ length: NODES }, drawAct);

  const perform = (state: Plain, { next, draws, arms, sends }: Act, ctx: Ctx) => {
    state.at = draws && ctx.coin(0.5) ? (next + 1) % states : next;
    for (const [port, message] of sends) if (state.fuel-- > 0) ctx.send(port, message);
    if (arms && state.fuel-- > 0) ctx.arm("t", 1);
    state.fuel = Math.max(0, state.fuel);
  };
  const own = toy({
    init(node, ctx) {
      const state = { node, at: 0, fuel: node === 0 ? fuel + 1 : fuel };
      perform(state, atStart[node], ctx);
      if (circle && node === 0) ctx.send(SELF, 0);
      return state;
    },
    receive(state, message, ctx, port) {
      if (circle && state.node === 0 && port === SELF) ctx.send(SELF, message);
      else perform(state, onMessage[state.node][state.at][(port - SELF) * messages + message], ctx);
    },
    expire: (state, _timer, ctx) => perform(state, onTimer[state.node][state.at], ctx),
  });
  const leader = random.choose(states);
  const protocol: AnyProtocol = {
    ...own,
    verdict: ({ at }) => ({ status: at === leader ? "elected" : "undecided", leader: null, term: 0 }),
  };
  const budget: Budget = Object.fromEntries(FAULTS.filter(() => one(3)).map((kind) => [kind, 1 + random.choose(2)]));
  const topology = one(2) ? complete(NODES) : ring(NODES);
  return toyProblem(protocol, NODES, { budget, topology, fifo: !one(3) });
}
