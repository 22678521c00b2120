/** Checks properties during a run: after every event the host says what may have changed. */
import type { Verdict } from "../protocol.ts";
import type { History, Property, RunView } from "./properties.ts";

/** The first thing that went wrong, and when: `event` counts from 1, as a host that steps counts; 0 is before all. */
export interface Breach {
  readonly property: string;
  readonly what: string;
  readonly event: number;
  readonly time: number;
}

interface Check {
  readonly name: string;
  violated(view: RunView): string | null;
  /** It asked for what changes without any node's doing: it is asked again after every event. */
  restless: boolean;
}

/** Checks properties at every event of a run and keeps the first breach. */
export class Monitor {
  breach: Breach | null = null;
  private readonly run: RunView;
  private readonly view: RunView;
  private readonly checks: Check[];
  private readonly atEnd: readonly Property[];
  private readonly verdicts = new Map<number, Verdict>();
  private readonly seen = new Map<number, string>();
  private restless = false;

  constructor(properties: readonly (Property | History)[], run: RunView) {
    this.run = run;
    this.view = this.remembering(run);
    this.atEnd = properties.filter((property) => "when" in property && property.when === "end") as Property[];
    this.checks = properties.flatMap((property) => {
      if ("begin" in property) return [{ name: property.name, violated: property.begin(), restless: true }];
      if (property.when !== "always") return [];
      return [{ name: property.name, violated: (view: RunView) => property.violated(view), restless: true }];
    });
  }

  /** Before the first event. */
  opened(): void {
    for (const check of this.checks) this.ask(check);
  }

  /** An event has happened at a node. */
  settled(node: number): void {
    if (this.breach !== null) return;
    this.verdicts.delete(node);
    const { status, leader, term } = this.view.verdict(node);
    const now = `${this.run.alive(node)} ${status} ${leader} ${term} ${JSON.stringify(this.run.report?.(node))}`;
    const changed = this.seen.get(node) !== now;
    this.seen.set(node, now);
    for (const check of this.checks) if (changed || check.restless) this.ask(check);
  }

  /** Nothing is left to happen, or the horizon has come. */
  ended(): void {
    this.verdicts.clear();
    for (const { name, violated } of this.atEnd) if (this.breach === null) this.note(name, violated(this.view));
  }

  private ask(check: Check): void {
    this.restless = false;
    const what = check.violated(this.view);
    check.restless = this.restless;
    if (this.breach === null) this.note(check.name, what);
  }

  private note(property: string, what: string | null): void {
    const { event, time } = this.run;
    if (what !== null) this.breach = { property, what, event, time };
  }

  /** The run as properties see it: verdicts are read once until they change, and it is noted who asks for the time. */
  private remembering(run: RunView): RunView {
    const { verdicts } = this;
    const note = () => {
      this.restless = true;
    };
    return {
      size: run.size,
      alive: (node) => run.alive(node),
      id: (node) => run.id(node),
      verdict(node) {
        const verdict = verdicts.get(node) ?? run.verdict(node);
        verdicts.set(node, verdict);
        return verdict;
      },
      report: (node) => run.report?.(node),
      get messages() {
        note();
        return run.messages;
      },
      get event() {
        note();
        return run.event;
      },
      get time() {
        note();
        return run.time;
      },
    };
  }
}
