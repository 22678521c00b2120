/** Threads of this package. */
import { Worker, type WorkerOptions } from "node:worker_threads";

/** A thread inherits the flags of its process, and would not start under those of a program given as text (node -e). */
export function startThread(program: URL, options: WorkerOptions): Worker {
  const isText = process.execArgv.some((flag) => flag.startsWith("--input-type"));
  return new Worker(program, isText ? { ...options, execArgv: [] } : options);
}
