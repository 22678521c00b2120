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
