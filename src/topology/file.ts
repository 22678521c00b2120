/** Graph files: edge lists and GraphML, plain or compressed with gzip. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { InputError } from "../errors.ts";
import type { Graph } from "./csr.ts";
import { parseEdgeList } from "./edge-list.ts";
import { parseGraphml } from "./graphml.ts";

export function readGraph(path: string): Graph {
  const name = basename(path);
  const bytes = contents(path);
  const graph = looksLikeXml(bytes) ? parseGraphml(new TextDecoder().decode(bytes), name) : parseEdgeList(bytes, name);
  if (graph.size === 0) throw new InputError(`${name}: there is no node in this file`);
  // Not its own name: a file may be called «ring» and be none.
  return { ...graph, name: "file" };
}

function contents(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : code;
    throw new InputError(`cannot read the graph file ${path}: ${reason}`);
  }
  // Recognized by its first bytes, not by its name.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    throw new InputError(`cannot unpack the graph file ${path}: it is damaged or cut short`);
  }
}

function looksLikeXml(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef ? 3 : 0;
  while (at < bytes.length && (bytes[at] === 32 || (bytes[at] >= 9 && bytes[at] <= 13))) at++;
  return bytes[at] === 0x3c;
}
