/**
 * A campaign cut into shards that need no server: each machine runs its own stretch of the trials and writes a part, and the parts
 * merged are the campaign of one machine, trial by trial. A part has a line that says what was asked for, a line for each
 * trial, and a line that ends it: a job that was killed leaves no part behind.
 */
import { readFileSync } from "node:fs";
import { InputError } from "../errors.ts";
import { isModule } from "../protocols/registry.ts";
import { exactTheoryOf } from "../simulation/question.ts";
import { type Request, requestOf, resolve, type Settings } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { type Report, reportOf, warningsOf } from "../statistics/report.ts";
import { TrialTally } from "../statistics/tally.ts";
import { version } from "../version.ts";
import { type CampaignOptions, campaign } from "./campaign.ts";
import { OutputFile } from "./output-file.ts";

/** The i-th of k shards, from 1. */
interface Shard {
  readonly index: number;
  readonly of: number;
}

/** "3/100" */
export function shardOf(text: string): Shard {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (!(shard.index >= 1 && shard.index <= shard.of)) {
    throw new InputError(`--shard must be one of several, such as 3/100 (from 1/100 to 100/100), not ${text}`);
  }
  return shard;
}

/** Which trials are its own: every trial belongs to exactly one shard, and their numbers differ by one at most. */
export function stretchOf({ index, of }: Shard, trials: number): { readonly first: number; readonly count: number } {
  const first = Math.floor(((index - 1) * trials) / of);
  return { first, count: Math.floor((index * trials) / of) - first };
}

interface PartHeader {
  readonly part: Shard;
  readonly version: string;
  readonly trials: number;
  readonly request: Request;
}

interface PartEnd {
  readonly counted: number;
  readonly seconds: number;
}

type PartOptions = Omit<CampaignOptions, "trials" | "first" | "onTrials" | "check" | "precision">;

/** Runs a shard and writes its part; nothing is written where it is interrupted. */
export async function runShard(
  settings: Settings,
  trials: number,
  shard: Shard,
  file: string,
  options: PartOptions = {},
): Promise<{ readonly first: number; readonly count: number; readonly seconds: number; readonly partial: boolean }> {
  const { first, count } = stretchOf(shard, trials);
  const output = new OutputFile(file);
  const line = (value: unknown) => output.write(`${JSON.stringify(value)}\n`);
  try {
    line({ part: shard, version, trials, request: requestOf(settings) } satisfies PartHeader);
    const onTrials = (rows: readonly Trial[]) => rows.forEach(line);
    const report = count === 0 ? null : await campaign(settings, { ...options, trials: count, first, onTrials });
    const [seconds, partial] = [report?.seconds ?? 0, report?.partial ?? false];
    if (partial) output.discard();
    else {
      line({ counted: count, seconds } satisfies PartEnd);
      output.finish();
    }
    return { first, count, seconds, partial };
  } catch (error) {
    output.discard();
    throw error;
  }
}

interface Part extends PartHeader, PartEnd {
  readonly file: string;
  readonly lines: readonly string[];
}

function readPart(file: string): Part {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`cannot read the part ${file}: ${(error as Error).message}`);
  }
  const [head, ...lines] = text.trimEnd().split("\n");
  try {
    const header = JSON.parse(head) as PartHeader;
    const end = JSON.parse(lines.pop() ?? "null") as PartEnd | null;
    if (header.part?.of >= 1 && end?.counted === lines.length) return { ...header, ...end, file, lines };
  } catch {
    // Said below, in the same words.
  }
  throw new InputError(`${file} is no complete part of a campaign: run its shard again (simulate --shard)`);
}

/** All parts of one campaign, each once, in order; anything else is refused with what is missing. */
function completeParts(files: readonly string[]): readonly Part[] {
  const parts = files.map(readPart).sort((a, b) => a.part.index - b.part.index);
  const [first] = parts;
  if (first === undefined) throw new InputError("which parts? name the files that simulate --shard has written");
  const campaignOf = ({ part, version: by, trials, request }: Part) => JSON.stringify([part.of, by, trials, request]);
  for (const part of parts) {
    if (campaignOf(part) !== campaignOf(first)) {
      throw new InputError(`${part.file} and ${first.file} are parts of different campaigns, or of different versions`);
    }
  }
  if (first.version !== version) {
    throw new InputError(`the parts are of version ${first.version}, this is ${version}: merge them with their own`);
  }
  const have = parts.map(({ part }) => part.index);
  const twice = have.find((index, i) => have.indexOf(index) < i);
  if (twice !== undefined) throw new InputError(`shard ${twice}/${first.part.of} is there twice`);
  const missing = Array.from({ length: first.part.of }, (_, i) => i + 1).filter((index) => !have.includes(index));
  if (missing.length > 0) {
    const named = missing.slice(0, 5).map((index) => `${index}/${first.part.of}`);
    const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : "";
    throw new InputError(`parts are missing: run simulate with --shard ${named.join(", ")}${more}`);
  }
  for (const { part, lines, file, trials } of parts) {
    if (lines.length !== stretchOf(part, trials).count)
      throw new InputError(`${file} does not have the trials of its shard`);
  }
  return parts;
}

/** The report of the whole campaign. `onTrials`: every trial, in order. */
export async function mergeParts(
  files: readonly string[],
  onTrials: (rows: readonly Trial[]) => void = () => {},
): Promise<{ readonly report: Report; readonly settings: Settings }> {
  const parts = completeParts(files);
  const { request } = parts[0];
  if (isModule(request.protocol)) await (await import("./load-protocol.ts")).loadProtocol(request.protocol);
  const settings = resolve(request);
  const tally = new TrialTally();
  for (const { lines } of parts) {
    for (const text of lines) {
      const trial = JSON.parse(text) as Trial;
      tally.add(trial);
      onTrials([trial]);
    }
  }
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const theory = exactTheoryOf(settings);
  const warnings = warningsOf(tally, theory);
  const report = {
    ...reportOf(settings, tally, seconds, false),
    ...(theory === null ? {} : { theory }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  return { report, settings };
}
