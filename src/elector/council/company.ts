/** What a council needs of the group around it: passed in by the machine, for one handler. */
import type { Port } from "../../protocol.ts";

export interface Company<M> {
  readonly name: string;
  readonly life: number;
  /** Live members, this one included. */
  size(): number;
  /** Whether that life of a member is the present one, and lives. */
  isLive(name: string, life: number): boolean;
  /** The live member of that life, and the life of a live member; null where there is none. */
  nameOf(life: number): string | null;
  lifeOf(name: string): number | null;
  /** Where a live member is reached; null where it cannot be. */
  portTo(name: string): Port | null;
  send(port: Port, message: M): void;
  /** Spreads a note, which replaces those with lower numbers under its key. */
  publish(key: string, number: number, value: unknown): void;
  /** The number of the note under a key; 0 where there is none. */
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
  /** Offers may be so many times the free seats: those that come too late are declined. Fewer leave seats empty. */
  readonly spare: number;
  /** From one answer of a member to the next that is asked for. */
  readonly exchange: number;
  /** From a pulse that wants an answer and gets none to the next, where that is less than from any pulse to the next. */
  readonly again: number;
  /** So many pulses in a row that want an answer and get none end a seat. */
  readonly patience: number;
  /** A member that hears nothing for so long resigns. More than exchange + patience pulses, or seats flap. */
  readonly lease: number;
  /** From one invitation to the next while seats are free, at first; doubles while nobody comes. */
  readonly round: number;
  readonly longestRound: number;
  /** Whether members are told of each other, each by itself; and whether everybody is, by rumour. */
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
