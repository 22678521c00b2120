/** Deeds: planned events of processes in the order of time, from the plan, and from the caller of a stepped run. */
import type { FaultPlan, Partition } from "../faults/faults.ts";
import { keep, type Restore } from "../stepping/frames.ts";
import { EventHeap } from "./heap.ts";

/** A deed that runs a handler. `life`: that of the paused process for which it waits; it does not happen in a later life. */
export type OwnDeed = { readonly node: number; readonly life?: number } & (
  | { readonly do: "leave" }
  | { readonly do: "command"; readonly message: unknown }
);

export type Deed =
  | { readonly do: "crash" | "resume" | "join"; readonly node: number }
  | OwnDeed
  | { readonly do: "pause"; readonly node: number; readonly to: number }
  | { readonly do: "restart"; readonly node: number; readonly saved: boolean }
  | { readonly do: "drop"; readonly flight: number }
  /** Null heals it. */
  | { readonly do: "cut"; readonly partition: Partition | null };

/** The order of deeds at one instant: a reboot crashes before it starts, and a command finds a process that has just started. */
const ORDER: readonly Deed["do"][] = ["crash", "leave", "resume", "pause", "join", "restart", "drop", "cut", "command"];

/** Deeds that start something: a run does not end before them. */
const LASTING: readonly Deed["do"][] = ["leave", "join", "restart", "command"];

/** Deeds of a process itself: a due deadline comes before them, also after a pause. */
const OWN: readonly Deed["do"][] = ["leave", "command"] satisfies OwnDeed["do"][];

const SPACING = 2 ** 40;

export class EventQueue {
  private readonly heap = new EventHeap<Deed>();
  private added = 0;
  private lasting = 0;

  /** When the next deed is due; infinity when there is none. */
  get next(): number {
    return this.heap.next;
  }

  /** Whether the next deed is one that the process itself does, when it runs. */
  get nextIsOwn(): boolean {
    return OWN.includes(this.heap.peekItem().do);
  }

  /** Whether a deed is left that starts something. */
  get lasts(): boolean {
    return this.lasting > 0;
  }

  /** `lasts`: the run does not end before it. */
  add(time: number, deed: Deed, lasts = LASTING.includes(deed.do)): void {
    if (lasts) this.lasting++;
    this.heap.push(time, ORDER.indexOf(deed.do) * SPACING + this.added++, Number(lasts), 0, deed);
  }

  /** Adds a deed before all others of its time, but after those that were added first earlier. */
  addFirst(time: number, deed: Deed): void {
    this.heap.push(time, this.added++ - SPACING, 0, 0, deed);
  }

  /** Postpones the deed that was taken last, but keeps it before those that follow it. */
  postpone(time: number, deed: Deed): void {
    const { order, node: lasts } = this.heap;
    this.lasting += lasts;
    this.heap.push(time, order, lasts, 0, deed);
  }

  pop(): Deed {
    this.heap.pop();
    this.lasting -= this.heap.node;
    return this.heap.item;
  }

  save(): Restore {
    return keep(this, ["added", "lasting"], [this.heap.save()]);
  }
}

/** The deeds of a plan; a crash or a pause inside a handler comes with the handler (see strikes.ts). */
export function* deedsOf(plan: FaultPlan): Generator<readonly [number, Deed]> {
  for (const { node, at, sends } of plan.crashes) if (sends === undefined) yield [at, { do: "crash", node }];
  for (const { node, from, to, sends } of plan.pauses) {
    if (sends === undefined) yield [from, { do: "pause", node, to }];
  }
  for (const { node, at, saved } of plan.restarts ?? []) yield [at, { do: "restart", node, saved }];
  for (const { node, at } of plan.joins ?? []) yield [at, { do: "join", node }];
  for (const { node, at } of plan.leaves ?? []) yield [at, { do: "leave", node }];
  for (const { node, at, message } of plan.commands ?? []) yield [at, { do: "command", node, message }];
}
