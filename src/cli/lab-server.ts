/** The Lab's page as a small web server on this machine: static files, and the run that somebody asked to open. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** The page's own policy: nothing from other hosts, no code but its own. */
export const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const ROOT = fileURLToPath(new URL("../../dist/lab", import.meta.url));

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

export interface LabServer {
  readonly server: Server;
  readonly url: string;
}

/** `opened` are files that the page may fetch, by name. */
export async function serveLab(port: number, opened: ReadonlyMap<string, string> = new Map()): Promise<LabServer> {
  const server = createServer((request, response) => {
    answer(request, response, opened).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  opened: ReadonlyMap<string, string>,
): Promise<void> {
  const { method, url = "/", headers } = request;
  const refuse = (status: number, words: string) =>
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${words}\n`);
  if (method !== "GET" && method !== "HEAD") return void refuse(405, "Only GET is answered here.");
  // A page elsewhere could reach this server under a name of its own.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? "")) {
    return void refuse(403, "This server answers to the names of this machine only.");
  }
  const path = pathOf(url);
  const content = path === null ? null : await contentOf(path, opened);
  if (path === null || content === null) return void refuse(404, "There is no such file.");
  const ending = extname(path);
  const packs = UNPACKED.includes(ending) && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  const body = packs ? gzipSync(content) : content;
  const header = {
    "content-type": TYPES[ending] ?? "application/octet-stream",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": path.startsWith("assets/") ? "max-age=31536000, immutable" : "no-cache",
    ...(packs ? { "content-encoding": "gzip", vary: "accept-encoding" } : {}),
    "content-length": String(body.length),
  };
  response.setHeaders(new Map(Object.entries(header)));
  response.end(method === "HEAD" ? undefined : body);
}

/** Inside the folder, or null. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0]).replace(/^\/+/, "");
    const inside = normalize(path === "" ? "index.html" : path);
    return inside.startsWith("..") || inside.includes("\0") || inside.startsWith(sep) ? null : inside;
  } catch {
    return null;
  }
}

async function contentOf(path: string, opened: ReadonlyMap<string, string>): Promise<Buffer | null> {
  const [folder, name] = path.split(sep);
  if (folder === "opened" && name !== undefined) {
    const text = opened.get(name);
    return text === undefined ? null : Buffer.from(text);
  }
  try {
    return await readFile(join(ROOT, path));
  } catch {
    return null;
  }
}
