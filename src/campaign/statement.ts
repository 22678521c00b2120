/**
 * The reproducibility statement of a run: which code ran on which machine with which seeds, and hashes of what came out. Nothing in it
 * names the user, the host or a folder.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join, sep } from "node:path";
import { codeFile } from "../package-files.ts";
import { version } from "../version.ts";

/** Enough to tell builds apart; it stands in subjects and in lines for people. */
const DIGITS = 16;

let known: string | null = null;

/** A digest of all code of this package, as it lies on the disk. */
export function buildDigest(): string {
  known ??= digestOf(codeFile(""));
  return known;
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.[jt]s$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  for (const file of files)
    hash.update(file.slice(folder.length).replaceAll(sep, "/")).update("\0").update(readFileSync(file));
  return hash.digest("hex").slice(0, DIGITS);
}

/** What a run tells of itself. */
export interface StatedRun {
  /** As typed: the words after "sortition". */
  readonly command: readonly string[];
  readonly started: Date;
  readonly seeds: readonly number[];
  readonly trials: number;
  readonly partial: boolean;
  /** All numbers as text, without times: equal on every machine for equal code, settings and seeds. */
  readonly results: string;
  /** Files that the run has written. */
  readonly files: readonly string[];
}

interface Statement {
  readonly sortition: {
    readonly version: string;
    readonly build: string;
    readonly commit: string | null;
    readonly modified: boolean | null;
  };
  readonly command: string;
  readonly started: string;
  readonly ended: string;
  readonly machine: {
    readonly system: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly node: string;
  };
  readonly seeds: readonly number[];
  readonly trials: number;
  readonly partial: boolean;
  /** SHA-256 of all numbers. */
  readonly results: string;
  readonly files: readonly { readonly file: string; readonly bytes: number; readonly sha256: string }[];
}

export function statementOf({ command, started, seeds, trials, partial, results, files }: StatedRun): Statement {
  return {
    sortition: { version, build: buildDigest(), ...commitOf(codeFile("../")) },
    command: ["sortition", ...command].join(" "),
    started: started.toISOString(),
    ended: new Date().toISOString(),
    machine: {
      system: `${type()} ${release()} ${arch()}`,
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    seeds: [...new Set(seeds)].sort((a, b) => a - b),
    trials,
    partial,
    results: sha256(results),
    files: files.map((file) => {
      const bytes = readFileSync(file);
      return { file, bytes: bytes.length, sha256: sha256(bytes) };
    }),
  };
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** Of a clone; an installed package has its version alone. */
function commitOf(folder: string): Pick<Statement["sortition"], "commit" | "modified"> {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    if (!existsSync(`${folder}/.git`)) return { commit: null, modified: null };
    return { commit: git("rev-parse", "HEAD"), modified: git("status", "--porcelain", "--untracked-files=no") !== "" };
  } catch {
    return { commit: null, modified: null };
  }
}

/** For an appendix: a paragraph, and a table of the files. */
export function statementText(statement: Statement): string {
  const { sortition, machine, seeds, trials, partial, files } = statement;
  const code =
    sortition.commit === null
      ? ""
      : `, commit ${sortition.commit}${sortition.modified === true ? " with local changes" : ""}`;
  return [
    "# Reproducibility statement",
    "",
    `These results were computed by Sortition ${sortition.version}${code} (build ${sortition.build}) with this command:`,
    "",
    `    ${statement.command}`,
    "",
    `It ran from ${statement.started} to ${statement.ended} on ${machine.system} (${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB) under Node.js ${machine.node}.`,
    `${trials.toLocaleString("en-GB")} trials were run, with ${seeds.length === 1 ? `seed ${seeds[0]}` : `${seeds.length} seeds from ${seeds[0]} to ${seeds.at(-1)}`}. The same code, settings and seeds give the same numbers on any machine and any number of threads.`,
    ...(partial ? ["The run was interrupted: these are the results that were finished."] : []),
    `SHA-256 of all numbers, without times: ${statement.results}.`,
    "",
    "| file | bytes | SHA-256 |",
    "| --- | --- | --- |",
    ...files.map(({ file, bytes, sha256: hash }) => `| ${file} | ${bytes} | ${hash} |`),
    "",
  ].join("\n");
}
