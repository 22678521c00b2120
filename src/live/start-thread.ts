/** Threads of this package. */
import { Worker, type WorkerOptions } from "node:worker_threads";
import { type PROGRAMS, programUrl } from "../package-files.ts";

/** A thread inherits the flags of its process, and would not start under those of a program given as text (node -e). */
export function startThread(program: keyof typeof PROGRAMS, options: WorkerOptions): Worker {
  const isText = process.execArgv.some((flag) => flag.startsWith("--input-type"));
  return new Worker(programUrl(program), isText ? { ...options, execArgv: [] } : options);
}
