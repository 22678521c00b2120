/** What stands in the way of the next step of replacing a key, and who: those who would not be heard afterwards, or would not hear. */
import type { MemberKeys } from "./join/view.ts";

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
  readonly why: string;
}

/** Who leaves in good order is not waited for: it is told what it needs when it comes back (strangers.ts). */
export function obstacles(step: KeyStep, holders: readonly KeyHolder[]): readonly Obstacle[] {
  return holders
    .filter(({ state }) => state !== "left")
    .flatMap((holder) => {
      const why = obstacle(step, holder.keys);
      return why === null ? [] : [{ name: holder.name, why: `${why}${SINCE[holder.state]}` }];
    });
}

const SINCE: Readonly<Record<KeyHolder["state"], string>> = {
  alive: "",
  suspected: " (it does not answer just now)",
  failed: " (it has failed within a day, and may come back as it was)",
  left: "",
};

function obstacle(step: KeyStep, keys: MemberKeys | null): string | null {
  if (keys === null) return "does not say which keys it has: it runs an earlier version";
  if (step.step === "remove" && keys.seals === step.id) return `seals with ${step.id}`;
  const needed = step.step === "use" ? step.id : step.next;
  return keys.opens.includes(needed) ? null : `does not open ${needed}, but ${keys.opens.join(", ")}`;
}
