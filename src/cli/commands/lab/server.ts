/** The Lab's page as a small web server on this machine: static files, and the run that somebody asked to open. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sep } from "node:path";
import { fileOf, type LabFile, labFile, pathWithin } from "../../../live/agent/http/lab-files.ts";
import { listen } from "../../../live/agent/listening.ts";

export interface LabServer {
  readonly server: Server;
  readonly url: string;
}

/** `opened` are files that the page may fetch, by name. */
export async function serveLab(port: number, opened: ReadonlyMap<string, string> = new Map()): Promise<LabServer> {
  const server = createServer((request, response) => {
    answer(request, response, opened).catch(() => response.writeHead(500).end());
  });
  await listen(server, { host: "127.0.0.1", port });
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
  const path = pathWithin(url.split(/[?#]/, 1)[0]);
  const file = path === null ? null : await fileAt(path, String(headers["accept-encoding"] ?? ""), opened);
  if (file === null) return void refuse(404, "There is no such file.");
  response.setHeaders(new Map(Object.entries(file.headers)));
  response.end(method === "HEAD" ? undefined : file.body);
}

async function fileAt(
  path: string,
  acceptEncoding: string,
  opened: ReadonlyMap<string, string>,
): Promise<LabFile | null> {
  const [folder, name] = path.split(sep);
  if (folder !== "opened" || name === undefined) return labFile(path, acceptEncoding);
  const text = opened.get(name);
  return text === undefined ? null : fileOf(path, Buffer.from(text), acceptEncoding);
}
