/** The programs of docs/library.md and docs/jobs.md do what their comments say, with the built package. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, sortitionIn } from "../cli/run.ts";

const run = promisify(execFile);
const [library, jobs] = ["docs/library.md", "docs/jobs.md"].map((page) => readFileSync(join(root, page), "utf8"));
const programs = [library, jobs]
  .flatMap((page) => [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)])
  .map(([, text]) => text);

const folder = mkdtempSync(join(tmpdir(), "sortition-library-docs-"));
beforeAll(async () => {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/sortition"));
  await sortitionIn({ cwd: folder }, "keygen", "--out", "group.key");
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(programs)("program %#", async (program) => {
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    timeout: 50_000,
  });
  const said = [...program.matchAll(/^(?:console|\w\.lead|const \{ to| {2}console).*; \/\/ (.*)$/gm)].map(
    ([, text]) => text,
  );
  expect(said.length).toBeGreaterThan(0);
  // Nothing but the log of `join`.
  expect(stderr.replaceAll(/^\S+Z sortition \w+: .*\n/gm, "")).toBe("");
  expect(stdout.split("\n").filter(Boolean)).toEqual(said);
});

test("the worked example finds its bug, with the seed that the page shows", async () => {
  copyFileSync(join(root, "examples/billing.ts"), join(folder, "billing.ts"));
  const { stdout } = await run(process.execPath, ["billing.ts"], { cwd: folder, timeout: 50_000 });
  const [shown] = library.match(/^seed .*\nseed .*\n/m)!;
  expect(stdout).toBe(shown);
});
