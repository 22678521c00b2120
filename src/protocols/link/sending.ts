/**
 * One direction of a reliable link, as its sender sees it: what waits, what is on its way, and how often to try again.
 *
 * Go-back-N with a slow start: when nothing is acknowledged in time, one message is sent again, and after each
 * acknowledgement twice as many, so that a window never leaves in a burst. The time-out doubles, and is taken back step by
 * step by messages that were sent only once: others say nothing about the round trip (P. Karn and C. Partridge, "Improving
 * round-trip time estimates in reliable transport protocols", SIGCOMM 1987).
 */
export interface Sending<M> {
  /** Another one begins when the receiver starts again or has been given up: no number is ever used for two messages. */
  stream: number;
  /** The number of the first message that waits; all before it have been acknowledged. */
  first: number;
  /** The number of the next message to put on its way. */
  next: number;
  /** `copies`: none, one, or more (2). */
  queue: { readonly message: M; copies: number }[];
  /** How many messages may be on their way. */
  pace: number;
  /** How often the time-out has doubled. */
  backoff: number;
  /** Time-outs since the last answer. */
  silent: number;
}

export interface SendingLimits {
  readonly window: number;
  readonly patience: number;
  readonly timeout: number;
  readonly longest: number;
}

export const newSending = <M>({ window }: SendingLimits): Sending<M> => ({
  stream: 0,
  first: 0,
  next: 0,
  queue: [],
  pace: window,
  backoff: 0,
  silent: 0,
});

/** The messages that may leave now. */
export function* departing<M>(sending: Sending<M>): Generator<{ number: number; message: M; again: boolean }> {
  while (sending.next < sending.first + Math.min(sending.pace, sending.queue.length)) {
    const number = sending.next++;
    const waiting = sending.queue[number - sending.first];
    yield { number, message: waiting.message, again: waiting.copies > 0 };
    waiting.copies = Math.min(2, waiting.copies + 1);
  }
}

/** All before `next` has arrived. False where that is no news. */
export function acknowledgeUpTo<M>(sending: Sending<M>, stream: number, next: number, window: number): boolean {
  const last = sending.queue[next - sending.first - 1];
  if (stream !== sending.stream || (next > sending.first && !(last?.copies > 0))) return false;
  sending.silent = 0;
  if (next <= sending.first) return false;
  sending.queue.splice(0, next - sending.first);
  sending.first = next;
  sending.next = Math.max(sending.next, next);
  sending.pace = Math.min(window, 2 * sending.pace);
  if (last.copies === 1) sending.backoff = Math.max(0, sending.backoff - 1);
  return true;
}

/** Nothing was acknowledged in time. Says how many messages are given up: all that wait, once patience has ended. */
export function timeOut<M>(sending: Sending<M>, { patience, timeout, longest }: SendingLimits): number {
  sending.pace = 1;
  sending.next = sending.first;
  if (sending.silent++ < patience) {
    if (timeout * 2 ** sending.backoff < longest) sending.backoff++;
    return 0;
  }
  return startAgain(sending, false);
}

/** A new stream, with what had not been acknowledged or without it. Says how many messages were given up. */
export function startAgain<M>(sending: Sending<M>, keep: boolean): number {
  const lost = keep ? 0 : sending.queue.splice(0).length;
  sending.stream++;
  sending.first = 0;
  sending.next = 0;
  sending.pace = 1;
  sending.silent = 0;
  return lost;
}

export const timeoutOf = ({ backoff }: Sending<unknown>, { timeout, longest }: SendingLimits): number =>
  Math.min(longest, timeout * 2 ** backoff);

/** One direction of a reliable link, as its receiver sees it: what came too early waits for what is missing. */
export interface Receiving<M> {
  /** -1 before anything has come. */
  stream: number;
  /** All before it have been handed over. */
  expected: number;
  /** In ascending order. */
  early: { readonly number: number; readonly message: M }[];
}

export const newReceiving = <M>(): Receiving<M> => ({ stream: -1, expected: 0, early: [] });

/** What can be handed over now, in order; `overflow` where the message lies too far ahead to be kept. */
export function arrive<M>(
  receiving: Receiving<M>,
  { stream, number, message }: { readonly stream: number; readonly number: number; readonly message: M },
  room: number,
): M[] | "overflow" {
  if (stream < receiving.stream) return [];
  if (stream > receiving.stream) Object.assign(receiving, newReceiving(), { stream });
  const { early, expected } = receiving;
  if (number >= expected + room) return "overflow";
  if (number < expected || early.some((other) => other.number === number)) return [];
  const place = early.findIndex((other) => other.number > number);
  early.splice(place < 0 ? early.length : place, 0, { number, message });
  let due = 0;
  while (due < early.length && early[due].number === expected + due) due++;
  receiving.expected += due;
  return early.splice(0, due).map((each) => each.message);
}
