/**
 * Memory of an agent's process. V8 keeps what a start has used while a process allocates little, as an agent does: so each thread gives it
 * back, once. And V8 compiles what is called some hundred times into fast code, which takes 5 MB and more: an agent that waits has no use
 * for that, and one with much to do still gets it within seconds.
 */

/** Calls of a function before V8 optimizes it: 100 times the defaults of V8. An older V8 has other flags, and complains. */
const OPTIMIZE_LATER = ["--invocation-count-for-maglev=40000", "--invocation-count-for-turbofan=300000"];
const FIRST_V8 = 13;

/**
 * The room for young objects stays as it is at the start of a thread, 2 MB. If a busy thread leaves many of them alive, V8 doubles the
 * room again and again, to 32 MB and on large machines to 128 MB, and gives it back late.
 */
const KEEP_YOUNG_SMALL = "--semi-space-growth-factor=1";

/** Only for processes of our own, before their threads start: users decide over the flags of theirs. */
export function spareMemory(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--expose-gc");
  setFlagsFromString(KEEP_YOUNG_SMALL);
  if (Number.parseInt(process.versions.v8, 10) >= FIRST_V8) for (const flag of OPTIMIZE_LATER) setFlagsFromString(flag);
}

/** In a thread, once it has loaded what it needs; 40 ms of CPU. */
export function collect(): void {
  // In the first thread the flag came too late for a global function.
  const gc =
    globalThis.gc ?? (process.getBuiltinModule("node:vm").runInNewContext("globalThis.gc") as typeof globalThis.gc);
  gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
