/**
 * A leader that does not mind its signals: it adds one to a guarded counter, again and again, and goes on when it is refused. The fence
 * is in its environment, or its first argument where that has been cleaned.
 */
import { appendFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import { guardKeys } from "../../src/live/guards/keys.ts";
import { sqliteGuard } from "../../src/live/guards/sqlite.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";

const EVERY = 100;

/** Each scene is a group of its own, which its fences name. */
const guardOf = (fence: string) =>
  sqliteGuard({ keys: guardKeys(insecureKeyring(), fence.split("~")[2]), seat: "leader" });

export function openCounter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec("CREATE TABLE IF NOT EXISTS counter (value INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT)");
  return database;
}

export function addOne(database: DatabaseSync, fence: string): void {
  guardOf(fence).guarded(database, fence, (open, { token }) =>
    open.prepare("INSERT INTO counter (token) VALUES (?)").run(String(token)),
  );
}

if (process.argv[1] === import.meta.filename) {
  const fence = process.argv[2] ?? process.env.SORTITION_FENCE!;
  const [, token] = fence.split("~");
  const database = openCounter("counter.db");
  process.on("SIGTERM", () => {});
  appendFileSync("up", `${token} ${process.pid}\n`);
  setInterval(() => {
    try {
      addOne(database, fence);
    } catch (error) {
      // Others may write for longer than this one waits.
      if (!(error instanceof FenceRefused)) return;
      appendFileSync("refused", `${token} ${error.code}\n`);
    }
  }, EVERY);
}
