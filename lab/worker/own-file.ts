/** A file with a protocol, as docs/your-own-protocol.md describes it, run in this worker: only where the page's policy lets it. */
import * as contract from "../../src/entries/protocol.ts";
import { InputError } from "../../src/errors.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { addOwn } from "./own.ts";

const MOST_BYTES = 2 * 2 ** 20;
const HANDLERS = ["init", "receive", "verdict"];

/** The names under which its protocols can be run from now on. */
export async function openOwn(text: string, name: string): Promise<string[]> {
  if (text.length > MOST_BYTES) throw new InputError(`"${name}" is too large for a page`);
  const module = await load(text, name);
  const found = Object.values(module).filter(isProtocol);
  if (found.length === 0) {
    throw new InputError(
      `"${name}" exports no protocol: export what defineProtocol returns, with ${HANDLERS.join(", ")}`,
    );
  }
  return found.map((protocol) => addOwn(protocol, name).name);
}

function isProtocol(value: unknown): value is AnyProtocol {
  return typeof value === "object" && value !== null && HANDLERS.every((handler) => handler in value);
}

async function load(text: string, name: string): Promise<Record<string, unknown>> {
  const known = urlOf(`export const { ${Object.keys(contract).join(", ")} } = globalThis.sortitionProtocol;`);
  // What a file in Node gets from the package, a file here gets from this page.
  const linked = text.replace(
    /(\bfrom\s*|\bimport\s*)(["'])sortition\/protocol\2/g,
    (_, word: string) => `${word}"${known}"`,
  );
  const other = /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](?!blob:)([^"']+)["']/.exec(linked);
  if (other !== null) {
    throw new InputError(
      `"${name}" imports "${other[1].slice(0, 80)}": here only "sortition/protocol" can be imported; bundle the rest`,
    );
  }
  Object.assign(globalThis, { sortitionProtocol: contract });
  const url = urlOf(linked);
  try {
    return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = /\.tsx?$/.test(name) ? "; a page runs JavaScript: compile TypeScript first" : "";
    throw new InputError(`"${name}" cannot be run: ${why.replaceAll(url, name)}${advice}`);
  } finally {
    URL.revokeObjectURL(url);
    URL.revokeObjectURL(known);
  }
}

const urlOf = (text: string): string => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
