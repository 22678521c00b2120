/** Holds a run of a group against its rules at every event; one that changed nothing costs next to nothing. */
import type { Observer, Start } from "../../src/host/observer.ts";
import type { Breach } from "../../src/properties/monitor.ts";
import type { RunView } from "../../src/properties/properties.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { endless, mostHandled } from "../support/ending.ts";
import type { Glimpse, Subject } from "./glimpse.ts";
import type { Scenario } from "./scenario.ts";
import type { CounterState } from "./strict/counter.ts";
import type { EngineFault, EngineInside } from "./strict/engine.ts";
import type { Deed, Grant } from "./strict/history.ts";
import { counterOf, engineOf } from "./strict/settings.ts";
import { NO_WORKS } from "./strict/work.ts";
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
  /** Strict mode: a handler of a member has run, whether it changed anything or not. */
  acted?(node: number): string | null;
  /** A member has sent this to the engine; told when the handler that did so has run. */
  asks?(node: number, request: LeaseRequest): string | null;
  /** The engine has carried something out... */
  carriedOut?(deed: Deed): string | null;
  /** ...and a lease is new by it. */
  granted?(grant: Grant): string | null;
  /** The engine has done something, or its clock has gone on. */
  engineActed?(): string | null;
  /** The resource has taken or refused a write. */
  wrote?(write: NonNullable<CounterState["last"]>): string | null;
  /** When it wants to look again, whatever happens or does not; a rule that ever does says so from the beginning. */
  due?: number;
  overdue?(): string | null;
}

export type MakeRule = (truth: Truth) => Rule;

/** What happened to processes and messages, by kind. */
export type Tally = Record<string, number>;

/** Thrown out of the run at the first breach: what comes after it says nothing. */
export class Stop extends Error {}

const ENDS = "comes-to-an-end";

export class GroupWatch implements Observer {
  breach: Breach | null = null;
  readonly truth: Truth;
  readonly tally: Tally = {};
  private readonly subject: Subject;
  private readonly rules: readonly Rule[];
  private readonly watching: readonly Rule[];
  private readonly acting: readonly Rule[];
  private readonly engineActing: readonly Rule[];
  private readonly timed: readonly Rule[];
  private run: RunView | null = null;
  /** By flight. */
  private readonly sentAt: number[] = [];
  private readonly members: number;
  private readonly asked: LeaseRequest[] = [];
  private writes = 0;
  private handled = 0;
  private readonly most: number;

  constructor(scenario: Scenario, subject: Subject, rules: readonly MakeRule[]) {
    this.truth = new Truth(scenario);
    this.members = scenario.members;
    this.most = mostHandled(scenario.members, scenario.until);
    this.subject = subject;
    this.rules = rules.map((make) => make(this.truth));
    this.watching = this.rules.filter(({ takesPart }) => takesPart !== undefined);
    this.acting = this.rules.filter(({ acted }) => acted !== undefined);
    this.engineActing = this.rules.filter(({ engineActed }) => engineActed !== undefined);
    this.timed = this.rules.filter(({ due }) => due !== undefined);
  }

  opened(run: RunView): void {
    this.run = run;
  }

  started(node: number, _time: number, how: Start): void {
    if (how !== "start") this.count(this.isMember(node) ? how : "engine restart");
  }

  crashed(node: number, time: number): void {
    this.truth.now = time;
    this.count(this.isMember(node) ? "crash" : "engine crash");
    if (this.isMember(node)) this.end(node);
  }

  left(node: number, time: number): void {
    this.truth.heard = null;
    this.count("leave");
    this.truth.toldAt[node] = time;
  }

  commanded(node: number, message: unknown, time: number): void {
    this.truth.heard = null;
    this.truth.basis = time;
    this.truth.now = time;
    if (!this.isMember(node)) {
      const { kind } = message as { readonly kind: string };
      this.count(`engine ${kind}`);
      this.truth.engine.told(message as EngineFault, time);
      return;
    }
    this.count("command");
    this.truth.toldAt[node] = time;
  }

  paused(node: number, time: number, to: number): void {
    this.truth.now = time;
    this.count(this.isMember(node) ? "pause" : "engine pause");
    if (!this.isMember(node)) return;
    this.truth.pausedTo[node] = Math.max(to, this.truth.pausedTo[node]);
    for (const rule of this.rules) rule.stalled?.(node);
  }

  resumed(node: number, time: number): void {
    this.truth.now = time;
    if (!this.isMember(node)) return;
    for (const rule of this.rules) rule.stalled?.(node);
  }

