/**
 * Gives back what the start of an agent has used. V8 keeps that memory while a thread allocates little, as an idle agent does: 9 MB in
 * three threads. Only for processes of our own: users decide over the flags of theirs.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds: by then a thread has loaded what it needs. */
const AFTER = 2000;

/** In the first thread of a process. Threads that start later can collect, too. */
export function collectInProcess(): void {
  setFlagsFromString("--expose-gc");
  collectWith(runInNewContext("gc") as NodeJS.GCFunction);
}

/** In a further thread, where its process allows that. */
export function collectInThread(): void {
  if (globalThis.gc !== undefined) collectWith(globalThis.gc);
}

function collectWith(collect: NodeJS.GCFunction): void {
  setTimeout(() => collect({ type: "major", execution: "sync", flavor: "last-resort" }), AFTER).unref();
}
