/** `--statement FILE`: what a run tells of itself, for an appendix (.md) or for a program (.json). */
import { type Command, Option } from "commander";
import { type StatedRun, statementOf, statementText } from "../../campaign/statement.ts";
import { InputError } from "../../errors.ts";
import { writeOutput } from "../files.ts";

export const statementOption = (): Option =>
  new Option(
    "--statement <file>",
    "write a reproducibility statement: version, commit, machine, seeds and hashes of the results, as .md or .json",
  );

export function checkStatement(file: string | undefined): void {
  if (file === undefined || /\.(md|json)$/i.test(file)) return;
  throw new InputError(`--statement must end in .md or .json, not "${file}"`);
}

export function writeStatement(file: string, run: StatedRun): void {
  const statement = statementOf(run);
  const text = file.toLowerCase().endsWith(".json")
    ? `${JSON.stringify(statement, null, 2)}\n`
    : statementText(statement);
  writeOutput(file, text);
}

/** What was typed after "sortition". */
export const lineOf = (command: Command): readonly string[] => command.parent?.args ?? [];
