/** Two leaders of one term are resolved; a healthy one whom they see is left in office. */
import { boundsOf } from "../bounds.ts";
import type { Glimpse, Seat } from "../glimpse.ts";
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

/** A term that was opened while healthy holders were there, and the latest term that followed from it. */
interface Wrong {
  readonly what: string;
  readonly office: string;
  term: number;
  /** Holders that it has deposed, or may still depose. */
  readonly holders: Set<number>;
}

/**
 * Nobody opens a term while a healthy holder is there whom it counts among the living, and wins it, or a term that followed from
 * it. Who comes back with a higher term from times when they did not see each other ends the holder's, though. A term has not
 * wronged a holder that leads on in it, as one with a lease does; nor one that led until it ended, was disturbed or was told to give
 * up: from then on the office was vacant, whoever opened what before.
 */
export const noUsurper: MakeRule = (truth) => {
  const { quiet } = boundsOf(truth.scenario);
  /** Who has led each term of an office: where two have, both must go. */
  const led = new Map<string, Set<number>>();
  /** What was wrong when a term was first heard of, if anything. */
  const opened = new Map<string, Wrong | null>();
  const isWell = (node: number): boolean =>
    truth.runs(node) && truth.now - Math.max(truth.undisturbedSince(node), truth.toldAt[node]) > quiet;
  const seatOf = (node: number, office: string) => truth.seen[node]?.offices[office];
  const wronged = (node: number, office: string, term: number, before: number, { view }: Glimpse): Wrong | null => {
    const holders = truth.running().filter((other) => {
      const seat = other === node ? undefined : seatOf(other, office);
      if (seat?.mine !== true || seat.term < before || led.get(`${office} ${seat.term}`)!.size > 1) return false;
      return isWell(other) && view.some(({ life }) => life === truth.life[other]);
    });
    if (holders.length > 0) {
      const what = `m${node} opened it at ${truth.now}, but m${holders[0]} led it and was well`;
      return { what, office, term, holders: new Set(holders) };
    }
    const earlier = opened.get(`${office} ${before}`) ?? null;
    if (earlier !== null) earlier.term = Math.max(earlier.term, term);
    return earlier;
  };
  /** A holder leads on in a higher term, or leads no more. */
  const spare = (node: number, office: string, now: Seat | undefined): void => {
    for (const wrong of opened.values()) {
      if (wrong?.office !== office) continue;
      if (now?.mine === true ? now.term >= wrong.term : !isWell(node)) wrong.holders.delete(node);
    }
  };
  /** A paused holder does not know yet that it no longer leads. */
  const stands = ({ holders, office }: Wrong): boolean =>
    [...holders].some((holder) => seatOf(holder, office)?.mine !== true || isWell(holder));
  return {
    name: "no-usurper",
    changed(node, before, now) {
      for (const office in before?.offices) if (before.offices[office].mine) spare(node, office, now?.offices[office]);
      for (const office in now?.offices) {
        const { mine, term } = now.offices[office];
        const key = `${office} ${term}`;
        const known = before?.offices[office]?.term ?? 0;
        if (!opened.has(key)) opened.set(key, term > known ? wronged(node, office, term, known, now) : null);
        if (!mine) continue;
        led.set(key, (led.get(key) ?? new Set()).add(node));
        // With a lease its holder leads on in a higher term.
        if (before?.offices[office]?.mine === true) continue;
        const wrong = opened.get(key) ?? null;
        if (wrong !== null && stands(wrong)) return `m${node} leads ${office} in term ${term}: ${wrong.what}`;
      }
      return null;
    },
  };
};
