/** Listening for HTTP: here, and whether it can be done at an address or at a Unix socket. */

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
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

export async function listen(server: Server, place: HttpPlace): Promise<void> {
  if ("path" in place) await removeStale(place.path);
  await new Promise<void>((resolve, reject) => {
    // Also once it listens: what cannot be accepted, for want of files, costs that connection and not the process.
    server.on("error", reject);
    if (!("path" in place)) return void server.listen(place.port, place.host, resolve);
    server.listen(place.path, resolve);
    // It listens already: nothing that others sent before this line has been read.
    if (server.listening) chmodSync(place.path, 0o600);
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
  if (!isAnswered) unlinkSync(path);
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
    error.code === "EADDRINUSE" ? "ADDRESS_IN_USE" : "CANNOT_START",
    `HTTP cannot be served at ${address}: ${listenReason(error)}`,
    "choose another address for it (--http), or none (--http off)",
    { cause: error },
  );
}
