/** Events of a member as lines of a log: how much each matters, in words, and by fields. */
import type { AnyMemberEvent, MemberEventName } from "../group/events.ts";
import { inWords } from "../group/words.ts";
import type { Fields, Log, LogLevel } from "./log.ts";

const LEVELS: Readonly<Record<MemberEventName, LogLevel>> = {
  started: "info",
  new: "info",
  joined: "info",
  left: "info",
  failed: "warn",
  refused: "error",
  suspected: "debug",
  refuted: "debug",
  view: "debug",
  term: "debug",
  awaits: "debug",
  settling: "debug",
  leader: "info",
  leads: "info",
  resigned: "info",
  none: "info",
  seated: "info",
  unseated: "info",
  denied: "info",
  unreachable: "warn",
  conflict: "warn",
  faulty: "error",
  lapsed: "warn",
  alone: "warn",
  unresolved: "warn",
  dropped: "warn",
  stalled: "warn",
  threw: "error",
  unsettled: "error",
  engine: "warn",
};

/** The fence is a secret; `member` is who writes the log. */
export function fieldsOf({ fence: _, member, odds, ...said }: AnyMemberEvent): Fields {
  return { ...said, ...(member !== undefined && { peer: member }), ...(odds && { epsilon: odds.epsilon }) };
}

/** What comes again and again while a machine is busy, a name is unknown or a stranger insists. */
const FREQUENT: ReadonlySet<MemberEventName> = new Set(["stalled", "dropped", "unresolved", "suspected", "refuted"]);

/** `few`: the same log, but not without end. */
export function logEvent(log: Log, few: Log, event: AnyMemberEvent): void {
  const level = event.event === "engine" && event.engine === "answers" ? "info" : LEVELS[event.event];
  (FREQUENT.has(event.event) ? few : log)[level](inWords(event), fieldsOf(event));
}
