/** Two leaders of one term are resolved; a healthy one whom they see is left in office. */
import { boundsOf } from "../bounds.ts";
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

/** Nobody is elected while a healthy holder is there whom it counts among the living. */
export const noUsurper: MakeRule = (truth) => {
  const { quiet } = boundsOf(truth.scenario);
  /** Who has led each term of an office: where two have, both must go. */
  const led = new Map<string, Set<number>>();
  return {
    name: "no-usurper",
    changed(node, before, now) {
      for (const office in now?.offices) {
        const { mine, term } = now.offices[office];
        if (!mine || before?.offices[office]?.mine === true) continue;
        led.set(`${office} ${term}`, (led.get(`${office} ${term}`) ?? new Set()).add(node));
        const holder = truth.running().find((other) => {
          const seat = other === node ? undefined : truth.seen[other]?.offices[office];
          if (seat?.mine !== true || seat.term >= term || led.get(`${office} ${seat.term}`)!.size > 1) return false;
          const well = truth.now - Math.max(truth.undisturbedSince(other), truth.toldAt[other]) > quiet;
          return well && now.view.some(({ life }) => life === truth.life[other]);
        });
        if (holder !== undefined) return `m${node} leads ${office} in term ${term}, but m${holder} led it and is well`;
      }
      return null;
    },
  };
};
