/** The page and its worker, bundled from the sources by Vite and served with the headers that the Lab will have. */
import { createServer, type Server } from "node:http";
import { isBuiltin } from "node:module";
import type { AddressInfo } from "node:net";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

export interface Bundle {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Modules of Node that something in the bundle asks for, and who does. */
  readonly node: readonly string[];
}

export async function bundle(): Promise<Bundle> {
  const node: string[] = [];
  const watch: Plugin = {
    name: "who-asks-for-node",
    enforce: "pre",
    resolveId(id, importer) {
      if (isBuiltin(id)) node.push(`${basename(importer ?? "")} asks for ${id}`);
      return null;
    },
  };
  const built = await build({
    root: fileURLToPath(new URL(".", import.meta.url)),
    configFile: false,
    logLevel: "silent",
    plugins: [watch],
    worker: { format: "es", plugins: () => [watch] },
    build: { write: false, minify: false, target: "es2023" },
  });
  if (!("output" in built)) throw new Error("one bundle was expected");
  return {
    files: new Map(built.output.map((part) => [`/${part.fileName}`, part.type === "chunk" ? part.code : part.source])),
    node,
  };
}

export async function serve({ files }: Bundle): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(({ url = "/" }, response) => {
    const path = url === "/" ? "/index.html" : url;
    const content = files.get(path);
    response.writeHead(content === undefined ? 404 : 200, {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "content-security-policy": CSP,
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
