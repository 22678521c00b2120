/** What a trial needs in memory, at least: what cannot fit is refused before it starts, not when it has filled the machine. */
import { InputError } from "../errors.ts";
import { entryOf, kernelNamed } from "../registry/all.ts";
import type { Settings } from "./settings.ts";

/** The least that a node costs on a host, whatever the protocol: its place in the tables, and a small state. */
const LEAST_PER_NODE = 90;
const GIGABYTE = 2 ** 30;

/** In bytes; measured for our protocols, and rather too little than too much. */
export function leastMemory(settings: Settings): number {
  const { protocol, kernel, n } = settings;
  if (kernel !== null) return kernelNamed(protocol, kernel).memory?.(settings) ?? 0;
  return Math.max(LEAST_PER_NODE * n, entryOf(protocol)?.memory?.(settings) ?? 0);
}

/** Refuses what does not fit into `bytes`, the share of one of so many threads. */
export function refuseTooLarge(settings: Settings, bytes: number, threads: number): void {
  const needed = leastMemory(settings);
  if (needed <= bytes) return;
  const each = threads > 1 ? `each of ${threads} threads has` : "there is";
  throw new InputError(
    (name) =>
      `a trial of ${settings.protocol.name} with n = ${settings.n} takes at least ${inGigabytes(needed)} of memory, and ${each} ${inGigabytes(bytes)}: ${advice(threads, name)}`,
  );
}

/** What JavaScript says where there is no memory for a table, or where one is larger than any can be. */
const NO_ROOM = /^(Array buffer allocation failed|Invalid typed array length: \d+|(Set|Map) maximum size exceeded)$/;

/** Whether a trial, or its thread, has ended for want of memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") ||
    (error.name === "RangeError" && NO_ROOM.test(error.message)));

/** What is said where the estimate was too low. */
export function ranOutOfMemory({ protocol, n }: Settings, bytes: number, threads: number): InputError {
  return new InputError(
    (name) =>
      `a trial of ${protocol.name} with n = ${n} does not fit into the ${inGigabytes(bytes)} that a thread has: ${advice(threads, name)}`,
  );
}

const advice = (threads: number, name: (field: string) => string): string =>
  `choose a smaller n${threads > 1 ? ` or fewer ${name("threads")}` : ""}`;

const inGigabytes = (bytes: number): string => `${Number((bytes / GIGABYTE).toPrecision(2))} GB`;