  sent(flight: number | null, from: number, to: number, message: unknown, time: number): void {
    if (flight !== null) this.sentAt[flight] = time;
    if (!this.isMember(from)) return;
    if (to === engineOf(this.members)) {
      this.asked.push(message as LeaseRequest);
      return;
    }
    const part = this.subject.part(message);
    if (part === null) return;
    for (const rule of this.watching) this.note(rule, rule.takesPart!(from, part.office, part.term));
  }

  duplicated(flight: number, of: number): void {
    this.sentAt[flight] = this.sentAt[of];
    this.count("duplicate");
  }

  delivered(flight: number, _node: number, message: unknown): void {
    this.truth.heard = message;
    this.truth.basis = this.sentAt[flight];
  }

  expired(_node: number, timer: string, time: number): void {
    this.truth.heard = timer;
    this.truth.basis = time;
  }

  lost(_flight: number | null, _to: number, _time: number, why: string): void {
    if (why === "loss") this.count("loss");
  }

  /** The engine has carried out a request; called from inside its handler. */
  carriedOut(deed: Deed, time: number): void {
    this.truth.now = time;
    const grant = this.truth.engine.history.note(deed, time);
    for (const rule of this.rules) {
      if (rule.carriedOut !== undefined) this.note(rule, rule.carriedOut(deed));
      if (grant !== null && rule.granted !== undefined) this.note(rule, rule.granted(grant));
    }
  }

  settled(node: number, time: number, state: unknown): void {
    const { truth } = this;
    truth.now = time;
    if (++this.handled > this.most) {
      this.note({ name: ENDS }, endless(truth.scenario.seed, this.most, time));
    }
    if (this.isMember(node)) this.memberSettled(node, state);
    else if (node === counterOf(this.members)) this.counterIs(this.subject.counter!(state), time);
    else this.engineIs(this.subject.engine!(state), time);
    for (const rule of this.timed) if (rule.due! <= time) this.note(rule, rule.overdue!());
  }

  private isMember(node: number): boolean {
    return node < this.members;
  }

  private memberSettled(node: number, state: unknown): void {
    const { truth, run, subject } = this;
    if (!run!.alive(node)) this.end(node);
    else {
      const before = truth.seen[node];
      truth.actedAt[node] = truth.now;
      if (subject.works !== undefined) truth.works[node] = subject.works(state);
      if (before === null || before.version !== subject.version(state)) this.change(node, subject.glimpse(state));
      for (const rule of this.acting) this.note(rule, rule.acted!(node));
    }
    if (this.asked.length > 0) this.haveAsked(node, this.asked.splice(0));
  }

  private haveAsked(node: number, requests: readonly LeaseRequest[]): void {
    const { truth } = this;
    for (const request of requests) {
      truth.engine.history.isAsked(request, (office) => truth.floorOf(node, office));
      for (const rule of this.rules) if (rule.asks !== undefined) this.note(rule, rule.asks(node, request));
    }
  }

  /** What the engine has come to. */
  engineIs(inside: EngineInside, time: number): void {
    this.truth.now = time;
    this.truth.engine.isNow(inside);
    for (const rule of this.engineActing) this.note(rule, rule.engineActed!());
  }

  /** What the resource has come to. */
  counterIs({ last, writes }: CounterState, time: number): void {
    this.truth.now = time;
    if (last === null || writes === this.writes) return;
    this.writes = writes;
    this.count(last.taken ? "write" : "write refused");
    for (const rule of this.rules) if (rule.wrote !== undefined) this.note(rule, rule.wrote(last));
  }

  /** At the horizon: the last moment at which anything can be too late. */
  ended(): void {
    this.truth.now = Math.max(this.truth.now, this.truth.scenario.until);
    for (const rule of this.timed) if (rule.due! <= this.truth.now) this.note(rule, rule.overdue!());
  }

  private end(node: number): void {
    if (!this.truth.runs(node)) return;
    this.truth.ends(node);
    this.truth.works[node] = NO_WORKS;
    this.change(node, null);
  }

  private change(node: number, now: Glimpse | null): void {
    const before = this.truth.seen[node];
    if (before === null && now !== null) {
      this.truth.starts(node, now.life);
      for (const rule of this.rules) rule.started?.(node);
    }
    this.truth.seen[node] = now;
    if (now !== null) this.truth.knows(node, now);
    if (now !== null && Object.values(now.offices).some(({ mine }) => mine)) this.truth.leading.add(node);
    else this.truth.leading.delete(node);
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
