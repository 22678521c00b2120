/** Listening for HTTP: here, and whether it can be done at an address. */
import { createServer, type Server } from "node:net";
import { GroupError } from "../join/errors.ts";
import { resolveAddress } from "../net/address.ts";
import type { Address } from "../world.ts";

export function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    // Also once it listens: what cannot be accepted, for want of files, costs that connection and not the process.
    server.on("error", reject);
    server.listen(port, host, resolve);
  });
}

/** Found out before anybody is joined, so that a group hears nothing of an agent that cannot serve. */
export async function checkHttpAddress(address: string): Promise<void> {
  const server = createServer();
  await listen(server, await resolveAddress(address, "http")).catch((error: NodeJS.ErrnoException) => {
    throw cannotServe(address, error);
  });
  await new Promise((resolve) => server.close(resolve));
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses it",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "that takes rights that this process has not; ports from 1024 on do not",
};

export function cannotServe(address: string, error: NodeJS.ErrnoException): GroupError {
  const why = REASONS[error.code ?? ""] ?? error.message;
  return new GroupError(
    error.code === "EADDRINUSE" ? "ADDRESS_IN_USE" : "CANNOT_START",
    `HTTP cannot be served at ${address}: ${why}`,
    "choose another address for it (--http), or none (--http off)",
    { cause: error },
  );
}
