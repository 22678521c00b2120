/** The last lines of a run: what could not be tested on this machine, and for each failure the command that repeats it alone. */
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** Failures beyond these are counted: one fault can break hundreds of tests. */
const SHOWN = 20;

export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const say = (line: string) => process.stdout.write(`${line}\n`);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const { fullName } of tests.filter(({ fullName }) => fullName.includes("NOT TESTED"))) say(`\n${fullName}`);
    const commands = [...modules.flatMap(commandsOfFile), ...tests.filter(hasFailed).map(commandOf)];
    if (commands.length === 0) return;
    say("\nTo repeat a failure alone (its seed is in its name, in its message or fixed in the file):");
    for (const command of commands.slice(0, SHOWN)) say(`  ${command}`);
    if (commands.length > SHOWN) say(`  ... and ${commands.length - SHOWN} more`);
  }
}

const hasFailed = (test: TestCase): boolean => test.result().state === "failed";

/** A file that cannot be loaded, or whose hooks fail, has no failed test to name. */
function commandsOfFile(module: TestModule): string[] {
  const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
  return suites.some((suite) => suite.errors().length > 0) ? [`${run(module)}`] : [];
}

const commandOf = (test: TestCase): string =>
  `${run(test.module)} -t ${quoted(test.fullName.replaceAll(" > ", " ").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))}`;

const run = ({ moduleId, project }: TestModule): string =>
  `${process.env.LONG === "1" ? "LONG=1 " : ""}npx vitest run ${quoted(relative(project.config.root, moduleId))}`;

/** As a shell takes it. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
