/** What a protocol does not assume, no host grants it: it would not be there on another. */
import type { AnyProtocol } from "../protocol.ts";

export function checkMulticast({ name, assumes }: Pick<AnyProtocol, "name" | "assumes">): void {
  if (!assumes.multicast) throw new Error(`${name} multicasts, but does not assume that it can: set assumes.multicast`);
}
