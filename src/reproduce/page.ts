/** docs/reproduction.md: every claim with its verdict and values in one line, and a few words about each error. */
import { papers } from "./all.ts";
import type { PaperClaim } from "./claim.ts";
import type { ReproductionRecord } from "./record.ts";
import { sayingsOf, textsOf } from "./texts.ts";
import { claimsOf, countsOf, errorsBehind, MARKS, oursText, VERDICTS } from "./words.ts";

type PaperName = ReproductionRecord["paper"];
/** How the page names a claim; the site makes links of the names. */
type ClaimName = (paper: PaperName, key: string) => string;

const say = sayingsOf("page");
const codeName: ClaimName = (_paper, key) => `\`${key}\``;

/** `folder` is where data and figures are, as seen from the page. */
export function pageOf(entries: readonly ReproductionRecord[], folder: string, nameOf: ClaimName = codeName): string {
  const present = papers.filter(({ name }) => entries.some(({ paper }) => paper === name));
  const all = claimsOf(entries);
  const [held, repaired, failed, open, untestable] = VERDICTS.map((verdict) => countsOf(all)[verdict]);
  const wrong = errorsBehind(entries, ["does not hold"]).length;
  const more = entries.flatMap(({ claims }) => claims).length - all.length;
  const ofPaper = (name: PaperName) => entries.filter(({ paper }) => paper === name);
  return markdownOf([
    "# Reproduction of five texts",
    "<!-- Written by `sortition reproduce`, which a test checks: run it instead of editing or formatting this page. -->",
    say("opening", "text", { claims: all.length, held, repaired, failed, open, untestable, wrong }),
    tableOf(
      ["text", ...VERDICTS.map((verdict) => `${MARKS[verdict]} ${verdict}`), "errors", "figures", "time"],
      [...present.map(({ name, authors }) => countRow(authors, ofPaper(name))), countRow("**all**", entries)],
    ),
    ...(present.length < papers.length ? [] : ["## Findings", say("findings", "text")]),
    "## How to read and check it",
    say("reading", "text", { ...methodOf(entries), time: timeOf(entries), folder, more }),
    say("commands", "text"),
    ...present.flatMap(({ name, authors, citation }) => [
      `## ${authors}`,
      `${citation}.`,
      claimTable(ofPaper(name), nameOf),
      errorList(name, ofPaper(name), nameOf),
      figureList(ofPaper(name), folder),
    ]),
  ]);
}

export const markdownOf = (blocks: readonly string[]) => `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
/** Stars and bars as they are, not as Markdown. */
export const plainMarkdown = (text: string) => text.replaceAll("*", "\\*");
const cellOf = (text: string) => plainMarkdown(text).replaceAll("|", "\\|");

function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function countRow(title: string, some: readonly ReproductionRecord[]): (string | number)[] {
  const counts = countsOf(claimsOf(some));
  const figures = some.reduce((sum, entry) => sum + entry.figures.length, 0);
  const errors = errorsBehind(some, ["does not hold"]).length;
  return [title, ...VERDICTS.map((verdict) => counts[verdict]), errors, figures, timeOf(some)];
}

function timeOf(entries: readonly ReproductionRecord[]): string {
  const seconds = entries.reduce((sum, entry) => sum + entry.seconds, 0);
  return seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}

function methodOf(entries: readonly ReproductionRecord[]) {
  const efforts = [...new Set(entries.map(({ effort }) => effort))];
  return {
    versions: [...new Set(entries.map(({ version }) => version))].join(", "),
    effort: efforts.length === 1 ? `All values are from ${efforts[0]} runs` : "Some values are from quick runs",
  };
}

function claimTable(entries: readonly ReproductionRecord[], nameOf: ClaimName): string {
  const rows = entries.flatMap(({ paper, claims }) =>
    claims
      .filter(({ kind }) => kind === "claim")
      .map((claim) => [
        `${MARKS[claim.verdict]} ${nameOf(paper, claim.key)}, ${cellOf(placeOf(claim))}`,
        cellOf(claim.paper),
        cellOf(oursText(claim)),
      ]),
  );
  return tableOf(["claim, place", "the text", "ours"], rows);
}

const placeOf = ({ section }: PaperClaim) => section.replace(/\bsection (?=[\dIVX])/g, "§");

/** One error is listed once, with every claim that it makes false. */
function errorList(paper: PaperName, entries: readonly ReproductionRecord[], nameOf: ClaimName): string {
  const named = ({ key, verdict }: PaperClaim) => `${MARKS[verdict]} ${nameOf(paper, key)}`;
  return errorsBehind(entries, ["does not hold", "holds after repair"])
    .map(
      ({ claim, more }) =>
        `- ${[claim, ...more].map(named).join(", ")}: ${plainMarkdown(briefOf(paper, [claim, ...more]))}`,
    )
    .join("\n");
}

/** What is wrong, in a few words that the texts have under one of the claims; the note, if none of these was run. */
function briefOf(paper: PaperName, claims: readonly PaperClaim[]): string {
  const { say } = textsOf(paper);
  const briefs = claims.map(({ key }) => say(key.split("/")[0], "brief", null));
  return briefs.find((brief) => brief !== "") ?? claims[0].note;
}

function figureList(entries: readonly ReproductionRecord[], folder: string): string {
  const links = entries.flatMap(({ paper, figures }) =>
    figures.map(({ name }) => `[${name.slice(paper.length + 1)}](${folder}/${name}.svg)`),
  );
  return links.length === 0 ? "" : `Figures: ${links.join(", ")}.`;
}
