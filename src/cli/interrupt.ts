/**
 * Signals. Ctrl-C: the first one asks the work to end with what it has, a second one ends the process. Ends of all kinds go
 * through `exit`, so that files that are not complete are removed. A hang-up reads the keys again.
 */
import { constants } from "node:os";
import { setImmediate } from "node:timers/promises";
import { InputError } from "../errors.ts";
import type { Keyring } from "../live/net/keyring.ts";
import type { Io } from "./io.ts";

interface Interrupt {
  readonly signal: AbortSignal;
  /** Signals do again what they do without us. */
  stop(): void;
}

export function onInterrupt(io: Io): Interrupt {
  const controller = new AbortController();
  const end = (name: "SIGINT" | "SIGTERM" | "SIGHUP") => io.exit(128 + constants.signals[name]);
  const interrupt = () => {
    if (controller.signal.aborted) end("SIGINT");
    controller.abort();
  };
  io.on("SIGINT", interrupt).on("SIGTERM", end).on("SIGHUP", end);
  return {
    signal: controller.signal,
    stop: () => io.off("SIGINT", interrupt).off("SIGTERM", end).off("SIGHUP", end),
  };
}

/** Milliseconds of work between two looks at what else has happened. */
const TURN = 50;

/** Does work that pauses now and then, and listens to signals meanwhile. */
export async function inTurns<T>(work: Generator<unknown, T>): Promise<T> {
  for (let turn = performance.now(), step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    // What it waits for itself, where it does.
    if (step.value instanceof Promise) await step.value;
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    turn = performance.now();
  }
}

/** SIGHUP reads the keys again. Calling the result ends that. */
export function onHangUp(io: Io, read: () => Keyring, use: (keyring: Keyring) => void): () => void {
  const reload = () => {
    try {
      use(read());
    } catch (error) {
      // A half-written key file must not end a running process: it goes on with the keys it has.
      if (!(error instanceof InputError)) throw error;
      io.stderr.write(`sortition: ${error.message}; the keys stay as they were\n`);
    }
  };
  io.on("SIGHUP", reload);
  return () => io.off("SIGHUP", reload);
}
