/** Everything that can be reproduced, paper by paper, and how it is found by name. */
import { didYouMean, InputError } from "../errors.ts";
import type { Reproduction } from "./claim.ts";
import { guptaReproductions } from "./gupta.ts";
import { kutten } from "./kutten.ts";
import { lecture } from "./lecture.ts";
import { ramanathan } from "./ramanathan.ts";
import { razReproductions } from "./raz.ts";
import { referencesOf } from "./references.ts";

export interface Paper {
  readonly name: Reproduction["paper"];
  readonly authors: string;
  readonly citation: string;
  readonly reproductions: readonly Reproduction[];
}

export const papers: readonly Paper[] = [
  {
    name: "lecture",
    authors: "Chakraborty",
    citation: "S. Chakraborty, _T9: Leader Election_, lecture of CS 60002 Distributed Systems, IIT Kharagpur",
    reproductions: lecture,
  },
  {
    name: "ramanathan",
    authors: "Ramanathan et al.",
    citation:
      "M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski, _Randomized leader election_, Distributed Computing 19, 2007",
    reproductions: ramanathan,
  },
  {
    name: "kutten",
    authors: "Kutten et al.",
    citation:
      "S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, _Sublinear bounds for randomized leader election_, 2013 (version of 2019)",
    reproductions: kutten,
  },
  {
    name: "gupta",
    authors: "Gupta et al.",
    citation:
      "I. Gupta, R. van Renesse, K. P. Birman, _A probabilistically correct leader election protocol for large groups_, DISC 2000",
    reproductions: guptaReproductions,
  },
  {
    name: "raz",
    authors: "Raz et al.",
    citation:
      "D. Raz, Y. Shavitt, L. Zhang, _Distributed council election_, IEEE/ACM Transactions on Networking 12, 2004",
    reproductions: razReproductions,
  },
];

export const reproductions: readonly Reproduction[] = papers.flatMap((paper) => paper.reproductions);

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
