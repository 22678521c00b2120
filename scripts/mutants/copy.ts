/** A copy of the working tree, in which faults are planted: the tree itself is never changed. */
import { chmodSync, cpSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** With what a build has made in it. */
export function makeCopy(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "sortition-mutants-"));
  // Some tests start the command as another user.
  chmodSync(copy, 0o755);
  for (const name of readdirSync(root)) {
    if (/^(\.git|\.dist-.*|node_modules)$/.test(name)) continue;
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}
