/** docs/reproduction.md, written from what has been found. */
import { papers } from "./all.ts";
import type { Claim } from "./claim.ts";
import type { Entry } from "./record.ts";
import { countsOf, MARKS, oursText, VERDICTS } from "./words.ts";

/** `folder` is where the figures are, as seen from the page. */
export function pageOf(entries: readonly Entry[], folder: string): string {
  const of = (paper: string) => entries.filter((entry) => entry.paper === paper);
  const present = papers.filter(({ name }) => of(name).length > 0);
  return `${[
    ...opening(entries),
    ...scores(entries),
    ...failures(entries),
    ...method(entries),
    ...allClaims(entries),
    ...present.flatMap(({ name, authors, citation }) => [
      `## ${authors}`,
      "",
      `${citation}.`,
      "",
      ...of(name).flatMap((entry) => section(entry, folder)),
    ]),
  ].join("\n")}`.replace(/\n+$/, "\n");
}

function opening(entries: readonly Entry[]): string[] {
  const claims = entries.flatMap((entry) => entry.claims);
  const figures = entries.reduce((sum, entry) => sum + entry.figures.length, 0);
  const counts = countsOf(claims);
  return [
    "# What holds: the seeds, reproduced",
    "",
    "<!-- Written by `sortition reproduce`, which a test checks: run it instead of editing or formatting this page. -->",
    "",
    `Sortition implements the algorithms of five texts. This page is the report of a program that regenerates their tables, figures and ` +
      `numeric claims, and says of each claim whether it holds: ${claims.length} claims, ${figures} figures. ` +
      `**${counts.holds} hold as printed, ${counts["holds after repair"]} hold after a repair that we name, and ${counts["does not hold"]} do not hold.** ` +
      "`sortition reproduce` writes the page, the figures and their data, and a test runs parts of it again. Numbers come from the runs; where a claim is a matter of reading or a known theorem, no run can prove it: the verdict then follows from a criterion or a counterexample that the note names.",
    "",
  ];
}

function scores(entries: readonly Entry[]): string[] {
  const row = (title: string, some: readonly Entry[]) => {
    const counts = countsOf(some.flatMap(({ claims }) => claims));
    const figures = some.reduce((sum, { figures }) => sum + figures.length, 0);
    return `| ${[title, ...VERDICTS.map((verdict) => counts[verdict]), figures, time(some)].join(" | ")} |`;
  };
  return [
    "| text | ✓ holds | ◐ holds after repair | ✗ does not hold | figures | time |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...papers.flatMap(({ name, authors }) => {
      const some = entries.filter(({ paper }) => paper === name);
      return some.length === 0 ? [] : [row(`[${authors}](#${anchor(authors)})`, some)];
    }),
    row("**all**", entries),
    "",
  ];
}

const time = (entries: readonly Entry[]) => {
  const seconds = entries.reduce((sum, entry) => sum + entry.seconds, 0);
  return seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
};

/** As GitHub makes them. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** The part for readers in a hurry. */
function failures(entries: readonly Entry[]): string[] {
  const broken = papers.flatMap(({ name, authors }) =>
    entries
      .filter(({ paper }) => paper === name)
      .flatMap(({ claims }) => claims)
      .filter(({ verdict }) => verdict === "does not hold")
      .map((claim) => {
        const values = `The text: ${claim.paper}; ours: ${oursText(claim)}.`;
        return `- **${authors}, ${claim.section}.** _${sentence(claim.statement)}_ ${values} ${claim.note}`;
      }),
  );
  return [
    "## What does not hold",
    "",
    ...broken,
    "",
    "What holds only after a repair has a ◐ in the table of [all claims](#all-claims), with the repair beside it.",
    "",
  ];
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function method(entries: readonly Entry[]): string[] {
  const versions = [...new Set(entries.map(({ version }) => version))].join(", ");
  const efforts = [...new Set(entries.map(({ effort }) => effort))];
  const effort = efforts.length === 1 ? `All of it is from ${efforts[0]} runs` : "Some of it is from quick runs";
  return [
    "## How to read it, and how to check it",
    "",
    `- **✓ holds**: the claim as printed is what we computed, explored or measured. An asymptotic claim holds if the measured growth, or the bound with its constants, is as stated over the range that the item names; that is evidence, not a proof.`,
    "- **◐ holds after repair**: what is printed fails, or cannot be built; with the repair that the note names, the claim holds.",
    "- **✗ does not hold**: the claim is contradicted by computation, by a run that anybody can repeat, or by measurement outside the interval.",
    "- Values in brackets are 95% intervals: Student's for means, Wilson's for rates. Values without them are computed, enumerated, the same in every run, or the most or least of many.",
    "- Where the texts are silent or contradict themselves, the notes say which reading was taken. The figure images are missing from our copies of the texts; we compare with captions, axes, tables and prose.",
    `- Every campaign has seed 1 unless its caption says otherwise; the same seed gives the same numbers on every machine and with any number of threads. ${effort} of version ${versions}, in ${time(entries)} on two cores (more where others used them).`,
    "",
    "```",
    "npx sortition reproduce                              # everything: figures and data in reproduction/, this page beside it",
    "npx sortition reproduce --quick                      # the same with fewer trials, in about two minutes",
    "npx sortition reproduce ramanathan fig9              # one item",
    "npx sortition reproduce --list                       # their names",
    "npx sortition reproduce --out docs/reproduction      # how this page was made",
    "```",
    "",
  ];
}

function allClaims(entries: readonly Entry[]): string[] {
  return [
    "## All claims",
    "",
    "| where | claim | the text | ours | verdict | note |",
    "| --- | --- | --- | --- | --- | --- |",
    ...papers.flatMap(({ name, authors }) =>
      entries
        .filter(({ paper }) => paper === name)
        .flatMap(({ claims }) => claims)
        .map((claim) => claimRow(authors, claim)),
    ),
    "",
  ];
}

export function claimRow(authors: string, claim: Claim): string {
  const verdict = `${MARKS[claim.verdict]} ${claim.verdict}`;
  const cells = [`${authors}, ${claim.section}`, claim.statement, claim.paper, oursText(claim), verdict, claim.note];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

function section({ paper, name, title, text, figures, seconds, effort }: Entry, folder: string): string[] {
  return [
    `### ${title}`,
    "",
    text,
    "",
    ...figures.flatMap((figure) => [
      `![${figure.title}](${folder}/${figure.name}.svg)`,
      "",
      `_${sentence(figure.caption)}_ Data: [${figure.name}.csv](${folder}/${figure.name}.csv).`,
      "",
    ]),
    `\`npx sortition reproduce ${paper} ${name}${effort === "quick" ? " --quick" : ""}\` (${seconds < 1 ? "below 1" : Math.round(seconds)} s)`,
    "",
  ];
}
