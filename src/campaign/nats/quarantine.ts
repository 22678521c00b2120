/**
 * The last try of a chunk whose earlier ones came to no end: in a process of its own. Whether it ended those workers, or they were killed for other
 * reasons, nobody knows; here it can end nobody but itself, so what happens to it is its own fault, and a worker that is killed meanwhile is not.
 */
import { fork } from "node:child_process";
import { roomFor } from "../room.ts";
import type { ChunkTask } from "../worker.ts";
import type { QuarantineOutcome } from "./quarantined.ts";

const ITSELF = new URL(import.meta.url.endsWith(".ts") ? "./quarantined.ts" : "./quarantined.js", import.meta.url);

/** `threads`: with how many others it shares the machine. Where the signal fires it is ended, and its outcome is nobody's. */
export function runApart(task: ChunkTask, threads: number, signal: AbortSignal): Promise<QuarantineOutcome> {
  return new Promise((resolve) => {
    // Typed arrays and numbers that are none survive the way only so.
    const child = fork(ITSELF, { serialization: "advanced", execArgv: process.execArgv, stdio: "ignore" });
    const end = () => child.kill("SIGKILL");
    const settle = (outcome: QuarantineOutcome) => {
      signal.removeEventListener("abort", end);
      end();
      resolve(outcome);
    };
    signal.addEventListener("abort", end);
    child.on("message", (outcome: QuarantineOutcome) => settle(outcome));
    child.on("error", ({ message }) => settle({ failure: message }));
    child.on("exit", (status, killed) =>
      settle({ failure: `its process ended with ${killed === null ? `status ${status}` : killed}` }),
    );
    child.send({ task, room: roomFor(threads) }, () => {});
  });
}
