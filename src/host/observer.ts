/**
 * Somebody who watches a run: traces, monitors of properties. A run that nobody watches pays a null check an event.
 * Messages are numbered in the order in which they are put on their way; one that is lost at once has the number null.
 */
export interface Observer {
  /** Before `init` runs. */
  started(node: number, time: number): void;
  sent(flight: number | null, from: number, to: number, message: unknown, time: number): void;
  /** The reason why a message never arrives. */
  lost(flight: number | null, to: number, time: number, why: "loss" | "crash"): void;
  /** Before the handler runs, so that what it sends comes after its cause. */
  delivered(flight: number, node: number, message: unknown, time: number): void;
  /** A process will fail at that time, which nobody had planned before the run (see `Context.enter`). */
  failing?(node: number, time: number): void;
  expired(node: number, timer: string, time: number): void;
  roundEnded(node: number, round: number): void;
  /** A handler has run: the node's state may have changed. */
  settled(node: number, time: number, state: unknown): void;
}
