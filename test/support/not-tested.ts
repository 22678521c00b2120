/** Stands in for tests that cannot run on this machine. The last lines of the run name it (reporter.ts). */
import { expect, test } from "vitest";

/** What a user who is not root may not do. It is no fault of the machine, so that the test is skipped under CI as well. */
export const NEEDS_ROOT = "needs root";

/** Skipped where root is missing. Where a program or a server is missing, it passes, and fails under CI. */
export function notTested(what: string, why: string): void {
  test.skipIf(why.startsWith(NEEDS_ROOT))(`NOT TESTED: ${what}: ${why}`, () =>
    expect(process.env.CI ?? "", "under CI all of it is tested").toBe(""),
  );
}
