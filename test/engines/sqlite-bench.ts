/** Files of SQLite for tests: on a memory disk where there is one, since each request waits for the disk. */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SqliteRegister } from "../../src/live/engines/sqlite-register.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import type { Bench } from "./bench.ts";

/** The register itself, in this thread, by a clock that the test turns; three connections to one file. */
export const sqlite: Bench = {
  name: "SQLite",
  slack: 0,
  speed: "disk",
  async begin() {
    const folder = memoryFolder();
    const [file, copy] = [join(folder, "leases.db"), join(folder, "copy.db")];
    const clock = { name: "the test's", now: 1_000_000, stamp: 7 };
    const connect = () =>
      [0, 1, 2].map(
        () =>
          new SqliteRegister(
            { file, name: "sqlite:leases.db", group: "g", migrate: true },
            { name: clock.name, now: () => clock.now, stamp: () => clock.stamp },
          ),
      );
    let connections = connect();
    const close = () => {
      for (const connection of connections) connection.close();
    };
    connections[0].check(1000);
    return {
      ask: async (request: LeaseRequest, connection = 0) => connections[connection].ask(request, 1000),
      async turn(ms) {
        clock.now += ms;
        clock.stamp += ms;
      },
      stamp: () => clock.stamp,
      /** Another file with the same rows. */
      async restart() {
        close();
        const other = join(folder, "other.db");
        copyFileSync(file, other);
        renameSync(other, file);
        connections = connect();
      },
      snapshot: async () => copyFileSync(file, copy),
      async restore() {
        close();
        copyFileSync(copy, file);
        // Members that were stopped: those that run would notice.
        connections = connect();
      },
      async end() {
        close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};
