/** Commands that pages show and no test can run as they stand (other machines, other people's databases) have at least options that exist. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { root } from "../cli/run.ts";

const pages = ["README.md", "docs", "docs/deploy", "examples"].flatMap((name) =>
  name.endsWith(".md")
    ? [name]
    : readdirSync(join(root, name), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.(md|service)$/.test(file) && !file.includes("decisions"))
        .map((file) => join(name, file)),
);

interface Shown {
  readonly page: string;
  readonly line: string;
  readonly verb: string;
  readonly words: readonly string[];
}

/** Whatever stands in a block, a unit or between backticks; options of a command that is run count no more. */
const shown: Shown[] = [...new Set(pages)].flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8").replaceAll("\\\n>", " ").replaceAll("\\\n", " ");
  const typed = text.matchAll(/^(?:\$ |ExecStart=\/usr\/local\/bin\/)?(?:npx )?sortition (\w+) (.*)$/gm);
  const quoted = text.matchAll(/`(?:npx )?sortition (\w+) ([^`]*)`/g);
  return [...typed, ...quoted].map(([line, verb, rest]) => {
    const own = rest.split(" -- ")[0].replace(/"[^"]*"|'[^']*'|[|;#].*/g, "");
    return { page, line, verb, words: own.split(/[\s[\]]+/) };
  });
});

/** The command that is meant, and below it the one of `lease ls` or `keys add`. */
function commandOf(program: Command, { verb, words }: Shown): Command | undefined {
  const command = program.commands.find((each) => each.name() === verb);
  return command?.commands.find((each) => words.includes(each.name())) ?? command;
}

test("every command and option that a page shows exists", async () => {
  expect(shown.length).toBeGreaterThan(50);
  const program = await createProgram(shown.map(({ verb }) => verb));
  const wrong = shown.flatMap((each) => {
    const { page, line, verb, words } = each;
    const command = commandOf(program, each);
    if (command === undefined) return [`${page}: ${line}: there is no command "${verb}"`];
    const known = command.options.flatMap(({ long, short }) => [long, short]);
    const flags = words.map((word) => word.split("=")[0]).filter((word) => /^--?[a-z][a-z-]*$/.test(word));
    const unknown = flags.filter((flag) => !known.includes(flag) && flag !== "--help");
    return unknown.map((flag) => `${page}: ${line}: ${flag}`);
  });
  expect(wrong).toEqual([]);
});
