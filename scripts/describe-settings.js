/**
 * Editors show comments, and tables of settings say what a setting means in a value: this writes the sentence of each setting, and its default, as
 * a comment into the declarations of the package, so that editors show it at the options of `join` and `simulate`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const TABLES = ["settings/member.d.ts", "settings/simulation.d.ts"];

/** An entry of a table, as the compiler declares it. */
const ENTRY = /^ {4}\w+: .*Kind<.*> & \{\n(?: {8}.*\n)+ {4}\};$/gm;

const detail = (entry, name) => {
  const [, text] = new RegExp(`^ {8}readonly ${name}: ("(?:[^"\\\\]|\\\\.)*");$`, "m").exec(entry) ?? [];
  return text === undefined ? undefined : JSON.parse(text);
};

function commentOf(entry) {
  const about = detail(entry, "about");
  const fallback = detail(entry, "otherwise") ?? detail(entry, "default");
  const sentence = `${about[0].toUpperCase()}${about.slice(1)}`;
  return `    /** ${sentence}${fallback ? ` (default: ${fallback})` : ""}. */`;
}

/** `folder`: where the compiler has written to. */
export function describeSettings(folder) {
  for (const table of TABLES) {
    const file = `${folder}/${table}`;
    const declared = readFileSync(file, "utf8");
    writeFileSync(
      file,
      declared.replace(ENTRY, (entry) => `${commentOf(entry)}\n${entry}`),
    );
  }
}
