/** Everything that can be reproduced, paper by paper, and how it is found by name. */
import "./gupta/fig4.ts";
import "./gupta/fig5.ts";
import "./gupta/reinitiation.ts";
import "./gupta/round.ts";
import "./gupta/steps.ts";
import "./gupta/theorems.ts";
import "./kutten/complete.ts";
import "./kutten/graphs.ts";
import "./kutten/lemma1.ts";
import "./kutten/lower.ts";
import "./kutten/mixing.ts";
import "./kutten/steps.ts";
import "./lecture/costs.ts";
import "./lecture/slides.ts";
import "./ramanathan/first-phase.ts";
import "./ramanathan/printed.ts";
import "./ramanathan/second-phase.ts";
import "./ramanathan/section6.ts";
import "./ramanathan/section7.ts";
import "./ramanathan/states.ts";
import "./ramanathan/steps.ts";
import "./ramanathan/sync.ts";
import "./raz/basic.ts";
import "./raz/better.ts";
import "./raz/continuous.ts";
import "./raz/printed.ts";
import "./raz/unknown.ts";
import { didYouMean, InputError } from "../errors.ts";
import type { Reproduction } from "./claim.ts";
import { PAPERS, textsOf } from "./texts.ts";

interface Paper {
  readonly name: Reproduction["paper"];
  readonly authors: string;
  readonly citation: string;
  readonly reproductions: readonly Reproduction[];
}

export const papers: readonly Paper[] = PAPERS.map((name) => {
  const { say, items } = textsOf(name);
  return { name, authors: say(name, "authors"), citation: say(name, "citation"), reproductions: items() };
});

export const reproductions: readonly Reproduction[] = papers.flatMap((paper) => paper.reproductions);

/** The item that judges a claim; `name` may be given too, as the page's command for the item has it. */
export function itemOf(paper: string | undefined, name: string | undefined, claim: string): Reproduction {
  if (paper === undefined) throw new InputError(`--claim is for one paper: sortition reproduce PAPER --claim ${claim}`);
  const items = chosen(paper, name);
  const { keys } = textsOf(items[0].paper);
  const [words, variant] = claim.split("/");
  const holder = items.find((item) => item.name === variant) ?? items.find((item) => item.name === keys.get(words));
  if (holder !== undefined && keys.has(words)) return holder;
  const near = didYouMean(claim, [...keys.keys()]);
  throw new InputError(`${paper} has no claim "${claim}"${near || "; the page of the paper has the keys"}`);
}

/** All, those of one paper, or those that a name stands for; one that nothing has is answered with the nearest. */
export function chosen(paper?: string, name?: string): readonly Reproduction[] {
  if (paper === undefined) return reproductions;
  const names = papers.map((one) => one.name);
  const found = papers.find(({ name, authors }) => name === paper || authors.split(" ")[0].toLowerCase() === paper);
  if (found === undefined) {
    throw new InputError(`unknown paper "${paper}"${didYouMean(paper, names) || `; choose from ${names.join(", ")}`}`);
  }
  if (name === undefined) return found.reproductions;
  const items = found.reproductions.filter((one) => one.name === name);
  if (items.length > 0) return items;
  const wanted = name.replace(/^figure/, "fig");
  const speakingOf = found.reproductions.filter(({ title }) => referencesOf(title).includes(wanted));
  if (speakingOf.length > 0) return speakingOf;
  const known = found.reproductions.map((one) => one.name);
  throw new InputError(
    `${paper} has no "${name}" to reproduce${didYouMean(name, known) || `; choose from ${known.join(", ")}`}`,
  );
}

/** What of a paper a title speaks of: "Tables 5 to 7 and Theorems 8 and 10" is table5, table6, table7, theorem8, theorem10. */
export function referencesOf(title: string): string[] {
  return [
    ...title.matchAll(/\b(Table|Fig|Theorem|Lemma|Corollary|Algorithm)s?\.? ((?:\d+|I)(?:(?:, | and | to )\d+)*)/g),
  ].flatMap(([, kind, numbers]) => numbersOf(numbers).map((number) => `${kind.toLowerCase()}${number}`));
}

function numbersOf(text: string): number[] {
  return text.split(/, | and /).flatMap((part) => {
    const [first, last = first] = part.split(" to ").map((number) => (number === "I" ? 1 : Number(number)));
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
