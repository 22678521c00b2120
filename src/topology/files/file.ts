/** Graph files: edge lists and GraphML. Who reads the bytes is passed in: a disk, an archive, or a page's file chooser. */
import { InputError } from "../../errors.ts";
import type { Graph } from "../csr.ts";
import { parseEdgeList } from "./edge-list.ts";
import { parseGraphml } from "./graphml.ts";

/** The contents of a file, unpacked; it throws an `InputError` that says why it cannot. */
export type ReadFile = (path: string) => Uint8Array;

/** What reads files until somebody says how: a program that runs in a page has no disk. */
export const noFiles: ReadFile = (path) => {
  throw new InputError(`cannot read ${path}: there are no files here; pass a reader to readFilesWith`);
};

export function readGraph(path: string, read: ReadFile): Graph {
  const name = path.slice(1 + Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  const bytes = read(path);
  const graph = looksLikeXml(bytes) ? parseGraphml(new TextDecoder().decode(bytes), name) : parseEdgeList(bytes, name);
  if (graph.size === 0) throw new InputError(`${name}: there is no node in this file`);
  // Not its own name: a file may be called "ring" and be none.
  return { ...graph, name: "file" };
}

function looksLikeXml(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef ? 3 : 0;
  while (at < bytes.length && (bytes[at] === 32 || (bytes[at] >= 9 && bytes[at] <= 13))) at++;
  return bytes[at] === 0x3c;
}
