/** What `sortition run` and its guardian say to each other: one JSON object a line, over a pipe that closes when either ends. */

import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { programFile } from "../../package-files.ts";
import { realWorld } from "../real-world.ts";
import type { Deadline } from "./times.ts";

export interface StartOrder {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All that the command starts has it in its environment. */
  readonly marker: string;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly grace: number;
  /** Holds all that the command starts; null: it is looked for in the process table. */
  readonly cgroup: string | null;
}

/** To the guardian. Whatever has a `number` is answered by `known` of that number, at once. */
export type GuardianOrder =
  | { readonly order: "start"; readonly number: number; readonly start: StartOrder; readonly deadline: Deadline | null }
  /** Until when the command may run. */
  | { readonly order: "deadline"; readonly number: number; readonly deadline: Deadline }
  | { readonly order: "ask"; readonly number: number }
  /** Passed on, to the command or to its whole group. */
  | { readonly order: "signal"; readonly signal: NodeJS.Signals; readonly group: boolean }
  /** The command is to end: this signal to all of it, SIGKILL after the grace. */
  | { readonly order: "end"; readonly signal: NodeJS.Signals }
  | { readonly order: "kill" };

/** `deadline`: its time came near, and no later one was known. `told`: by an order or a signal. `exit`: it ended by itself. */
export type Why = "deadline" | "told" | "exit" | "agent";

export type GuardianWord =
  | { readonly said: "ready" }
  | { readonly said: "known"; readonly number: number }
  | {
      readonly said: "started";
      readonly pid: number;
      readonly started: number | null;
      readonly bound: boolean;
      readonly inCgroup: boolean;
    }
  /** It could not be started; the status is what a shell would give. */
  | { readonly said: "failed"; readonly status: number; readonly why: string }
  | { readonly said: "ending"; readonly why: Why }
  | { readonly said: "exit"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly said: "lingers"; readonly pids: readonly number[] }
  /** Nothing is left of it. The guardian ends. */
  | { readonly said: "gone" };

/** Calls back for each whole line that is an object; a line cut short by somebody's death is none. */
export function lineReader<T>(heard: (word: T) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) heard(JSON.parse(line) as T);
  };
}

// A guardian as `sortition run` has it: a process of its own, and the pipe to it.

const LAST_WORDS = 200;

export interface GuardianLink {
  readonly pid: number | undefined;
  send(order: GuardianOrder): void;
  /** With SIGKILL, which also ends one that is stopped. */
  kill(): void;
}

export interface GuardianListener {
  heard(word: GuardianWord): void;
  /** It has ended, or cannot be started. */
  closed(): void;
}

/** The command will have this process's standard input, output and error. */
export function openGuardian(env: Readonly<Record<string, string>>, { heard, closed }: GuardianListener): GuardianLink {
  const child = spawn(process.execPath, ["--no-warnings", programFile("guardian")], {
    env,
    stdio: ["inherit", "inherit", "inherit", "pipe", "pipe"],
    // Out of reach of the terminal, which would stop or end both at once.
    detached: true,
  });
  if (child.stdio === undefined) {
    // The system has no more files: nothing was started, and nothing was made that could be closed.
    child.on("error", () => {});
    realWorld.soon(closed);
    return { pid: undefined, send() {}, kill() {} };
  }
  // Two pipes: one that cannot be written to any more is closed, with all that could still be read from it.
  const [orders, words] = child.stdio.slice(3) as [Duplex, Duplex];
  const read = lineReader<GuardianWord>(heard);
  let isClosed = false;
  const close = () => {
    if (!isClosed) closed();
    isClosed = true;
  };
  words.setEncoding("utf8").on("data", (chunk: string) => read(chunk));
  words.on("close", close).on("error", () => {});
  orders.on("error", () => {});
  // Its last words are read before; the pipe may be held open by what has inherited it.
  child.on("error", close).on("exit", () => realWorld.set(LAST_WORDS, close));
  return {
    pid: child.pid,
    send(order) {
      if (!isClosed && orders.writable) orders.write(`${JSON.stringify(order)}\n`);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
