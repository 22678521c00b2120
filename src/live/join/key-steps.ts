/** What stands in the way of the next step of replacing a key, and who: those who would not be heard afterwards, or would not hear. */
import type { MemberKeys } from "./view.ts";

/** Somebody with keys: a member, or one that has failed and may come back as it was. */
export interface KeyHolder {
  readonly name: string;
  readonly state: "alive" | "suspected" | "failed" | "left";
  /** Null: it does not say. */
  readonly keys: MemberKeys | null;
}

/** Ids, as they are shown. */
export type KeyStep =
  /** This key seals from now on, and is among those that the others must open. */
  | { readonly step: "use"; readonly id: string }
  /** This key is opened no longer; `next` seals then. */
  | { readonly step: "remove"; readonly id: string; readonly next: string };

export interface Obstacle {
  readonly name: string;
  /** To stand before the name: "1a2b3c4d is not opened by". */
  readonly why: string;
  /** To stand after it. */
  readonly state: string;
}

/** Who leaves in good order is not waited for: it is told what it needs when it comes back (strangers.ts). */
export function obstacles(step: KeyStep, holders: readonly KeyHolder[]): readonly Obstacle[] {
  return holders
    .filter(({ state }) => state !== "left")
    .flatMap(({ name, state, keys }) => {
      const why = obstacle(step, keys);
      return why === null ? [] : [{ name, why, state: STATES[state] }];
    });
}

const STATES: Readonly<Record<KeyHolder["state"], string>> = {
  alive: "",
  suspected: " (which does not answer just now)",
  failed: " (failed within a day, and may come back as it was)",
  left: "",
};

function obstacle(step: KeyStep, keys: MemberKeys | null): string | null {
  if (keys === null) return "the keys are not known, since it runs an earlier version, of";
  if (step.step === "remove" && keys.seals === step.id) return `${step.id} still seals what is sent by`;
  const needed = step.step === "use" ? step.id : step.next;
  return keys.opens.includes(needed) ? null : `${needed} is not opened (only ${keys.opens.join(", ")}) by`;
}
