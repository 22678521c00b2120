/** The package as others get it: what is in it, run and imported from an empty folder. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../support/effort.ts";
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
        .filter((target) => !contains(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("the pages that commands name", () => {
    const named = made.files
      .filter((file) => /^dist\/cli\/.*\.js$/.test(file))
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

test("the library and its parts can be imported", async () => {
  const use = join(folder, "use.js");
  writeFileSync(
    use,
    `import { simulate, version } from "sortition";
     import { protocolNamed, SELF } from "sortition/protocol";
     import { ring, runEvents } from "sortition/simulate";
     import { explore } from "sortition/explore";
     import { plan } from "sortition/plan";
     import { harmonic } from "sortition/theory";
     import { diagram } from "sortition/trace";
     import { LiveMember } from "sortition/live";
     const { success } = await simulate({ protocol: "chang-roberts", n: 5, trials: 3 }, { threads: 2 });
     const { complete } = explore(protocolNamed("peterson"), { n: 3 });
     const rest = [version, runEvents, plan, diagram, LiveMember].map((value) => typeof value);
     process.stdout.write(JSON.stringify([success.rate, SELF, ring(3).size, complete, harmonic(2), ...rest]));`,
  );
  const { stdout } = await run(process.execPath, [use], { cwd: folder, env });
  const functions = new Array(4).fill("function");
  expect(JSON.parse(stdout)).toEqual([1, -1, 3, true, 1.5, "string", ...functions]);
});

test("its declarations import only what is in it, or what it brings along", () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // Of Node's own modules, and of what an option of the user's is, the user has the types.
  const known = ["node", "sortition", ...Object.keys({ ...dependencies, ...peerDependencies })];
  const declarations = made.files.filter((file) => file.endsWith(".d.ts"));
  expect(declarations.length).toBeGreaterThan(100);
  const missing = declarations.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)]
      .map(([, path]) => path)
      .filter((path) =>
        path.startsWith(".")
          ? !contains(posix.join(posix.dirname(file), path).replace(/\.[jt]s$/, ".d.ts"))
          : !known.some((name) => path === name || path.startsWith(`${name}/`) || path.startsWith(`${name}:`)),
      )
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test("its types are found and right", async () => {
  // As who writes programs for Node has them.
  const types = ["--typeRoots", join(root, "node_modules", "@types"), "--types", "node"];
  const whole = `import { join, type Report, simulate } from "sortition";
     import type { Protocol } from "sortition/protocol";
     export type P = Protocol<null, null, null>;
     export const report: Promise<Report> = simulate({ protocol: "peterson", n: 5 });
     export const name = async () => (await join({ name: "a", key: "k", bind: "127.0.0.1:0" })).name;
     // @ts-expect-error n is a number
     void simulate({ protocol: "peterson", n: "5" });
     ${[...WITHOUT_NODE, "live", "guards", "testing"].map((part) => `export * as ${part} from "sortition/${part}";`).join("\n")}`;
  expect(await errorsIn(whole, types)).toBe("");
});

// `npm run types` checks the same of the sources, by tsconfig.core.json.
test.runIf(isLong)("where no Node is needed, none of Node's types are", async () => {
  const alone = WITHOUT_NODE.map((part) => `export * as ${part} from "sortition/${part}";`);
  expect(await errorsIn(alone.join("\n"))).toBe("");
});

const WITHOUT_NODE = ["protocol", "simulate", "explore", "plan", "theory", "trace"];

function errorsIn(text: string, more: readonly string[] = []): Promise<string> {
  writeFileSync(join(folder, "use.ts"), text);
  return typeErrors(folder, "use.ts", more);
}
