/**
 * Memory of an agent's process. V8 keeps what a start has used while a process allocates little, as an agent does: so each thread gives it
 * back, once. And V8 compiles what is called some hundred times into fast code, which takes 5 MB and more: an agent that waits has no use
 * for that, and one with much to do still gets it within seconds.
 */
import { setFlagsFromString } from "node:v8";

/** Calls of a function before V8 optimizes it: 100 times the defaults of V8. */
const FLAGS = ["--expose-gc", "--invocation-count-for-maglev=40000", "--invocation-count-for-turbofan=300000"];

/** Only for processes of our own, before their threads start: users decide over the flags of theirs. */
export function spareMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/** In a thread, once it has loaded what it needs. */
export const collect = (): void => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });

/** In the member's thread, once it has started, after `spareMemory`: a collection of 15 ms, where the one of other threads takes 60. */
export function collectMember(): void {
  // The flag came too late for this thread's own globals.
  const gc = process.getBuiltinModule("node:vm").runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
  gc({ type: "major", execution: "sync" });
}
