/** Whether HTTP can be served at an address: found out before anybody is joined, so that a group hears nothing of one that cannot. */
import { createServer } from "node:net";
import { numbersOf } from "../group/reach.ts";
import { GroupError } from "../join/errors.ts";

export async function checkHttpAddress(address: string): Promise<void> {
  const { host, port } = await numbersOf(address, "http");
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotServe(address, error)));
    server.listen(port, host, resolve);
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
