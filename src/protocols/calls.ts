/** Whether code of the user is running, for another thread to see: one that waits for it can tell that it does not return. */

/** The handlers by number, as they are shown. */
const HANDLERS = ["init", "receive", "expire", "endRound", "leave", "a projection of its state", "a promise"];
export const ENTERED = 0;
const LEFT = 1;
const LAST = 2;
export const CALL_FIELDS = 3;

let shown: Int32Array | null = null;

/** From now on, calls on this thread are counted there. */
export function showCalls(where: Int32Array): void {
  shown = where;
}

export function enterCall(handler: string): void {
  if (shown !== null) show(shown, handler);
}

/** Apart, so that V8 inlines the rest. */
function show(calls: Int32Array, handler: string): void {
  Atomics.store(calls, LAST, Math.max(0, HANDLERS.indexOf(handler)));
  Atomics.add(calls, ENTERED, 1);
}

export function leaveCall(): void {
  if (shown !== null) Atomics.add(shown, LEFT, 1);
}

/** The call that is running, in words; null where none is. */
export const runningCall = (calls: Int32Array): string | null =>
  Atomics.load(calls, ENTERED) === Atomics.load(calls, LEFT) ? null : HANDLERS[Atomics.load(calls, LAST)];
