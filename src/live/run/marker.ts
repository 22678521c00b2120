/**
 * The marker that a command and all that it starts carry in their environment. Its first part is the same for all runs of a member for
 * an office, so that a run finds what a former one has left, also where nothing was saved; the rest says which run it was.
 */
import { createHash } from "node:crypto";
import { realWorld } from "../real-world.ts";
import { pidNamespace, readProcess } from "./processes.ts";

export interface Whose {
  readonly group: string;
  readonly name: string;
  readonly office: string;
}

/** Process ids of another namespace mean other processes: who cannot see each other does not take the other's for its own. */
export function markerPrefix({ group, name, office }: Whose): string {
  return createHash("sha256")
    .update(JSON.stringify([group, name, office, pidNamespace()]))
    .digest("hex")
    .slice(0, 16);
}

export function newMarker(whose: Whose): string {
  const started = readProcess(process.pid)?.started ?? 0;
  return [markerPrefix(whose), process.pid, started, realWorld.bytes(6).toString("hex")].join(".");
}

/** Whether it is of a run of the same member and office that has ended, or is stopped: then nobody holds what carries it. */
export function isFormer(marker: string, prefix: string): boolean {
  const [first, pid, started] = marker.split(".");
  if (first !== prefix) return false;
  const it = readProcess(Number(pid));
  return it === null || it.started !== Number(started) || ["T", "t", "Z", "X"].includes(it.state);
}
