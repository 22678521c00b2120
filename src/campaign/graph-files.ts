/**
 * Import it, and networks named `file:PATH` are read from the disk, plain or compressed with gzip. In a page it does nothing:
 * it asks for Node's modules instead of importing them, so that the entries that use it load there too.
 */
import { InputError } from "../errors.ts";
import type { ReadFile } from "../topology/files/file.ts";
import { readFilesWith } from "../topology/spec.ts";

export const readFromDisk: ReadFile = (path) => {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
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
};

if (typeof process === "object" && typeof process.getBuiltinModule === "function") readFilesWith(readFromDisk);
