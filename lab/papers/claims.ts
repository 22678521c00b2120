/** The claims of the five texts as the reproduction wrote them: a line says which experiment begins, or what was claimed. */
import text from "../../docs/reproduction/claims.jsonl?raw";
import type { ClaimVerdict, PaperClaim as WholeClaim } from "../../src/reproduce/claim.ts";

/** What the page shows of a claim; the build leaves the rest out. */
type PaperClaim = Omit<WholeClaim, "key" | "severity" | "kind" | "criterion" | "error">;

interface Experiment {
  readonly paper: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly version: string;
  readonly figures: readonly { readonly name: string; readonly title: string; readonly caption: string }[];
  readonly claims: readonly PaperClaim[];
}

export const experiments: readonly Experiment[] = read(text);

function read(lines: string): Experiment[] {
  const found: (Omit<Experiment, "claims"> & { claims: PaperClaim[] })[] = [];
  for (const line of lines.split("\n").filter(Boolean)) {
    const value = JSON.parse(line);
    if ("figures" in value) found.push({ ...value, claims: [] });
    else found.at(-1)!.claims.push(value);
  }
  return found;
}

export const PAPERS: readonly (readonly [name: string, short: string, title: string])[] = [
  ["lecture", "Lecture T9", "Chakraborty, CS 60002 Distributed Systems, lecture T9: Leader Election, IIT Kharagpur"],
  [
    "ramanathan",
    "Ramanathan et al.",
    "Ramanathan, Ferreira, Jagannathan, Grama, Szpankowski: Randomized leader election, Distributed Computing, 2007",
  ],
  [
    "kutten",
    "Kutten et al.",
    "Kutten, Pandurangan, Peleg, Robinson, Trehan: Sublinear bounds for randomized leader election, 2013",
  ],
  [
    "gupta",
    "Gupta et al.",
    "Gupta, van Renesse, Birman: A probabilistically correct leader election protocol for large groups, DISC 2000",
  ],
  ["raz", "Raz et al.", "Raz, Shavitt, Zhang: Distributed council election, IEEE/ACM Transactions on Networking, 2004"],
];

export type { ClaimVerdict };
