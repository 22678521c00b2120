/** Groups are not in the catalogue, since no single election of theirs could be simulated; recordings name them all the same. */
import type { AnyProtocol } from "../protocol.ts";
import type { TraceHeader } from "../trace/file.ts";

/** The machine of a recorded group, loaded only when it is needed; null where the recording is of something else. */
export async function recordedMachine(header: TraceHeader): Promise<AnyProtocol | null> {
  if (header.trace !== "run" || header.protocol !== "group") return null;
  return (await import("./group.ts")).group();
}
