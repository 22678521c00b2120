/** What a watcher from outside sees of one member: whom it counts as a member, and who leads, as far as it knows. */
import type { CounterState } from "./strict/counter.ts";
import type { EngineInside } from "./strict/engine.ts";
import type { Works } from "./strict/work.ts";

export interface Seat {
  readonly term: number;
  readonly leader: string | null;
  readonly mine: boolean;
  /** Strict mode: of the lease under which it is held, as far as this member knows. */
  readonly token?: number | null;
  readonly lease?: string | null;
}

export interface Peer {
  readonly name: string;
  readonly life: number;
}

export interface Glimpse {
  /** Another number whenever anything below is another. */
  readonly version: number;
  /** Of this process. */
  readonly life: number;
  readonly joined: boolean;
  readonly refused: string | null;
  /** Those it takes for live, itself included. */
  readonly view: readonly Peer[];
  readonly offices: Readonly<Record<string, Seat>>;
  /** Whom the latest handler of membership declared failed. */
  readonly failed: readonly Peer[];
  /** Strict mode: offices that it has won, or holds. */
  readonly wins?: readonly string[];
  /** Strict mode: offices whose work it has told to stop, and the heir of each; until it says that its tenure is over. */
  readonly heirs?: ReadonlyMap<string, string | null>;
}

/** A machine as the harness sees it. */
export interface Subject {
  version(state: unknown): number;
  glimpse(state: unknown): Glimpse;
  /** The office and term of an election in which somebody who sends this takes part; null for all other messages. */
  part(message: unknown): { readonly office: string; readonly term: number } | null;
  /** Strict mode: what work of a member has not settled; the engine's rows and clock; the resource's latest write. */
  works?(state: unknown): Works;
  engine?(state: unknown): EngineInside;
  counter?(state: unknown): CounterState;
}
