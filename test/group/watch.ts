/** Holds a run of a group against its rules at every event; one that changed nothing costs next to nothing. */
import type { Observer, Start } from "../../src/host/observer.ts";
import type { Breach } from "../../src/properties/monitor.ts";
import type { RunView } from "../../src/properties/properties.ts";
import type { Glimpse, Subject } from "./glimpse.ts";
import type { Scenario } from "./scenario.ts";
import { Truth } from "./truth.ts";

/** Something that must hold in the course of a run. Each answer is what is wrong, in words, or null. */
export interface Rule {
  readonly name: string;
  /** A member thinks otherwise than before; null: it had not started, or has ended. */
  changed?(node: number, before: Glimpse | null, now: Glimpse | null): string | null;
  /** A process has started; what it thinks comes next. */
  started?(node: number): void;
  /** A process was paused or goes on. */
  stalled?(node: number): void;
  /** It takes part in an election. */
  takesPart?(node: number, office: string, term: number): string | null;
  /** When it wants to look again, whatever happens or does not. */
  due?: number;
  overdue?(): string | null;
}

export type MakeRule = (truth: Truth) => Rule;

/** What happened to processes and messages, by kind. */
export type Tally = Record<string, number>;

/** Thrown out of the run at the first breach: what comes after it says nothing. */
export class Stop extends Error {}

export class GroupWatch implements Observer {
  breach: Breach | null = null;
  readonly truth: Truth;
  readonly tally: Tally = {};
  private readonly subject: Subject;
  private readonly rules: readonly Rule[];
  private readonly watching: readonly Rule[];
  private run: RunView | null = null;
  private readonly sentAt = new Map<number, number>();

  constructor(scenario: Scenario, subject: Subject, rules: readonly MakeRule[]) {
    this.truth = new Truth(scenario);
    this.subject = subject;
    this.rules = rules.map((make) => make(this.truth));
    this.watching = this.rules.filter(({ takesPart }) => takesPart !== undefined);
  }

  opened(run: RunView): void {
    this.run = run;
  }

  started(_node: number, _time: number, how: Start): void {
    if (how !== "start") this.count(how);
  }

  crashed(node: number, time: number): void {
    this.count("crash");
    this.truth.now = time;
    this.end(node);
  }

  left(node: number, time: number): void {
    this.count("leave");
    this.truth.toldAt[node] = time;
  }

  commanded(node: number, _message: unknown, time: number): void {
    this.truth.basis = time;
    this.count("command");
    this.truth.toldAt[node] = time;
  }

  paused(node: number, time: number, to: number): void {
    this.count("pause");
    this.truth.now = time;
    this.truth.pausedTo[node] = Math.max(to, this.truth.pausedTo[node]);
    for (const rule of this.rules) rule.stalled?.(node);
  }

  resumed(node: number, time: number): void {
    this.truth.now = time;
    for (const rule of this.rules) rule.stalled?.(node);
  }

  sent(flight: number | null, from: number, _to: number, message: unknown, time: number): void {
    if (flight !== null) this.sentAt.set(flight, time);
    const part = this.subject.part(message);
    if (part === null) return;
    for (const rule of this.watching) this.note(rule, rule.takesPart!(from, part.office, part.term));
  }

  duplicated(flight: number, of: number): void {
    this.sentAt.set(flight, this.sentAt.get(of)!);
    this.count("duplicate");
  }

  delivered(flight: number): void {
    this.truth.basis = this.sentAt.get(flight)!;
    this.sentAt.delete(flight);
  }

  expired(_node: number, _timer: string, time: number): void {
    this.truth.basis = time;
  }

  lost(_flight: number | null, _to: number, _time: number, why: string): void {
    if (why === "loss") this.count("loss");
  }

  settled(node: number, time: number, state: unknown): void {
    const { truth, run } = this;
    truth.now = time;
    if (!run!.alive(node)) this.end(node);
    else {
      const before = truth.seen[node];
      if (before === null || before.version !== this.subject.version(state)) {
        this.change(node, this.subject.glimpse(state));
      }
    }
    for (const rule of this.rules) if (rule.due !== undefined && rule.due <= time) this.note(rule, rule.overdue!());
  }

  /** At the horizon: the last moment at which anything can be too late. */
  ended(): void {
    this.truth.now = Math.max(this.truth.now, this.truth.scenario.until);
    for (const rule of this.rules) {
      if (rule.due !== undefined && rule.due <= this.truth.now) this.note(rule, rule.overdue!());
    }
  }

  private end(node: number): void {
    if (!this.truth.runs(node)) return;
    this.truth.ends(node);
    this.change(node, null);
  }

  private change(node: number, now: Glimpse | null): void {
    const before = this.truth.seen[node];
    if (before === null && now !== null) {
      this.truth.starts(node, now.life);
      for (const rule of this.rules) rule.started?.(node);
    }
    this.truth.seen[node] = now;
    for (const rule of this.rules) if (rule.changed !== undefined) this.note(rule, rule.changed(node, before, now));
  }

  private note({ name: property }: Rule, what: string | null): void {
    if (what === null) return;
    this.breach = { property, what, event: this.run?.event ?? 0, time: this.truth.now };
    throw new Stop(what);
  }

  private count(kind: string): void {
    this.tally[kind] = (this.tally[kind] ?? 0) + 1;
  }
}
