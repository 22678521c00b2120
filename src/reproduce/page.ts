/** docs/reproduction.md, written from what has been found. */
import { papers } from "./all.ts";
import type { Claim } from "./claim.ts";
import type { Entry } from "./record.ts";
import { sayingsOf } from "./texts.ts";
import { countsOf, MARKS, oursText, VERDICTS } from "./words.ts";

const say = sayingsOf("page");

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
  const [held, repaired, failed] = VERDICTS.map((verdict) => counts[verdict]);
  return [
    "# What holds: the seeds, reproduced",
    "",
    "<!-- Written by `sortition reproduce`, which a test checks: run it instead of editing or formatting this page. -->",
    "",
    say("opening", "text", { claims: claims.length, figures, held, repaired, failed }),
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
    say("reading", "text", { effort, versions, time: time(entries) }),
    "",
    say("commands", "text"),
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
