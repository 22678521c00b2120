/** Pages of the reproduction that only the site has: each text with quotes, notes and figures, from docs/reproduction/claims.jsonl. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { papers } from "../../src/reproduce/all.ts";
import type { PaperClaim } from "../../src/reproduce/claim.ts";
import { markdownOf, pageOf, plainMarkdown } from "../../src/reproduce/page.ts";
import { parseRecord, type ReproductionRecord } from "../../src/reproduce/record.ts";
import { MARKS, oursText } from "../../src/reproduce/words.ts";

/** By the place that each would have in the repository; docs/reproduction.md links to the others here. */
export function reproductionPages(root: string): Map<string, string> {
  const entries = parseRecord(readFileSync(join(root, "docs/reproduction/claims.jsonl"), "utf8"))!;
  const first = pageOf(entries, "reproduction", (paper, key) => `[${key}](reproduction/${paper}.md#${anchorOf(key)})`);
  return new Map([
    ["docs/reproduction.md", first],
    ...papers.map(({ name }) => [`docs/reproduction/${name}.md`, paperPageOf(entries, name)] as const),
  ]);
}

const anchorOf = (key: string) => key.replace("/", "-");
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Everything of one text. */
export function paperPageOf(entries: readonly ReproductionRecord[], paper: string): string {
  const { authors, citation } = papers.find(({ name }) => name === paper)!;
  const some = entries.filter((one) => one.paper === paper);
  return markdownOf([`# ${authors}`, `${citation}.`, ...some.flatMap(itemBlocks)]);
}

function itemBlocks({ paper, name, title, text, figures, claims, seconds, effort }: ReproductionRecord): string[] {
  const quick = effort === "quick" ? " --quick" : "";
  const of = (kind: PaperClaim["kind"]) =>
    claims
      .filter((claim) => claim.kind === kind)
      .map((claim) => claimBlock(claim, `npx sortition reproduce ${paper} --claim ${claim.key}${quick}`));
  const command = `npx sortition reproduce ${paper} ${name}${quick}`;
  const others = (title: string, blocks: readonly string[]) =>
    blocks.length === 0 ? [] : [`#### ${title}`, ...blocks];
  return [
    `## ${title}`,
    text,
    `\`${command}\` repeats all of it (${seconds < 1 ? "below 1" : Math.round(seconds)} s).`,
    ...figures.flatMap((figure) => [
      `![${figure.title}](${figure.name}.svg)`,
      `_${sentence(figure.caption)}_ Data: [${figure.name}.csv](${figure.name}.csv).`,
    ]),
    ...of("claim"),
    ...others("What the text leaves open, or our repair costs", of("extension")),
    ...others("Checks of our own theory against our own runs", of("self-check")),
  ];
}

function claimBlock(claim: PaperClaim, command: string): string {
  const { key, verdict, severity, section, says, statement, paper, criterion, note } = claim;
  const values = `The text: **${plainMarkdown(paper)}**; ours: **${plainMarkdown(oursText(claim))}**.`;
  return [
    `<a id="${anchorOf(key)}"></a>**${MARKS[verdict]} ${verdict}** · ${severity} · ${section}`,
    ...(says === "" ? [] : [`> ${plainMarkdown(says)}`]),
    `${plainMarkdown(sentence(statement))} ${values} ${note}`.trim(),
    ...(criterion === "" ? [] : [`_Our threshold: ${criterion}._`]),
    `\`${command}\``,
  ].join("\n\n");
}
