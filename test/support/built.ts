/** Before the first test that starts processes or pages: dist is built from the present sources, if it is not. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isBuilt } from "../../scripts/built.js";

const BUILD = fileURLToPath(new URL("../../scripts/build.js", import.meta.url));

export default function build(): void {
  if (isBuilt()) return;
  process.stdout.write("Building dist from the present sources.\n");
  const { status } = spawnSync(process.execPath, [BUILD], { stdio: "inherit" });
  if (status !== 0) throw Object.assign(new Error("dist cannot be built"), { stack: "dist cannot be built" });
}
