/** What holders and watchers say to each other: the messages of a council, and reports of watchers. */
import { hasShape, isCount } from "../../protocols/shape.ts";
import { type Between, isCouncilMessage, type SeatMessage } from "../council/messages.ts";

/** Of one watcher to another: how long it has heard nothing of that life of a holder. */
export interface WatchReport extends Between {
  readonly kind: "report";
  readonly life: number;
  /** In the sender's ticks. A report from its window on; what is less takes one back, or answers one. */
  readonly silent: number;
}

export type WatchMessage = SeatMessage | WatchReport;

const reportShape = {
  from: Number.isSafeInteger,
  to: Number.isSafeInteger,
  life: Number.isSafeInteger,
  silent: isCount,
};

/** Whether a message is one of the watch, and well formed: for `accepts`, and to tell it from others. */
export const isWatchMessage = (message: unknown): message is WatchMessage =>
  isCouncilMessage(message) ||
  ((message as { kind?: unknown } | null)?.kind === "report" && hasShape(message, reportShape));
