/** `sortition merge PARTS...`: the campaign of one machine, from the parts that `simulate --shard` wrote on many. */
import type { Command } from "commander";
import { mergeParts } from "../../campaign/shards.ts";
import { checkFiles } from "../files.ts";
import type { Io } from "../io.ts";
import { forceOption, jsonOption } from "../options/options.ts";
import { examples, painter, print } from "../text/terminal.ts";
import { summary } from "./simulate.ts";

interface MergeOptions {
  readonly out?: string;
  readonly force?: true;
  readonly json?: true;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      'Merges the parts of a campaign that was cut into shards with "simulate --shard", and prints the report that "simulate" on one machine would have printed: the same trials, the same numbers. A part that is missing, incomplete or of another campaign is named.',
    )
    .argument("<parts...>", "the files that simulate --shard has written, all of them, in any order")
    .option("--out <file>", "also write a row for each trial, as .csv, .jsonl or .parquet")
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          [
            "sortition simulate referees --n 1000 --trials 3000 --shard 2/3 --out part-2.jsonl",
            "the second third of a campaign",
          ],
          ["sortition merge part-1.jsonl part-2.jsonl part-3.jsonl", "the whole"],
        ],
        "docs/sweep.md",
      ),
    )
    .action(merge.bind(null, io));
}

async function merge(io: Io, parts: readonly string[], options: MergeOptions): Promise<void> {
  checkFiles({}, { "--out": options.out }, options.force);
  const rows = options.out === undefined ? null : await (await import("../../campaign/rows.ts")).openRows(options.out);
  try {
    const { report, settings } = await mergeParts(parts, (trials) => rows?.write(trials));
    rows?.finish();
    print(
      io,
      options.json ? JSON.stringify(report) : summary(report, settings, options.out ?? null, painter(io.stdout)),
    );
  } catch (error) {
    rows?.discard();
    throw error;
  }
}
