/** The run that is on the screen, for those around it who save pictures of it. */
import type { Session } from "./session.svelte.ts";

let shown: Session | null = null;

/** Returns how to take it back. */
export function show(session: Session): () => void {
  shown = session;
  return () => {
    if (shown === session) shown = null;
  };
}

export const currentSession = (): Session | null => shown;
