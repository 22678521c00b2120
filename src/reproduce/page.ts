/** docs/reproduction.md and a page for each paper beside its figures, written from what has been found. */
import { papers } from "./all.ts";
import type { PaperClaim } from "./claim.ts";
import type { ReproductionRecord } from "./record.ts";
import { sayingsOf } from "./texts.ts";
import { claimsOf, countsOf, errorsBehind, MARKS, oursText, VERDICTS } from "./words.ts";

const say = sayingsOf("page");

/** The first page; `folder` is where the pages of the papers are, as seen from it. */
export function pageOf(entries: readonly ReproductionRecord[], folder: string): string {
  const present = papers.filter(({ name }) => entries.some(({ paper }) => paper === name));
  const all = claimsOf(entries);
  const [held, repaired, failed, open, untestable] = VERDICTS.map((verdict) => countsOf(all)[verdict]);
  const figures = entries.reduce((sum, entry) => sum + entry.figures.length, 0);
  const wrong = errorsBehind(entries, "does not hold").length;
  const rows = present.map(({ name, authors }) => {
    const some = entries.filter(({ paper }) => paper === name);
    return row(`[${authors}](${folder}/${name}.md)`, some);
  });
  return written([
    "# What holds: the seeds, reproduced",
    "<!-- Written by `sortition reproduce`, which a test checks: run it instead of editing or formatting this page. -->",
    say("opening", "text", { claims: all.length, figures, held, repaired, failed, open, untestable, wrong }),
    [
      `| text | ${VERDICTS.map((verdict) => `${MARKS[verdict]} ${verdict}`).join(" | ")} | errors | figures | time |`,
      LINE,
      ...rows,
      row("**all**", entries),
    ].join("\n"),
    ...(present.length < papers.length ? [] : ["## The findings that matter", say("findings", "text")]),
    "## What does not hold",
    "One error is listed once, under the claim that shows it best; theorems first. The pages of the papers have the details.",
    present
      .flatMap(({ name, authors }) =>
        failuresOf(
          entries.filter((one) => one.paper === name),
          authors,
          `${folder}/${name}.md`,
        ),
      )
      .join("\n"),
    "## How to read it, and how to check it",
    say("reading", "text", { ...method(entries), time: time(entries) }),
    say("commands", "text"),
  ]);
}

const LINE = `| --- | ${VERDICTS.map(() => "---:").join(" | ")} | ---: | ---: | ---: |`;
const written = (blocks: readonly string[]) => `${blocks.filter((block) => block !== "").join("\n\n")}\n`;

function row(title: string, some: readonly ReproductionRecord[]): string {
  const counts = countsOf(claimsOf(some));
  const figures = some.reduce((sum, entry) => sum + entry.figures.length, 0);
  const errors = errorsBehind(some, "does not hold").length;
  return `| ${[title, ...VERDICTS.map((verdict) => counts[verdict]), errors, figures, time(some)].join(" | ")} |`;
}

const time = (entries: readonly ReproductionRecord[]) => {
  const seconds = entries.reduce((sum, entry) => sum + entry.seconds, 0);
  return seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
};

function method(entries: readonly ReproductionRecord[]) {
  const efforts = [...new Set(entries.map(({ effort }) => effort))];
  return {
    versions: [...new Set(entries.map(({ version }) => version))].join(", "),
    effort: efforts.length === 1 ? `All of it is from ${efforts[0]} runs` : "Some of it is from quick runs",
  };
}

/** Stars are no stresses. */
const plain = (text: string) => text.replaceAll("*", "\\*");
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function failuresOf(entries: readonly ReproductionRecord[], authors: string, page: string): string[] {
  return errorsBehind(entries, "does not hold").map(({ claim, more }) => {
    const also = more.length === 0 ? "" : ` (Also: ${[...new Set(more.map(({ section }) => section))].join(", ")}.)`;
    const where = `**[${authors}, ${claim.section}](${page}#${claim.key.replace("/", "-")})** (${claim.severity})`;
    const of = typeof claim.ours === "number" ? `Checked: ${sentence(claim.statement)} ` : ""; // a bare number says nothing
    return `- ${where}: ${plain(`"${claim.says}" ${of}The text: ${claim.paper}; ours: ${oursText(claim)}.`)}${also}`;
  });
}

/** Everything of one paper, as it lies beside its figures. */
export function paperPageOf(entries: readonly ReproductionRecord[], paper: string): string {
  const { authors, citation } = papers.find(({ name }) => name === paper)!;
  const some = entries.filter((one) => one.paper === paper);
  return written([
    `# ${authors}`,
    "<!-- Written by `sortition reproduce`: run it instead of editing or formatting this page. -->",
    `${citation}.`,
    ...some.flatMap(itemBlocks),
  ]);
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
  return [
    `<a id="${key.replace("/", "-")}"></a>**${MARKS[verdict]} ${verdict}** · ${severity} · ${section}`,
    ...(says === "" ? [] : [`> ${plain(says)}`]),
    `${plain(sentence(statement))} The text: **${plain(paper)}**; ours: **${plain(oursText(claim))}**. ${note}`.trim(),
    ...(criterion === "" ? [] : [`_Threshold of our own: ${criterion}._`]),
    `\`${command}\``,
  ].join("\n\n");
}
