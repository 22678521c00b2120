/** A guardian as `sortition run` has it: a process of its own, and the pipe to it. */
import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { realWorld } from "../real-world.ts";
import { type GuardianOrder, type GuardianWord, lineReader } from "./guardian-words.ts";

/** Under Node's type stripping the sources run as they are; the package has compiled ones. */
const GUARDIAN = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./guardian.ts" : "./guardian.js", import.meta.url),
);

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
  const child = spawn(process.execPath, ["--no-warnings", GUARDIAN], {
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
