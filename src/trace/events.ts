/** A run, step by step: what happened, when, and because of what. */
import { InputError } from "../errors.ts";
import type { LossReason } from "../host/observer.ts";
import type { Handled, Scene } from "../narrator.ts";
import { type Id, SELF, type Verdict } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";

/** What happened at a node: a happening, as a host's steps have it, or one of its effects. */
export type TraceStep = { readonly node: number } & (
  | Handled<unknown>
  | { readonly do: "crash" | "pause" | "resume" }
  | { readonly do: "send"; readonly to: number; readonly message: unknown }
  /** The message that `cause` sent never arrives. */
  | { readonly do: "lose"; readonly why: LossReason }
  /** The message that `cause` sent will arrive once more. */
  | { readonly do: "duplicate" }
  /** The message that `cause` sent has arrived, and has not the shape of one (`accepts`). */
  | { readonly do: "refuse"; readonly message: unknown }
  | ({ readonly do: "verdict" } & Verdict)
);

/** Something that happened at a node, when, and which earlier event caused it. */
export type TraceEvent = TraceStep & {
  /** Virtual time, a round, or the number of a step where there is no time. */
  readonly at: number;
  /** The number of the event without which this one would not have happened: a delivery's is its sending. */
  readonly cause: number | null;
};

/** What happens to a node from outside, or in its own time; all else follows from one of these. */
const HAPPENINGS: readonly TraceEvent["do"][] = [
  "start",
  "restart",
  "join",
  "leave",
  "crash",
  "pause",
  "resume",
  "deliver",
  "refuse",
  "timer",
  "command",
  "end-round",
];

export const happens = (event: TraceStep): boolean => HAPPENINGS.includes(event.do);

/** More would fill the memory, and nobody could read the file again: a string of JavaScript has at most 2^29 characters. */
const MOST_EVENTS = 3_000_000;

/** Collects events. The caller says when a handler begins; the events that follow are caused by it. */
export class TraceLog {
  readonly events: TraceEvent[] = [];
  /** The number of what is being handled. */
  handling: number | null = null;
  private readonly verdicts = new Map<number, string>();

  /** Something begins to be handled at a node; returns the event's number. */
  handle(at: number, step: TraceStep, cause: number | null): number {
    this.handling = this.add(at, step, cause);
    return this.handling;
  }

  /** Something done by the handler that is running. */
  effect(at: number, step: TraceStep): number {
    return this.add(at, step, this.handling);
  }

  add(at: number, step: TraceStep, cause: number | null): number {
    if (this.events.length === MOST_EVENTS) {
      throw new InputError(`the run has more than ${MOST_EVENTS} events: trace one of fewer processes`);
    }
    this.events.push({ ...step, at, cause });
    return this.events.length - 1;
  }

  /** What a node believes now; noted when it has changed. */
  believes(at: number, node: number, verdict: Verdict): void {
    const { status, leader, term } = verdict;
    const text = `${status} ${leader} ${term}`;
    const before = this.verdicts.get(node) ?? "undecided null 0";
    if (text === before) return;
    this.verdicts.set(node, text);
    this.effect(at, { do: "verdict", node, status, leader, term });
  }
}

/** As JSON, which has no bigints: they are written as text, 12n, and compared as that. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));

interface Cast {
  readonly ids: ArrayLike<Id> | null;
  readonly topology: Topology;
  /** What the nodes are called, by number, where a paper's example gives them names. */
  readonly names?: readonly string[];
}

export function sceneOf({ ids, topology, names = [] }: Cast): Scene {
  return {
    n: topology.size,
    name: (node, letter) => names[node] ?? (letter === undefined ? `node ${node}` : `${letter}${node}`),
    id: (node) => ids?.[node] ?? null,
    behind: (node, port) => (port === SELF ? node : topology.neighbour(node, port)),
  };
}
