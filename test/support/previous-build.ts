/** The code of an earlier commit, from the history of this repository, run as it is: Node strips the types. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../cli/run.ts";

export interface PreviousBuild {
  /** What a command of today is started through, so that the earlier one runs with its arguments instead. */
  readonly through: readonly string[];
  remove(): void;
}

/** Throws where that commit is not in the history here. */
export function previousBuild(commit: string): PreviousBuild {
  const folder = mkdtempSync(join(tmpdir(), "sortition-previous-"));
  try {
    const pack = execFileSync("git", ["archive", commit, "src", "package.json"], {
      ...{ cwd: root, maxBuffer: 256 * 1024 * 1024, stdio: ["ignore", "pipe", "pipe"] },
    });
    execFileSync("tar", ["x", "-C", folder], { input: pack });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const main = join(folder, "src", "cli", "main.ts");
    if (!existsSync(main)) throw new Error(`${commit} has no src/cli/main.ts`);
    const launcher = fileURLToPath(new URL("previous-member.ts", import.meta.url));
    return {
      through: [process.execPath, launcher, main],
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
