/** The messages between `sortition run` and its guardian: one JSON object a line, over a pipe that closes when either ends. */

import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { programFile } from "../../package-files.ts";
import { realWorld } from "../real-world.ts";
import type { Deadline } from "./times.ts";

export interface StartOrder {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In the environment of all processes that the command starts. */
  readonly marker: string;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly grace: number;
  /** Holds all processes that the command starts; null: they are looked for in the process table. */
  readonly cgroup: string | null;
}

/** Orders to the guardian. It answers an order with a `number` at once, by `known` with that number. */
export type GuardianOrder =
  | { readonly order: "start"; readonly number: number; readonly start: StartOrder; readonly deadline: Deadline | null }
  /** The command's deadline. */
  | { readonly order: "deadline"; readonly number: number; readonly deadline: Deadline }
  | { readonly order: "ask"; readonly number: number }
  /** A signal to pass on, to the command or to its whole group. */
  | { readonly order: "signal"; readonly signal: NodeJS.Signals; readonly group: boolean }
  /** Ends the command: this signal to all its processes, SIGKILL after the grace. */
  | { readonly order: "end"; readonly signal: NodeJS.Signals }
  | { readonly order: "kill" };

/** Why the command ends. `deadline`: the deadline came near. `told`: an order or a signal. `exit`: it has ended by itself. */
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
  /** The command could not be started; the status is that of a shell. */
  | { readonly said: "failed"; readonly status: number; readonly why: string }
  | { readonly said: "ending"; readonly why: Why }
  | { readonly said: "exit"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly said: "lingers"; readonly pids: readonly number[] }
  /** No process of the command is left. The guardian ends. */
  | { readonly said: "gone" };

/** Calls back for each whole line that is an object. A line that the sender's death has cut off is ignored. */
export function lineReader<T>(heard: (word: T) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) heard(JSON.parse(line) as T);
  };
}

// The guardian as `sortition run` sees it: a process, and the pipe to it.

const LAST_WORDS = 200;

export interface GuardianLink {
  readonly pid: number | undefined;
  send(order: GuardianOrder): void;
  /** Sends SIGKILL, which also ends a stopped guardian. */
  kill(): void;
}

export interface GuardianListener {
  heard(word: GuardianWord): void;
  /** Called when the guardian has ended, or cannot be started. */
  closed(): void;
}

/** Starts a guardian. The command gets this process's standard input, output and error. */
export function openGuardian(env: Readonly<Record<string, string>>, { heard, closed }: GuardianListener): GuardianLink {
  const child = spawn(process.execPath, ["--no-warnings", programFile("guardian")], {
    env,
    stdio: ["inherit", "inherit", "inherit", "pipe", "pipe"],
    // In a session of its own, so that the terminal does not stop or end both.
    detached: true,
  });
  if (child.stdio === undefined) {
    // The system has no more file descriptors: nothing was started, so nothing has to be closed.
    child.on("error", () => {});
    realWorld.soon(closed);
    return { pid: undefined, send() {}, kill() {} };
  }
  // Two pipes: Node closes a pipe that it cannot write to, and loses what could still be read from it.
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
  // The guardian's last messages are read first. A process that has inherited the pipe may keep it open.
  child.on("error", close).on("exit", () => realWorld.set(LAST_WORDS, close));
  return {
    pid: child.pid,
    send(order) {
      if (!isClosed && orders.writable) orders.write(`${JSON.stringify(order)}\n`);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
