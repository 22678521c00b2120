/** The resource behind a guard: nothing with an old token gets in, and the newest holder always does. */
import type { MakeRule } from "../watch.ts";

export const neverOld: MakeRule = () => {
  const newest = new Map<string, { readonly token: number; readonly lease: string }>();
  return {
    name: "never-old",
    wrote({ seat, token, lease, taken }) {
      const before = newest.get(seat);
      if (!taken) return null;
      newest.set(seat, { token, lease });
      if (before === undefined || before.token < token) return null;
      if (token < before.token)
        return `a write of ${seat} with token ${token} was taken after one with ${before.token}`;
      return lease === before.lease
        ? null
        : `writes of ${seat} with token ${token} were taken from ${before.lease} and ${lease}`;
    },
  };
};

/** Whose token is the highest ever given is never refused. */
export const theNewestWrites: MakeRule = ({ engine: { history } }) => ({
  name: "the-newest-writes",
  wrote({ seat, token, lease, taken }) {
    if (taken || history.tokensMayRepeat || token < history.highestOf(seat)) return null;
    return `a write of ${seat} with token ${token}, the newest there is, was refused (${lease})`;
  },
});
