/**
 * Observers of a run: traces, monitors of properties, a stepping host. A run without an observer pays one null check an event. Messages are
 * numbered in the order in which they are sent; a message that is lost at once has the number null.
 */
import type { RunView } from "../properties/properties.ts";
import type { Verdict } from "../protocol.ts";
import type { Partition } from "./faults/faults.ts";

/** Why no handler saw a message: it was lost, or its receiver had crashed, had left, refused it, or never existed. */
export type Missed = "loss" | "crash" | "leave" | "refused" | "nobody";

/** Why a message never arrives. */
export type LossReason = Exclude<Missed, "refused">;

/** How a process was started: with all, after a crash, or as a newcomer. */
export type Start = "start" | "restart" | "join";

/** An observer of a run; every method may be missing. */
export interface Observer {
  /** Before anything happens. */
  opened?(run: RunView): void;
  /** Before `init` runs. */
  started?(node: number, time: number, how: Start): void;
  /** `to` is below 0 if an address belongs to no node. Called for each copy of a multicast. */
  sent?(flight: number | null, from: number, to: number, message: unknown, time: number, multicast: boolean): void;
  /** A second copy of a flight is put on its way. */
  duplicated?(flight: number, of: number, to: number, time: number): void;
  lost?(flight: number | null, to: number, time: number, why: Missed, message: unknown): void;
  /** Before the handler runs, so that what it sends comes after its cause. */
  delivered?(flight: number, node: number, message: unknown, time: number): void;
  /** As `delivered`, for a command of the node's user. */
  commanded?(node: number, message: unknown, time: number): void;
  expired?(node: number, timer: string, time: number): void;
  roundEnded?(node: number, round: number): void;
  crashed?(node: number, time: number): void;
  /** Before its last handler runs. */
  left?(node: number, time: number): void;
  paused?(node: number, time: number, to: number): void;
  resumed?(node: number, time: number): void;
  /** The caller of a stepped run has cut the network; null: has healed it. */
  cut?(partition: Partition | null, time: number): void;
  /** The handler's state was saved, and none of its effects has left. */
  saved?(node: number, time: number, saved: unknown): void;
  /** After saving, and before the handler's effects leave. */
  reported?(node: number, time: number, verdict: Verdict, report: unknown): void;
  /** A handler has run and its effects have left, all or some of them: the node's state may have changed. */
  settled?(node: number, time: number, state: unknown): void;
  /** Nothing is left to happen, or the horizon has come. */
  ended?(): void;
}
