/** The same on the command line: links have its names, and what they say is written as its flags. */
import { flagOf } from "../../src/errors.ts";
import type { Table } from "../../src/setting.ts";
import type { Fields } from "../run/types.ts";

export const PARAM = "param.";

export function commandLine(command: string, fields: Fields, table: Table): string {
  const flags = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith(PARAM) ? ["--param", quoted(`${name.slice(PARAM.length)}=${value}`)] : flag(name, value, table),
  );
  return [command, ...flags].join(" ");
}

/** Some flags say yes by being there, and have no value. */
function flag(name: string, value: string, table: Table): string[] {
  const [, setting] = Object.entries(table).find(([field]) => flagOf(field) === `--${name}`) ?? [];
  if (setting !== undefined && setting.value === undefined) return value === "true" ? [`--${name}`] : [];
  return [`--${name}`, quoted(value)];
}

const quoted = (value: string): string =>
  /^[\w.,:%=+/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
