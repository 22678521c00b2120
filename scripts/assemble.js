/**
 * Compiles the files of assembly/ with AssemblyScript into one module and writes its bytes as text into src/random/assembly-bytes.ts, so that they are
 * there wherever the sources are: in tests, in a page, in the package. Nothing to do where it was made of the same before.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const FOLDER = "assembly";
const TARGET = "src/random/assembly-bytes.ts";
const sources = readdirSync(path(FOLDER))
  .filter((name) => name.endsWith(".ts"))
  .sort();

/** The file as it should be. */
function written(bytes, digest) {
  return `/** Written by scripts/assemble.js out of ${FOLDER}/; SHA-256 of these and of the compiler's version: ${digest}. */
export const BYTES: string =
  "${Buffer.from(bytes).toString("base64")}";
`;
}

async function compiled() {
  const { main } = await import("assemblyscript/asc");
  let bytes = null;
  const { error, stderr } = await main(
    [...sources, "-O3", "--runtime", "stub", "--enable", "simd", "--initialMemory", "1", "--outFile", "sortition.wasm"],
    {
      readFile: (name) => (sources.includes(name) ? readFileSync(path(`${FOLDER}/${name}`), "utf8") : null),
      writeFile: (_name, contents) => {
        bytes = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null) throw new Error(`${FOLDER}/ does not compile: ${stderr.toString()}`);
  return bytes;
}

/** Whether the target was made of the source, the compiler and its options that are here now. */
export const isAssembled = () => existsSync(path(TARGET)) && readFileSync(path(TARGET), "utf8").includes(digest());

function digest() {
  const { devDependencies } = JSON.parse(readFileSync(path("package.json"), "utf8"));
  const hash = createHash("sha256").update(devDependencies.assemblyscript);
  for (const file of [...sources.map((name) => `${FOLDER}/${name}`), "scripts/assemble.js"])
    hash.update(readFileSync(path(file)));
  return hash.digest("hex");
}

export async function assemble() {
  if (isAssembled()) return;
  writeFileSync(path(TARGET), written(await compiled(), digest()));
}
