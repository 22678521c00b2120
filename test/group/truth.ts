/** What is really so in a run, beside what members think: who runs, in which life, since when, and what goes wrong where. */
import type { Span } from "../../src/host/faults/faults.ts";
import { amongMembers } from "./bounds.ts";
import type { Glimpse } from "./glimpse.ts";
import type { Scenario } from "./scenario.ts";
import { EngineTruth } from "./strict/engine.ts";
import { NO_WORKS, type Works } from "./strict/work.ts";

export class Truth {
  readonly scenario: Scenario;
  now = 0;
  /** When that was sent of which the latest handler made something; now, where it was a timer or a command. */
  basis = 0;
  /** What the latest handler was called with: a message, or a timer's name; null where it was a command. */
  heard: unknown = null;
  /** What each member that runs was last seen to think. */
  readonly seen: (Glimpse | null)[];
  /** The life of each member that runs; null where none does. */
  readonly life: (number | null)[];
  /** When its present life began, when it last ended, and until when it stands still or when it last did. */
  readonly startedAt: number[];
  readonly endedAt: number[];
  readonly pausedTo: number[];
  /** When its latest handler ran. */
  readonly actedAt: number[];
  /** The holder gave up or left by itself. */
  readonly toldAt: number[];
  /** Who leads anything, by its own word. */
  readonly leading = new Set<number>();
  /** Strict mode: the engine, and what work of each member has not settled. */
  readonly engine = new EngineTruth();
  readonly works: Works[];
  /** Strict mode: of each member and office, the highest token that it has said it knows, or had to save. */
  readonly floors: Map<string, number>[];
  private readonly forgot: boolean[];
  private readonly troubles: readonly Span[];

  constructor(scenario: Scenario) {
    const { members } = scenario;
    const all = <T>(value: T): T[] => new Array(members).fill(value);
    this.scenario = scenario;
    this.seen = all(null);
    this.life = all(null);
    this.startedAt = all(-Infinity);
    this.forgot = all(false);
    this.endedAt = all(-Infinity);
    this.pausedTo = all(-Infinity);
    this.toldAt = all(-Infinity);
    this.actedAt = all(-Infinity);
    this.works = all(NO_WORKS);
    this.floors = Array.from({ length: members }, () => new Map());
    const { losses, partitions, spikes = [] } = scenario.plan.faults;
    const late = spikes.map((spike) => ({ ...spike, to: spike.to! + spike.delay }));
    this.troubles = [...amongMembers([...losses, ...late], members), ...partitions];
  }

  get size(): number {
    return this.scenario.members;
  }

  nameOf(node: number): string {
    return `m${node}`;
  }

  nodeOf(name: string): number {
    return Number(name.slice(1));
  }

  runs(node: number): boolean {
    return this.life[node] !== null;
  }

  isPaused(node: number): boolean {
    return this.pausedTo[node] > this.now;
  }

  running(): number[] {
    return this.life.flatMap((life, node) => (life === null ? [] : [node]));
  }

  starts(node: number, life: number): void {
    const { restarts = [] } = this.scenario.plan.faults;
    const before = this.startedAt[node];
    // One that was paused when it should have started may have been started again before it ran.
    this.forgot[node] = restarts.some((restart) => {
      return restart.node === node && !restart.saved && before < restart.at && restart.at <= this.now;
    });
    if (this.forgot[node]) this.floors[node].clear();
    this.life[node] = life;
    this.startedAt[node] = this.now;
  }

  ends(node: number): void {
    if (!this.runs(node)) return;
    this.life[node] = null;
    this.endedAt[node] = this.now;
    this.pausedTo[node] = Math.min(this.pausedTo[node], this.now);
  }

  knows(node: number, { offices }: Glimpse): void {
    for (const office in offices) {
      const token = offices[office].token ?? 0;
      if (token > this.floorOf(node, office)) this.floors[node].set(office, token);
    }
  }

  floorOf(node: number, office: string): number {
    return this.floors[node].get(office) ?? 0;
  }

  /** Whether its present life began without what an earlier one had saved. */
  forgets(node: number): boolean {
    return this.forgot[node];
  }

  /** Since when the network has been as it should: neither loss nor cuts nor spikes anywhere. */
  networkCalmSince(): number {
    let since = 0;
    for (const { from, to } of this.troubles) {
      if (from <= this.now) since = Math.max(since, to === null || to > this.now ? Infinity : to);
    }
    return since;
  }

  /** Since when a member has run without interruption on such a network. */
  undisturbedSince(node: number): number {
    return Math.max(this.networkCalmSince(), this.startedAt[node], this.pausedTo[node]);
  }

  /** How long a member has run since then. */
  ranSince(node: number, since: number): number {
    const pauses = this.scenario.plan.faults.pauses.filter((pause) => pause.node === node);
    let ran = 0;
    let from = since;
    for (const pause of pauses.sort((a, b) => a.from - b.from)) {
      ran += Math.max(0, Math.min(pause.from, this.now) - from);
      from = Math.max(from, pause.to ?? Infinity);
    }
    return ran + Math.max(0, this.now - from);
  }

  /** Whether a message that one sends now can reach the other. */
  reaches(from: number, to: number): boolean {
    return !this.scenario.plan.faults.partitions.some(({ groups, oneWay, from: start, to: end }) => {
      if (start > this.now || (end !== null && end <= this.now)) return false;
      const [a, b] = [from, to].map((node) => groups.findIndex((group) => group.includes(node)));
      return a !== b && (oneWay !== true || a === 0);
    });
  }
}
