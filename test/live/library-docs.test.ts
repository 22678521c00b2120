/** The programs of docs/library.md do what their comments say, with the built package. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin, root } from "../cli/run.ts";

const run = promisify(execFile);
const page = readFileSync(join(root, "docs/library.md"), "utf8");
const programs = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

const folder = mkdtempSync(join(tmpdir(), "sortition-library-docs-"));
beforeAll(async () => {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/sortition"));
  await run(process.execPath, [bin, "keygen", "--out", "group.key"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(programs)("program %#", async (program) => {
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    timeout: 60_000,
  });
  const said = [...program.matchAll(/^.*; \/\/ (.*)$/gm)].map(([, text]) => text);
  expect(said.length).toBeGreaterThan(0);
  expect(stderr).toBe("");
  expect(stdout.split("\n").filter(Boolean)).toEqual(said);
});
