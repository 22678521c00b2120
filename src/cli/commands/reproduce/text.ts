/** What a reproduction found, for people and for programs. */
import type { ReproductionFinding } from "../../../reproduce/bench.ts";
import type { PaperClaim, Reproduction } from "../../../reproduce/claim.ts";
import { type ReproductionRecord, recordOf } from "../../../reproduce/record.ts";
import { claimsOf, countsOf, MARKS, oursText, VERDICTS } from "../../../reproduce/words.ts";
import { version } from "../../../version.ts";
import type { Io } from "../../io.ts";
import { plural } from "../../text/figures.ts";
import { table, wrap } from "../../text/table.ts";
import { type Paint, terminalWidth } from "../../text/terminal.ts";

export function reproductionList(io: Io, items: readonly Reproduction[]): string {
  const rows = items.map(({ paper, name, title }) => [paper, name, title]);
  return table([{ title: "paper" }, { title: "figure" }, { title: "what", wrap: true }], rows, {
    width: terminalWidth(io),
  });
}

const COLOURS = {
  holds: "green",
  "holds after repair": "yellow",
  "does not hold": "red",
  open: "cyan",
  "not testable": "dim",
} as const;

export function findingText(
  io: Io,
  { reproduction: { paper, name, title }, part, seconds }: ReproductionFinding,
  paint: Paint,
): string {
  const head = `${paint("bold", `${paper} ${name}`)}: ${title} ${paint("dim", `(${seconds.toFixed(1)} s)`)}`;
  return [head, ...part.claims.flatMap((claim) => claimLines(io, claim, paint))].join("\n");
}

function claimLines(io: Io, claim: PaperClaim, paint: Paint): string[] {
  const { verdict, section, severity, says, statement, paper, criterion, note } = claim;
  const width = (terminalWidth(io) ?? 120) - 4;
  const [first, ...rest] = wrap(`${verdict}: ${section}. ${statement}`, width);
  return [
    `  ${paint(COLOURS[verdict], `${MARKS[verdict]} ${first}`)}`,
    ...rest.map((line) => `    ${paint(COLOURS[verdict], line)}`),
    ...(says === "" ? [] : wrap(`"${says}"`, width).map((line) => `    ${line}`)),
    ...wrap(`the text: ${paper}; ours: ${oursText(claim)} (${severity})`, width).map((line) => `    ${line}`),
    ...(criterion === "" ? [] : wrap(`threshold of our own: ${criterion}`, width).map((line) => `    ${line}`)),
    ...(note === "" ? [] : wrap(note, width).map((line) => `    ${paint("dim", line)}`)),
  ];
}

export function closing(findings: readonly ReproductionFinding[], folder: string, partial: boolean): string {
  const claims = claimsOf(findings.map(({ part }) => part));
  const counts = countsOf(claims);
  const figures = findings.reduce((sum, { part }) => sum + part.figures.length, 0);
  return [
    ...(partial ? ["interrupted: what was finished is kept"] : []),
    `${plural(claims.length, "claim")}: ${VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ")}`,
    ...(findings.length === 0
      ? []
      : [`${plural(figures, "figure")} with data in ${folder}/; the page is ${folder}.md`]),
  ].join("\n");
}

export function forMachines(
  findings: readonly ReproductionFinding[],
  effort: ReproductionRecord["effort"],
  partial: boolean,
) {
  return {
    version,
    effort,
    partial,
    counts: countsOf(claimsOf(findings.map(({ part }) => part))),
    reproductions: findings.map((finding) => {
      const { version: _, effort: __, ...entry } = recordOf(finding, effort);
      return entry;
    }),
  };
}

/** One claim alone; nothing was written for it. */
export function claimText(
  io: Io,
  { reproduction, part, seconds }: ReproductionFinding,
  key: string,
  paint: Paint,
): string {
  return findingText(
    io,
    { reproduction, part: { ...part, claims: part.claims.filter((one) => one.key === key) }, seconds },
    paint,
  );
}

export function claimForMachines(
  { reproduction: { paper, name }, part }: ReproductionFinding,
  key: string,
  effort: ReproductionRecord["effort"],
) {
  return { version, effort, paper, item: name, claim: part.claims.find((one) => one.key === key) };
}
