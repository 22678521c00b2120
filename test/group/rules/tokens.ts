/** Tokens as the engine gives them: each to one lease, and only larger ones. */
import type { MakeRule } from "../watch.ts";

/** At most one holder per seat and token: what the engine gave, and what members think that they have. */
export const oneHolderPerToken: MakeRule = (truth) => {
  const { engine } = truth;
  const leaseOf = new Map<string, string>();
  return {
    name: "one-holder-per-token",
    granted({ seat, token, lease }) {
      const key = `${token} ${seat}`;
      const former = leaseOf.get(key);
      leaseOf.set(key, lease);
      if (former === undefined || former === lease || engine.history.tokensMayRepeat) return null;
      return `token ${token} of ${seat} was given to ${former} and to ${lease}`;
    },
    changed(node, before, now) {
      for (const office in now?.offices) {
        const { mine, token, lease } = now.offices[office];
        if (!mine || before?.offices[office]?.token === token) continue;
        if (token == null || lease == null) return `m${node} leads ${office} without a lease`;
        const grant = engine.history.of(office, token, lease);
        if (grant === null) return `m${node} leads ${office} with token ${token}, which was never given to ${lease}`;
        if (grant.life !== now.life) return `m${node} leads ${office} with the lease of ${grant.name}/${grant.life}`;
      }
      return null;
    },
  };
};

export const tokensGrow: MakeRule = ({ engine }) => {
  const highest = new Map<string, number>();
  return {
    name: "tokens-grow",
    granted({ seat, token, lease }) {
      const before = highest.get(seat) ?? 0;
      highest.set(seat, Math.max(token, before));
      if (token > before || engine.history.tokensMayRepeat) return null;
      return `${lease} gets token ${token} of ${seat} after ${before}`;
    },
  };
};
