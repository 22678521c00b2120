/**
 * What the user of an election is told, and when: abort signals fire in the report itself, before anything of what follows
 * leaves this process; other callbacks come after that, and one that throws stops nothing.
 */
import type { Verdict } from "../protocol.ts";
import type { World } from "./world.ts";

export interface TidingsOptions {
  readonly onBegin?: () => void;
  /** Told of every change of the verdict, and of what the protocol reports beyond it. */
  readonly onVerdict?: (verdict: Verdict) => void;
  readonly onReport?: (report: unknown) => void;
  /** This member leads; the signal fires as soon as it no longer does. */
  readonly onElected?: (signal: AbortSignal) => void;
  /** Gets what the others throw; where missing, the process warns of it. */
  readonly onError?: (error: unknown) => void;
}

export class Tidings {
  begunAt: number | null = null;
  decidedAt: number | null = null;
  private readonly options: TidingsOptions;
  private readonly world: World;
  private leading: { readonly term: number; readonly controller: AbortController } | null = null;
  private verdict = "";
  private report = "";
  private calls: (() => void)[] = [];

  constructor(options: TidingsOptions, world: World) {
    this.options = options;
    this.world = world;
  }

  /** From the common start to the verdict; null without one. */
  get seconds(): number | null {
    if (this.begunAt === null || this.decidedAt === null) return null;
    return Math.round(this.decidedAt - this.begunAt) / 1000;
  }

  begun(): void {
    this.begunAt = this.world.now();
    this.tell(() => this.options.onBegin?.());
  }

  reported(verdict: Verdict, report: unknown): void {
    const { onVerdict, onReport, onElected } = this.options;
    this.decidedAt = verdict.status === "undecided" ? null : (this.decidedAt ?? this.world.now());
    const leads = verdict.status === "elected";
    if (this.leading !== null && (!leads || this.leading.term !== verdict.term)) {
      this.leading.controller.abort();
      this.leading = null;
    }
    if (leads && this.leading === null) {
      const controller = new AbortController();
      this.leading = { term: verdict.term, controller };
      if (onElected !== undefined) this.calls.push(() => onElected(controller.signal));
    }
    const [verdictText, reportText] = [JSON.stringify(verdict), onReport === undefined ? "" : JSON.stringify(report)];
    if (verdictText !== this.verdict && onVerdict !== undefined) this.calls.push(() => onVerdict(verdict));
    if (reportText !== this.report && onReport !== undefined) this.calls.push(() => onReport(report));
    this.verdict = verdictText;
    this.report = reportText;
  }

  released(): void {
    for (const call of this.calls.splice(0)) this.tell(call);
  }

  private tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (this.options.onError !== undefined) this.options.onError(error);
      else process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}
