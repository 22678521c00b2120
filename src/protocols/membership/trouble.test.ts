/** Whatever goes wrong and heals: views agree again, and nobody who is dead comes back. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { membersSetup } from "../../../test/support/members.ts";
import { runEvents } from "../../host/events.ts";
import type { FaultPlan } from "../../host/faults/faults.ts";
import type { Observer } from "../../host/observer.ts";
import { HostStream } from "../../random/streams.ts";
import { live } from "./parent.ts";
import type { MembershipState } from "./state.ts";

const N = 6;
/** The last fault is over by then, and views agree so long after it. */
const HEALED = 60_000;
const AGREED = 45_000;
/** Some messages take this much longer. */
const SPIKE = 1500;

/** Faults of every kind; node 0, the seed, may suffer too. */
function trouble(seed: number): Partial<FaultPlan> {
  const draws = new HostStream(seed, 0, "losses");
  const moment = () => 2000 + 50_000 * draws.uniform();
  const some = <T>(most: number, make: () => T) => Array.from({ length: draws.choose(most + 1) }, make);
  const span = (most: number) => {
    const from = moment();
    return { from, to: Math.min(HEALED, from + most * draws.uniform()) };
  };
  const node = () => draws.choose(N);
  const cut = () => {
    const groups = [Array.from({ length: N }, (_, i) => i).filter(() => draws.coin(0.4))];
    return { groups, oneWay: draws.coin(0.4), ...span(30_000) };
  };
  const reboots = some(4, () => ({ node: node(), at: moment() }));
  return {
    losses: [{ rate: 0.1 * draws.uniform(), kind: "both", link: null, from: 0, to: HEALED }],
    crashes: [...reboots, ...some(1, () => ({ node: 1 + draws.choose(N - 1), at: moment() }))],
    restarts: reboots.map(({ node, at }) => ({
      node,
      saved: false,
      at: at + (draws.coin(0.5) ? 100 : 20_000) * draws.uniform(),
    })),
    joins: draws.coin(0.5) ? [{ node: N - 1, at: moment() }] : [],
    leaves: draws.coin(0.3) ? [{ node: 1 + draws.choose(N - 1), at: moment() }] : [],
    pauses: some(2, () => ({ node: node(), ...span(25_000) })),
    partitions: some(2, cut),
    duplicate: 0.1,
    reorder: 0.2,
    drift: 0.05,
    spikes: [{ rate: 0.02, delay: SPIKE, link: null, from: 0, to: HEALED }],
  };
}

/** Watches for lives that come back after they have ended. */
class Ghosts implements Observer {
  readonly seen: string[] = [];
  private readonly states: (MembershipState | undefined)[] = [];
  private readonly endedLives = new Set<number>();
  /** By node, lives that it has buried. */
  private readonly buried: Set<number>[] = Array.from({ length: N }, () => new Set());
  private readonly faults: Partial<FaultPlan>;

  constructor(faults: Partial<FaultPlan>) {
    this.faults = faults;
  }

  started(node: number): void {
    this.over(node);
    this.buried[node] = new Set();
  }

  crashed(node: number): void {
    this.over(node);
  }

  left(node: number): void {
    this.over(node);
  }

  settled(node: number, time: number, state: unknown): void {
    this.states[node] = state as MembershipState;
    for (const news of this.states[node].news) {
      if (news.what === "failed" || news.what === "left") this.buried[node].add(news.life);
      if (news.what !== "joined" || !this.endedLives.has(news.life)) continue;
      if (this.buried[node].has(news.life) && !this.readsOldNews(node, time))
        this.seen.push(`${node} took ${news.name} for alive again at ${time}`);
    }
  }

  /** Who goes on after a pause reads what was sent long before, also by members that have ended since. */
  private readsOldNews(node: number, time: number): boolean {
    return this.faults.pauses!.some((pause) => pause.node === node && time >= pause.to! && time < pause.to! + SPIKE);
  }

  private over(node: number): void {
    const state = this.states[node];
    if (state !== undefined) this.endedLives.add(state.life);
  }
}

function views(seed: number) {
  const states: MembershipState[] = [];
  const running = new Set<number>(Array.from({ length: N }, (_, node) => node));
  const faults = trouble(seed);
  const ghosts = new Ghosts(faults);
  for (const { node } of faults.joins ?? []) running.delete(node);
  const observer: Observer = {
    started(node) {
      ghosts.started(node);
      running.add(node);
    },
    crashed(node) {
      ghosts.crashed(node);
      running.delete(node);
    },
    left(node) {
      ghosts.left(node);
      running.delete(node);
    },
    settled(node, time, state) {
      ghosts.settled(node, time, state);
      states[node] = state as MembershipState;
    },
  };
  runEvents(membersSetup(N, faults, { seed, until: HEALED + AGREED, observer }));
  const nodes = [...running].sort();
  const expected = nodes.map((node) => `${states[node].name} ${states[node].life}`);
  const wrong = nodes
    .map((node) => [node, live(states[node]).map(({ name, life }) => `${name} ${life}`)] as const)
    .filter(([, view]) => view.join() !== expected.join());
  return { ghosts: ghosts.seen, wrong: wrong.map(([node, view]) => `${node} sees ${view}, not ${expected}`) };
}

describe("loss, duplicates, reordering, drift, crashes, restarts, pauses, cuts of both kinds", () => {
  test("in the end all see the same, and nobody came back from the dead", () => {
    for (let seed = 0; seed < effort(25, 1000); seed++) {
      expect({ seed, ...views(seed) }).toEqual({ seed, ghosts: [], wrong: [] });
    }
  });
});
