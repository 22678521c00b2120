/** The package as others get it: packed, installed in an empty folder, run and imported from there. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "./run.ts";

const run = promisify(execFile);
/** This Node first: the machine's own may be too old. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sortition-pack-"));
  // Scripts would build again, under the feet of the other tests; `npm test` has built already.
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root, env });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--omit=dev"];
  await run("npm", ["install", ...options, `./sortition-${version}.tgz`], { cwd: folder, env });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the command runs, on worker threads too", async () => {
  const args = ["simulate", "chang-roberts", "--n", "8", "--trials", "20", "--threads", "2", "--json"];
  const { stdout } = await run(join(folder, "node_modules", ".bin", "sortition"), args, { cwd: folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ trials: 20, outcomes: { one: 20 } });
});

test("the library and its subpaths can be imported", async () => {
  writeFileSync(
    join(folder, "use.js"),
    `import { simulate } from "sortition";
     import { changRoberts } from "sortition/protocols/ring/chang-roberts";
     import { catalogue } from "sortition/protocols";
     import { SELF } from "sortition/protocol";
     import { runEvents } from "sortition/host/events";
     import { ring } from "sortition/topology/ring";
     const { success } = await simulate({ protocol: changRoberts.name, n: 5, trials: 3 }, { threads: 2 });
     process.stdout.write(JSON.stringify([success.rate, catalogue.includes(changRoberts), SELF, typeof runEvents, ring(3).size]));`,
  );
  const { stdout } = await run(process.execPath, ["use.js"], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual([1, true, -1, "function", 3]);
});

test("its types are found and are right", async () => {
  writeFileSync(
    join(folder, "use.ts"),
    `import { type Report, simulate } from "sortition";
     import type { Protocol } from "sortition/protocol";
     export const report: Promise<Report> = simulate({ protocol: "peterson", n: 5 });
     export type P = Protocol<null, null, null>;
     // @ts-expect-error n is a number
     void simulate({ protocol: "peterson", n: "5" });`,
  );
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"];
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const checked = await run(process.execPath, [tsc, ...options, "use.ts"], { cwd: folder, env }).catch(
    (error) => error,
  );
  expect(checked.stdout).toBe("");
});
