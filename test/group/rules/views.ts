/** Whom members take for members: nobody twice, nobody who has gone, and nobody healthy is declared failed. */
import { boundsOf } from "../bounds.ts";
import type { Glimpse } from "../glimpse.ts";
import type { MakeRule } from "../watch.ts";

export const nobodyTwice: MakeRule = () => ({
  name: "nobody-twice",
  changed(node, before, now) {
    if (now === null || now.view === before?.view) return null;
    const names = new Set(now.view.map(({ name }) => name));
    const lives = new Set(now.view.map(({ life }) => life));
    if (names.size === now.view.length && lives.size === now.view.length) return null;
    return `m${node} counts somebody twice: ${now.view.map(({ name, life }) => `${name}/${life}`).join(", ")}`;
  },
});

/** Who has ended leaves all views, and comes back only in another life. */
export const goneForGood: MakeRule = (truth) => {
  const { gone, echo } = boundsOf(truth.scenario);
  /** When each life ended, and whose it was; and for each member the dead whom it has taken off its list. */
  const endOf = new Map<number, { readonly who: number; readonly at: number }>();
  const lives: (number | null)[] = new Array(truth.size).fill(null);
  const dropped: Set<number>[] = Array.from({ length: truth.size }, () => new Set());
  const has = (glimpse: Glimpse | null, life: number) => glimpse?.view.some((peer) => peer.life === life) === true;
  return {
    name: "gone-for-good",
    due: Infinity,
    started(node) {
      lives[node] = truth.life[node];
      dropped[node] = new Set();
    },
    changed(node, before, now) {
      if (now === null) {
        endOf.set(lives[node]!, { who: node, at: truth.now });
        this.due = Math.min(this.due!, truth.now + gone);
        return null;
      }
      if (now.view === before?.view) return null;
      for (const [life, { who, at }] of endOf) {
        const [was, is] = [has(before, life), has(now, life)];
        if (was && !is) dropped[node].add(life);
        if (is && !was && dropped[node].has(life) && truth.now > Math.max(at, truth.pausedTo[node]) + echo) {
          return `m${who} ended at ${at} and is back in the view of m${node}`;
        }
      }
      return null;
    },
    overdue() {
      this.due = Infinity;
      for (const [life, { who, at }] of endOf) {
        for (const node of truth.running()) {
          if (!has(truth.seen[node], life)) continue;
          const by = Math.max(at, truth.undisturbedSince(node)) + gone;
          if (by === Infinity) {
            this.due = Math.min(this.due, truth.now + gone);
            continue;
          }
          if (truth.now >= by) return `m${who} ended at ${at} and is still in the view of m${node}`;
          this.due = Math.min(this.due, by);
        }
      }
      return null;
    },
  };
};

/** Nobody who runs undisturbed, on a network that is well, is declared failed. */
export const theHealthyLive: MakeRule = (truth) => {
  const { quiet } = boundsOf(truth.scenario);
  const isDeadFor = (node: number, life: number): boolean =>
    !truth.isPaused(node) && truth.seen[node]?.view.some((peer) => peer.life === life) === false;
  return {
    name: "the-healthy-live",
    changed(node, before, now) {
      for (const peer of now?.failed ?? []) {
        // A handler of another part leaves the news of membership as they were.
        if (before?.failed.includes(peer) === true) continue;
        const { name, life } = peer;
        const other = truth.nodeOf(name);
        if (truth.life[other] !== life || truth.isPaused(other)) continue;
        const since = truth.undisturbedSince(other);
        // Who stood still reads old news when it goes on, and others hear of its old verdicts.
        const tellers = truth.running().filter((each) => each === node || isDeadFor(each, life));
        const ran = tellers.map((each) => truth.ranSince(each, since));
        if (Math.min(truth.basis - since, ...ran) <= quiet) continue;
        return `m${node} declares ${name} failed, which has been well since ${since}`;
      }
      return null;
    },
  };
};
