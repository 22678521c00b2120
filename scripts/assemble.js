/**
 * Compiles assembly/threefry.ts with AssemblyScript and writes the bytes as text into src/random/threefry-wasm.ts, so that they are
 * there wherever the sources are: in tests, in a page, in the package. Nothing to do where it was made of the same source before.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const SOURCE = "assembly/threefry.ts";
const TARGET = "src/random/threefry-wasm.ts";

/** The file as it should be; `digest` of the source. */
function written(bytes, digest) {
  return `/** Written by scripts/assemble.js out of ${SOURCE} with SHA-256 ${digest}. */
export const BYTES =
  "${Buffer.from(bytes).toString("base64")}";
`;
}

/** Compiles the source: what should stand in the target. */
export async function assembled() {
  const { main } = await import("assemblyscript/asc");
  const source = readFileSync(path(SOURCE), "utf8");
  let bytes = null;
  const { error, stderr } = await main(
    [
      "threefry.ts",
      "-O3",
      "--runtime",
      "stub",
      "--enable",
      "simd",
      "--initialMemory",
      "1",
      "--outFile",
      "threefry.wasm",
    ],
    {
      readFile: (name) => (name === "threefry.ts" ? source : null),
      writeFile: (_name, contents) => {
        bytes = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null) throw new Error(`${SOURCE} does not compile: ${stderr.toString()}`);
  return written(bytes, digestOf(source));
}

const digestOf = (source) => createHash("sha256").update(source).digest("hex");

export async function assemble() {
  const digest = digestOf(readFileSync(path(SOURCE), "utf8"));
  if (existsSync(path(TARGET)) && readFileSync(path(TARGET), "utf8").includes(digest)) return;
  writeFileSync(path(TARGET), await assembled());
}
