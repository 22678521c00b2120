/** Who asks the lease store: members that have won, hold or inherit something, and no other; and at rest holders alone, once per interval. */
import { leaseTimes } from "../../../src/protocols/lease/params.ts";
import { boundsOf } from "../bounds.ts";
import type { MakeRule } from "../watch.ts";
import { canMeet } from "./settled.ts";

export const followersAreSilent: MakeRule = (truth) => {
  /** The lives that have asked for anything. */
  const asked = new Set<number>();
  /**
   * Each seat with each heir that a holder has named for it, from the end of the tenure on. An heir that cannot take the office asks the
   * lease store for it and gives it back. A member that has just started may hear of an old end first. Members hear of the end of a tenure
   * and not of a release, because a lease is not released if the work does not end in time.
   */
  const heirs = new Set<string>();
  return {
    name: "followers-are-silent",
    changed(_node, before, now) {
      for (const [seat, heir] of before?.heirs ?? []) if (now?.heirs?.has(seat) !== true) heirs.add(`${seat} ${heir}`);
      return null;
    },
    asks(node, request) {
      const { kind, life } = request;
      if (kind === "acquire") {
        asked.add(life);
        const wins = truth.seen[node]?.wins ?? [];
        if (!wins.includes(request.seat) && !heirs.has(`${request.seat} m${node}`))
          return `m${node} asks for ${request.seat}, which it has not won`;
      } else if (!asked.has(life)) return `m${node} sends "${kind}", and has never asked for anything`;
      return null;
    },
  };
};

export const restsAtRest: MakeRule = (truth) => {
  const { scenario } = truth;
  const { renewEvery } = leaseTimes(scenario.lease!.ttl);
  const from = scenario.plan.healed + boundsOf(scenario).settle;
  const counts = new Map<number, number>();
  return {
    name: "rests-at-rest",
    asks(node, { kind }) {
      // A member that cannot hear the holder waits for its lease.
      if (truth.now < from || !canMeet(truth)) return null;
      if (kind !== "renew" || !truth.leading.has(node)) return `m${node} sends "${kind}" although all is well`;
      const count = (counts.get(node) ?? 0) + 1;
      counts.set(node, count);
      // Clocks drift, and intervals vary a little.
      const most = 2 + (1.2 * (truth.now - from)) / renewEvery;
      return count > most ? `m${node} has renewed ${count} times since ${from}` : null;
    },
  };
};
