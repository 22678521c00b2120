/** Protocols from modules of the user's own. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { checkProtocol } from "../protocols/check.ts";
import { type Found, findProtocol, isModule, keepLoaded, type ProtocolChoice } from "../protocols/registry.ts";
import { register } from "../registry/all.ts";
import type { Entry } from "../registry/entry.ts";

/** As `findProtocol`, and modules are imported: a path is relative to the working directory. */
export async function loadProtocol(choice: ProtocolChoice): Promise<Found> {
  if (!isModule(choice)) return findProtocol(choice);
  const { module, export: name } = choice;
  const url = urlOf(module);
  const exports = await imported(url, module);
  const exported = name ?? onlyProtocol(exports, module);
  if (!Object.hasOwn(exports, exported)) {
    const names = Object.keys(exports).join(", ");
    throw new InputError(
      `${module} exports no "${exported}"; ${names === "" ? "it exports nothing" : `it has ${names}`}`,
    );
  }
  const source = { module: url, export: exported };
  const found: Found = { protocol: checkProtocol(exports[exported]), source };
  for (const asked of [choice, source]) keepLoaded(asked, found, moduleDigest(url));
  for (const entry of Object.values(exports)) if (isEntryOf(entry, found.protocol)) register(entry);
  return found;
}

/** A Windows path looks like an URL with the scheme "c:". */
export const urlOf = (module: string): string =>
  /^[a-z][a-z+.-]+:/i.test(module) ? module : pathToFileURL(module).href;

/** What the module knows of its protocol, exported beside it. */
const isEntryOf = (value: unknown, protocol: AnyProtocol): value is Entry =>
  typeof value === "object" &&
  value !== null &&
  "protocol" in value &&
  looksLikeOne(value.protocol) &&
  checkProtocol(value.protocol) === protocol;

const looksLikeOne = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && ("receive" in value || "init" in value);

function onlyProtocol(exports: Readonly<Record<string, unknown>>, module: string): string {
  const names = Object.keys(exports).filter((name) => looksLikeOne(exports[name]));
  const distinct = new Set(names.map((name) => exports[name]));
  if (distinct.size === 1) return names[0];
  if (distinct.size === 0)
    throw new InputError(`${module} exports no protocol: export an object with init and receive`);
  throw new InputError(
    `${module} exports several protocols (${names.join(", ")}): say which, as ${module}#${names[0]}`,
  );
}

async function imported(url: string, module: string): Promise<Readonly<Record<string, unknown>>> {
  if (url.startsWith("file:")) {
    const file = fileURLToPath(url);
    if (!existsSync(file)) throw new InputError(`cannot read the protocol file ${module}: there is no such file`);
    if (statSync(file).isDirectory()) throw new InputError(`cannot read the protocol file ${module}: it is a folder`);
  }
  try {
    return await import(url);
  } catch (error) {
    throw new InputError(whyNot(error as Error & { code?: string }, url, module), { cause: error });
  }
}

/** What went wrong while somebody else's module was loaded, in a line. */
function whyNot(error: Error & { code?: string }, url: string, module: string): string {
  const message = String(error?.message ?? error).replace(/\s*\n\s*/g, " ");
  if (error?.code === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?tsx?$/.test(url)) {
    return `${module} is TypeScript, for which Node 22.18, 23.6 or later is needed; this is ${process.version}: update Node, or compile the file to JavaScript`;
  }
  if (error?.code === "ERR_MODULE_NOT_FOUND") return `${module} imports something that is not there: ${message}`;
  const place = placeIn(error, url);
  if (error instanceof SyntaxError || error?.code?.includes("TYPESCRIPT_SYNTAX")) {
    return `${module}${place} is not valid ${/\.[cm]?ts$/.test(url) ? "TypeScript" : "JavaScript"}: ${message}`;
  }
  return `${module} fails while it is loaded, ${error?.name ?? "an error"}${place}: ${message}`;
}

/** The line that a stack or a code frame names. */
function placeIn(error: Error & { code?: string }, url: string): string {
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  // An error of syntax knows its place only in the words that Node prints.
  const stack =
    error instanceof SyntaxError && error.code === undefined
      ? spawnSync(process.execPath, ["--check", file], { encoding: "utf8" }).stderr
      : String(error?.stack ?? "");
  for (const name of [url, file]) {
    const at = stack.indexOf(`${name}:`);
    const line = at < 0 ? null : /^\d+/.exec(stack.slice(at + name.length + 1));
    if (line !== null) return ` line ${line[0]}`;
  }
  return "";
}

/** What a module's text comes to, with the files beside it that it imports: changed code is another protocol. */
export function moduleDigest(url: string): string {
  const hash = createHash("sha256");
  const seen = new Set<string>();
  const add = (address: string) => {
    if (seen.has(address) || !address.startsWith("file:") || !existsSync(fileURLToPath(address))) return;
    seen.add(address);
    const text = readFileSync(fileURLToPath(address), "utf8");
    hash.update(text);
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g))
      add(new URL(path, address).href);
  };
  add(url);
  return hash.digest("hex");
}
