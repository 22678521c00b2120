/** The worker thread of one engine: SQLite's calls wait for the disk and for locks of others. */
import { parentPort, workerData } from "node:worker_threads";
import { InputError } from "../../errors.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { collect } from "../collect.ts";
import { machineNow, realWorld } from "../real-world.ts";
import { clockName, SqliteRegister, type SqliteSetup } from "./sqlite-register.ts";

export interface WorkerStart {
  readonly setup: SqliteSetup;
  /** For a clock that no other process can read. */
  readonly own: string;
}

/** null in place of a request: whether the file can be used. `patience`: the most that it waits for locks of others. */
export type SqliteOrder =
  | {
      readonly number: number;
      readonly request: LeaseRequest | null;
      readonly deadline: number;
      readonly patience: number;
    }
  | "close";

/** An error travels as text: its class is lost between threads. */
export interface Done {
  readonly number: number;
  readonly answer: LeaseAnswer | null;
  readonly error: { readonly message: string; readonly isInput: boolean } | null;
}

const port = parentPort!;
const { setup, own } = workerData as WorkerStart;
const register = new SqliteRegister(setup, { name: clockName(own), now: machineNow, stamp: realWorld.wall });

collect();
port.on("message", (order: SqliteOrder) => {
  if (order === "close") {
    register.close();
    port.close();
    return;
  }
  const done = carryOut(order);
  if (done !== null) port.postMessage(done);
});

function carryOut({ number, request, deadline, patience: most }: Exclude<SqliteOrder, "close">): Done | null {
  const patience = Math.min(most, deadline - machineNow());
  // The caller has given up.
  if (patience <= 0) return null;
  try {
    if (request === null) register.check(patience);
    const answer = request === null ? null : register.ask(request, patience);
    return { number, answer, error: null };
  } catch (error) {
    return { number, answer: null, error: { message: (error as Error).message, isInput: error instanceof InputError } };
  }
}
