/**
 * Runs the test files that are given, in the order in which they are given, in one process after the other, until one fails. The present
 * folder is the copy that has the fault. The environment variable MUTANTS_OUTCOME names the file for the outcome.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, startVitest, type TestModule, type TestSpecification } from "vitest/node";

export interface Outcome {
  /** Milliseconds by test file. */
  readonly times: Readonly<Record<string, number>>;
  readonly failed: readonly string[];
}

const root = process.cwd();
const files = process.argv.slice(2);
/** Those replace modules, as in vitest.config.ts. */
const alone = files.filter((file) => /\bvi\b.* from "vitest"/.test(readFileSync(file, "utf8")));

class AsGiven extends BaseSequencer {
  override async sort(given: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => files.indexOf(relative(root, moduleId));
    return given.sort((a, b) => place(a) - place(b));
  }
}

const LIMIT = 60_000;
const common = { globalSetup: "./test/support/setup.ts", testTimeout: LIMIT, hookTimeout: LIMIT };
const inTurn = { isolate: false, experimental: { viteModuleRunner: false } };
const vitest = await startVitest(
  "test",
  [],
  { root, watch: false, bail: 1, maxWorkers: 1, fileParallelism: false, reporters: ["dot"], config: false },
  {
    test: {
      sequence: { sequencer: AsGiven },
      projects: [
        { test: { ...common, ...inTurn, name: "in turn", include: files.filter((file) => !alone.includes(file)) } },
        { test: { ...common, name: "alone", include: alone } },
      ],
    },
  },
);
const of = (module: TestModule) => relative(root, module.moduleId);
const modules = vitest.state.getTestModules();
const outcome: Outcome = {
  times: Object.fromEntries(modules.map((module) => [of(module), Math.round(module.diagnostic().duration)])),
  failed: modules.filter((module) => !module.ok()).map(of),
};
writeFileSync(process.env.MUTANTS_OUTCOME!, JSON.stringify(outcome));
await vitest.close();
