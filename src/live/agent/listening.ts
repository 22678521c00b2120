/** Listening for HTTP: here, and whether it can be done at an address or at a Unix socket. */
import { chmodSync, linkSync, lstatSync, mkdtempSync, rmSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { dirname } from "node:path";
import { socketPath } from "../../settings/member-kinds.ts";
import { GroupError } from "../join/errors.ts";
import { resolveAddress } from "../net/address.ts";
import { listenReason } from "../net/udp.ts";
import type { Address } from "../world.ts";

/** A place in the network, or the file of a Unix socket. */
export type HttpPlace = Address | { readonly path: string };

export async function httpPlaceOf(text: string): Promise<HttpPlace> {
  const path = socketPath(text);
  return path === null ? resolveAddress(text, "http") : { path };
}

/**
 * Connections that the kernel keeps until they are accepted. If there are more, a client tries again after a second, and Node's own
 * limit of 511 is reached by one client that opens a thousand connections.
 */
const BACKLOG = 4096;

export async function listen(server: Server, place: HttpPlace): Promise<void> {
  const bind = (...where: [path: string] | [port: number, host: string]) =>
    new Promise<void>((resolve, reject) => {
      // Also once it listens: what cannot be accepted, for want of files, costs that connection and not the process.
      server.on("error", reject);
      server.listen(...(where as [string]), BACKLOG, resolve);
    });
  if (!("path" in place)) return bind(place.port, place.host);
  const { path } = place;
  // The socket gets its name when its mode is right: in a folder of its own nobody else can reach it before.
  const folder = mkdtempSync(`${dirname(path)}/.`);
  const socket = `${folder}/s`;
  try {
    await bind(socket);
    chmodSync(socket, 0o600);
    await removeStale(path);
    publish(server, socket, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fails if the name is taken. At its end the server removes its own socket, and not one that has replaced it. */
function publish(server: Server, socket: string, path: string): void {
  linkSync(socket, path);
  const { ino } = lstatSync(path);
  server.once("close", () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path);
  });
}

/** A process that was killed leaves its socket behind, at which nobody answers. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error("another file has that name");
  const isAnswered = await new Promise<boolean>((resolve) => {
    const asked = connect(path, () => {
      asked.destroy();
      resolve(true);
    });
    asked.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  });
  if (isAnswered) throw Object.assign(new Error("another process answers there"), { code: "EADDRINUSE" });
  unlinkSync(path);
}

/** Found out before anybody is joined, so that a group hears nothing of an agent that cannot serve. */
export async function checkHttpAddress(address: string): Promise<void> {
  const server = createServer();
  await listen(server, await httpPlaceOf(address)).catch((error: NodeJS.ErrnoException) => {
    throw cannotServe(address, error);
  });
  await new Promise((resolve) => server.close(resolve));
}

export function cannotServe(address: string, error: NodeJS.ErrnoException): GroupError {
  return new GroupError(
    ["EADDRINUSE", "EEXIST"].includes(error.code ?? "") ? "ADDRESS_IN_USE" : "CANNOT_START",
    `HTTP cannot be served at ${address}: ${listenReason(error)}`,
    "choose another address for it (--http), or none (--http off)",
    { cause: error },
  );
}
