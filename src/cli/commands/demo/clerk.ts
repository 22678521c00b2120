/**
 * The program beside an agent of the demo: while its agent leads, it adds one to a counter that a guard protects. It is a client as any
 * other: it asks its agent for the fence, and writes only while that is valid, counted from before it asked.
 */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentClient, AgentError, type AgentFence } from "../../../api/client.ts";
import { FenceRefused } from "../../../live/guards/fence.ts";
import { loadGuardKeys } from "../../../live/guards/keys.ts";
import { sqliteGuard } from "../../../live/guards/sqlite.ts";

/** What it tells the demo. */
export type ClerkNews =
  | { readonly news: "wrote"; readonly token: string; readonly value: number }
  /** It has looked at its lease, stops itself, and writes when it goes on: what a pause at the worst moment looks like. */
  | { readonly news: "stops"; readonly token: string }
  | { readonly news: "refused"; readonly token: string; readonly why: string }
  | { readonly news: "failed"; readonly why: string };

/** What it is told. */
export interface ClerkOrder {
  readonly order: "stop before the next write";
}

/** Milliseconds between two writes, and between two questions of one whose agent does not lead. */
const PACE = 50;
const REST = 500;

const [url, tokenFile, ledger, keyFile, group] = process.argv.slice(2);
const agent = new AgentClient({ url, token: readFileSync(tokenFile, "utf8").trim(), patience: 60_000 });
const database = new DatabaseSync(ledger, { timeout: 5000 });
database.exec("CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER)");
const guard = sqliteGuard({ keys: loadGuardKeys(keyFile, group), seat: "leader" });
const add = database.prepare(
  "INSERT INTO counter VALUES (1, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value",
);

let stopsNext = false;
process.on("message", (_: ClerkOrder) => {
  stopsNext = true;
});

const tell = (news: ClerkNews): Promise<void> => new Promise((resolve) => process.send!(news, () => resolve()));

async function writeOnce(): Promise<void> {
  const before = performance.now();
  const { token, fence, validForMs } = await agent.get<AgentFence>("/v1/fence");
  if (performance.now() >= before + validForMs) return;
  if (stopsNext) {
    stopsNext = false;
    await tell({ news: "stops", token });
    process.kill(process.pid, "SIGSTOP");
  }
  try {
    const { value } = guard.guarded(database, fence, () => add.get() as { value: number });
    await tell({ news: "wrote", token, value });
  } catch (error) {
    if (!(error instanceof FenceRefused)) throw error;
    await tell({ news: "refused", token, why: error.message });
  }
}

for (;;) {
  try {
    await writeOnce();
    await sleep(PACE);
  } catch (error) {
    // Its agent does not lead, or has gone.
    if (!(error instanceof AgentError)) await tell({ news: "failed", why: (error as Error).message });
    await sleep(REST);
  }
}
