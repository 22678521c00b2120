/**
 * Compiles assembly/threefry.ts with AssemblyScript and writes the bytes as text into src/random/threefry-wasm.ts, so that they are
 * there wherever the sources are: in tests, in a page, in the package. Nothing to do where it was made of the same before.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const SOURCE = "assembly/threefry.ts";
const TARGET = "src/random/threefry-wasm.ts";

/** The file as it should be. */
function written(bytes, digest) {
  return `/** Written by scripts/assemble.js out of ${SOURCE}; SHA-256 of these and of the compiler's version: ${digest}. */
export const BYTES: string =
  "${Buffer.from(bytes).toString("base64")}";
`;
}

async function compiled(source) {
  const { main } = await import("assemblyscript/asc");
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
  return bytes;
}

/** Whether the target was made of the source, the compiler and its options that are here now. */
export const isAssembled = () => existsSync(path(TARGET)) && readFileSync(path(TARGET), "utf8").includes(digest());

function digest() {
  const { devDependencies } = JSON.parse(readFileSync(path("package.json"), "utf8"));
  const hash = createHash("sha256").update(devDependencies.assemblyscript);
  for (const file of [SOURCE, "scripts/assemble.js"]) hash.update(readFileSync(path(file)));
  return hash.digest("hex");
}

export async function assemble() {
  if (isAssembled()) return;
  writeFileSync(path(TARGET), written(await compiled(readFileSync(path(SOURCE), "utf8")), digest()));
}
