/** Leases as members hold them, judged by what the engine has really done. */
import { isLeaseAnswer } from "../../../src/protocols/lease/shapes.ts";
import type { Truth } from "../truth.ts";
import type { MakeRule } from "../watch.ts";

/**
 * In a process that runs, leadership has ended before anybody else could have the seat: while it says "mine" the engine would give
 * the seat to nobody else, whoever asked. An engine's clock that steps forward, and an old copy that nobody notices, are assumed
 * not to happen; for one TTL after that only the guard protects.
 */
export const endsInTime: MakeRule = (truth) => {
  const { engine, scenario } = truth;
  const { ttl } = scenario.lease!;
  const { history } = engine;
  /** Who has the seat, or could have it, in words. */
  const rivalOf = (office: string, token: number, lease: string): string | null => {
    const answer = engine.wouldAnswer(office, ttl);
    const isRewound = truth.now <= history.rewoundAt + ttl;
    if (answer?.kind === "granted") return isRewound ? null : "the engine would give it to anybody";
    const holder = answer?.kind === "denied" ? answer.holder : null;
    if (holder === null) return null;
    const rival = history.of(office, holder.token, holder.lease);
    // An old copy knows of leases that have long been over.
    if (rival === null || rival.at <= history.of(office, token, lease)!.at) return null;
    // After a restore that nobody noticed, who knew of no token that the copy does not have may have it too.
    if (isRewound && rival.floor <= (history.copied.get(office) ?? 0)) return null;
    return `${rival.name} has it with token ${rival.token}`;
  };
  const judge = (node: number): string | null => {
    const offices = truth.seen[node]?.offices;
    for (const office in offices) {
      const { mine, token, lease } = offices[office];
      if (!mine || lease == null || engine.isHeldBy(office, lease)) continue;
      if (truth.now <= history.forwardAt + ttl) continue;
      const wrong = rivalOf(office, token!, lease);
      if (wrong !== null) return `m${node} leads ${office} with token ${token}, but ${wrong}`;
    }
    return null;
  };
  return {
    name: "ends-in-time",
    // Of two deadlines that are both due after a pause one comes first; nobody is told anything by the other.
    acted: (node) => (leads(truth, node) && !isDeadline(truth.heard) ? judge(node) : null),
    engineActed() {
      for (let node = 0; node < truth.size; node++) {
        if (!leads(truth, node) || !truth.runs(node)) continue;
        // Who goes on now has not done anything yet.
        const goesOn = truth.pausedTo[node] >= truth.now || truth.actedAt[node] < truth.pausedTo[node];
        if (goesOn) continue;
        const wrong = judge(node);
        if (wrong !== null) return wrong;
      }
      return null;
    },
  };
};

const isDeadline = (heard: unknown): boolean =>
  typeof heard === "string" && (heard === "watch/stalled" || heard.startsWith("lease/lapse#"));

const leads = (truth: Truth, node: number): boolean => truth.leading.has(node);

/** The engine confirms no lease that it has given away since, or that was released. */
export const renewalsAreTrue: MakeRule = ({ engine: { history } }) => ({
  name: "renewals-are-true",
  carriedOut({ answer }) {
    if (answer.kind !== "renewed") return null;
    for (const { seat, lease, token } of answer.leases) {
      const newest = history.newestOf(seat);
      const own = history.of(seat, token, lease);
      if (own === null) return `a renewal confirms ${lease} with token ${token} of ${seat}, which was never given`;
      // Of what an old copy knows nothing can be said.
      if (history.restoredAt > own.at) continue;
      if (newest !== own) return `a renewal confirms ${lease} of ${seat} after it was given to ${newest!.lease}`;
      if (own.releasedAt < Infinity) return `a renewal confirms ${lease} of ${seat}, which was released`;
    }
    return null;
  },
});

/** What the engine says takes nothing away that it still has for this member: an old answer says nothing of a new lease. */
export const dropsWhatIsGone: MakeRule = (truth) => ({
  name: "drops-what-is-gone",
  changed(node, before, now) {
    if (now === null || !isLeaseAnswer(truth.heard) || truth.engine.history.restoredAt > -Infinity) return null;
    for (const office in now.offices) {
      const { mine, lease } = before?.offices[office] ?? { mine: false, lease: null };
      if (!mine || lease == null || now.offices[office].mine) continue;
      const isWell = truth.engine.isHeldBy(office, lease) && !truth.engine.isFrozen(office);
      if (isWell)
        return `m${node} gives ${office} up when it hears "${truth.heard.kind}", although the engine has it for it`;
    }
    return null;
  },
});
