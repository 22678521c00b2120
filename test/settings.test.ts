/** docs/settings.md is the table of settings: `SETTINGS=write npx vitest run test/settings.test.ts && npx biome check --write docs` writes it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXPLORATION } from "../src/explorer/settings.ts";
import { flagOf } from "../src/flags.ts";
import { PLAN } from "../src/planner/setting.ts";
import type { Table } from "../src/setting.ts";
import { requestOf, resolve } from "../src/simulation/settings.ts";
import { LENGTH, RATES, SETTINGS } from "../src/simulation/table.ts";
import { readAs } from "../src/values.ts";
import { root } from "./cli/run.ts";

const PAGE = join(root, "docs/settings.md");

const HEAD = `# Settings

Every setting, as a program writes it (\`simulate({ protocol: "quorum", n: 100, loss: "2%" })\`) and as a flag of the commands. This
page is made from the tables that also make the types, the checks, the help and the completion; a test keeps it so.

Numbers may be written like \`1e6\`, shares as \`0.02\` or \`2%\`: on the command line, in \`--vary\`, in fault files, and in a
program as text (\`"2%"\`). \`null\` is the same as leaving a setting out.
`;

const rows = (table: Table, sweeps: boolean): string[] =>
  Object.entries(table).map(([field, { value, about, wanted, varies, ...rest }]) => {
    const fallback = rest.otherwise ?? (rest.default === undefined ? "none" : `\`${rest.default}\``);
    const cells = [
      `\`${field}\``,
      `\`${flagOf(field)}${value === undefined ? "" : ` ${value.toUpperCase()}`}\``,
      about,
      wanted,
    ];
    return `| ${[...cells, fallback, ...(sweeps ? [varies ? "yes" : ""] : [])].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });

const section = (title: string, about: string, table: Table, sweeps = false): string =>
  [
    `## ${title}\n`,
    `${about}\n`,
    `| field | flag | meaning | must be | default |${sweeps ? " `--vary` |" : ""}`,
    `| --- | --- | --- | --- | --- |${sweeps ? " --- |" : ""}`,
    ...rows(table, sweeps),
    "",
  ].join("\n");

/** Without the spaces and dashes with which the formatter lines up tables. */
const plain = (page: string): string => page.replace(/ +/g, " ").replace(/-{3,}/g, "---");

test("the page says what the tables say", () => {
  const page = [
    HEAD,
    section(
      "Simulations",
      "Of `simulate`, `sweep` and, where theory's answer depends on them, `theory`; `graph` takes `n`, `seed` and `largestComponent`. `--vary` marks what a sweep can vary, beside the parameters of the protocols.",
      SETTINGS,
      true,
    ),
    section(
      "Campaigns",
      "How many trials, and where: options of `simulate(request, options)`, flags of the same commands.",
      LENGTH,
    ),
    section("Plans", "Of `plan`.", PLAN),
    section("Explorations", "Of `explore`.", EXPLORATION),
  ].join("\n");
  if (process.env.SETTINGS === "write") writeFileSync(PAGE, page);
  expect(plain(readFileSync(PAGE, "utf8"))).toBe(plain(page));
});

test("every default can be read, and every value that the Tab key offers", () => {
  for (const table of [SETTINGS, LENGTH, PLAN, EXPLORATION] as Table[]) {
    for (const [field, setting] of Object.entries(table)) {
      const offered = setting.offers?.filter((value) => !value.endsWith(":")) ?? [];
      for (const value of [...offered, ...(setting.default === undefined ? [] : [setting.default])]) {
        expect(() => readAs(setting, value, field)).not.toThrow();
      }
    }
  }
});

test("a report's setting has every field of the table, rates inside the plan of faults", () => {
  const { faults, ...setting } = requestOf(
    resolve({ protocol: "quorum", n: 9, until: 50, walk: 3, topology: "torus:3x3" }),
  );
  const fields = [...Object.keys(setting), ...Object.keys(faults!)];
  expect(Object.keys(SETTINGS).filter((field) => !fields.includes(field))).toEqual([]);
  expect(Object.keys(faults!)).toEqual(expect.arrayContaining(Object.keys(RATES)));
});
