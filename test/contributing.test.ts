/**
 * CONTRIBUTING.md names files and commands that exist, and nothing on its lists can be forgotten: what another test does not check yet
 * is checked here. test/settings.test.ts has the settings, test/events.test.ts and test/lab/complete.test.ts have the rest of the events,
 * test/lab/lessons.test.ts has the numbers of lessons.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lessons } from "../lab/lessons/lessons.ts";
import { engineOptions } from "../src/cli/options/member.ts";
import { EVENTS } from "../src/events/table.ts";
import { ENGINES } from "../src/live/engines/open.ts";
import { readOptions } from "../src/live/join/options.ts";
import { catalogue } from "../src/protocols/catalogue.ts";
import { entryOf, narratorOf } from "../src/registry/all.ts";
import { MEMBER } from "../src/settings/member.ts";
import { root } from "./cli/run.ts";

const text = (file: string): string => readFileSync(join(root, file), "utf8");
const page = text("CONTRIBUTING.md");
const { scripts } = JSON.parse(text("package.json")) as { scripts: Record<string, string> };

/** What stands between backticks. */
const quoted = [...new Set([...page.matchAll(/`([^`]+)`/g)].map(([, words]) => words))];
const isPath = (words: string): boolean => /^(?:src|test|docs|lab|examples)\/\S+$/.test(words);

/** What is wrong with one command of the page; null: nothing. */
function mistakeIn(command: string): string | null {
  const [, variable, line] = /^(?:(\w+)=write )?(.*)$/.exec(command)!;
  const [program, name, ...args] = line.split(" ");
  if (program === "npm") {
    const script = name === "run" ? args[0] : name;
    return script === "ci" || script in scripts ? null : `package.json has no script "${script}"`;
  }
  if (name === "sortition")
    return existsSync(join(root, `src/cli/commands/${args[0]}.ts`)) ? null : `no command "${args[0]}"`;
  if (name === "biome") return args.slice(2).every((path) => existsSync(join(root, path))) ? null : "no such folder";
  if (name !== "vitest" || args[0] !== "run") return "not a command that is known here";
  const paths = args.includes("-t") ? args.slice(1, args.indexOf("-t")) : args.slice(1);
  const tests = paths.map((path) => globSync([path, `${path}/**/*.test.ts`], { cwd: root }).filter(isTest));
  const missing = paths.filter((_, i) => tests[i].length === 0);
  if (missing.length > 0) return `no tests in ${missing.join(", ")}`;
  if (variable === undefined) return null;
  return tests.flat().some((file) => text(file).includes(`process.env.${variable} === "write"`))
    ? null
    : `no test reads ${variable}`;
}

const isTest = (file: string): boolean => file.endsWith(".test.ts");

test("there is a checklist for each kind of change", () => {
  const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(["A setting", "A protocol", "An event", "An engine", "A lesson"]);
});

test("every file and folder of the page exists", () => {
  const paths = quoted.filter(isPath);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every command of the page can be run", () => {
  const commands = quoted
    .filter((words) => /^(?:\w+=write )?np[mx] /.test(words))
    .flatMap((line) => line.split(" && "));
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.map((command) => [command, mistakeIn(command)]).filter(([, mistake]) => mistake !== null)).toEqual(
    [],
  );
});

test("a name that the page gives with a file stands in that file", () => {
  const named = [...page.matchAll(/`([A-Za-z.]+)`(?: in| of|,)? \(?`((?:src|test|lab)\/[^`]+\.ts)`/g)];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(([, name, file]) => !text(file).includes(name)).map(([words]) => words)).toEqual([]);
});

describe("a setting", () => {
  test("every option of join is described on its page", () => {
    let said = "";
    try {
      readOptions({ "no such option": 1 });
    } catch (error) {
      said = (error as Error).message;
    }
    const options = /there are ([\w, ]+)/.exec(said)![1].split(", ");
    expect(options).toEqual(expect.arrayContaining(["name", "signal"]));
    const pages = text("docs/settings.md") + text("docs/library.md");
    expect(options.filter((option) => !pages.includes(`\`${option}\``))).toEqual([]);
  });
});

describe("a protocol", () => {
  const tests = globSync("src/protocols/**/*.test.ts", { cwd: root }).map(text).join("\n");
  const described = text("docs/protocols.md");

  test.each(catalogue.map((protocol) => [protocol.name, protocol] as const))("%s", (name, protocol) => {
    const forgotten = [
      described.includes(`\`${name}\``) ? "" : "describe it in docs/protocols.md",
      entryOf(protocol) === undefined ? "add an entry in src/registry" : "",
      narratorOf(protocol) === null ? "give it a narrator" : "",
      tests.includes(`"${name}"`) ? "" : "test it in src/protocols",
    ];
    expect(forgotten.filter((step) => step !== "")).toEqual([]);
  });
});

describe("an event", () => {
  const tellers = globSync("src/{elector,live,protocols/membership}/**/*.ts", { cwd: root })
    .filter((file) => !isTest(file))
    .map(text)
    .join("\n");

  test("a file of the elector or of the live member names every event of the table", () => {
    expect(Object.keys(EVENTS).filter((name) => !tellers.includes(`"${name}"`))).toEqual([]);
  });
});

describe("an engine", () => {
  const benches = globSync("test/engines/*.test.ts", { cwd: root });

  test.each(Object.entries(ENGINES))("%s", (scheme, { form }) => {
    expect(form).toMatch(new RegExp(`^${scheme}:`));
    for (const said of [MEMBER.lease.wanted, MEMBER.lease.about, engineOptions("")[0].description]) {
      expect(said).toContain(`${scheme}:`);
    }
    const [table] = /(^\|.*\|\n)+/m.exec(text("docs/leases.md"))!;
    expect(table, "a row of the first table of docs/leases.md").toContain(`\`${scheme}:`);
    const isListed = text("test/engines/stores.ts").includes(`${scheme}:`);
    const suites = benches.filter((file) => file.includes(scheme) && /\bconformance\(/.test(text(file)));
    expect(isListed || suites.length > 0, "a store in test/engines/stores.ts, or a test that calls conformance").toBe(
      true,
    );
  });
});

describe("a lesson", () => {
  test("every lesson has an address of its own, and the list shows all of them", () => {
    expect(new Set(lessons.map(({ slug }) => slug)).size).toBe(lessons.length);
    expect(text("lab/lessons/Lessons.svelte")).toContain("{#each lessons as");
  });
});
