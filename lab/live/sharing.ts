/**
 * Browsers open six connections to one address for all their tabs together, and a stream keeps one for as long as it lasts: so only
 * pages that are seen stream, and of those only some.
 */
const STREAMS = 4;
/** Who changes tabs and comes back finds everything as it was. */
const GRACE = 5000;

/** Whether this page may stream, until the signal; where the browser cannot say, it may. */
export async function takeTurn(signal: AbortSignal): Promise<boolean> {
  // Not there on pages that came without TLS from another machine.
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return true;
  for (let i = 0; i < STREAMS; i++) {
    if (await hold(locks, `sortition-live-stream-${i}`, signal)) return true;
  }
  return false;
}

function hold(locks: LockManager, name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null && !signal.aborted);
      if (lock === null || signal.aborted) return undefined;
      return new Promise<void>((release) => signal.addEventListener("abort", () => release()));
    });
    held.catch(() => resolve(true));
  });
}

/** Comes true when somebody can see this page. */
export const whenSeen = (signal: AbortSignal): Promise<void> => turned(signal, () => !document.hidden);

/** Comes true when nobody has seen it for a while. */
export async function whenHidden(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await turned(signal, () => document.hidden);
    const back = new AbortController();
    const either = AbortSignal.any([signal, back.signal]);
    const isBack = await Promise.race([
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), GRACE)),
      turned(either, () => !document.hidden).then(() => true),
    ]);
    back.abort();
    if (!isBack) return;
  }
}

function turned(signal: AbortSignal, is: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (is() || signal.aborted) {
      resolve();
      return;
    }
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      resolve();
    };
    const options = { signal: ended.signal };
    document.addEventListener("visibilitychange", () => is() && end(), options);
    signal.addEventListener("abort", end, options);
  });
}
