/** Which protocols can answer a request at all, and why others are no candidates, in words for users. */
import type { AnyProtocol } from "../protocol.ts";
import { entryOf, toleranceOf } from "../registry/all.ts";
import { type Attempt, asItIs, fails, meets, type PlanSetting, type Way } from "../registry/planning.ts";
import { planningOf } from "./attempt.ts";
import type { Carriage } from "./carriage.ts";
import { isSlow, type PlanSearch } from "./search.ts";

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

/** Null where there is something to offer. */
export function judged({ protocol, setting, found, slow, best }: PlanSearch): string | null {
  if (found !== null) return null;
  if (slow !== null) return tooSlow(setting, slow);
  if (best === null) return "theory has no prediction for this setting, so nothing can be promised";
  return shortfall(protocol, setting, best);
}

export function tooSlow(setting: PlanSetting, tried: Pick<Attempt, "delays" | "time">): string {
  const { latency, within, success } = setting;
  if (!isSlow({ ...setting, latency: Infinity }, tried)) {
    return `it takes about ${digits(tried.delays)} message delays on average, and ${latency} are allowed`;
  }
  return `with probability ${success} it has ended within ${digits(tried.time!)} message delays, and ${digits(within)} are allowed`;
}

function shortfall(protocol: AnyProtocol, setting: PlanSetting, best: Attempt): string {
  const { success, none, several } = setting;
  const reached = `at best it reaches ${below(Math.max(0, 1 - fails(best)), success)}, not ${success}`;
  const chosen = `with ${chosenText(best)}`;
  const exactly = { ...best, method: "exact" } as const;
  const known = planningOf(protocol).shortfall?.(setting) ?? null;
  const because = known === null ? chosen : `since ${known}`;
  if (meets(setting, exactly))
    return `too near the target to promise it: it reaches ${share(1 - fails(best))}, ${because}`;
  if (known !== null && 1 - fails(best) < success) return `${known}: ${reached}`;
  if (meets({ ...setting, none: 1 }, exactly))
    return `nobody leads with probability ${chance(best.pNone)}, not ${none}, ${chosen}`;
  if (meets({ ...setting, several: 1 }, exactly)) {
    return `several lead with probability ${chance(best.pMany)}, not ${several}, ${chosen}`;
  }
  const why = best.pNone >= best.pMany ? "elections without a leader remain" : "elections with several leaders remain";
  return `${why}: ${reached}, ${chosen}`;
}

const chosenText = ({ chosen }: Attempt): string =>
  Object.entries(chosen)
    .map(([name, value]) => `${name}=${typeof value === "number" ? digits(value) : value}`)
    .join(", ") || "its default parameters";

const digits = (value: number): string => String(Number(value.toPrecision(4)));
const chance = (p: number): string => String(Number(p.toPrecision(2)));

/** With so many digits that it is seen to be below the target. */
function below(p: number, target: number): string {
  const short = share(p);
  if (Number(short) < target) return short;
  const digits = 1 + Math.ceil(-Math.log10(Math.max(1e-15, target - p)));
  return String(Math.floor(p * 10 ** digits) / 10 ** digits);
}

/** As many nines as there are. */
export function share(p: number): string {
  if (p < 0.001) return p <= 0 ? "about 0" : p.toExponential(1);
  if (p < 0.99) return String(Number(p.toPrecision(3)));
  return String(Number(p.toFixed(Math.min(15, 2 + Math.ceil(-Math.log10(Math.max(1e-13, 1 - p)))))));
}
