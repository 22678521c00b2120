import { readFileSync } from "node:fs";

/** The package's own version; the file lies equally far from the sources and from the compiled ones. */
export const version: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
