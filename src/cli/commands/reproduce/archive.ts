/** `reproduce --archive`: a row for each trial of every campaign, an index of these files, and a statement. */
import { join } from "node:path";
import { csvLine } from "../../../campaign/row-format.ts";
import { openRows, type RowWriter } from "../../../campaign/rows.ts";
import type { ArchivedRun } from "../../../reproduce/bench.ts";
import type { Reproduction } from "../../../reproduce/claim.ts";
import { requestOf } from "../../../simulation/settings.ts";
import { makeFolder, writeOutput } from "../../files.ts";

const INDEX = ["file", "paper", "figure", "run", "x", "protocol", "n", "seed", "trials", "request"];

export class Archive {
  readonly seeds: number[] = [];
  trials = 0;
  private readonly folder: string;
  /** Files that are complete, in the order in which they were written. */
  private readonly lines: (readonly (string | number)[])[] = [];

  constructor(folder: string) {
    this.folder = folder;
    makeFolder(join(folder, "rows"), "--out");
  }

  /** A file for the trials of one campaign. */
  async rows({ paper, name }: Reproduction, { run, x, settings, trials }: ArchivedRun): Promise<RowWriter> {
    const { protocol, n, seed } = settings;
    const place = x === null ? "" : typeof x === "string" ? x : JSON.stringify(x);
    const count = this.lines.filter(
      ([, ofPaper, figure, of]) => ofPaper === paper && figure === name && of === run,
    ).length;
    const file = join("rows", `${paper}-${name}-${run}-${count}.parquet`);
    const writer = await openRows(join(this.folder, file), [
      { name: "paper", type: "text", value: paper },
      { name: "figure", type: "text", value: name },
      { name: "run", type: "text", value: run },
      { name: "x", type: "text", value: place },
      { name: "protocol", type: "text", value: protocol.name },
      { name: "n", type: "whole", value: n },
      { name: "seed", type: "whole", value: seed },
    ]);
    return {
      ...writer,
      finish: () => {
        writer.finish();
        this.seeds.push(seed);
        this.trials += trials;
        const request = JSON.stringify(requestOf(settings));
        this.lines.push([file, paper, name, run, place, protocol.name, n, seed, trials, request]);
      },
    };
  }

  /** Writes the index; all files of the archive, the index included. */
  finish(): string[] {
    const index = join(this.folder, "rows.csv");
    writeOutput(index, [INDEX, ...this.lines].map(csvLine).join(""));
    return [index, ...this.lines.map(([file]) => join(this.folder, String(file)))];
  }
}
