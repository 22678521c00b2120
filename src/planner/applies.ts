/** Which protocols can answer a request at all, and how each is searched; or why not, in words for users. */

import type { AnyProtocol } from "../protocol.ts";
import { entryOf } from "../registry/all.ts";
import { asItIs, type PlanSetting, type Way } from "../registry/planning.ts";
import { toleranceOf } from "../registry/tolerance.ts";
import type { Carriage } from "./carriage.ts";

/** The ways to search a protocol, each of which may give a candidate; or the reason why there is none. */
export function waysOf(
  protocol: AnyProtocol,
  { setting, acknowledged }: Pick<Carriage, "setting" | "acknowledged">,
): readonly Way[] | string {
  const planning = entryOf(protocol)?.planning ?? {};
  if (typeof planning === "string") return planning;
  const council = planning.elects === "council";
  if (council !== (setting.council !== null)) {
    return council ? "it elects a council: ask for one, with its sizes L..U" : "it elects one leader, not a council";
  }
  return (
    planning.refuse?.(setting) ??
    elsewhere(protocol, setting) ??
    unbearable(protocol, setting, acknowledged) ??
    planning.ways?.(setting) ?? [asItIs]
  );
}

/** What goes wrong here and it does not tolerate, as the catalogue says. */
function unbearable(protocol: AnyProtocol, { loss, crash }: PlanSetting, acknowledged: boolean): string | null {
  if (loss > 0 && !acknowledged && toleranceOf(protocol, "loss") === null) {
    return "it does not tolerate loss: where a datagram is lost it may end without a leader; over acknowledged links (--reliable) it could be used";
  }
  if (crash > 0 && toleranceOf(protocol, "crash") === null) {
    return "it does not tolerate crashes: it may wait for ever for a process that has crashed";
  }
  return null;
}

function elsewhere({ assumes }: AnyProtocol, { topology }: PlanSetting): string | null {
  const complete = topology === "complete";
  if (assumes.topology === "ring" && !complete && topology !== "ring") return `it runs on a ring, not on "${topology}"`;
  if (!complete && assumes.multicast) return `it needs a multicast to everybody, which "${topology}" does not give`;
  if (topology === "ring" && assumes.topology === "complete") {
    return "it asks random processes, and on a ring a random walk takes about n² steps to find one";
  }
  return null;
}
