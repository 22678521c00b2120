/** An engine as a peer of the machine: requests become calls, and calls that fail become answers that say why. */
import type { LeaseAnswer } from "../../protocols/lease/messages.ts";
import { isLeaseRequest } from "../../protocols/lease/register-accepts.ts";
import type { LeaseEngine } from "../engines/engine.ts";
import type { Peer } from "./peers.ts";

/** The engine's address, for the machine: not one that a datagram could come from. */
export const ENGINE = "engine";

export function enginePeer(engine: Pick<LeaseEngine, "ask">): Peer {
  return {
    ask(message, answer) {
      // Members can be told of a member at the engine's address: what is said to that one is nothing to an engine.
      if (!isLeaseRequest(message)) return;
      const { id, life } = message;
      const failed = (error: unknown): LeaseAnswer => ({ kind: "failed", id, to: life, why: wordsOf(error) });
      // Within an async function what is thrown at once is a rejection too.
      (async () => engine.ask(message))().then(answer, (error: unknown) => answer(failed(error)));
    },
  };
}

/** An error without words, as some clients have them, still says something. */
function wordsOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : "the engine could not be asked";
}
