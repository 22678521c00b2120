/** docs/settings.md is the tables of settings: `SETTINGS=write npx vitest run test/settings.test.ts && npx biome check --write docs` writes it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { addMemberOptions, typedSettings } from "../src/cli/options/member.ts";
import { flagOf, InputError } from "../src/errors.ts";
import { EXPLORATION } from "../src/explorer/settings.ts";
import { readSources } from "../src/live/agent/config.ts";
import { readOptions } from "../src/live/join/options.ts";
import { PLAN } from "../src/planner/setting.ts";
import type { Table } from "../src/setting.ts";
import {
  AGENT,
  AGENT_KEYS,
  type AgentKey,
  agentSetting,
  MEMBER,
  MEMBER_KEYS,
  memberFlag,
  RUN_COMMAND,
  variableOf,
} from "../src/settings/member.ts";
import { LENGTH, RATES, SETTINGS } from "../src/settings/simulation.ts";
import { requestOf, resolve } from "../src/simulation/settings.ts";
import { readAs } from "../src/values.ts";
import { root } from "./cli/run.ts";

const PAGE = join(root, "docs/settings.md");
const WRITE = "SETTINGS=write npx vitest run test/settings.test.ts && npx biome check --write docs";

const HEAD = `# Settings

Every setting, as a program writes it (\`simulate({ protocol: "quorum", n: 100, loss: "2%" })\`, \`join({ name: "a", zone: "north" })\`) and as
a flag. A field of a program is the flag without hyphens: \`--largest-component\` is \`largestComponent\`. The tables of this page also make the types, the checks, the help and the completion. If a value is wrong, the error says what is allowed.

Numbers may be written like \`1e6\`, shares as \`0.02\` or \`2%\`. In a program, \`null\` is the same as leaving a setting out.
`;

const rows = (table: Table, sweeps: boolean): string[] =>
  Object.entries(table).map(([field, { value, about, varies, ...rest }]) => {
    const fallback = rest.otherwise ?? (rest.default === undefined ? "none" : `\`${rest.default}\``);
    const cells = [`\`${flagOf(field)}${value === undefined ? "" : ` ${value.toUpperCase()}`}\``, about];
    return `| ${[...cells, fallback, ...(sweeps ? [varies ? "yes" : ""] : [])].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });

const section = (title: string, about: string, table: Table, sweeps = false): string =>
  [
    `## ${title}\n`,
    `${about}\n`,
    `| flag | meaning | default |${sweeps ? " `--vary` |" : ""}`,
    `| --- | --- | --- |${sweeps ? " --- |" : ""}`,
    ...rows(table, sweeps),
    "",
  ].join("\n");

/** A setting of a member has one name: in a program, in a config file, and with hyphens or in capitals as flag and variable. */
function memberSection(title: string, about: string, table: Table): string {
  const rows = Object.entries(table).map(([name, { value, about, ...rest }]) => {
    const key = name as AgentKey;
    const flag = memberFlag(key);
    const cells = [
      `\`${key}\``,
      flag === null ? "none" : `\`${flag}${value === undefined ? "" : ` ${value.toUpperCase()}`}\``,
      about,
      rest.otherwise ?? `\`${rest.default}\``,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `## ${title}\n`,
    `${about}\n`,
    "| setting | flag | meaning | default |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

const { k, ...run } = RUN_COMMAND;
const served = Object.fromEntries(Object.entries(AGENT).filter(([key]) => !(key in MEMBER)));

/** Without the spaces and dashes with which the formatter lines up tables. */
const plain = (page: string): string => page.replace(/ +/g, " ").replace(/-{3,}/g, "---");

test("the page says what the tables say", () => {
  const page = [
    HEAD,
    section(
      "Simulations",
      'Of `simulate`, `sweep` and `theory`; `graph` takes `n`, `seed` and `largestComponent`. A sweep can vary the settings with "yes", and the parameters of the protocols.',
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
    memberSection(
      "Members of live groups",
      "Options of [`join`](library.md#options). For `agent`, `group` and `run` they are flags, environment variables, or keys in the file of `--config`. The first source that is set wins: flag, environment, file ([agent](agent.md#configuration)). A variable is the name in capitals: `leaseTtl` is `SORTITION_LEASE_TTL`. Lists are separated by commas in flags and variables.",
      MEMBER,
    ),
    memberSection("Agents", "Of `agent` and `run`, besides those of members.", served),
    section("Commands that run while leading", "Of `run` alone.", { "-k": k, ...run }),
  ].join("\n");
  if (process.env.SETTINGS === "write") writeFileSync(PAGE, page);
  expect(plain(readFileSync(PAGE, "utf8")), `run ${WRITE}`).toBe(plain(page));
});

test("every default can be read, and every value that the Tab key offers", () => {
  for (const table of [SETTINGS, LENGTH, PLAN, EXPLORATION, AGENT, RUN_COMMAND] as Table[]) {
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

describe("every setting of a member is taken wherever settings are said, and described", () => {
  const folder = mkdtempSync(join(tmpdir(), "sortition-settings-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const NOTHING = { flags: {}, env: {}, file: null };

  function fileWith(key: AgentKey, value: unknown): string {
    const file = join(folder, `${key}.json`);
    writeFileSync(file, JSON.stringify({ [key]: value }), { mode: 0o600 });
    return file;
  }

  function command(): Command {
    const made = new Command("agent").exitOverride().configureOutput({ getOutHelpWidth: () => 10_000 });
    return addMemberOptions(made);
  }

  /** A value that is not the default, as text. */
  function sampleOf(key: AgentKey): string {
    const { words = [], default: fallback, ...kind } = agentSetting(key);
    const likely = [...words, "/x", "700", "host.example:7001"];
    return likely.find((text) => kind.read(text) !== undefined && text !== fallback)!;
  }

  describe.each(AGENT_KEYS)("%s", (key) => {
    const setting = agentSetting(key);
    const text = sampleOf(key);
    const value = setting.read(text);
    const flag = memberFlag(key);

    test("as a flag, a variable and a key of the config file", () => {
      const saying: [string, Parameters<typeof readSources>[0]][] = [
        [variableOf(key), { ...NOTHING, env: { [variableOf(key)]: text } }],
        [`${join(folder, `${key}.json`)}, line 1`, { ...NOTHING, file: fileWith(key, value) }],
      ];
      if (flag !== null) {
        const line = setting.value === undefined ? [flag] : [flag, text];
        const flags = typedSettings(command().parse(line, { from: "user" }).opts());
        saying.push([flag, { ...NOTHING, flags }]);
      }
      for (const [origin, sources] of saying) {
        const { settings, said } = readSources(sources);
        expect([origin, settings[key]]).toEqual([origin, value]);
        expect(said.get(key)?.origin).toBe(origin);
      }
    });

    test("as an option of join, where it is one", () => {
      if (!(key in MEMBER)) return;
      // Some go together with others: what is said then is no matter of this one.
      expect(messageOf(() => readOptions({ name: "a", [key]: value }))).not.toMatch(/has no option|must be/);
    });

    test("a wrong value is refused by its name, in words", () => {
      const refused = messageOf(() => readSources({ ...NOTHING, file: fileWith(key, {}) }));
      expect(refused).toContain(`line 1: ${key} must be ${setting.wanted}`);
      if (key in MEMBER) {
        expect(messageOf(() => readOptions({ name: "a", [key]: {} }))).toContain(`must be ${setting.wanted}`);
      }
    });

    test("help has it with its sentence, and something uses it", () => {
      if (flag !== null) expect(command().helpInformation()).toContain(`${flag}${setting.value ? " <" : " "}`);
      if (flag !== null) expect(command().helpInformation()).toContain(setting.about);
      expect(setting.about.split(" ").length).toBeLessThanOrEqual(25);
      const uses = sources.filter(([file, code]) => !file.includes("settings/member") && namesField(code, key));
      expect(uses.length, `no file of src reads the setting "${key}"`).toBeGreaterThan(0);
    });
  });

  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => [file, readFileSync(join(root, "src", file), "utf8")] as const);

  /** As a field that is read: `settings.zone`, `options.zone`, `params.zone`, or `{ zone` of a pattern. */
  const namesField = (code: string, key: string) =>
    new RegExp(`(?:(?:ettings|ptions|arams)\\.|[{,]\\s*)${key}\\b`).test(code);

  function messageOf(act: () => unknown): string {
    try {
      act();
      return "";
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return error.message;
    }
  }

  test("former flags still work, and help does not show them", () => {
    const line = [
      "--self",
      "a",
      "--join",
      "b:1,c:2",
      "--seeds",
      "d:3",
      "--office",
      "x,y",
      "--office",
      "z",
      "--http-host",
      "e",
    ];
    const { settings } = readSources({
      ...NOTHING,
      flags: typedSettings(command().parse(line, { from: "user" }).opts()),
    });
    expect(settings).toMatchObject({
      name: "a",
      seeds: ["b:1", "c:2", "d:3"],
      offices: ["x,y", "z"],
      httpHosts: ["e"],
    });
    expect(command().helpInformation()).not.toMatch(/--self|--join|--office\b|--http-host\b/);
  });

  test("settings of `join` are those of the table, and no other", () => {
    expect(AGENT_KEYS.slice(0, MEMBER_KEYS.length)).toEqual(MEMBER_KEYS);
    expect(messageOf(() => readOptions({ name: "a", nothingLikeIt: 1 }))).toContain(MEMBER_KEYS.join(", "));
  });
});
