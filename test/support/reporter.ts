/**
 * Ends a run that hangs. The last lines of a run: what could not be tested on this machine, for each failure the command that repeats it alone, and after a
 * long run how long each part took.
 */
import { relative } from "node:path";
import type { ReportedHookContext, Reporter, TestCase, TestModule, TestSuite } from "vitest/node";
import { isLong } from "./effort.ts";
import { Silence } from "./silence.ts";

/** Failures beyond these are counted: one fault can break hundreds of tests. */
const SHOWN = 20;

export default class implements Reporter {
  private readonly silence = new Silence<TestModule>(giveUp);

  onTestModuleQueued(module: TestModule): void {
    this.silence.begin(module);
  }

  onTestModuleCollected(module: TestModule): void {
    const limits = Array.from(module.children.allTests(), ({ options }) => options.timeout ?? 0);
    this.silence.begin(module, Math.max(0, ...limits));
  }

  onTestCaseReady({ module }: TestCase): void {
    this.silence.hear(module);
  }

  onTestCaseResult(test: TestCase): void {
    this.silence.hear(test.module);
    // Vitest says why at the end of a run, which an interrupted run does not reach.
    if (isLong && hasFailed(test)) process.stdout.write(`\n${reasonsOf(test)}\n  ${commandOf(test)}\n\n`);
  }

  onHookEnd({ entity }: ReportedHookContext): void {
    this.silence.hear(entity.type === "module" ? entity : entity.module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.silence.end(module);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) this.silence.end(module);
    const say = (line: string) => process.stdout.write(`${line}\n`);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const { fullName } of tests.filter(({ fullName }) => fullName.includes("NOT TESTED"))) say(`\n${fullName}`);
    if (isLong) for (const line of durations(modules)) say(line);
    const commands = [...modules.flatMap(commandsOfFile), ...tests.filter(hasFailed).map(commandOf)];
    if (commands.length === 0) return;
    say("\nTo repeat a failure alone (its seed is in its name, in its message or fixed in the file):");
    for (const command of commands.slice(0, SHOWN)) say(`  ${command}`);
    if (commands.length > SHOWN) say(`  ... and ${commands.length - SHOWN} more`);
  }
}

/** Which test it is nobody has heard either. Whatever still runs is ended by the warden (setup.ts). */
function giveUp(module: TestModule, milliseconds: number): void {
  const silence = `nothing was heard of ${pathOf(module)} for ${milliseconds / 1000} s`;
  process.stdout.write(`\nFAILED: ${silence}: is there a loop without an end? To repeat it alone:\n  ${run(module)}\n`);
  process.exit(1);
}

/** Seconds of each folder and of the longest files; files run side by side, so that they add up to more than the run took. */
function durations(modules: readonly TestModule[]): string[] {
  const files = modules.map((module) => ({ file: pathOf(module), seconds: module.diagnostic().duration / 1000 }));
  const sums = new Map<string, number>();
  for (const { file, seconds } of files) {
    const folder = file.split("/").slice(0, 2).join("/");
    sums.set(folder, (sums.get(folder) ?? 0) + seconds);
  }
  const folders = [...sums].map(([file, seconds]) => ({ file, seconds }));
  const listed = (rows: typeof files) =>
    rows.sort((a, b) => b.seconds - a.seconds).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(9)}  ${file}`);
  return ["\nSeconds of each part:", ...listed(folders), "\nThe longest files:", ...listed(files).slice(0, 20)];
}

const reasonsOf = (test: TestCase): string => (test.result().errors ?? []).map(({ message }) => message).join("\n");

const hasFailed = (test: TestCase): boolean => test.result().state === "failed";

/** A file that cannot be loaded, or whose hooks fail, has no failed test to name. */
function commandsOfFile(module: TestModule): string[] {
  const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
  return suites.some((suite) => suite.errors().length > 0) ? [`${run(module)}`] : [];
}

const commandOf = (test: TestCase): string =>
  `${run(test.module)} -t ${quoted(test.fullName.replaceAll(" > ", " ").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))}`;

const run = (module: TestModule): string => `${isLong ? "LONG=1 " : ""}npx vitest run ${quoted(pathOf(module))}`;

const pathOf = ({ moduleId, project }: TestModule): string => relative(project.config.root, moduleId);

/** As a shell takes it. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
