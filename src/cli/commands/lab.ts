/** `sortition lab`: the web page to watch elections, run experiments and read the papers' figures. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, sep } from "node:path";
import type { Command } from "commander";
import { InputError } from "../../errors.ts";
import { fileOf, type LabFile, labFile, pathWithin } from "../../live/agent/http/lab-files.ts";
import { listen } from "../../live/agent/listening.ts";
import type { Io } from "../io.ts";
import { wholeNumber } from "../options/options.ts";
import { examples, print } from "../text/terminal.ts";

interface LabOptions {
  readonly port: string;
  readonly open?: true;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      "Serves the Lab on this machine and prints its address: watch elections event by event and break them by hand, take lessons, compare protocols, read the papers' claims. Everything runs in the browser; the server only hands out files, to this machine alone. Ends with Ctrl-C.",
    )
    .option("--port <number>", "where to listen, on 127.0.0.1; 0 takes a free one", "0")
    .option("--open", "open it in the browser")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition lab", "print the address"],
          ["sortition lab --port 8080 --open", "at a port of your choice, and open it"],
        ],
        "docs/lab.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, { port, open }: LabOptions): Promise<void> {
  await show(io, "", new Map(), wholeNumber(port, "--port", 0, 65_535), open === true);
}

/** Recorded runs in the Lab, several as one: the page fetches them from its own server. */
export async function openInLab(
  io: Io,
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  const opened = new Map(
    files.map(({ name, bytes }, i) => {
      const safe = basename(name)
        .replace(/[^\w.-]/g, "_")
        .slice(-60);
      return [files.length === 1 ? safe || "run.jsonl" : `${i + 1}-${safe}`, bytes] as const;
    }),
  );
  await show(io, `#/watch?open=${[...opened.keys()].join(",")}`, opened, 0, true);
}

/** Serves the page until somebody ends it; `hash` is the part of the address that says what it shows. */
export async function show(
  io: Io,
  hash: string,
  opened: ReadonlyMap<string, Uint8Array>,
  port: number,
  opens: boolean,
): Promise<void> {
  const { url, server } = await serveLab(port, opened).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EADDRINUSE" ? "something else listens there" : error.message;
    throw new InputError(`cannot serve the Lab at port ${port}: ${why}; choose another with --port`);
  });
  print(io, `The Lab is at ${url}${hash}\nCtrl-C ends it.`);
  if (opens) openBrowser(io, `${url}${hash}`);
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  io.once("SIGINT", end);
  io.once("SIGTERM", end);
}

/** Whatever opens addresses on this system; where nothing does, that is said, and the printed address is enough. */
function openBrowser(io: Io, url: string): void {
  const { platform } = process;
  const hasScreen = platform === "darwin" || platform === "win32" || io.env.DISPLAY || io.env.WAYLAND_DISPLAY;
  const say = (why: string) => io.stderr.write(`sortition: ${why}: open the address in a browser by hand\n`);
  if (!hasScreen) {
    say("there is no screen here, since neither DISPLAY nor WAYLAND_DISPLAY is set");
    return;
  }
  const [name, ...args] =
    platform === "darwin" ? ["open", url] : platform === "win32" ? ["cmd", "/c", "start", "", url] : ["xdg-open", url];
  spawn(name, args, { stdio: "ignore", detached: true })
    .on("error", () => say(`no browser was opened, for "${name}" cannot be started`))
    .on("exit", (status) => status !== 0 && say(`no browser was opened, for "${name}" failed`))
    .unref();
}

// The Lab's page as a small web server on this machine: static files, and the run that somebody asked to open.

interface LabServer {
  readonly server: Server;
  readonly url: string;
}

/** `opened` are files that the page may fetch, by name. */
export async function serveLab(port: number, opened: ReadonlyMap<string, Uint8Array>): Promise<LabServer> {
  const server = createServer((request, response) => {
    answer(request, response, opened).catch(() => response.writeHead(500).end());
  });
  await listen(server, { host: "127.0.0.1", port });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  opened: ReadonlyMap<string, Uint8Array>,
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
  opened: ReadonlyMap<string, Uint8Array>,
): Promise<LabFile | null> {
  const [folder, name] = path.split(sep);
  if (folder !== "opened" || name === undefined) return labFile(path, acceptEncoding);
  const bytes = opened.get(name);
  return bytes === undefined ? null : fileOf(path, Buffer.from(bytes), acceptEncoding);
}
