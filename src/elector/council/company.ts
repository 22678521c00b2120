/** What a council needs of its group: the machine passes it in, for one handler. */
import type { Port } from "../../protocol.ts";

export interface Company<M> {
  readonly name: string;
  readonly life: number;
  /** Live members, this one included. */
  size(): number;
  /** Whether that life of a member is the present one, and lives. */
  isLive(name: string, life: number): boolean;
  /** The live member of that life, and the life of a live member; null if there is none. */
  nameOf(life: number): string | null;
  lifeOf(name: string): number | null;
  /** The port to a live member; null if there is none. */
  portTo(name: string): Port | null;
  send(port: Port, message: M): void;
  /** Spreads a note, which replaces those with lower numbers under its key. */
  publish(key: string, number: number, value: unknown): void;
  /** The number of the note under a key; 0 if there is none. */
  noted(key: string): number;
  choose(n: number): number;
  coin(p: number): boolean;
}

/** The numbers of one council; times are ticks of its keeper. */
export interface CouncilNumbers {
  /** How few and how many members it should have. */
  readonly L: number;
  readonly U: number;
  /** More are invited while no more than this are left, L <= low < U. */
  readonly low: number;
  /** Expected offers for each free seat. Offers that come too late are declined; with fewer, seats stay empty. */
  readonly spare: number;
  /** Time between two answers that a member is asked for. */
  readonly exchange: number;
  /** Time until a pulse that got no answer is repeated, if that is sooner than the next pulse. */
  readonly again: number;
  /** A seat ends after this many unanswered pulses in a row. */
  readonly patience: number;
  /** A member that hears nothing for this long resigns. Must be more than exchange + patience pulses, or seats flap. */
  readonly lease: number;
  /** Time between the first two invitations while seats are free. It doubles while no member accepts. */
  readonly round: number;
  readonly longestRound: number;
  /** Whether the centre tells each member who the others are, and whether it tells the whole group, by gossip. */
  readonly tells: boolean;
  readonly publishes: boolean;
}

/** As `portTo`, then `send`; whether there was a way. */
export function sendTo<M>(company: Company<M>, name: string, message: M): boolean {
  const port = company.portTo(name);
  if (port === null) return false;
  company.send(port, message);
  return true;
}
