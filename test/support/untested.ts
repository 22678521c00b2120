/** Says in the last lines of a run what could not be tested on this machine: every test whose name says NOT TESTED. */
import type { Reporter, TestModule } from "vitest/node";

export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.fullName.includes("NOT TESTED")) process.stdout.write(`\n${test.fullName}\n`);
      }
    }
  }
}
