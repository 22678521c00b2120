/**
 * Changes of a group as an async iterator. Up to a bound it keeps changes that its reader has not taken; then it drops the oldest, since
 * the latest has the present state. It ends when the member has left, and throws if the member had to stop.
 */
import { isDeepStrictEqual } from "node:util";
import type { GroupStatus } from "./view.ts";

/** What a member knew at one moment, and how many changes just before the reader was too slow for. */
export interface GroupChange extends GroupStatus {
  readonly missed: number;
}

/** The reader's end: `for await`, and `return` to stop early. */
export interface GroupChanges extends AsyncIterableIterator<GroupChange, undefined> {
  return(): Promise<IteratorResult<GroupChange, undefined>>;
  [Symbol.asyncIterator](): GroupChanges;
  [Symbol.asyncDispose](): Promise<void>;
}

type End = { readonly error: unknown } | "left";

export class ChangeQueue {
  readonly reader: GroupChanges;
  private readonly bound: number;
  private readonly closed: (queue: ChangeQueue) => void;
  private waiting: GroupChange[] = [];
  private last: GroupStatus | null = null;
  private missed = 0;
  private end: End | null = null;
  private wake: (() => void)[] = [];

  /** `closed`: called when the reader stops. */
  constructor(bound: number, closed: (queue: ChangeQueue) => void) {
    this.bound = bound;
    this.closed = closed;
    const stop = async () => {
      this.waiting = [];
      this.finish("left");
      return { done: true as const, value: undefined };
    };
    const reader: GroupChanges = {
      next: () => this.next(),
      return: stop,
      [Symbol.asyncIterator]: () => reader,
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
    this.reader = reader;
  }

  push(status: GroupStatus): void {
    if (this.end !== null || isDeepStrictEqual(status, this.last)) return;
    this.last = status;
    this.waiting.push({ ...status, missed: 0 });
    if (this.waiting.length > this.bound) {
      this.waiting.shift();
      this.missed++;
    }
    this.wakeOne();
  }

  /** Ends the iterator once the reader has taken what waits. */
  finish(end: End): void {
    if (this.end !== null) return;
    this.end = end;
    this.closed(this);
    while (this.wake.length > 0) this.wakeOne();
  }

  private wakeOne(): void {
    this.wake.shift()?.();
  }

  private async next(): Promise<IteratorResult<GroupChange, undefined>> {
    while (this.waiting.length === 0 && this.end === null) {
      await new Promise<void>((resolve) => this.wake.push(resolve));
    }
    const change = this.waiting.shift();
    if (change !== undefined) {
      const { missed } = this;
      this.missed = 0;
      return { done: false, value: { ...change, missed } };
    }
    const { end } = this;
    this.end = "left";
    if (end !== null && end !== "left") throw end.error;
    return { done: true, value: undefined };
  }
}
