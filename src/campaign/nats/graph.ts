/** A network that was read from a file goes to the workers as data, with the order; each keeps it as a file of its own until it ends. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { InputError } from "../../errors.ts";
import { readFromDisk } from "../graph-files.ts";
import type { Nats } from "./connect.ts";
import { fetchParts } from "./parts.ts";
import { graphParts, ORDERS } from "./subjects.ts";

export interface PackedGraph {
  readonly digest: string;
  readonly packed: Uint8Array;
}

const MEGABYTE = 2 ** 20;
/** Packed; what is larger is better copied once than sent with every campaign. */
const MOST = 64 * MEGABYTE;
/** Unpacked, so that a small message cannot fill a worker's memory. */
const MOST_UNPACKED = 1024 * MEGABYTE;

const FILE = "file:";
export const isFile = (topology: unknown): topology is string =>
  typeof topology === "string" && topology.startsWith(FILE);

export function packedGraphOf(topology: string): PackedGraph {
  const bytes = readFromDisk(topology.slice(FILE.length));
  const packed = gzipSync(bytes);
  if (packed.length > MOST || bytes.length > MOST_UNPACKED) {
    throw new InputError(
      `the network ${topology} has ${Math.ceil(packed.length / MEGABYTE)} MB packed, and at most ${MOST / MEGABYTE} go to workers: leave out --nats`,
    );
  }
  return { digest: sha256(bytes), packed };
}

/** The files of a worker. */
export class GraphFolder {
  private path: string | null = null;
  private readonly files = new Map<string, string>();

  /** Null where it is not in the queue. */
  async fileOf(nats: Nats, id: string, digest: string): Promise<string | null> {
    const known = this.files.get(digest);
    if (known !== undefined) return known;
    const found = await fetchParts(nats, ORDERS, graphParts(id));
    if (found === null) return null;
    const bytes = unpacked(found.bytes);
    if (bytes === null || sha256(bytes) !== digest) throw new InputError("its network is damaged");
    this.path ??= mkdtempSync(join(tmpdir(), "sortition-graphs-"));
    const file = join(this.path, digest);
    writeFileSync(file, bytes);
    this.files.set(digest, file);
    return file;
  }

  close(): void {
    if (this.path !== null) rmSync(this.path, { recursive: true, force: true });
  }
}

function unpacked(bytes: Uint8Array): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED });
  } catch {
    return null;
  }
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
