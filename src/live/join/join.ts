/** `join`: this process becomes a member of a group. */
import { GroupError } from "./errors.ts";
import type { GroupMember } from "./member.ts";
import type { JoinOptions } from "./options.ts";

/**
 * Makes this process a member of a group. Resolves when it has joined: it knows the members, and soon the leader.
 * Members in separate processes find each other by `seeds`; every process with the key can join.
 *
 * @example
 * ```ts
 * import { join } from "sortition";
 *
 * await using member = await join({ name: "a", insecure: true, profile: "local", log: false });
 * const { done } = member.lead(async ({ term, signal, check }) => {
 *   check(); // throws once this process does not lead any more
 *   if (term < 1 || signal.aborted) throw new Error("cannot be");
 * });
 * await done; // the work has returned, so the office was given up
 * ```
 */
export async function join(options: JoinOptions): Promise<GroupMember> {
  refuseOldNode(process.versions.node);
  // Loaded here, so that a program that imports `join` and does not call it, for example to print its help, starts quickly.
  const { joinGroup } = await import("./open.ts");
  return joinGroup(options);
}

/** The oldest Node: SQLite and other parts of Node that this package uses begin there. */
const OLDEST = [22, 13] as const;

export function refuseOldNode(version: string): void {
  const [major, minor] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new GroupError(
    "CANNOT_START",
    `join needs Node ${OLDEST.join(".")} or later, this is ${version}`,
    "update Node",
  );
}
