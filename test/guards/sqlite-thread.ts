/** A thread that writes to a SQLite file and stops before each statement; see sqlite-writer.ts. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import { type SqliteDatabase, sqliteGuard } from "../../src/live/guards/sqlite.ts";
import { fence, guarding, type Lease } from "./lease-fences.ts";
import { changes } from "./planted-sql.ts";

export const LEDGER = "CREATE TABLE ledger (number INTEGER PRIMARY KEY, token INTEGER NOT NULL, lease TEXT NOT NULL)";
export const TURN = 0;
export const STANDING = 1;
export const RUNNING = 0;
export const READY = 1;
export const BLOCKED = 2;

export interface Job {
  readonly lease: Lease;
  /** Which bug the statements get on their way. */
  readonly bug: string | null;
}

/** What a leader does in its transaction: two statements, so that others can come between them. */
export function write(database: SqliteDatabase, { token, lease }: Lease): void {
  database.prepare("SELECT count(*) FROM ledger").all();
  database.prepare("INSERT INTO ledger (token, lease) VALUES (?, ?) RETURNING number").all(BigInt(token), lease);
}

if (parentPort !== null) {
  const shared = workerData.shared as Int32Array;
  const database = new DatabaseSync(workerData.file);
  const stand = (standing: number) => {
    const turn = Atomics.load(shared, TURN);
    Atomics.store(shared, STANDING, standing);
    Atomics.notify(shared, STANDING);
    Atomics.wait(shared, TURN, turn);
  };
  const statement = <Result>(act: () => Result): Result => {
    for (stand(READY); ; stand(BLOCKED)) {
      try {
        return act();
      } catch (error) {
        if ((error as Error).message !== "database is locked") throw error;
      }
    }
  };
  parentPort.on("message", ({ lease, bug }: Job) => {
    const change = bug === null ? (text: string) => text : changes[bug];
    const stopping: SqliteDatabase = {
      exec: (text) => statement(() => database.exec(change(text))),
      prepare: (text) => ({ all: (...values) => statement(() => database.prepare(change(text)).all(...values)) }),
    };
    try {
      sqliteGuard(guarding).guarded(stopping, fence(lease), () => write(stopping, lease));
      parentPort!.postMessage("written");
    } catch (error) {
      const { code, newest } = error as FenceRefused;
      parentPort!.postMessage(error instanceof FenceRefused ? { code, newest } : String(error));
    }
  });
}
