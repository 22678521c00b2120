/** What docs/reproduction.md was written from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRecord } from "../../src/reproduce/record.ts";
import { root } from "../cli/run.ts";

export const folder = join(root, "docs/reproduction");
export const record = join(folder, "claims.jsonl");
export const entries = parseRecord(readFileSync(record, "utf8"))!;
