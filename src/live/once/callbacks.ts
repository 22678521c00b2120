/**
 * What the user of an election is told, and when: abort signals fire in the report itself, before anything of what follows
 * leaves this process; other callbacks come after that, and one that throws stops nothing.
 */
import type { Verdict } from "../../protocol.ts";
import type { OnceReport } from "../../protocols/once/state.ts";
import type { World } from "../world.ts";

/** What a user can be told of an election. */
export interface ElectionCallbacks {
  readonly onBegin?: () => void;
  /** Told of every change of the verdict, and of what the protocol reports beyond it. */
  readonly onVerdict?: (verdict: Verdict) => void;
  readonly onReport?: (report: unknown) => void;
  /** This member leads; the signal fires as soon as it no longer does. */
  readonly onElected?: (signal: AbortSignal) => void;
  /** Gets what the others throw; where missing, the process warns of it. */
  readonly onError?: (error: unknown) => void;
}

export class CallbackQueue {
  private readonly callbacks: ElectionCallbacks;
  private readonly world: Pick<World, "now">;
  private begunAt: number | null = null;
  private decidedAt: number | null = null;
  private leading: { readonly term: number; readonly controller: AbortController } | null = null;
  private verdict = "";
  private report = "";
  private calls: (() => void)[] = [];

  constructor(callbacks: ElectionCallbacks, world: Pick<World, "now">) {
    this.callbacks = callbacks;
    this.world = world;
  }

  /** From the common start to the verdict; null without one. */
  get seconds(): number | null {
    if (this.begunAt === null || this.decidedAt === null) return null;
    return Math.round(this.decidedAt - this.begunAt) / 1000;
  }

  /** The election's machine has reported. */
  reported({ hasBegun, verdict, report }: OnceReport): void {
    if (!hasBegun) return;
    const { onBegin, onVerdict, onReport } = this.callbacks;
    if (this.begunAt === null) {
      this.begunAt = this.world.now();
      if (onBegin !== undefined) this.calls.push(onBegin);
    }
    this.decidedAt = verdict.status === "undecided" ? null : (this.decidedAt ?? this.world.now());
    this.lead(verdict);
    const [verdictText, reportText] = [JSON.stringify(verdict), onReport === undefined ? "" : JSON.stringify(report)];
    if (verdictText !== this.verdict && onVerdict !== undefined) this.calls.push(() => onVerdict(verdict));
    if (reportText !== this.report && onReport !== undefined) this.calls.push(() => onReport(report));
    this.verdict = verdictText;
    this.report = reportText;
  }

  /** What was sent has left. */
  released(): void {
    for (const call of this.calls.splice(0)) {
      try {
        call();
      } catch (error) {
        if (this.callbacks.onError !== undefined) this.callbacks.onError(error);
        else process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }

  private lead({ status, term }: Verdict): void {
    const leads = status === "elected";
    if (this.leading !== null && (!leads || this.leading.term !== term)) {
      this.leading.controller.abort();
      this.leading = null;
    }
    if (!leads || this.leading !== null) return;
    const controller = new AbortController();
    this.leading = { term, controller };
    const { onElected } = this.callbacks;
    if (onElected !== undefined) this.calls.push(() => onElected(controller.signal));
  }
}
