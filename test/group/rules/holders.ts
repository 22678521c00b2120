/** Two leaders of one term are resolved; a healthy one whom they see is left in office. */
import { boundsOf } from "../bounds.ts";
import type { Glimpse } from "../glimpse.ts";
import type { MakeRule } from "../watch.ts";

/** Two who lead one office in one term and see each other: not for long, while the network is well. */
export const conflictsEnd: MakeRule = (truth) => {
  const { conflict } = boundsOf(truth.scenario);
  const since = new Map<string, number>();
  const holders = (office: string, term: number) =>
    truth.running().filter((node) => {
      const seat = truth.seen[node]?.offices[office];
      return seat?.mine === true && seat.term === term;
    });
  const sees = (node: number, other: number) => truth.seen[node]!.view.some(({ life }) => life === truth.life[other]);
  return {
    name: "conflicts-end",
    due: Infinity,
    changed(_node, _before, now) {
      for (const office in now?.offices) {
        const { mine, term } = now.offices[office];
        const key = `${office} ${term}`;
        if (!mine || since.has(key) || holders(office, term).length < 2) continue;
        since.set(key, truth.now);
        this.due = Math.min(this.due!, truth.now + conflict);
      }
      return null;
    },
    overdue() {
      this.due = Infinity;
      for (const [key, begun] of since) {
        const [office, term] = key.split(" ");
        const both = holders(office, Number(term));
        if (both.length < 2) {
          since.delete(key);
          continue;
        }
        const [one, two] = both;
        const clear = Math.max(begun, ...both.map((node) => truth.undisturbedSince(node)));
        const apart = !sees(one, two) || !sees(two, one);
        if (!apart && truth.now >= clear + conflict) {
          return `m${one} and m${two} both lead ${office} in term ${term} since ${begun}`;
        }
        this.due = Math.min(this.due, apart || clear === Infinity ? truth.now + conflict : clear + conflict);
      }
      return null;
    },
  };
};

/**
 * Nobody opens a term while a healthy holder is there whom it counts among the living, and wins it. Who comes back with a higher
 * term from times when they did not see each other ends the holder's, though.
 */
export const noUsurper: MakeRule = (truth) => {
  const { quiet } = boundsOf(truth.scenario);
  /** Who has led each term of an office: where two have, both must go. */
  const led = new Map<string, Set<number>>();
  /** What was wrong when a term was first heard of, if anything, and the life of the holder that was there. */
  const opened = new Map<string, { readonly what: string; readonly life: number } | null>();
  const wronged = (node: number, office: string, before: number, { view }: Glimpse) => {
    const earlier = opened.get(`${office} ${before}`) ?? null;
    // Once that holder has ended, later terms do it no wrong.
    if (earlier !== null && truth.life.includes(earlier.life)) return earlier;
    const holder = truth.running().find((other) => {
      const seat = other === node ? undefined : truth.seen[other]?.offices[office];
      if (seat?.mine !== true || seat.term < before || led.get(`${office} ${seat.term}`)!.size > 1) return false;
      const well = truth.now - Math.max(truth.undisturbedSince(other), truth.toldAt[other]) > quiet;
      return well && view.some(({ life }) => life === truth.life[other]);
    });
    if (holder === undefined) return null;
    return {
      what: `m${node} opened it at ${truth.now}, but m${holder} led it and was well`,
      life: truth.life[holder]!,
    };
  };
  return {
    name: "no-usurper",
    changed(node, before, now) {
      for (const office in now?.offices) {
        const { mine, term } = now.offices[office];
        const key = `${office} ${term}`;
        const known = before?.offices[office]?.term ?? 0;
        if (!opened.has(key)) opened.set(key, term > known ? wronged(node, office, known, now) : null);
        if (!mine) continue;
        led.set(key, (led.get(key) ?? new Set()).add(node));
        // With a lease its holder leads on in a higher term.
        if (before?.offices[office]?.mine === true) continue;
        const wrong = opened.get(key) ?? null;
        if (wrong !== null) return `m${node} leads ${office} in term ${term}: ${wrong.what}`;
      }
      return null;
    },
  };
};
