/**
 * A process that outlives the demo by a moment: when the demo has gone without tidying up (kill -9), it ends the processes that cannot
 * notice that themselves, because they are stopped, and removes the demo's folder.
 */
import { rmSync } from "node:fs";

/** What the demo tells it. */
export type WardenOrder = { readonly folder: string } | { readonly add: number } | { readonly remove: number };

const pids = new Set<number>();
let folder: string | null = null;

process.on("message", (order: WardenOrder) => {
  if ("folder" in order) folder = order.folder;
  else if ("add" in order) pids.add(order.add);
  else pids.delete(order.remove);
});

process.on("disconnect", () => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
