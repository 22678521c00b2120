/**
 * Gives back what the start of a thread has used: V8 keeps that memory while a thread allocates little, as those of an agent do. The
 * member's own thread is left alone, because a collection of this kind takes 60 ms.
 */
import { setFlagsFromString } from "node:v8";

/** Threads that this process starts from now on may collect. Only for processes of our own: users decide over the flags of theirs. */
export const letThreadsCollect = (): void => setFlagsFromString("--expose-gc");

/** In a thread, once it has loaded what it needs. */
export const collect = (): void => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
