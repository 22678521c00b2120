/** Addresses of names, from the operating system: what its hosts file and its name servers say now. */
import { lookup } from "node:dns";

/** Hands over the addresses behind a name, in numbers; none, and why, where there are none. */
export type Resolve = (host: string, done: (hosts: readonly string[], why: string) => void) => void;

export const systemResolve: Resolve = (host, done) => {
  lookup(host, { all: true }, (error, found) => {
    if (error === null)
      done(
        found.map(({ address }) => address),
        "",
      );
    else done([], error.code === "ENOTFOUND" ? "nobody knows that name" : error.message);
  });
};
