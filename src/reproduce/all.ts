/** Everything that can be reproduced, paper by paper, and how it is found by name. */
import { didYouMean, InputError } from "../errors.ts";
import type { Reproduction } from "./claim.ts";
import { gupta } from "./gupta.ts";
import { kutten } from "./kutten.ts";
import { lecture } from "./lecture.ts";
import { ramanathan } from "./ramanathan.ts";
import { raz } from "./raz.ts";
import { referencesOf } from "./references.ts";
import { textsOf } from "./texts.ts";

export interface Paper {
  readonly name: Reproduction["paper"];
  readonly authors: string;
  readonly citation: string;
  readonly reproductions: readonly Reproduction[];
}

export const papers: readonly Paper[] = (
  [
    ["lecture", lecture],
    ["ramanathan", ramanathan],
    ["kutten", kutten],
    ["gupta", gupta],
    ["raz", raz],
  ] as const
).map(([name, reproductions]) => {
  const { say } = textsOf(name);
  return { name, authors: say(name, "authors"), citation: say(name, "citation"), reproductions };
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
