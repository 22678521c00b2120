/** What a watcher from outside sees of one member: whom it counts as a member, and who leads, as far as it knows. */

export interface Seat {
  readonly term: number;
  readonly leader: string | null;
  readonly mine: boolean;
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
  /** Whom the latest handler declared failed. */
  readonly failed: readonly Peer[];
}

/** A machine as the harness sees it. */
export interface Subject {
  version(state: unknown): number;
  glimpse(state: unknown): Glimpse;
  /** The office and term of an election in which somebody who sends this takes part; null for all other messages. */
  part(message: unknown): { readonly office: string; readonly term: number } | null;
}
