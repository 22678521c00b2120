/** The Lab's page as files: from the folder that the build makes, and nothing outside it. */
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { codeFile } from "../../../package-files.ts";

/** The page's own policy: nothing from other hosts, no code but its own. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** The page that runs a reader's own protocol lets such a file run in a worker, and nothing of it connect to anything. */
const OWN_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src 'self' blob:; connect-src 'none'";

const ROOT = codeFile("../dist/lab");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".jsonl": "text/plain; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
};
const UNPACKED = [".html", ".js", ".css", ".svg", ".json", ".jsonl", ".csv"];

export interface LabFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Packed once for each state of a file. */
const packed = new Map<string, { readonly stamp: string; readonly body: Buffer<ArrayBuffer> }>();

/** `path` as `pathWithin` gives it; null where there is no such file. */
export async function labFile(path: string, acceptEncoding: string): Promise<LabFile | null> {
  try {
    const file = join(ROOT, path);
    const { mtimeMs, size } = await stat(file);
    const content = await readFile(file);
    return fileOf(path, content, acceptEncoding, `${mtimeMs}/${size}`);
  } catch {
    return null;
  }
}

/** As `labFile`, for a server that is an agent or speaks for some: a file beside the page says so, and Live then asks it. */
export async function agentLabFile(path: string, acceptEncoding: string): Promise<LabFile | null> {
  if (path === "agent.json") return fileOf(path, Buffer.from('{"agent":true}'), acceptEncoding);
  return labFile(path, acceptEncoding);
}

/** `stamp`: the same for the same content; without it nothing is kept. */
export function fileOf(
  path: string,
  content: Buffer<ArrayBuffer>,
  acceptEncoding: string,
  stamp: string | null = null,
): LabFile {
  const ending = extname(path);
  const packs = UNPACKED.includes(ending) && /\bgzip\b/.test(acceptEncoding);
  const body = packs ? packedOf(path, content, stamp) : content;
  const headers = {
    "content-type": TYPES[ending] ?? "application/octet-stream",
    "content-security-policy": path === "own.html" ? OWN_POLICY : POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": path.startsWith("assets/") ? "max-age=31536000, immutable" : "no-cache",
    ...(packs ? { "content-encoding": "gzip", vary: "accept-encoding" } : {}),
    "content-length": String(body.length),
  };
  return { headers, body };
}

function packedOf(path: string, content: Buffer<ArrayBuffer>, stamp: string | null): Buffer<ArrayBuffer> {
  const known = packed.get(path);
  if (known !== undefined && known.stamp === stamp) return known.body;
  const body = gzipSync(content) as Buffer<ArrayBuffer>;
  if (stamp !== null) packed.set(path, { stamp, body });
  return body;
}

/** A path as in an address, as one inside the folder, or null. */
export function pathWithin(path: string): string | null {
  try {
    const plain = decodeURIComponent(path).replace(/^\/+/, "");
    const inside = normalize(plain === "" ? "index.html" : plain);
    return inside.startsWith("..") || inside.includes("\0") || inside.startsWith(sep) ? null : inside;
  } catch {
    return null;
  }
}
