/** The package as others get it: what is in it, run and imported from an empty folder. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { effort, isLong } from "../support/effort.ts";
import { env, folderWithin, type Packed, packed, run, typeErrors } from "../support/packed.ts";
import { root } from "./run.ts";

let made: Packed;
let folder: string;
beforeAll(async () => {
  made = await packed();
  folder = folderWithin(made);
});

const sortition = (...args: string[]) =>
  run(join(made.folder, "node_modules", ".bin", "sortition"), args, { cwd: folder, env });

const contains = (path: string) => made.files.some((file) => file === path || file.startsWith(`${path}/`));

describe("it contains", () => {
  test("what its pages link to", () => {
    const pages = made.files.filter((file) => /^(README|docs\/.*|examples\/.*|clients\/.*)\.md$/.test(file));
    expect(pages.length).toBeGreaterThan(15);
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target]) => posix.join(posix.dirname(page), target))
        // Pictures, results and reasons stay in the repository: they are half of its bytes, and no command names them.
        .filter(
          (target) =>
            !contains(target) &&
            !/^(docs\/(figures|reproduction|decisions)|CHANGELOG\.md|CONTRIBUTING\.md)/.test(target),
        )
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("the pages that commands name", () => {
    const named = made.files
      .filter((file) => /^dist\/(cli|chunks)\/.*\.js$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(root, file), "utf8").matchAll(/\b(?:docs|examples)\/[\w./-]+\w|README\.md/g),
      ])
      .map(([page]) => page);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((page) => !contains(page))).toEqual([]);
  });

  test("no sources, tests or tools", () => {
    expect(
      made.files.filter(
        (file) => !/^(bin|dist|docs|examples|clients\/python)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(file),
      ),
    ).toEqual([]);
  });
});

test("the command runs, on worker threads too", async () => {
  const { stdout } = await sortition(..."simulate chang-roberts --n 8 --trials 20 --threads 2 --json".split(" "));
  expect(JSON.parse(stdout)).toMatchObject({ trials: 20, outcomes: { one: 20 } });
});

test("the reproduction finds its texts", async () => {
  expect((await sortition("reproduce", "raz", "--list")).stdout).toContain("Fig. 14 and section VI-A: history");
});

test("figures are drawn by packages that are not forced on anybody", async () => {
  const failed = await sortition(..."sweep peterson --vary n=3,4 --trials 1 --svg x.svg".split(" ")).catch(
    (error) => error,
  );
  expect(failed.stderr).toBe("sortition: figures need vega and vega-lite: npm install vega vega-lite\n");
  expect(failed.code).toBe(2);
});

const PROGRAM = `
  const { success } = await simulate({ protocol: "chang-roberts", n: 5, trials: 3 }, { pool: openPool(2) });
  const { complete } = explore(protocolNamed("peterson"), { n: 3 });
  const rest = [version, join, runEvents, plan, diagram, LiveMember, sqliteGuard, TestGroup].map((value) => typeof value);
  process.stdout.write(JSON.stringify([success.rate, SELF, ring(3).size, complete, harmonic(2), ...rest]));`;
const NAMES = {
  sortition: "join, version",
  "sortition/protocol": "protocolNamed, SELF",
  "sortition/simulate": "openPool, ring, runEvents, simulate",
  "sortition/explore": "explore",
  "sortition/plan": "plan",
  "sortition/theory": "harmonic",
  "sortition/trace": "diagram",
  "sortition/live": "LiveMember",
  "sortition/guards": "sqliteGuard",
  "sortition/testing": "TestGroup",
};
const printed = JSON.stringify([1, -1, 3, true, 1.5, "string", ...new Array(7).fill("function")]);

test("and so is Parquet written", async () => {
  const failed = await sortition(..."simulate peterson --n 3 --trials 1 --out x.parquet".split(" ")).catch(
    (error) => error,
  );
  expect(failed.stderr).toBe(
    "sortition: Parquet needs a package that is not installed: npm install hyparquet-writer (.csv and .jsonl need none)\n",
  );
  expect(failed.code).toBe(2);
});

test("the library and its parts can be imported", async () => {
  const imports = Object.entries(NAMES).map(([entry, names]) => `import { ${names} } from "${entry}";`);
  writeFileSync(join(folder, "use.js"), `${imports.join("\n")}${PROGRAM}`);
  expect((await run(process.execPath, ["use.js"], { cwd: folder, env })).stdout).toBe(printed);
});

test("and required, also by a program given as text", async () => {
  const requires = Object.entries(NAMES).map(([entry, names]) => `const { ${names} } = require("${entry}");`);
  const program = `${requires.join("\n")}(async () => {${PROGRAM}})();`;
  expect((await run(process.execPath, ["-e", program], { cwd: folder, env })).stdout).toBe(printed);
});

test("a class is one class in all entries, imported or required", async () => {
  writeFileSync(
    join(folder, "same.js"),
    `import { createRequire } from "node:module";
     import * as main from "sortition";
     import { InputError } from "sortition/guards";
     import { simulate } from "sortition/simulate";
     import { TestGroup } from "sortition/testing";
     const required = createRequire(import.meta.url)("sortition");
     const thrown = async (act) => { try { await act(); } catch (error) { return error; } };
     const errors = [
       await thrown(() => main.join({})),
       await thrown(() => required.join({})),
       await thrown(() => simulate({ protocol: "none" })),
       await thrown(async () => {
         const group = await TestGroup.start();
         group.process("a").member.lead("nosuch", () => {});
       }),
     ];
     process.stdout.write(JSON.stringify([
       InputError === main.InputError, required.GroupError === main.GroupError,
       ...errors.map((error) => error instanceof InputError),
     ]));`,
  );
  const { stdout } = await run(process.execPath, ["same.js"], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual([true, true, true, true, true, true]);
});

test("its declarations import only what is in it, and Node's", () => {
  const declarations = made.files.filter((file) => /\.d\.c?ts$/.test(file));
  expect(declarations.filter((file) => file.endsWith(".d.ts")).length).toBeGreaterThanOrEqual(10);
  const missing = declarations.flatMap((file) =>
    // Examples in comments import the package itself.
    [...readFileSync(join(root, file), "utf8").matchAll(/^(?! \*).*(?:from |import\()"([^"]+)"/gm)]
      .map(([, path]) => path)
      .filter((path) =>
        path.startsWith(".")
          ? !contains(posix.join(posix.dirname(file), path).replace(/\.(c?)js$/, ".d.$1ts"))
          : !path.startsWith("node:"),
      )
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

// As who writes programs for Node has them.
const nodeTypes = ["--typeRoots", join(root, "node_modules", "@types"), "--types", "node"];

const USE = `import { type GroupStatus, join } from "sortition";
     import { type Report, simulate } from "sortition/simulate";
     import type { Protocol } from "sortition/protocol";
     export type P = Protocol<null, null, null>;
     export const report: Promise<Report> = simulate({ protocol: "peterson", n: 5 });
     export const status = async (): Promise<GroupStatus> => (await join({ name: "a", key: "k", bind: "127.0.0.1:0" })).status();
     // @ts-expect-error n is a number
     void simulate({ protocol: "peterson", n: "5" });
     // @ts-expect-error for parts of the package alone, and not declared
     void (async () => (await join({ name: "a" })).counters);\n`;

describe("its types are found and right", () => {
  const all = () =>
    [...WITHOUT_NODE, "live", "guards", "testing"]
      .map((part) => `export * as ${part} from "sortition/${part}";`)
      .join("\n");
  // CommonJS is TypeScript with `require`, which the compiler refuses for modules that have no types for it (TS1479).
  const resolutions: [string, string[], string[]][] = [
    ["nodenext", ["--module", "nodenext"], ["use.mts", "use.cts"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"], ["use.mts"]],
    ["node16", ["--module", "node16"], ["use.mts", "use.cts"]],
  ];
  // The resolution of nodenext is that of node16.
  test.each(resolutions.slice(0, effort(2, 3)))("by %s", async (_, resolution, files) => {
    for (const file of files) writeFileSync(join(folder, file), USE + all());
    expect(await typeErrors(folder, files, nodeTypes, resolution)).toBe("");
  });
});

// `npm run types` checks the same of the sources, by tsconfig.core.json.
test.runIf(isLong)("where no Node is needed, none of Node's types are", async () => {
  const alone = WITHOUT_NODE.map((part) => `export * as ${part} from "sortition/${part}";`);
  expect(await errorsIn(alone.join("\n"))).toBe("");
});

const WITHOUT_NODE = ["protocol", "simulate", "explore", "plan", "theory", "trace"];

function errorsIn(text: string, more: readonly string[] = []): Promise<string> {
  writeFileSync(join(folder, "use.ts"), text);
  return typeErrors(folder, ["use.ts"], more);
}
